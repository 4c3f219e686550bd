//! A job describes a compilation: its inputs, its archs and its options. It is created from [`Options`] once, at the
//! start. Errors of the command line that the parser does not see are found here, and nowhere else. Inputs are not
//! opened here.

mod arch_names;
pub mod cache;
pub mod carried_runtime;
mod checks;
mod compression;
mod device_bitcode;
mod generic;
mod native;
mod pass_plugin;
mod passes;
mod platform;
mod programs;
mod runtime_folders;
mod usage_error;

use crate::bundle::{BundleFormat, Compression, Runtime};
use crate::cache::Cache;
use crate::cli::depfile::DepFile;
use crate::cli::host_arguments::HostLlvm;
use crate::cli::options::{Emit, MessageFormat, Options};
use crate::contract::specialization::SpecializeOptions;
use crate::contract::{panic_table::DevicePanic, platform::Platform};
use crate::diagnostics::{Code, ColorChoice, Diagnostic, Diagnostics, Renderer, Topic, Warnings};
use crate::distribution::Distributor;
use crate::input::newer_llvm::Reader;
use crate::llvm::OptLevel;
use crate::passes::pass::PassOptions;
use crate::stage::Stage;
use crate::system::output::Sink;
use crate::system::tokens::Tokens;
use crate::system::tool::Tools;
use crate::targets::{Arch, MathOptions, TargetOptions};
use arch_names::{choose, named_archs, optional_archs};
pub use device_bitcode::DeviceBitcode;
pub use generic::GenericArchs;
pub use pass_plugin::PluginFile;
pub use programs::find_lld;
pub use runtime_folders::{is_named, own_platform, runtime_folders};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
pub use usage_error::UsageError;

/// Describes the work: names are looked up and paths resolved.
#[derive(Clone)]
pub struct Job {
    /// The inputs, in order; `-` is standard input.
    pub inputs: Vec<PathBuf>,
    /// The file name of the first input without its extension. Outputs without a name are named after it.
    pub stem: String,
    /// The archs to compile for, in order and without duplicates; empty only if `--offload-arch` names only `generic`.
    pub archs: Vec<Arch>,
    /// `--offload-arch=generic`.
    pub generic: Option<GenericArchs>,
    /// The names of the archs that may be left out: those of `--offload-arch-optional`, or all with
    /// `--skip-refused-archs`.
    pub optional_archs: Vec<String>,
    /// The platform of the program, which its modules name; see [`Self::settle`].
    pub platform: Platform,
    /// The runtime that the object registers with.
    pub runtime: Runtime,
    /// `--compress`.
    pub compression: Compression,
    /// `--bundle-format`.
    pub bundle_format: BundleFormat,
    /// The effect of a panic in a kernel.
    pub device_panic: DevicePanic,
    /// `--kernel`.
    pub kernel_globs: Vec<String>,
    /// `--extern-rlib`.
    pub libraries: Vec<PathBuf>,
    /// `-L`.
    pub library_folders: Vec<PathBuf>,
    /// `--device-bitcode`.
    pub device_bitcode: Vec<DeviceBitcode>,
    /// `--load-pass-plugin`.
    pub pass_plugins: Vec<PluginFile>,
    /// `--sysroot`.
    pub sysroot: Option<PathBuf>,
    /// Converts modules of a newer LLVM.
    pub reader: Arc<Reader>,
    /// `--device-print`.
    pub device_print: bool,
    /// `--device-std`.
    pub device_std: bool,
    /// `--sanitize`.
    pub sanitize: bool,
    /// `--profile-lines`.
    pub profile_lines: bool,
    /// `-O`, for device code.
    pub opt_level: OptLevel,
    /// `--host-opt-level`, for host code; by default the same as `opt_level`. In `offloadc-ld`, rustc chooses it.
    pub host_level: OptLevel,
    /// `--host-llvm`: whether the LLVM of rustc compiles large host modules.
    pub rustc_compiles_host: bool,
    /// Options of targets, as they were given.
    pub target_options: TargetOptions,
    /// Options for floating-point code.
    pub math: MathOptions,
    /// `-g`.
    pub debug: bool,
    /// `--parts`.
    pub parts: Option<NonZeroUsize>,
    /// The number of jobs that run in parallel.
    pub jobs: usize,
    /// Gives work to threads, as many as make's job server allows.
    pub tokens: Tokens,
    /// `-v`.
    pub verbose: bool,
    /// Whether kernels are only checked: no stage after `validate` is needed, and nothing is written.
    pub only_checks: bool,
    /// `-###`.
    pub dry_run: bool,
    /// The options about single passes.
    pub passes: PassOptions,
    /// `--remarks`: the topics; none without the option.
    pub remarks: Vec<Topic>,
    /// Where `--run-pass` prints the module.
    pub module_output: Sink,
    /// `--time-trace`.
    pub time_trace: Option<PathBuf>,
    /// `-MD`.
    pub depfile: Option<DepFile>,
    /// Images of earlier runs; none with `--no-cache`.
    pub cache: Option<Arc<Cache>>,
    /// `--distributor`.
    pub distributor: Option<Distributor>,
    /// Values for which kernels of a slice are compiled.
    pub specialize: SpecializeOptions,
    /// Where `offloadc job` writes its image.
    pub image_file: Option<Sink>,
    /// External tools.
    pub tools: Tools,
    /// Prints diagnostics in the form that the options request.
    pub renderer: Renderer,
    /// `-W` and `-w`.
    pub warnings: Warnings,
    /// `--from`.
    pub from: Option<Stage>,
    /// The stages whose output is written, and where. `None` is a file named after the stage. Empty only for
    /// `offloadc job`.
    outputs: Vec<(Stage, Option<Sink>)>,
    save_temps: Option<PathBuf>,
    arch_given: bool,
    /// Why the job server that the environment names cannot be used.
    no_job_server: Option<String>,
}

