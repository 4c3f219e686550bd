//! A program before compilation: the bytes of its modules, and how the modules are linked into one.

use std::path::PathBuf;

use crate::checks::check_intrinsic_types::check_intrinsic_types;
use crate::contract::platform::Platform;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::error::{Context as _, Error, ExitCode, Failure, Result};
use crate::input::archive;
use crate::input::file::{self, Input, InputKind};
use crate::job::Job;
use crate::llvm::{self, Context, Module, Value, crash};
use crate::passes::host::drop_stand_ins::{drop_stand_ins, is_stand_in};
use crate::passes::host::marks::{CallSite, call_sites, number_marks};
use crate::passes::pass::{Passes, pass};
use crate::stages::machine::{complete_layout, platform_of};
use crate::stages::siblings::{Sibling, Siblings};
use crate::system::tokens::Tokens;

/// The files of a program.
#[derive(Debug, Default)]
pub struct Program {
    /// The modules with kernels. Kernels are found in all of them together; host code is compiled separately for each.
    pub inputs: Vec<Input>,
    /// Other modules of crates with kernels, which mark no kernel but may define functions and statics that kernels
    /// reach.
    pub siblings: Vec<Input>,
    /// Modules of crates without kernels, compiled for the host unchanged.
    pub others: Vec<Input>,
    /// Libraries that provide bodies which the inputs lack.
    pub archives: Vec<PathBuf>,
}

impl Program {
    /// Reads every input of a job and recognises archives. A file of another kind becomes a diagnostic.
    pub fn read(job: &Job, diagnostics: &mut Diagnostics) -> Option<Self> {
        let (archives, others): (Vec<&PathBuf>, Vec<&PathBuf>) =
            job.inputs.iter().partition(|path| archive::is_one(path));
        if let (Some(archive), []) = (archives.first(), &others[..]) {
            diagnostics.push(file::only_archives(archive));
        }
        let mut inputs = Vec::new();
        for path in others {
            let _activity = crash::activity(format!("reading `{}`", path.display()));
            match Input::read(path, &job.reader) {
                Ok(input) => inputs.push(input),
                Err(diagnostic) => diagnostics.push(diagnostic),
            }
        }
        let archives = archives.into_iter().cloned().collect();
        (!diagnostics.has_errors()).then_some(Self { inputs, archives, ..Self::default() })
    }

    /// Every module: first those of the inputs, then those of the siblings.
    pub fn modules(&self) -> impl Iterator<Item = (&Input, &[u8])> {
        of(&self.inputs).chain(of(&self.siblings)).chain(of(&self.others))
    }

    /// The siblings, of which none is linked yet.
    pub fn siblings(&self, tokens: &Tokens) -> Siblings<'_> {
        Siblings::read(of(&self.siblings), tokens)
    }

    /// Links the modules of all inputs, and the siblings that they need, into one host module with a data layout. Adds
    /// the marker calls of each module to `sites`; of a sibling that is not linked, there are none. Fails with a
    /// diagnostic if one of these modules is invalid.
    pub fn link<'c>(
        &self,
        context: &'c Context,
        passes: &Passes,
        siblings: &mut Siblings<'_>,
        sites: &mut Vec<Vec<CallSite>>,
    ) -> Result<Module<'c>, Failure<Diagnostic>> {
        let mut sources = of(&self.inputs);
        let several = !self.siblings.is_empty() || of(&self.inputs).nth(1).is_some();
        let mut next = || {
            let Some((input, bytes)) = sources.next() else { return Ok(None) };
            let module = ready(context, passes, input, bytes)?;
            if several {
                pass!(passes, number_marks(&module, sites.len()))?;
            }
            sites.push(call_sites(&module));
            Ok::<_, Failure<Diagnostic>>(Some((input.display(), module)))
        };
        let (first, host) = next()?.ok_or_else(|| Error::new("the inputs contain no module"))?;
        let triple = host.triple();
        let linker = host.module_linker();
        let link = |name: &str, module: Module<'c>| {
            check_same_platform((&first, &triple), (name, &module.triple()))?;
            let _activity = crash::activity_on_input(format_args!("linking {name}"));
            linker.link(module).with_context(|| format!("cannot link {name} with the other inputs"))
        };
        while let Some((name, module)) = next()? {
            link(&name, module)?;
        }
        let inputs = of(&self.inputs).count();
        let mut is_divided = false;
        loop {
            let needed = siblings.take_needed(&host);
            if needed.is_empty() {
                break;
            }
            for Sibling { number, input, bytes, symbols } in needed {
                if !symbols.is_empty() {
                    take(&host, input, bytes, &symbols)?;
                    is_divided = true;
                    continue;
                }
                let module = ready(context, passes, input, bytes)?;
                let number = inputs + number;
                pass!(passes, number_marks(&module, number))?;
                sites.resize_with(sites.len().max(number + 1), Vec::new);
                sites[number] = call_sites(&module);
                link(&input.display(), module)?;
            }
            if is_divided {
                pass!(passes, drop_stand_ins(&host))?;
            }
        }
        drop(linker);
        if is_divided {
            valid(&host, "what kernels reach")?;
        }
        complete_layout(&host)?;
        Ok(host)
    }

    /// A 64-bit FNV-1a hash of the bytes of all modules that name the device contract, as 16 hex digits. It makes the
    /// symbols of this object unique within a program.
    pub fn hash(&self) -> String {
        let named = of(&self.siblings).filter(|(input, _)| input.names_contract());
        let bytes = of(&self.inputs).chain(named).flat_map(|(_, bytes)| bytes);
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3));
        format!("{hash:016x}")
    }
}

