//! The linker's place: `linker = "offloadc-ld"` with `-C linker-plugin-lto`, which makes the program's crates bitcode.
//!
//! A link here is: read the command line, tell files with modules from all others, compile the whole program's modules
//! (`driver.rs`), and give the real linker the same command line with objects where the modules were. A program without
//! kernels gets its host code, and the runtime if it calls that.

mod command_line;
mod files;
mod version_script;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use rayon::prelude::*;

use crate::cli::options::{CommandLineEnd, Options};
use crate::cli::response_file;
use crate::diagnostics::{Diagnostic, Diagnostics, Severity};
use crate::driver::{self, ProgramObjects};
use crate::error::{Context as _, Error, Result};
use crate::job::{Job, UsageError};
use crate::llvm::{OptLevel, crash};
use crate::stages::exe;
use crate::stages::read::Program;
use crate::system::scratch::Scratch;
pub use command_line::OPTIONS_VARIABLE;
use command_line::{Argument, CommandLine};
use files::{File, Member};

/// A command line longer than this goes through a response file; the system's own limit for one argument is 128 KiB.
const LONGEST: usize = 100 << 10;

/// Set for the real linker: who finds it set has been started in the real linker's place.
const LINKING: &str = "OFFLOADC_LINKING";

/// A link that can be done.
pub struct Link {
    /// How the program's modules are compiled.
    pub job: Job,
    command_line: CommandLine,
}

/// Why there is no [`Link`].
pub enum NoLink {
    /// offloadc's options are wrong, or ask for help.
    Options(CommandLineEnd),
    /// They ask for what cannot be.
    Usage(UsageError),
}

impl Link {
    /// Reads a linker's command line, response files expanded, without the program's own name.
    pub fn new(arguments: Vec<OsString>) -> std::result::Result<Self, NoLink> {
        let command_line = CommandLine::parse(arguments);
        if std::env::var_os(LINKING).is_some() {
            let error = UsageError::new("the linker that `offloadc-ld` runs is `offloadc-ld`");
            return Err(NoLink::Usage(error.help("name another by `OFFLOADC_LINKER` or `--offload-linker`")));
        }
        // rustc wants no word from a linker about programs that have nothing to do with it.
        let quiet = ["offloadc", "-Wno-no-kernel", "-Wno-default-arch"].map(OsString::from);
        let mut module = command_line.output.clone().into_os_string();
        module.push(".bc");
        let words = quiet.into_iter().chain(command_line.options.iter().cloned()).chain([module]);
        let options = Options::parse_from_arguments(words.collect()).map_err(NoLink::Options)?;
        let mut job = Job::resolve(&options).map_err(NoLink::Usage)?;
        job.host_level = command_line.level.unwrap_or(OptLevel::O2);
        Ok(Self { job, command_line })
    }

    /// The program that links in the end.
    pub fn real_linker(&self) -> &OsStr {
        &self.command_line.linker
    }

    /// What may be files to link.
    fn files(&self) -> impl Iterator<Item = &Path> {
        self.command_line.arguments.iter().filter_map(|argument| match argument {
            Argument::File(path) => Some(path.as_path()),
            Argument::Word(_) => None,
        })
    }

    /// Compiles and links; the real linker's status, or none when `diagnostics` has an error.
    pub fn run(&self, diagnostics: &mut Diagnostics) -> Result<Option<ExitStatus>> {
        let files = self.read(diagnostics)?;
        if diagnostics.has_errors() {
            return Ok(None);
        }
        let (program, uses) = program(&self.job, files);
        if program.inputs.is_empty() && program.others.is_empty() {
            let status = self.link(&Scratch::new()?, Vec::new(), &Added::default())?;
            if !status.success() && self.files().any(files::names_contract) {
                diagnostics.push(without_modules());
            }
            return Ok(Some(status));
        }
        let names_contract = !program.inputs.is_empty();
        let Some(parts) = driver::compile_program(&self.job, &program, diagnostics)? else { return Ok(None) };
        let scratch = Scratch::new()?;
        let replaced = replace(&scratch, &uses, &parts)?;
        self.link(&scratch, replaced, &added(&self.job, &scratch, &parts, names_contract)?).map(Some)
    }