impl Job {
    /// Looks up the names in the options.
    pub fn resolve(options: &Options) -> Result<Self, UsageError> {
        if options.inputs.is_empty() {
            let error = UsageError::new("no input file");
            return Err(error.help("name the bitcode file that `rustc --emit=llvm-bc` wrote; see `offloadc --help`"));
        }
        let tools = programs::tools(options);
        let mut archs = named_archs(options)?;
        archs.iter_mut().try_for_each(|arch| choose(arch, options, &tools).map_err(UsageError::new))?;
        let generic = generic::archs(options, &archs, &tools)?;
        let job = Self { generic, ..Self::with_archs(options, archs)? };
        job.check_sanitize()?;
        job.check_profile_lines()?;
        Ok(job)
    }

    fn with_archs(options: &Options, archs: Vec<Arch>) -> Result<Self, UsageError> {
        let warnings = Warnings::new(&options.warnings, options.no_warnings).map_err(|name| unknown_warning(&name))?;
        // A job has one thread, which the program that started it has counted.
        let is_job = options.image_file.is_some();
        let tokens = if is_job { Ok(Tokens::default()) } else { Tokens::from_environment() };
        // As for make: without the server that should limit the threads, there is one.
        let threads = if tokens.is_ok() && !is_job { cores() } else { 1 };
        let one_thread = is_job || tokens.as_ref().map_or(true, Tokens::are_limited);
        let stem = stem(options.inputs.first().map_or(Path::new(""), PathBuf::as_path));
        let job = Self {
            inputs: options.inputs.clone(),
            from: options.from,
            outputs: outputs(options)?,
            optional_archs: optional_archs(options, &archs)?,
            archs,
            generic: None,
            platform: Platform::default(),
            runtime: options.runtime,
            compression: compression::compression(options)?,
            bundle_format: options.bundle.bundle_format,
            device_panic: options.device_panic.unwrap_or(default_panic(options.runtime)),
            kernel_globs: options.kernel.clone(),
            libraries: options.extern_rlib.iter().map(|path| path_of_library(path)).collect(),
            library_folders: options.library_path.iter().map(|path| path_of_library(path)).collect(),
            device_bitcode: device_bitcode::device_bitcode(options)?,
            pass_plugins: pass_plugin::pass_plugins(options)?,
            sysroot: options.sysroot.clone(),
            reader: Arc::new(programs::reader(options)),
            device_print: options.device_print,
            device_std: options.device_code.device_std,
            sanitize: options.sanitize,
            profile_lines: options.profile_lines,
            opt_level: options.opt_level,
            host_level: options.host_opt_level.unwrap_or(options.opt_level),
            rustc_compiles_host: options.host.host_llvm == HostLlvm::Rustc,
            target_options: options.target_options.clone(),
            math: options.target_options.math.clone(),
            debug: options.debug || options.profile_lines,
            parts: options.parts,
            jobs: options.jobs.map_or(threads, |jobs| jobs.get().min(MOST_JOBS)),
            no_job_server: tokens.as_ref().err().cloned(),
            tokens: tokens.unwrap_or_default(),
            verbose: options.verbose,
            only_checks: false,
            dry_run: options.dry_run,
            passes: passes::pass_options(options)?,
            remarks: passes::remarks(options)?,
            module_output: passes::module_output(options),
            time_trace: options.time_trace.clone(),
            depfile: None,
            cache: cache::cache(&options.cache)?.map(Arc::new),
            distributor: None,
            specialize: options.distribution.specialize.options(),
            image_file: options.image_file.as_ref().map(Sink::new),
            tools: programs::tools(options).with_one_thread(one_thread),
            renderer: renderer(options),
            warnings,
            save_temps: options.save_temps.clone(),
            arch_given: !options.offload_arch.is_empty() || !options.offload_arch_optional.is_empty(),
            stem,
        };
        match options.finishes {
            true => job.check_finish(options)?,
            false => job.check_specialize(!options.distribution.specialize.link.is_empty())?,
        }
        job.check_outputs()?;
        job.check_from()?;
        let depfile = options.depfile.then(|| DepFile::new(options, &job.primary_output()));
        let distributor = programs::distributor(options, job.primary_output());
        Ok(Self { depfile, distributor, ..job })
    }

