//! The linker for rustc: `linker = "offloadc-ld"`. Crates that may have kernels are bitcode (`-C linker-plugin-lto`).
//! Others are machine code, and kernels take bodies from the bitcode beside it.
//!
//! A link consists of these steps: parse the command line, find the files with modules, compile all modules of the
//! program (`driver.rs`), and run the real linker with the same command line, in which objects replace the modules. A
//! program without kernels is linked with its host code, and with the runtime if it calls the runtime.

mod bodies;
pub mod command;
mod command_line;
mod files;
mod native_code;
mod native_uses;
pub mod plugin;
mod program;
pub mod report;
pub mod version_script;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use crate::cli::command_line_end::CommandLineEnd;
use crate::cli::options::Options;
use crate::cli::response_file;
use crate::diagnostics::Diagnostics;
use crate::driver::{self, ProgramObjects};
use crate::error::{Context as _, Result};
use crate::input::sysroot::sysroot_of;
use crate::job::{Job, UsageError};
use crate::llvm::{OptLevel, crash, write_archive};
use crate::stages::runtime_library;
use crate::system::scratch::Scratch;
use command_line::{Argument, CommandLine};
pub use command_line::{OPTIONS_VARIABLE, default_linker};
use files::File;
use program::{FileUse, HostObjects, ModuleUse, program};

/// Longer command lines are passed in a response file. The system's limit for a single argument is 128 KiB.
const LONGEST: usize = 100 << 10;

/// Set in the environment of the real linker. A linker that finds it set was started instead of the real linker.
const LINKING: &str = "OFFLOADC_LINKING";

/// A link that is ready to run.
pub struct Link {
    /// How the modules of the program are compiled.
    pub job: Job,
    command_line: CommandLine,
}

/// Why there is no [`Link`].
pub enum NoLink {
    /// offloadc's options are wrong, or request help.
    Options(CommandLineEnd),
    /// The options contradict each other.
    Usage(UsageError),
}

impl Link {
    /// Parses a linker's command line with expanded response files, without the program's name.
    pub fn new(arguments: Vec<OsString>) -> std::result::Result<Self, NoLink> {
        let command_line = CommandLine::parse(arguments);
        if std::env::var_os(LINKING).is_some() {
            let error = UsageError::new("the linker that `offloadc-ld` runs is `offloadc-ld`");
            return Err(NoLink::Usage(error.help("name another by `OFFLOADC_LINKER` or `--offload-linker`")));
        }
        // A linker must print nothing about programs that do not use offloadc.
        let quiet = ["offloadc", "-Wno-no-kernel", "-Wno-default-arch", "-Wno-job-server"].map(OsString::from);
        let mut module = command_line.output.clone().into_os_string();
        module.push(".bc");
        let words = quiet.into_iter().chain(command_line.options.iter().cloned()).chain([module]);
        let mut options = Options::parse_from_arguments(words.collect()).map_err(NoLink::Options)?;
        // The libraries of the rustc that runs this linker are in its sysroot, and a question to rustc takes time.
        options.sysroot = options.sysroot.or_else(|| command_line.files().find_map(sysroot_of));
        let mut job = Job::resolve(&options).map_err(NoLink::Usage)?;
        job.only_checks = command_line.only_checks;
        job.host_level = command_line.level.unwrap_or(OptLevel::O2);
        if let Some(distributor) = &mut job.distributor {
            distributor.output = command_line.output.clone();
        }
        Ok(Self { job, command_line })
    }

    /// Whether kernels are only checked.
    pub fn only_checks(&self) -> bool {
        self.command_line.only_checks
    }

    /// The files that are linked.
    pub fn inputs(&self) -> impl Iterator<Item = &Path> {
        self.command_line.files()
    }

    /// The real linker.
    pub fn real_linker(&self) -> &OsStr {
        &self.command_line.linker
    }

