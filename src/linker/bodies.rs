//! The bitcode of a shared library for Rust programs (`dylib`), which is a section of the library.
//!
//! A program that is linked with the library has none of its crates in its own link, and rustc does not instantiate
//! again in a program what the library exports: without optimisation, not even `bool::then`. So kernels of the program
//! take bodies from this section.

use std::path::{Path, PathBuf};

use goblin::elf::Elf;
use goblin::elf::sym::STB_LOCAL;

use crate::bundle::bodies_object;
use crate::contract::platform::Platform;
use crate::error::{Context as _, Result};
use crate::input::archive::{self, MAGIC};
use crate::input::file::module_beside;
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
    members.extend(beside_machine_code(&program.archives, tokens)?);
    bodies_object(platform, archive::archive(&members))
}

/// The modules beside the machine code of libraries, which are compiled again if they have none.
fn beside_machine_code(archives: &[PathBuf], tokens: &Tokens) -> Result<Vec<Member>> {
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
    let bytes = std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    // A shared library keeps its own.
    let members = if bytes.starts_with(MAGIC) { archive::members(&bytes) } else { None };
    let member = |(_, object): (String, &[u8])| Some((defined(object)?, module_beside(object)?.to_vec()));
    Ok(members.into_iter().flatten().filter_map(member).collect())
}

/// The symbols that an object defines for others.
fn defined(object: &[u8]) -> Option<Vec<String>> {
    let elf = Elf::parse(object).ok()?;
    let ours = elf.syms.iter().filter(|symbol| symbol.st_bind() != STB_LOCAL && symbol.st_shndx != 0);
    Some(ours.filter_map(|symbol| elf.strtab.get_at(symbol.st_name).map(str::to_owned)).collect())
}