    /// A collection for all findings of this job. It starts with the warnings about the command line.
    pub fn diagnostics(&self) -> Diagnostics {
        let mut all = Diagnostics::with_warnings(self.warnings.clone());
        if !self.arch_given && self.passes.only.is_none() {
            let note =
                Diagnostic::coded(Code::NoArch, "no `--offload-arch` is given, so kernels run on the `cpu` only");
            all.push(note.help("name the GPUs as well: `--offload-arch=cpu,sm_80,gfx90a`"));
        }
        if let Some(message) = &self.no_job_server {
            let warning = Diagnostic::coded(Code::NoJobServer, message);
            all.push(warning.help("put `+` before the command in the makefile, or choose a number of threads: `-j4`"));
        }
        all
    }

    /// The last stage whose output is written.
    pub fn last_stage(&self) -> Stage {
        self.outputs.iter().map(|(stage, _)| *stage).max().unwrap_or(Stage::Object)
    }

    /// Whether no stage after this one is needed.
    pub fn ends_with(&self, stage: Stage) -> bool {
        self.last_stage() <= stage
    }

    /// Whether passes are printed or checked, so that none may be left out.
    pub fn shows_passes(&self) -> bool {
        let PassOptions { verify, print_before, print_after, only, bisect, without: _ } = &self.passes;
        let printed = !print_before.is_empty() || !print_after.is_empty() || only.is_some() || bisect.is_some();
        printed || *verify || self.dry_run
    }

    /// Whether the output of a stage is written. If not, it need not be converted into text.
    pub fn wants(&self, stage: Stage) -> bool {
        self.save_temps.is_some() || self.outputs.iter().any(|(wanted, _)| *wanted == stage)
    }

    /// Whether the output of any other stage is written.
    pub fn wants_other_than(&self, stage: Stage) -> bool {
        self.save_temps.is_some() || self.outputs.iter().any(|(wanted, _)| *wanted != stage)
    }