/// The modules of some files.
fn of(inputs: &[Input]) -> impl Iterator<Item = (&Input, &[u8])> {
    inputs.iter().flat_map(|input| input.modules().map(move |bytes| (input, bytes)))
}

/// A module that can be linked with the host's.
fn ready<'c>(
    context: &'c Context,
    passes: &Passes,
    input: &Input,
    bytes: &[u8],
) -> Result<Module<'c>, Failure<Diagnostic>> {
    let module = checked(context, input, bytes)?;
    let _ = platform_of(&module.triple(), &input.display())?;
    if let Some(merged) = merged_stand_ins(&module, input) {
        return Err(Failure::Reason(merged));
    }
    pass!(passes, drop_stand_ins(&module))?;
    Ok(module)
}

/// Links definitions of a sibling, and those of the same module that they need. Nothing else of the module is read.
fn take(host: &Module<'_>, input: &Input, bytes: &[u8], symbols: &[String]) -> Result<(), Failure<Diagnostic>> {
    let name = input.display();
    let _activity = crash::activity_on_input(format_args!("taking functions out of {name}"));
    let _limit = llvm::limit_reading(bytes.len());
    let linked = host.linker().link(bytes, &name, symbols, true, &|_| true);
    linked.with_context(|| format!("cannot take functions out of {name}"))?;
    check_intrinsic_types(host, &name).map_or(Ok(()), |diagnostic| Err(Failure::Reason(diagnostic)))
}

/// Refuses a module in which an optimiser has made one function of two stand-ins of the `offload` crate: calls of one
/// are calls of the other, which the aliases do not undo.
fn merged_stand_ins(module: &Module<'_>, input: &Input) -> Option<Diagnostic> {
    let targets = module.aliases().into_iter().map(|alias| (alias, alias.aliasee().as_function()));
    let (alias, function) = targets.into_iter().find(|(_, target)| target.is_some_and(is_stand_in))?;
    let function = function?;
    let [alias, function] = [alias.name(), function.name()];
    let what = format!(
        "in {}, an optimiser has merged the functions `{alias}` and `{function}`, which offloadc replaces by different ones",
        input.display()
    );
    let help = "compile the crate `offload` of this offloadc's version, or with `-C no-prepopulate-passes`";
    Some(Diagnostic::coded(Code::InvalidInput, what).help(help))
}

/// Refuses modules of several platforms in one program. Each is a file's name and a triple.
fn check_same_platform((first, of_first): (&str, &str), (other, of_other): (&str, &str)) -> Result<()> {
    if Platform::of(of_first) == Platform::of(of_other) {
        return Ok(());
    }
    Err(Error::new(format!("{first} was compiled for `{of_first}`, and {other} for `{of_other}`")))
}

/// Parses a module of an input.
pub fn parse<'c>(context: &'c Context, input: &Input, bytes: &[u8]) -> Result<Module<'c>> {
    parse_as_written(context, input, bytes).map(of_a_host)
}

/// A module that names no triple is for the usual host.
fn of_a_host(module: Module<'_>) -> Module<'_> {
    if module.triple().is_empty() {
        module.set_triple(Platform::default().triple());
    }
    module
}

fn parse_as_written<'c>(context: &'c Context, input: &Input, bytes: &[u8]) -> Result<Module<'c>> {
    let _limit = llvm::limit_reading(bytes.len());
    match input.kind {
        InputKind::Text => Module::from_text(context, bytes, &input.display()),
        _ => Module::from_bitcode(context, bytes, &input.display()),
    }
}

/// Parses a module and runs LLVM's verifier. An invalid module is an error in the user's input, so it becomes a
/// diagnostic.
pub fn checked<'c>(context: &'c Context, input: &Input, bytes: &[u8]) -> Result<Module<'c>, Failure<Diagnostic>> {
    checked_as_written(context, input, bytes).map(of_a_host)
}

/// Runs LLVM's verifier on a module of this name.
fn valid(module: &Module<'_>, name: &str) -> Result<(), Failure<Diagnostic>> {
    module.verify().map_err(|error| {
        let error = Error::new(format!("{name} contains an invalid module: {error}"));
        Failure::Reason(Diagnostic::from(&error).with_code(Code::InvalidModule))
    })
}

/// The same for a module that may be of a device, and keeps the triple that it names or does not name.
pub fn checked_as_written<'c>(
    context: &'c Context,
    input: &Input,
    bytes: &[u8],
) -> Result<Module<'c>, Failure<Diagnostic>> {
    let _activity = crash::activity_on_input(format_args!("reading {}", input.display()));
    let module = parse_as_written(context, input, bytes).map_err(|error| match error.exit_code() {
        ExitCode::Internal => Failure::Operation(error),
        _ => Failure::Reason(Diagnostic::from(&error).with_code(Code::InvalidInput)),
    })?;
    valid(&module, &input.display())?;
    if let Some(diagnostic) = check_intrinsic_types(&module, &input.display()) {
        return Err(Failure::Reason(diagnostic));
    }
    if let Some(name) = module.globals().into_iter().find_map(Value::unprintable_name) {
        // Symbols are looked up as UTF-8 strings without NUL, and two names that are not could become the same string.
        let what = format!("{} names something `{name}`, which is not UTF-8 or holds a NUL", input.display());
        return Err(Failure::Reason(Diagnostic::coded(Code::InvalidInput, what).help("give it another symbol")));
    }
    Ok(module)
}
