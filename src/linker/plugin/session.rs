//! A link by a linker that has loaded the plugin: the modules that were claimed, and the objects that replace them.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File as Opened;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use super::super::files::{self, File, Member, NativeCode};
use super::super::native_uses;
use super::super::program::{FileUse, HostObjects, ModuleUse, program};
use super::Stop;
use super::libraries::LinkerFiles;
use super::options::PluginOptions;
use super::reported::Reported;
use super::runtime;
use super::used::{Candidate, used};
use super::wire::{Answer, Resolution};
use crate::cli::options::Options;
use crate::cli::plugin_arguments::PluginArguments;
use crate::contract::abi::{REGISTER, RUNTIME_PREFIX};
use crate::contract::platform::Platform;
use crate::diagnostics::{Diagnostic, Renderer};
use crate::driver::{self, ProgramObjects};
use crate::error::{Context as _, Error, Result};
use crate::input::file::Input;
use crate::input::newer_llvm::Caching;
use crate::input::sysroot::is_in_sysroot;
use crate::job::Job;
use crate::llvm::{self, OptLevel, crash};
use crate::stages::{absent, runtime_library};
use crate::system::scratch::Scratch;

/// A link.
pub(super) struct Session {
    job: Job,
    /// Whether the output is an object, which needs no runtime.
    is_object: bool,
    /// Whether the next module with kernels must define the runtime's functions.
    must_define: bool,
    claimed: Vec<Claimed>,
    warnings: Vec<Diagnostic>,
    scratch: Scratch,
}

/// A module of the linker's files.
struct Claimed {
    input: Input,
    /// 0 unless it is a member of an archive.
    offset: u64,
    symbols: Vec<Reported>,
}

/// The numbers of `enum ld_plugin_symbol_resolution` for a name that machine code or a shared library defines.
const RESOLVED: [u8; 2] = [7, 8];

impl Session {
    pub(super) fn new(arguments: &PluginArguments) -> Result<Self, Diagnostic> {
        let PluginOptions { options, level } = PluginOptions::parse(&arguments.options);
        // A linker must print nothing about programs that do not use offloadc.
        let quiet = ["offloadc", "-Wno-no-kernel", "-Wno-default-arch", "-Wno-job-server"].map(OsString::from);
        let mut module = arguments.output.clone().into_os_string();
        module.push(".bc");
        let words = quiet.into_iter().chain(options).chain([module]).collect();
        let options = Options::parse_from_arguments(words).map_err(|end| end.diagnostic())?;
        let mut job = Job::resolve(&options).map_err(|error| Diagnostic::from(&error))?;
        job.host_level = level.unwrap_or(OptLevel::O2);
        if let Some(distributor) = &mut job.distributor {
            distributor.output = arguments.output.clone();
        }
        let scratch = Scratch::new().map_err(|error| Diagnostic::from(&error))?;
        let is_object = arguments.output_kind == 0;
        let must_define = arguments.must_define != 0 && !is_object && !LinkerFiles::of_parent().has_runtime;
        Ok(Self { job, is_object, must_define, claimed: Vec::new(), warnings: Vec::new(), scratch })
    }

    pub(super) fn renderer(&self) -> Renderer {
        self.job.renderer
    }