    /// The same job without outputs and without printed modules.
    pub fn without_outputs(&self) -> Self {
        let passes = PassOptions { without: self.passes.without, ..PassOptions::default() };
        Self { outputs: Vec::new(), save_temps: None, time_trace: None, cache: None, passes, ..self.clone() }
    }

    /// Where the output of a stage is written: `--emit`, `-o`, `--save-temps`, or nowhere. `arch` is set for stages
    /// that run once for each arch. `extension` is the file's extension if a target has a better one than the stage's.
    pub fn sinks(&self, stage: Stage, arch: Option<&str>, extension: Option<&str>) -> Vec<Sink> {
        let name = stage.file_name_with(&self.stem, arch, extension.unwrap_or(stage.extension()));
        let wanted = self.outputs.iter().filter(|(wanted, _)| *wanted == stage);
        let mut sinks: Vec<Sink> = wanted
            .map(|(stage, sink)| sink.clone().unwrap_or_else(|| Sink::File(default_name(*stage, &self.stem, &name))))
            .collect();
        if let Some(folder) = &self.save_temps {
            let temporary = Sink::File(folder.join(&name));
            if !sinks.contains(&temporary) && stage < Stage::Object {
                sinks.push(temporary);
            }
        }
        sinks
    }

    /// The folder of `--save-temps`, which may not exist yet.
    pub fn save_temps_folder(&self) -> Option<&Path> {
        self.save_temps.as_deref()
    }

    /// The target of the rule in a dependency file: the first output that is a single file.
    fn primary_output(&self) -> PathBuf {
        let files = self.outputs.iter().flat_map(|(stage, _)| self.sinks(*stage, None, None));
        let file = files.filter_map(|sink| sink.path().map(Path::to_path_buf)).next();
        file.unwrap_or_else(|| PathBuf::from(format!("{}.o", self.stem)))
    }
}

/// The default of `--device-panic`. If another program or runtime launches the kernels, nothing provides the record
/// that a report is written to.
fn default_panic(runtime: Runtime) -> DevicePanic {
    if runtime.is_own() { DevicePanic::Report } else { DevicePanic::Trap }
}

/// The outputs: each stage of `--emit`, or else the object.
fn outputs(options: &Options) -> Result<Vec<(Stage, Option<Sink>)>, UsageError> {
    let mut outputs: Vec<(Stage, Option<Sink>)> = Vec::new();
    for Emit { stage, path } in &options.emit {
        outputs.retain(|(seen, _)| seen != stage);
        outputs.push((*stage, path.as_deref().map(Sink::new)));
    }
    if let Some(output) = &options.output {
        let object = outputs.iter().any(|(stage, _)| *stage >= Stage::Object);
        let unnamed: Vec<&mut _> = outputs.iter_mut().filter(|(_, sink)| sink.is_none()).collect();
        match unnamed.len() {
            0 if object => {}
            0 => outputs.push((Stage::Object, Some(Sink::new(output)))),
            1 => unnamed.into_iter().for_each(|(_, sink)| *sink = Some(Sink::new(output))),
            several => {
                let message = format!("`-o` names one file, but `--emit` asks for {several}");
                return Err(UsageError::new(message).help("give paths: `--emit=STAGE=PATH`"));
            }
        }
    }
    if outputs.is_empty() && options.image_file.is_none() {
        outputs.push((Stage::Object, None));
    }
    Ok(outputs)
}

/// The default file name of an output. The object is `<stem>.o` and the program `<stem>`, as for other compilers.
fn default_name(stage: Stage, stem: &str, stage_name: &str) -> PathBuf {
    match stage {
        Stage::Exe => PathBuf::from(stem),
        Stage::Object => PathBuf::from(format!("{stem}.o")),
        _ => PathBuf::from(stage_name),
    }
}

fn stem(input: &Path) -> String {
    match input.file_stem() {
        _ if input == Path::new("-") => "stdin".to_string(),
        Some(stem) => stem.to_string_lossy().into_owned(),
        None => "out".to_string(),
    }
}