    /// Compiles and links. Returns the real linker's status, or none if `diagnostics` has an error, or if kernels are
    /// only checked.
    pub fn run(&self, diagnostics: &mut Diagnostics) -> Result<Option<ExitStatus>> {
        let files = self.read(diagnostics)?;
        if diagnostics.has_errors() {
            return Ok(None);
        }
        native_uses::refuse(files.iter().filter_map(File::native), diagnostics);
        if diagnostics.has_errors() {
            return Ok(None);
        }
        let (program, uses) = program(&self.job, files);
        if self.only_checks() {
            if !program.inputs.is_empty() {
                let _nothing = driver::compile_program(&self.job, &program, diagnostics)?;
            }
            return Ok(None);
        }
        if program.inputs.is_empty() && program.others.is_empty() {
            return self.link(&Scratch::new()?, Vec::new(), &Added::default()).map(Some);
        }
        let names_contract = !program.inputs.is_empty();
        let Some(parts) = driver::compile_program(&self.job, &program, diagnostics)? else { return Ok(None) };
        let scratch = Scratch::new()?;
        let replaced = replace(&scratch, &uses, &self.groups(&uses), &parts)?;
        let mut added = added(&self.job, &scratch, &parts, names_contract)?;
        if names_contract && self.makes_rust_library() {
            let tokens = &self.job.tokens;
            let object = || tokens.work(|| bodies::object(&program, parts.platform, tokens));
            let object = driver::workers(&self.job)?.install(object)?;
            added.objects.push(scratch.file_with("bodies.o", &object)?.into());
        }
        self.link(&scratch, replaced, &added).map(Some)
    }

    /// Whether the output is a library for Rust programs (`dylib`).
    fn makes_rust_library(&self) -> bool {
        let mut words = self.command_line.arguments.iter().filter_map(|argument| match argument {
            Argument::Word(word) => Some(word),
            Argument::File(_) => None,
        });
        words.any(|word| version_script::is_of_rust_library(word))
    }

    /// Reads all files in parallel, because the conversion of modules of a newer LLVM takes time.
    fn read(&self, diagnostics: &mut Diagnostics) -> Result<Vec<File>> {
        let read = |path: &Path| {
            let _activity = crash::activity(format!("reading `{}`", path.display()));
            files::read(path, &self.job.reader, self.only_checks())
        };
        let paths: Vec<_> = self.command_line.files().collect();
        let tokens = &self.job.tokens;
        let results = driver::workers(&self.job)?.install(|| tokens.work(|| tokens.side_by_side(paths, &read)));
        let mut files = Vec::new();
        for result in results {
            match result {
                Ok(file) => files.push(file),
                Err(diagnostic) => diagnostics.push(diagnostic),
            }
        }
        Ok(files)
    }

    /// For each file, the number of files in the group that begins with it. The objects of a debug build are hundreds,
    /// and to make and remove a file for each takes longer than to write them: such a group becomes one archive, of
    /// which the linker takes all. The files of a group follow each other on the command line.
    fn groups(&self, uses: &[FileUse]) -> Vec<usize> {
        let mut is_alone = Vec::new();
        let mut after_word = true;
        let mut names_libraries = false;
        for argument in &self.command_line.arguments {
            match argument {
                Argument::File(_) => is_alone.push(std::mem::replace(&mut after_word, false)),
                Argument::Word(word) => {
                    after_word = true;
                    // These options are about the symbols of archives, and about objects that are treated as such.
                    let word = word.to_string_lossy();
                    names_libraries |= ["exclude-libs", "start-lib"].iter().any(|option| word.contains(option));
                }
            }
        }
        let mut groups = vec![1; uses.len()];
        if !names_libraries {
            for number in (1..uses.len()).rev() {
                let follows = is_alone.get(number) == Some(&false);
                if follows && uses[number].module().is_some() && uses[number - 1].module().is_some() {
                    groups[number - 1] = groups[number] + 1;
                }
            }
        }
        groups
    }