    /// Warnings that have not been printed.
    pub(super) fn take_warnings(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.warnings)
    }

    /// Reads a module. Returns the symbols that its object will have.
    pub(super) fn claim(&mut self, path: &Path, offset: u64, size: u64) -> Result<Answer, Stop> {
        let activity = || crash::activity_on_input(format_args!("reading `{}`", path.display()));
        let bytes = bytes(path, offset, size).with_context(|| format!("cannot read `{}`", path.display()))?;
        let keep = if offset == 0 { Caching::No } else { Caching::Yes };
        let input = Input::from_bytes(path, bytes, &self.job.reader, keep).map_err(|found| Stop::Found(vec![found]))?;
        let mut symbols = Vec::new();
        for module in input.modules() {
            let _activity = activity();
            let invalid = |error: Error| error.context(format!("cannot read {}", input.display()));
            symbols.extend(llvm::symbols(module, &input.display()).map_err(invalid)?);
        }
        let mut symbols = Reported::of_module(&symbols, input.names_contract());
        if input.names_contract()
            && std::mem::take(&mut self.must_define)
            // The runtimes of all platforms define the same functions.
            && let Some(archive) = runtime_library::archive(self.job.runtime, Platform::default())?
        {
            Reported::define(&mut symbols, runtime::functions(&archive)?);
        }
        self.claimed.push(Claimed { input, offset, symbols: symbols.clone() });
        Ok(Answer::Symbols(symbols))
    }

    /// Compiles the modules that the program has. Returns the files of their objects, and of all that these need.
    pub(super) fn link(&mut self, version: u32, resolutions: &[Resolution]) -> Result<Answer, Stop> {
        let linker = LinkerFiles::of_parent();
        let has_runtime = self.has_runtime(resolutions);
        let files = self.take_used(version, resolutions, &linker);
        if files.is_empty() {
            return Ok(Answer::Objects(Vec::new()));
        }
        let native = native(&linker);
        let mut diagnostics = self.job.diagnostics();
        native_uses::refuse(native.iter().map(|(path, code)| (path.as_path(), code)), &mut diagnostics);
        if diagnostics.has_errors() {
            return Err(Stop::Found(diagnostics.iter().cloned().collect()));
        }
        self.search_beside(&files);
        let (mut program, uses) = program(&self.job, files);
        let crates = native.iter().filter(|(_, code)| code.is_crate).map(|(path, _)| path);
        program.archives.extend(crates.filter(|path| !program.archives.contains(path)).cloned().collect::<Vec<_>>());
        let parts = driver::compile_program(&self.job, &program, &mut diagnostics)?;
        let Some(parts) = parts.filter(|_| !diagnostics.has_errors()) else {
            return Err(Stop::Found(diagnostics.iter().cloned().collect()));
        };
        self.warnings = diagnostics.iter().cloned().collect();
        let objects = objects(&uses, &parts)?;
        let mut named: BTreeSet<String> = objects.iter().flat_map(|object| runtime::undefined(object)).collect();
        named.extend(native.iter().flat_map(|(_, code)| code.runtime.iter().cloned()));
        named.retain(|name| name.starts_with(RUNTIME_PREFIX));
        let mut all = objects;
        if !has_runtime && !self.is_object && !program.inputs.is_empty() {
            all.extend(runtime_objects(&self.job, parts.platform, named)?);
        }
        let defined =
            all.iter().map(|object| NativeCode::of_object(object)).chain(native.into_iter().map(|(_, code)| code));
        let defined: BTreeSet<String> = defined.flat_map(|code| code.defined).collect();
        all.extend(absent_functions(&linker, &defined, parts.platform)?);
        let write = |(number, bytes): (usize, &Vec<u8>)| self.scratch.file_with(&format!("{number}.o"), bytes);
        Ok(Answer::Objects(all.iter().enumerate().map(write).collect::<Result<_>>()?))
    }

    /// Whether the linker has found the runtime among its own files.
    fn has_runtime(&self, resolutions: &[Resolution]) -> bool {
        let of_module = |(claimed, resolution): (&Claimed, &Resolution)| {
            let numbers = resolution.iter().flatten();
            let found = |(symbol, number): (&Reported, &u8)| symbol.name == REGISTER && RESOLVED.contains(number);
            claimed.symbols.iter().zip(numbers).any(found)
        };
        self.claimed.iter().zip(resolutions).any(of_module)
    }

    /// The files of the modules that the program has; those of an archive are one file.
    fn take_used(&mut self, version: u32, resolutions: &[Resolution], linker: &LinkerFiles) -> Vec<File> {
        let candidates = self.claimed.iter().map(|claimed| Candidate {
            symbols: &claimed.symbols,
            is_member: claimed.offset != 0 && !linker.is_whole(&claimed.input.path),
        });
        let is_used = used(version, &candidates.collect::<Vec<_>>(), resolutions);
        let mut files: Vec<File> = Vec::new();
        for (Claimed { input, offset, .. }, _) in self.claimed.drain(..).zip(is_used).filter(|(_, is_used)| *is_used) {
            if offset == 0 {
                files.push(File::Module(input));
                continue;
            }
            let same = |file: &&mut File| matches!(file, File::Library(path, _) if *path == input.path);
            match files.iter_mut().find(same) {
                Some(File::Library(_, members)) => members.push(Member::Module(String::new(), input)),
                _ => files.push(File::Library(input.path.clone(), vec![Member::Module(String::new(), input)])),
            }
        }
        files
    }

    /// Bodies may also be in libraries beside the files of the modules.
    fn search_beside(&mut self, files: &[File]) {
        for file in files {
            let path = match file {
                File::Module(module) => &module.path,
                File::Library(path, _) | File::Native(path, _) | File::Other(path) => path,
            };
            let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
            if !self.job.library_folders.iter().any(|known| known == folder) {
                self.job.library_folders.push(folder.to_path_buf());
            }
        }
    }
}

fn bytes(path: &Path, offset: u64, size: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(size).map_err(|_| std::io::ErrorKind::InvalidInput)?];
    Opened::open(path)?.read_exact_at(&mut bytes, offset)?;
    Ok(bytes)
}

/// The machine code of the linker's files. Rust's own libraries name neither the contract nor the runtime.
fn native(linker: &LinkerFiles) -> Vec<(PathBuf, NativeCode)> {
    let paths = linker.files.iter().filter(|path| !is_in_sysroot(path) && !files::is_exports(path));
    paths.map(|path| (path.clone(), files::native_code(path))).collect()
}

/// The objects of the modules in the order of the files, then those of the device's side.
fn objects(uses: &[FileUse], parts: &ProgramObjects) -> Result<Vec<Vec<u8>>> {
    let mut host = HostObjects::new(uses, parts);
    let mut objects = Vec::new();
    for file in uses {
        let FileUse::Modules(_, slots) = file else { continue };
        for slot in slots {
            if let ModuleUse::Module(_, role) = slot {
                objects.push(host.next(*role)?.to_vec());
            }
        }
    }
    objects.extend(parts.registration.iter().chain(&parts.cpu).cloned());
    Ok(objects)
}

fn runtime_objects(job: &Job, platform: Platform, named: BTreeSet<String>) -> Result<Vec<Vec<u8>>> {
    match runtime_library::archive(job.runtime, platform)? {
        Some(archive) => runtime::members(&archive, named),
        None => Ok(Vec::new()),
    }
}

/// An object with the contract's functions that rustc's list of exports names and nothing defines. The crate's own
/// versions of functions of `std` stay in the host's code.
fn absent_functions(linker: &LinkerFiles, defined: &BTreeSet<String>, platform: Platform) -> Result<Option<Vec<u8>>> {
    let lists = linker.files.iter().filter(|path| files::is_exports(path));
    let mut names: BTreeSet<String> = lists.flat_map(|path| files::native_code(path).used).collect();
    names.retain(|name| !defined.contains(name));
    if names.is_empty() { Ok(None) } else { absent::absent_functions(&names, platform).map(Some) }
}
