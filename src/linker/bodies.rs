//! The bitcode of a shared library for Rust programs (`dylib`), which is a section of the library.
//!
//! A program that is linked with the library has none of the library's crates in its own link. rustc does not
//! instantiate a function again in a program if the library exports it: without optimisation, not even `bool::then`. So
//! kernels of the program take bodies from this section.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::bundle::bodies_object;
use crate::contract::platform::Platform;
use crate::error::{Context as _, Result};
use crate::input::archive::{self, Archive};
use crate::input::file::module_of;
use crate::input::recompile;
use crate::input::sysroot::is_in_sysroot;
use crate::llvm::{self, crash};
use crate::stages::read::Program;
use crate::system::tokens::Tokens;

/// A module, and the symbols that it defines.
type Member = (Vec<String>, Vec<u8>);

/// The object with the section.
pub(super) fn object(program: &Program, platform: Platform, tokens: &Tokens) -> Result<Vec<u8>> {
    let mut members: Vec<Member> = Vec::new();
    for input in program.inputs.iter().chain(&program.siblings).chain(&program.others) {
        let name = input.display();
        let _activity = crash::activity_on_input(format_args!("reading {name}"));
        for bitcode in input.modules() {
            let defined = llvm::definitions(bitcode, &name)?;
            members.push((defined.into_iter().filter_map(|definition| definition.symbol).collect(), bitcode.to_vec()));
        }
    }
    members.extend(of_libraries(&program.archives, tokens)?);
    bodies_object(platform, archive::archive(&members))
}

/// The modules of libraries, which are compiled again if they have machine code alone.
fn of_libraries(archives: &[PathBuf], tokens: &Tokens) -> Result<Vec<Member>> {
    let mut members = Vec::new();
    let mut without = Vec::new();
    for path in archives.iter().filter(|path| !is_in_sysroot(path)) {
        let modules = modules(path)?;
        if modules.is_empty() {
            without.push((members.len(), path.clone()));
        }
        members.push(modules);
    }
    let (numbers, paths): (Vec<_>, Vec<_>) = without.into_iter().unzip();
    for (number, path) in numbers.into_iter().zip(recompile::with_bitcode(&paths, tokens, false)?) {
        if let Some(path) = path {
            members[number] = modules(&path)?;
        }
    }
    Ok(members.concat())
}

fn modules(path: &Path) -> Result<Vec<Member>> {
    let failed = || format!("cannot read `{}`", path.display());
    // A shared library keeps its own.
    if !archive::has_members(path) {
        return Ok(Vec::new());
    }
    let archive = Archive::open(path).with_context(failed)?;
    let mut symbols: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for (symbol, member) in archive.symbols() {
        symbols.entry(member).or_default().push(symbol.to_owned());
    }
    let mut members = Vec::new();
    for (member, symbols) in symbols {
        let bytes = archive.member(member).with_context(failed)?;
        members.extend(module_of(&bytes).map(|module| (symbols, module.to_vec())));
    }
    Ok(members)
}