    /// Runs the real linker. `replaced` contains the replacement of each file in order, or is empty if there are none.
    fn link(&self, scratch: &Scratch, replaced: Vec<Replacement>, added: &Added) -> Result<ExitStatus> {
        let mut replaced = replaced.into_iter();
        let mut words: Vec<OsString> = Vec::new();
        let is_file = |argument: &Argument| matches!(argument, Argument::File(_));
        let last = self.command_line.arguments.iter().rposition(is_file);
        for (number, argument) in self.command_line.arguments.iter().enumerate() {
            match argument {
                Argument::File(path) => match replaced.next() {
                    None => words.push(path.into()),
                    Some(Replacement::File(path)) => words.push(path.into()),
                    Some(Replacement::Group(path)) => {
                        // The group may stand between such options of the command line.
                        let (begin, end) = ("-Wl,--push-state,--whole-archive", "-Wl,--pop-state");
                        words.extend([begin.into(), path.into(), end.into()]);
                    }
                    Some(Replacement::InGroup) => {}
                },
                Argument::Word(word) => words.push(version_script::of_program(word, scratch)?),
            }
            if Some(number) == last {
                // Only the archive: while rustc requests static libraries, linkers do not search for shared ones.
                words.extend(added.objects.iter().chain(added.runtime.first()).cloned());
            }
        }
        words.extend_from_slice(&added.runtime);
        let is_static = words.iter().any(|word| word == "-static" || word == "-static-pie");
        words.extend(runtime_library::system_words(&added.runtime, is_static).iter().map(OsString::from));
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

/// The replacement of a file.
enum Replacement {
    File(PathBuf),
    /// An archive of the objects of this file and of those that follow.
    Group(PathBuf),
    InGroup,
}

/// So many modules in a row, at least, become one archive.
const GROUP: usize = 16;

/// Writes the replacement of each file. `groups` has the number of files in the group that begins with each.
fn replace(scratch: &Scratch, uses: &[FileUse], groups: &[usize], parts: &ProgramObjects) -> Result<Vec<Replacement>> {
    let mut objects = HostObjects::new(uses, parts);
    let mut replaced = Vec::new();
    for (number, file) in uses.iter().enumerate() {
        if replaced.len() > number {
            continue;
        }
        let group = &uses[number..number + groups[number]];
        if group.len() >= GROUP {
            let members = group.iter().filter_map(FileUse::module);
            let members =
                members.map(|(path, role)| Ok((named(path), objects.next(role)?))).collect::<Result<Vec<_>>>()?;
            let path = scratch.file_with(&format!("{number}.modules.a"), &write_archive(&members)?)?;
            replaced.push(Replacement::Group(path));
            replaced.extend(group[1..].iter().map(|_| Replacement::InGroup));
            continue;
        }
        replaced.push(Replacement::File(match file {
            FileUse::Same(path) => match files::without_contract(path) {
                Some(bytes) => scratch.file_with(&format!("{number}.symbols.o"), &bytes)?,
                None => path.clone(),
            },
            FileUse::Modules(path, slots) => {
                // LLVM ends the process at some damaged objects among the members, which are the user's.
                let _activity = crash::activity_on_input(format_args!("copying the members of `{}`", path.display()));
                let bytes = match file.module() {
                    Some((_, role)) => Cow::Borrowed(objects.next(role)?),
                    None => Cow::Owned(files::library(slots.iter().map(|slot| {
                        Ok(match slot {
                            ModuleUse::Object(name, bytes) => (name.clone(), &bytes[..]),
                            ModuleUse::Module(name, role) => (name.clone(), objects.next(*role)?),
                        })
                    }))?),
                };
                scratch.file_with(&format!("{number}.{}", named(path)), &bytes)?
            }
        }));
    }
    Ok(replaced)
}

/// The name of a file.
fn named(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Additional files of the link.
#[derive(Default)]
struct Added {
    /// The registration object and the device code for the CPU.
    objects: Vec<OsString>,
    /// The runtime. It is after the program's files, which call it, and before the libraries that it calls. It is
    /// repeated at the end, because libraries of `-l` may call it, too, and linkers do not search earlier archives
    /// again.
    runtime: Vec<OsString>,
}

/// A program that names the contract may call the runtime without having a kernel, for example to list devices.
fn added(job: &Job, scratch: &Scratch, parts: &ProgramObjects, names_contract: bool) -> Result<Added> {
    let mut objects = Vec::new();
    let registration = parts.registration.iter().map(|bytes| ("registration.o".to_owned(), bytes));
    let cpu = parts.cpu.iter().enumerate().map(|(number, bytes)| (format!("cpu{number}.o"), bytes));
    for (name, bytes) in registration.chain(cpu) {
        objects.push(scratch.file_with(&name, bytes)?.into());
    }
    let runtime =
        if names_contract { runtime_library::runtime_words(job.runtime, parts.platform)? } else { Vec::new() };
    Ok(Added { objects, runtime })
}
