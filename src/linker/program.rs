//! The program of a link: which modules of its files may have kernels, and which object each of them becomes.

use std::path::{Path, PathBuf};

use super::files::{File, Member};
use crate::driver::ProgramObjects;
use crate::error::{Error, Result};
use crate::input::file::Input;
use crate::input::sysroot::is_in_sysroot;
use crate::job::Job;
use crate::stages::read::Program;

/// The replacement of a file on the command line.
pub(super) enum FileUse {
    /// The file itself.
    Same(PathBuf),
    /// The objects of its modules, which are inputs or others; for a library, also its other members.
    Modules(PathBuf, Vec<ModuleUse>),
}

impl FileUse {
    /// The path and the role of a module that is a file of its own.
    pub(super) fn module(&self) -> Option<(&Path, Role)> {
        match self {
            Self::Modules(path, slots) => match &slots[..] {
                [ModuleUse::Module(name, role)] if name.is_empty() => Some((path, *role)),
                _ => None,
            },
            Self::Same(_) => None,
        }
    }
}

/// A member of a library by name, or the only one of an object, which has none.
pub(super) enum ModuleUse {
    Object(String, Vec<u8>),
    Module(String, Role),
}

/// Which modules of the [`Program`] a module is one of.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Role {
    Input,
    Sibling,
    Other,
}

/// Distinguishes the modules that may contain kernels from the others, and records the file of each. Modules that may
/// mark kernels are inputs, or if there are none, all that name the device contract. The other objects of such a
/// program are siblings, and so are the other modules of a library with a module that names the contract. Functions
/// that kernels call in other libraries are resolved like any other body.
pub(super) fn program(job: &Job, files: Vec<File>) -> (Program, Vec<FileUse>) {
    let in_library =
        |members: &[Member]| members.iter().any(|m| matches!(m, Member::Module(_, m) if m.names_contract()));
    let marks = |module: &Input| module.names_contract() && module.may_mark();
    let has_marks = |file: &File| match file {
        File::Other(_) | File::Native(..) => false,
        File::Module(module) => marks(module),
        File::Library(_, members) => members.iter().any(|m| matches!(m, Member::Module(_, m) if marks(m))),
    };
    // The functions of the crate that replace those of `std` are looked up by their names in the inputs.
    let only_marks = !job.device_std && files.iter().any(has_marks);
    let of_kernels = |file: &File| match file {
        File::Other(_) | File::Native(..) => false,
        File::Module(module) => module.names_contract(),
        File::Library(_, members) => in_library(members),
    };
    let everything = !job.kernel_globs.is_empty();
    let any = everything || files.iter().any(of_kernels);
    let role = |module: &Input, with_kernels: bool| match () {
        () if everything || (module.names_contract() && (!only_marks || marks(module))) => Role::Input,
        () if with_kernels => Role::Sibling,
        () => Role::Other,
    };
    let mut program = Program::default();
    let mut uses = Vec::new();
    let add = |program: &mut Program, module: Input, name: String, role: Role| {
        let list = match role {
            Role::Input => &mut program.inputs,
            Role::Sibling => &mut program.siblings,
            Role::Other => &mut program.others,
        };
        list.push(module);
        ModuleUse::Module(name, role)
    };
    for file in files {
        match file {
            File::Other(path) => uses.push(FileUse::Same(path)),
            File::Native(path, code) => {
                // Rust's own libraries are a separate source of bodies.
                if code.is_crate && !is_in_sysroot(&path) {
                    program.archives.push(path.clone());
                }
                uses.push(FileUse::Same(path));
            }
            File::Module(module) => {
                let (path, role) = (module.path.clone(), role(&module, any));
                uses.push(FileUse::Modules(path, vec![add(&mut program, module, String::new(), role)]));
            }
            File::Library(path, members) => {
                let with_kernels = in_library(&members);
                program.archives.push(path.clone());
                let mut slots = Vec::new();
                for member in members {
                    slots.push(match member {
                        Member::Object(name, bytes) => ModuleUse::Object(name, bytes),
                        Member::Module(name, module) => {
                            let role = role(&module, with_kernels);
                            add(&mut program, module, name, role)
                        }
                    });
                }
                uses.push(FileUse::Modules(path, slots));
            }
        }
    }
    (program, uses)
}

/// The objects of the modules, which are taken in the order of the files.
pub(super) struct HostObjects<'a> {
    parts: &'a ProgramObjects,
    input: usize,
    sibling: usize,
    other: usize,
}

impl<'a> HostObjects<'a> {
    /// The objects of the modules in these files.
    pub(super) fn new(uses: &[FileUse], parts: &'a ProgramObjects) -> Self {
        let slots = uses.iter().flat_map(|file| if let FileUse::Modules(_, slots) = file { &slots[..] } else { &[] });
        let count = |role| slots.clone().filter(|slot| matches!(slot, ModuleUse::Module(_, of) if *of == role)).count();
        let (inputs, siblings) = (count(Role::Input), count(Role::Sibling));
        Self { parts, input: 0, sibling: inputs, other: inputs + siblings }
    }

    /// The object of the next module with this role.
    pub(super) fn next(&mut self, role: Role) -> Result<&'a [u8]> {
        let number = match role {
            Role::Input => &mut self.input,
            Role::Sibling => &mut self.sibling,
            Role::Other => &mut self.other,
        };
        *number += 1;
        self.parts.host.get(*number - 1).map(Vec::as_slice).ok_or_else(|| Error::internal("a module without an object"))
    }
}