    /// Reads all files, side by side: modules of a newer LLVM take their time.
    fn read(&self, diagnostics: &mut Diagnostics) -> Result<Vec<File>> {
        let read = |path: &&Path| {
            let _activity = crash::activity(format!("reading `{}`", path.display()));
            files::read(path, &self.job.reader)
        };
        let paths: Vec<_> = self.files().collect();
        let results: Vec<_> = driver::workers(&self.job)?.install(|| paths.par_iter().map(read).collect());
        let mut files = Vec::new();
        for result in results {
            match result {
                Ok(file) => files.push(file),
                Err(diagnostic) => diagnostics.push(diagnostic),
            }
        }
        Ok(files)
    }

    /// Runs the real linker. `replaced` has what stands where the files were, in their order; empty when they stay.
    fn link(&self, scratch: &Scratch, replaced: Vec<PathBuf>, added: &Added) -> Result<ExitStatus> {
        let mut replaced = replaced.into_iter();
        let mut words: Vec<OsString> = Vec::new();
        let is_file = |argument: &Argument| matches!(argument, Argument::File(_));
        let last = self.command_line.arguments.iter().rposition(is_file);
        for (number, argument) in self.command_line.arguments.iter().enumerate() {
            match argument {
                Argument::File(path) => words.push(replaced.next().unwrap_or_else(|| path.clone()).into()),
                Argument::Word(word) => words.push(version_script::of_program(word, scratch)?),
            }
            if Some(number) == last {
                // The archive alone: shared libraries are not looked for while rustc has asked for static ones.
                words.extend(added.objects.iter().chain(added.runtime.first()).cloned());
            }
        }
        words.extend_from_slice(&added.runtime);
        let is_static = words.iter().any(|word| word == "-static" || word == "-static-pie");
        words.extend(exe::system_words(&added.runtime, is_static).iter().map(OsString::from));
        let program = &self.command_line.linker;
        let mut command = Command::new(program);
        if words.iter().map(|word| word.len() + 1).sum::<usize>() > LONGEST {
            let file = scratch.file_with("arguments", &response_file::text(&words))?;
            let mut at = OsString::from("@");
            at.push(file);
            words = vec![at];
        }
        let _ = command.args(&words).env("TMPDIR", scratch.folder()).env(LINKING, "1");
        self.job.tools.status_of(&mut command).with_context(|| format!("cannot run `{}`", Path::new(program).display()))
    }
}

/// Said where the linker lacked what only offloadc could have put in the place of.
fn without_modules() -> Diagnostic {
    let message = "the program launches kernels, but no input of this link is LLVM bitcode that could contain them";
    let help = "rustc leaves crates as bitcode with `-C linker-plugin-lto`, which `cargo offloadc` passes to it";
    Diagnostic::new(Severity::Error, message).help(help)
}

/// What becomes of one file of the command line.
enum FileUse {
    /// It stays.
    Same(PathBuf),
    /// The objects of so many modules, of the inputs or of the others, take its place; in a library, the members too.
    Modules(PathBuf, Vec<ModuleUse>),
}

/// A member of a library, or the one of an object.
enum ModuleUse {
    Object(String, Vec<u8>),
    Input(String),
    Other(String),
}

