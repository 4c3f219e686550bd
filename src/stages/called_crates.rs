//! The crates of a whole program that its inputs call, in libraries.
//!
//! The machine code of most crates is linked as rustc has written it. In that of the crate `offload`, stand-ins take
//! the place of the runtime, and in that of a crate with kernels, nothing has marked them. The modules of such crates
//! are therefore compiled with the inputs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use goblin::elf::Elf;

use crate::contract::abi::RUNTIME_PREFIX;
use crate::contract::builtin::PREFIX;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::error::{Context as _, Error, Result};
use crate::input::archive::{Archive, METADATA, members};
use crate::input::file::{Input, InputKind};
use crate::input::library_folders::rlibs;
use crate::input::newer_llvm::Reader;
use crate::input::sysroot::crate_of;
use crate::job::Job;
use crate::llvm::{self, Context, crash};
use crate::stages::read::{Program, parse};

/// The libraries of crates that a job names, in the order in which they are searched.
pub fn named_crates(job: &Job) -> Result<Vec<PathBuf>> {
    let mut named: Vec<PathBuf> = job.inputs.iter().chain(&job.libraries).cloned().collect();
    named.retain(|path| path.extension().is_some_and(|extension| extension == "rlib"));
    for folder in &job.library_folders {
        named.extend(rlibs(folder)?);
    }
    Ok(named)
}

/// The libraries that define some of `lacking`, whose symbols are then removed from it. A symbol is taken from the
/// first library that defines it, because one program cannot contain two builds of a crate. The runtime defines its own
/// functions.
pub fn definers(crates: &[PathBuf], lacking: &mut BTreeSet<String>) -> Result<Vec<PathBuf>> {
    lacking.retain(|symbol| !is_ours(symbol));
    let mut called = Vec::new();
    for path in crates {
        let archive = Archive::open(path).with_context(|| format!("cannot read `{}`", path.display()))?;
        let names: Vec<_> = lacking.iter().cloned().collect();
        let defined: BTreeSet<_> = archive.defined(&names).into_values().flatten().collect();
        if !defined.is_empty() {
            lacking.retain(|symbol| !defined.contains(symbol));
            called.push(path.clone());
        }
    }
    Ok(called)
}

/// The undefined symbols of an object.
pub fn undefined_symbols(object: &[u8]) -> Result<BTreeSet<String>> {
    let elf = Elf::parse(object).map_err(|error| Error::new(format!("an object cannot be read: {error}")))?;
    let undefined = elf.syms.iter().filter(|symbol| symbol.st_shndx == 0 && symbol.st_name != 0);
    Ok(undefined.filter_map(|symbol| elf.strtab.get_at(symbol.st_name)).map(str::to_owned).collect())
}

