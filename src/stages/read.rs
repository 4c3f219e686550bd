//! A program before it is compiled: its modules as bytes, and how they become one module of a context.

use std::path::PathBuf;

use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::error::{Context as _, Error, ExitCode, Result};
use crate::input::archive;
use crate::input::file::{self, Input, InputKind};
use crate::job::Job;
use crate::llvm::{self, Context, Module, Value, crash};
use crate::passes::host::drop_stand_ins::drop_stand_ins;
use crate::passes::host::marks::number_marks;
use crate::stages::host;

/// What a program is made of.
#[derive(Debug, Default)]
pub struct Program {
    /// Kernels are found in all of these together, and host code is made of each module apart.
    pub inputs: Vec<Input>,
    /// Modules that know nothing of kernels and become host code as they are.
    pub others: Vec<Input>,
    /// Libraries that bodies are taken from when the inputs lack them.
    pub archives: Vec<PathBuf>,
}

impl Program {
    /// Reads every input of a job, and tells archives apart; what is neither becomes a diagnostic.
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
        (!diagnostics.has_errors()).then_some(Self { inputs, others: Vec::new(), archives })
    }

    /// Every module, the inputs' first.
    pub fn modules(&self) -> impl Iterator<Item = (&Input, &[u8])> {
        self.inputs.iter().chain(&self.others).flat_map(|input| input.modules().map(move |bytes| (input, bytes)))
    }

    /// One host module of all inputs' modules, or what is wrong with one of them.
    pub fn link<'c>(&self, context: &'c Context) -> Result<std::result::Result<Module<'c>, Diagnostic>> {
        let mut host: Option<Module<'c>> = None;
        let several = self.inputs.iter().flat_map(Input::modules).count() > 1;
        let mut number = 0;
        for input in &self.inputs {
            let name = input.display();
            let _activity = crash::activity(format!("reading {name}"));
            for bytes in input.modules() {
                let module = match checked(context, input, bytes)? {
                    Ok(module) => module,
                    Err(diagnostic) => return Ok(Err(diagnostic)),
                };
                host::check_platform(&module.triple(), &name)?;
                drop_stand_ins(&module);
                if several {
                    number_marks(&module, number);
                }
                number += 1;
                match &host {
                    None => host = Some(module),
                    Some(host) => host.link(module).with_context(|| format!("linking {name} with the other inputs"))?,
                }
            }
        }
        host.map(Ok).ok_or_else(|| Error::new("the inputs contain no module"))
    }

    /// 16 hex digits of the inputs' bytes (64-bit FNV-1a): what makes the symbols of this object its own in a program.
    pub fn hash(&self) -> String {
        let bytes = self.inputs.iter().flat_map(Input::modules).flatten();
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3));
        format!("{hash:016x}")
    }
}

/// A module of an input as LLVM's own.
pub fn parse<'c>(context: &'c Context, input: &Input, bytes: &[u8]) -> Result<Module<'c>> {
    let _limit = llvm::limit(llvm::reading_limit(bytes.len()));
    let module = match input.kind {
        InputKind::Text => Module::from_text(context, bytes, &input.display()),
        _ => Module::from_bitcode(context, bytes, &input.display()),
    }?;
    if module.triple().is_empty() {
        module.set_triple(host::TRIPLE);
    }
    Ok(module)
}

/// The same, once LLVM's verifier has nothing against it; what is wrong with it is the user's to know.
pub fn checked<'c>(
    context: &'c Context,
    input: &Input,
    bytes: &[u8],
) -> Result<std::result::Result<Module<'c>, Diagnostic>> {
    let module = match parse(context, input, bytes) {
        Err(error) if error.exit_code() != ExitCode::Internal => {
            return Ok(Err(Diagnostic::from(&error).with_code(Code::InvalidInput)));
        }
        module => module?,
    };
    if let Err(error) = module.verify() {
        let error = Error::new(format!("{} contains an invalid module: {error}", input.display()));
        return Ok(Err(Diagnostic::from(&error).with_code(Code::InvalidModule)));
    }
    if let Some(name) = module.globals().into_iter().find_map(Value::unprintable_name) {
        // Everything is found by its name, and two such names may read as one.
        let what = format!("{} names something `{name}`, which is not UTF-8 or holds a NUL", input.display());
        return Ok(Err(Diagnostic::coded(Code::InvalidInput, what).help("give it another symbol")));
    }
    Ok(Ok(module))
}