/// Parts the modules that have to do with kernels from the others, and remembers where each was. The program's own
/// objects are inputs all together, and so are a library's modules when one of them names something of the device
/// contract: a kernel's function may be in any of them. What kernels call in other libraries is found as any other body.
fn program(job: &Job, files: Vec<File>) -> (Program, Vec<FileUse>) {
    let of_kernels = |file: &File| match file {
        File::Other(_) => false,
        File::Module(module) => module.names_contract(),
        File::Library(_, members) => members.iter().any(|m| matches!(m, Member::Module(_, m) if m.names_contract())),
    };
    let everything = !job.kernel_globs.is_empty();
    let any = everything || files.iter().any(of_kernels);
    let mut program = Program::default();
    let mut uses = Vec::new();
    for file in files {
        match file {
            File::Other(path) => uses.push(FileUse::Same(path)),
            File::Module(module) => {
                let path = module.path.clone();
                let to = if any { &mut program.inputs } else { &mut program.others };
                to.push(module);
                let slot = if any { ModuleUse::Input(String::new()) } else { ModuleUse::Other(String::new()) };
                uses.push(FileUse::Modules(path, vec![slot]));
            }
            File::Library(path, members) => {
                let all = everything || members.iter().any(|m| matches!(m, Member::Module(_, m) if m.names_contract()));
                program.archives.push(path.clone());
                let mut slots = Vec::new();
                for member in members {
                    slots.push(match member {
                        Member::Object(name, bytes) => ModuleUse::Object(name, bytes),
                        Member::Module(name, module) if all => {
                            program.inputs.push(module);
                            ModuleUse::Input(name)
                        }
                        Member::Module(name, module) => {
                            program.others.push(module);
                            ModuleUse::Other(name)
                        }
                    });
                }
                uses.push(FileUse::Modules(path, slots));
            }
        }
    }
    (program, uses)
}

/// Writes what takes each file's place.
fn replace(scratch: &Scratch, uses: &[FileUse], parts: &ProgramObjects) -> Result<Vec<PathBuf>> {
    let is_input = |slot: &&ModuleUse| matches!(slot, ModuleUse::Input(_));
    let slots = uses.iter().flat_map(|file| if let FileUse::Modules(_, slots) = file { &slots[..] } else { &[] });
    let (mut input, mut other) = (0, slots.filter(is_input).count());
    let mut next = |slot: &ModuleUse| {
        let count = if is_input(&slot) { &mut input } else { &mut other };
        *count += 1;
        parts.host.get(*count - 1).cloned().ok_or_else(|| Error::internal("a module without an object"))
    };
    let mut paths = Vec::new();
    for (number, file) in uses.iter().enumerate() {
        paths.push(match file {
            FileUse::Same(path) => match files::without_contract(path) {
                Some(bytes) => scratch.file_with(&format!("{number}.symbols.o"), &bytes)?,
                None => path.clone(),
            },
            FileUse::Modules(path, slots) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let bytes = match &slots[..] {
                    [slot @ (ModuleUse::Input(name) | ModuleUse::Other(name))] if name.is_empty() => next(slot)?,
                    slots => files::library(slots.iter().map(|slot| {
                        Ok(match slot {
                            ModuleUse::Object(name, bytes) => (name.clone(), bytes.clone()),
                            ModuleUse::Input(name) | ModuleUse::Other(name) => (name.clone(), next(slot)?),
                        })
                    }))?,
                };
                scratch.file_with(&format!("{number}.{name}"), &bytes)?
            }
        });
    }
    Ok(paths)
}

/// What the link gets beside the program's own.
#[derive(Default)]
struct Added {
    /// Registration and the cpu's code.
    objects: Vec<OsString>,
    /// Behind the program's files, whose code calls it, and before the libraries that it calls itself. Then once more, as
    /// libraries named by `-l` may call it too, and linkers do not look back.
    runtime: Vec<OsString>,
}

/// A program that names something of the contract may call the runtime without having a kernel: to list devices, say.
fn added(job: &Job, scratch: &Scratch, parts: &ProgramObjects, names_contract: bool) -> Result<Added> {
    let mut objects = Vec::new();
    for (name, bytes) in [("registration.o", &parts.registration), ("cpu.o", &parts.cpu)] {
        if let Some(bytes) = bytes {
            objects.push(scratch.file_with(name, bytes)?.into());
        }
    }
    let runtime = if names_contract { exe::runtime_words(job.runtime)? } else { Vec::new() };
    Ok(Added { objects, runtime })
}