/// Adds the modules of called crates that name the device contract to a program, and those of crates that call such
/// crates. Returns the libraries of these crates.
pub fn add_crates_with_kernels(
    job: &Job,
    program: &mut Program,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<PathBuf>> {
    let mut others = named_crates(job)?;
    if others.is_empty() {
        return Ok(others);
    }
    let (mut lacking, mut has) = (BTreeSet::new(), BTreeSet::new());
    for (input, bytes) in program.modules() {
        let (undefined, defined) = symbols_of_module(input, bytes)?;
        lacking.extend(undefined);
        has.extend(defined);
    }
    lacking.retain(|symbol| !has.contains(symbol));
    let mut crates: Vec<Library> = Vec::new();
    loop {
        let called = definers(&others, &mut lacking)?;
        if called.is_empty() {
            break;
        }
        others.retain(|path| !called.contains(path));
        for path in called {
            let library = Library::read(path, &job.reader, diagnostics)?;
            lacking.extend(library.lacking.iter().cloned());
            crates.push(library);
        }
    }
    let mut added: Vec<PathBuf> = Vec::new();
    let mut defined: BTreeSet<String> = BTreeSet::new();
    while let Some(at) =
        crates.iter().position(|library| library.names_contract || !library.lacking.is_disjoint(&defined))
    {
        let library = crates.swap_remove(at);
        for module in library.modules {
            let list = if module.names_contract() { &mut program.inputs } else { &mut program.siblings };
            list.push(module);
        }
        if let Some(member) = library.native {
            diagnostics.push(without_bitcode(&library.path, &member));
        }
        defined.extend(library.defined);
        added.push(library.path);
    }
    Ok(added)
}

/// The library of a crate.
struct Library {
    path: PathBuf,
    modules: Vec<Input>,
    /// A member that is machine code only.
    native: Option<String>,
    names_contract: bool,
    defined: BTreeSet<String>,
    lacking: BTreeSet<String>,
}

impl Library {
    fn read(path: PathBuf, reader: &Reader, diagnostics: &mut Diagnostics) -> Result<Self> {
        let _activity = crash::activity(format!("reading `{}`", path.display()));
        let unreadable = format!("cannot read `{}`", path.display());
        let doing = || unreadable.clone();
        let bytes = std::fs::read(&path).with_context(doing)?;
        let index = Archive::open(&path).with_context(doing)?;
        let defined = index.symbols().map(|(name, _)| name.to_owned()).collect();
        let mut this =
            Self { modules: Vec::new(), native: None, names_contract: false, defined, lacking: BTreeSet::new(), path };
        for (name, member) in members(&bytes).ok_or_else(|| Error::new("it is a broken archive")).with_context(doing)? {
            if name == METADATA {
                continue;
            }
            match Input::member(&this.path, member.to_vec(), reader) {
                Ok(Some(module)) => {
                    this.names_contract |= module.names_contract();
                    for bytes in module.modules() {
                        this.lacking.extend(symbols_of_module(&module, bytes)?.0);
                    }
                    this.modules.push(module);
                }
                Ok(None) => {
                    let lacking = undefined_symbols(member).with_context(doing)?;
                    this.names_contract |= lacking.iter().any(|symbol| is_ours(symbol));
                    this.lacking.extend(lacking);
                    this.native.get_or_insert(name);
                }
                Err(diagnostic) => diagnostics.push(diagnostic),
            }
        }
        this.names_contract |= this.defined.iter().any(|symbol| is_ours(symbol));
        Ok(this)
    }
}

/// Whether a symbol is one of the device contract or of the runtime.
fn is_ours(symbol: &str) -> bool {
    symbol.starts_with(PREFIX) || symbol.starts_with(RUNTIME_PREFIX)
}

/// The undefined and the defined symbols of an input's module.
fn symbols_of_module(input: &Input, bytes: &[u8]) -> Result<(BTreeSet<String>, BTreeSet<String>)> {
    let _activity = crash::activity_on_input(format_args!("reading {}", input.display()));
    let symbols = match input.kind {
        InputKind::Text => llvm::symbols(&parse(&Context::create(), input, bytes)?.bitcode(), &input.display())?,
        InputKind::Bitcode | InputKind::Object => llvm::symbols(bytes, &input.display())?,
    };
    let (undefined, defined): (Vec<_>, Vec<_>) = symbols.into_iter().partition(|symbol| symbol.undefined);
    let names = |symbols: Vec<llvm::Symbol>| symbols.into_iter().map(|symbol| symbol.name).collect();
    Ok((names(undefined), names(defined)))
}

fn without_bitcode(library: &Path, member: &str) -> Diagnostic {
    let krate = crate_of(library).unwrap_or_default();
    let message =
        format!("the crate `{krate}` has kernels or launches, but its library has machine code without bitcode");
    Diagnostic::coded(Code::NativeUse, message)
        .note(format!("it is `{member}` in `{}`", library.display()))
        .help("compile the crate with `-C embed-bitcode=yes`, or pass the bitcode that `--emit=llvm-bc` writes as an input")
        .help("`cargo offloadc` compiles such crates as they have to be")
}