/// The path in rustc's `NAME=PATH`. A name contains no slash.
fn path_of_library(path: &Path) -> PathBuf {
    let named = path.to_str().and_then(|text| text.split_once('=')).filter(|(name, _)| !name.contains('/'));
    named.map_or_else(|| path.to_path_buf(), |(_, path)| PathBuf::from(path))
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

fn unknown_warning(name: &str) -> UsageError {
    let names: Vec<_> = Code::warning_names().collect();
    UsageError::new(format!("unknown warning `{name}`")).help(format!("the warnings are {}", names.join(", ")))
}

/// The renderer that the options select.
pub fn renderer(options: &Options) -> Renderer {
    Renderer { verbose: options.verbose, ..renderer_for(options.message_format, options.color) }
}

/// The renderer for diagnostics of this form.
pub fn renderer_for(form: MessageFormat, color: ColorChoice) -> Renderer {
    Renderer { json: form == MessageFormat::Json, color: color.on_stderr(), ..Renderer::default() }
}

/// The largest number of threads. More would only need memory.
const MOST_JOBS: usize = 256;

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn options(line: &str) -> Options {
        let words = std::iter::once("offloadc").chain(line.split_whitespace());
        Options::parse_from_arguments(words.map(OsString::from).collect()).unwrap()
    }

    fn job(line: &str) -> Result<Job, UsageError> {
        Job::with_archs(&options(line), Vec::new())
    }

    fn written(line: &str) -> Vec<String> {
        let job = job(line).unwrap();
        let sinks = Stage::all().flat_map(|stage| {
            let arch = stage.per_arch().then_some("sm_80");
            let sinks = job.sinks(stage, arch, None);
            assert!(sinks.is_empty() || job.wants(stage));
            sinks.into_iter().map(move |sink| format!("{}:{sink}", stage.name()))
        });
        sinks.collect()
    }

    #[test]
    fn the_object_is_written_unless_a_stage_is_asked_for() {
        assert_eq!(written("d/app.bc"), ["object:`app.o`"]);
        assert_eq!(written("app.bc -o x.o"), ["object:`x.o`"]);
        assert_eq!(written("app.bc -o -"), ["object:standard output"]);
        assert_eq!(written("app.bc --emit=exe"), ["exe:`app`"]);
        assert_eq!(written("app.bc --emit=split -o -"), ["split:standard output"]);
        assert_eq!(written("app.bc --emit=split=- -o x.o"), ["split:standard output", "object:`x.o`"]);
        assert_eq!(written("-"), ["object:`stdin.o`"]);
    }

    #[test]
    fn stages_have_their_own_files() {
        let line = "app.bc --emit=split --emit=codegen --emit=exe=app";
        assert_eq!(written(line), ["split:`app.split.ll`", "codegen:`app.codegen.sm_80.s`", "exe:`app`"]);
        assert_eq!(job(line).unwrap().last_stage(), Stage::Exe);
        let kept = written("app.bc --save-temps=t");
        assert_eq!(kept.len(), 15);
        assert_eq!(kept[0], "read:`t/app.read.ll`");
        assert_eq!(kept[14], "object:`app.o`");
    }

    #[test]
    fn impossible_outputs_are_usage_errors() {
        let message = |line: &str| job(line).err().unwrap().message;
        assert_eq!(message("a.bc -o x --emit=split --emit=host"), "`-o` names one file, but `--emit` asks for 2");
        let source = file!();
        assert_eq!(message(&format!("{source} -o {source}")), format!("the output `{source}` is an input"));
        assert!(message("a.bc -Wno-such").starts_with("unknown warning"));
        assert_eq!(Job::resolve(&options("-g")).err().unwrap().message, "no input file");
    }

    #[test]
    fn the_default_arch_is_said_and_can_be_hushed() {
        assert_eq!(job("a.bc").unwrap().diagnostics().iter().count(), 1);
        assert!(job("a.bc -w").unwrap().diagnostics().is_empty());
        assert!(job("a.bc --offload-arch=cpu").unwrap().diagnostics().is_empty());
    }
}
