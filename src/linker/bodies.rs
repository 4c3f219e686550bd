//! The bitcode of a shared library for Rust programs (`dylib`), which is a section of the library.
//!
//! A program that is linked with the library has none of its crates in its own link, and rustc does not instantiate
//! again in a program what the library exports: without optimisation, not even `bool::then`. So kernels of the program
//! take bodies from this section.

use std::collections::BTreeMap;
use std::path::Path;

use crate::bundle::bodies_object;
use crate::contract::platform::Platform;
use crate::error::{Context as _, Result};
use crate::input::archive::{self, Archive};
use crate::input::file::module_of;
use crate::input::recompile;
use crate::input::sysroot::is_in_sysroot;
use crate::llvm::{self, crash};
use crate::stages::read::Program;

/// A module, and the symbols that it defines.
type Member = (Vec<String>, Vec<u8>);

/// The object with the section.
pub(super) fn object(program: &Program, platform: Platform) -> Result<Vec<u8>> {
    let mut members: Vec<Member> = Vec::new();
    for input in program.inputs.iter().chain(&program.siblings).chain(&program.others) {
        let name = input.display();
        let _activity = crash::activity_on_input(format_args!("reading {name}"));
        for bitcode in input.modules() {
            let defined = llvm::definitions(bitcode, &name)?;
            members.push((defined.into_iter().filter_map(|definition| definition.symbol).collect(), bitcode.to_vec()));
        }
    }
    for path in program.archives.iter().filter(|path| !is_in_sysroot(path)) {
        members.extend(of_library(path)?);
    }
    bodies_object(platform, archive::archive(&members))
}

/// The modules of a library, which is compiled again if it has machine code alone.
fn of_library(path: &Path) -> Result<Vec<Member>> {
    let members = modules(path)?;
    if !members.is_empty() {
        return Ok(members);
    }
    recompile::with_bitcode(path, false)?.map_or(Ok(members), |path| modules(&path))
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
