//! Runs the stages in order. The file of a stage has the order of its passes; each target's `flavor` has the order of
//! the target's passes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bundle::{HostObject, Runtime};
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::{PanicCounts, PanicTable};
use crate::contract::platform::Platform;
use crate::diagnostics::Diagnostics;
use crate::distribution::{GenericImage, LinkableFunctions, Slice, SliceModule, SliceOptions, StageState};
use crate::error::{Context as _, Error, Failure, Result};
use crate::input::bodies::{Bodies, Unresolved};
use crate::input::sysroot::Sysroot;
use crate::job::Job;
use crate::llvm::{self, Context, Module};
use crate::passes::host::marks::Marks;
use crate::passes::launch::launch_bounds::Bounds;
use crate::stage::Stage;
use crate::stages::archs::{DeviceCode, compile_archs};
use crate::stages::bundle::{Bundled, Names, bundle};
use crate::stages::called_crates::add_crates_with_kernels;
use crate::stages::device_libraries::read_libraries;
use crate::stages::device_variables::device_variables;
use crate::stages::exe;
use crate::stages::functions::linkable_functions;
use crate::stages::generic::{self, generic_image, small_modules};
use crate::stages::host::{HostInput, host_jobs};
use crate::stages::kernels::kernels;
use crate::stages::neutral::types::{LoweredCode, Neutral, NeutralJob, Validated};
use crate::stages::parts::most_parts;
use crate::stages::pass_plugins::Plugins;
use crate::stages::read::{Program, checked};
use crate::stages::remarks::RemarkJob;
use crate::stages::resolve::resolve;
use crate::stages::resume::resume;
use crate::stages::resume_shared::state;
use crate::stages::run_pass::run_pass;
use crate::stages::split::{SplitOptions, split};
use crate::stages::work::{Ended, Lanes, Work};
use crate::targets::DeviceOutput;

/// The stack size of each worker thread, in bytes. It is large because LLVM recurses over expressions and types.
const WORKER_STACK: usize = 64 << 20;

/// Runs the whole job. Findings go to `diagnostics`; if one of them is an error, no output is written.
pub fn compile(job: &Job, diagnostics: &mut Diagnostics) -> Result<()> {
    let mut files = Vec::new();
    in_pool(job, |lanes| match (job.passes.only, job.from) {
        (Some(pass), _) => run_pass(lanes, pass, diagnostics, &mut files),
        (None, Some(Stage::Read)) => stages(lanes, diagnostics, &mut files),
        (None, Some(stage)) if stage < Stage::Slice => resume_shared(lanes, stage, diagnostics, &mut files),
        (None, Some(stage)) => resume(lanes, stage, diagnostics, &mut files),
        (None, None) => stages(lanes, diagnostics, &mut files),
    })?;
    if let Some(depfile) = job.depfile.as_ref().filter(|_| !diagnostics.has_errors()) {
        depfile.write(&files)?;
    }
    Ok(())
}

/// Creates the thread pool of a job. Processes that must be forked while this process has a single thread are forked
/// first.
pub fn workers(job: &Job) -> Result<rayon::ThreadPool> {
    if job.archs.iter().any(|arch| arch.target.facts().separate_process) {
        llvm::prepare();
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(job.jobs)
        .stack_size(WORKER_STACK)
        .build()
        .map_err(|e| Error::new(format!("cannot start {} worker threads: {e}", job.jobs)))
}

/// Runs `work` in the job's thread pool, then writes the job's trace. Returns none if the work has ended early.
fn in_pool<T: Send>(job: &Job, work: impl FnOnce(&Lanes<'_>) -> Result<T, Failure<Ended>> + Send) -> Result<Option<T>> {
    let pool = workers(job)?;
    if let Some(folder) = job.save_temps_folder() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make folder `{}`", folder.display()))?;
    }
    let lanes = Lanes::new(job);
    let done = pool.install(|| job.tokens.work(|| Ended::or_none(work(&lanes))));
    llvm::finish();
    lanes.finish(done.is_ok())?;
    done
}

/// Makes the images of the job's archs from a generic image, with the functions of others. Returns none if
/// `diagnostics` has an error.
pub fn finish(
    job: &Job,
    image: &GenericImage,
    linked: &[GenericImage],
    diagnostics: &mut Diagnostics,
) -> Result<Option<Vec<DeviceOutput>>> {
    let job = &job.settle(image.slice.platform)?;
    let outputs = in_pool(job, |lanes| generic::finish(lanes, image, linked, diagnostics))?;
    diagnostics.extend(job.cache.iter().flat_map(|cache| cache.finish()));
    Ok(outputs)
}

/// Runs the stages in order. Adds the files that were read to `files`.
fn stages(lanes: &Lanes<'_>, diagnostics: &mut Diagnostics, files: &mut Vec<PathBuf>) -> Result<(), Failure<Ended>> {
    let mut program = Program::read(lanes.job, diagnostics).ok_or(Failure::Reason(Ended))?;
    files.extend(program.inputs.iter().map(|input| input.path.clone()));
    let mut crates = Vec::new();
    if lanes.job.wants(Stage::Exe) {
        crates = add_crates_with_kernels(lanes.job, &mut program, diagnostics)?;
        files.extend(crates.iter().cloned());
        if diagnostics.has_errors() {
            return Err(Failure::Reason(Ended));
        }
    }
    let parts = parts(lanes, &program, diagnostics, files)?;
    drop(program);
    let (work, tools) = (lanes.shared(), lanes.tools("offloadc"));
    let object = work.bytes(Stage::Object, || Ok(parts.as_object().merge(&tools)?.into_owned()))?;
    if lanes.job.wants(Stage::Exe) {
        work.stage(Stage::Exe, || exe::link(lanes.job, &tools, parts.platform, &object, &crates))?;
    }
    Ok(())
}

/// A compiled program, as object files.
#[derive(Debug, Default)]
pub struct ProgramObjects {
    /// The host code: one object for each module, first those of the inputs.
    pub host: Vec<Vec<u8>>,
    /// Images, tables and the constructor; none if there are no kernels.
    pub registration: Option<Vec<u8>>,
    /// The device code for the CPU: one object for each level of its processor.
    pub cpu: Vec<Vec<u8>>,
    /// The platform of the program.
    pub platform: Platform,
}

impl ProgramObjects {
    /// All objects as one.
    pub fn as_object(&self) -> HostObject<'_> {
        HostObject { host: &self.host, registration: self.registration.as_deref(), cpu: &self.cpu }
    }
}

/// Compiles a program whose files have been read. Returns none if `diagnostics` has an error.
pub fn compile_program(job: &Job, program: &Program, diagnostics: &mut Diagnostics) -> Result<Option<ProgramObjects>> {
    in_pool(job, |lanes| {
        if program.inputs.is_empty() {
            let host = host_jobs(lanes, program, &HostInput::default());
            diagnostics.extend(job.cache.iter().flat_map(|cache| cache.finish()));
            return Ok(ProgramObjects { host: host?, ..ProgramObjects::default() });
        }
        parts(lanes, program, diagnostics, &mut Vec::new())
    })
}

/// Runs the stages from `read` to `bundle`. Adds the libraries that were read to `files`.
fn parts(
    lanes: &Lanes<'_>,
    program: &Program,
    diagnostics: &mut Diagnostics,
    files: &mut Vec<PathBuf>,
) -> Result<ProgramObjects, Failure<Ended>> {
    let work = lanes.shared();
    let context = Context::create();
    let hash = program.hash();
    let mut sites = Vec::new();
    let mut siblings = work.stage(Stage::Read, || Ok::<_, Error>(program.siblings(&lanes.job.tokens)))?;
    let host = work.make(Stage::Read, |passes| program.link(&context, passes, &mut siblings, &mut sites));
    let host = host.map_err(Ended::with(diagnostics))?;
    let job = &lanes.job.settle(Platform::of(&host.triple()).unwrap_or_default())?;
    let lanes = &lanes.of(job);
    work.end_after(Stage::Read)?;
    // Other runtimes do not link functions of other objects.
    let is_linkable = job.generic.is_some() && job.runtime == Runtime::Offloadrt;
    let mut found = kernels(&work, &host, &job.kernel_globs, is_linkable, diagnostics)?;
    work.end_after(Stage::Kernels)?;
    // From here the list of kernels is fixed: no stage adds, drops or renames one.

    let options = SplitOptions { device_std: job.device_std, is_linkable };
    let state = StageState::of(&found.kernels);
    let module = work.make_with_state(Stage::Split, &state, |passes| split(passes, &host, &mut found, options))?;
    let marks = Marks::new(&host, &found.marks);
    let kernels = &found.kernels;
    let variables = device_variables(&module, job.runtime);
    let host_functions = found.host_functions.called();
    let (functions, calls_functions) = (found.function_range(), &found.calls_functions[..]);
    let side = HostInput::new(&marks, &sites, &found, &hash);
    let mut bodies = bodies(job, &program.archives, &module);
    let linkable = linkable_functions(lanes, &host, &found, options, &mut bodies)?;
    drop(host);
    // From here host and device share only the list of kernels. The host's modules are read again, each separately.

    let device = NeutralModule { module, kernels, linkable };
    // Host code does not need the bytes of images.
    let without_host = job.only_checks || job.ends_with(Stage::Image);
    let host_code = || if without_host { Ok(Vec::new()) } else { host_jobs(lanes, program, &side) };
    let device_code = || device_jobs(lanes, &work, device, &mut bodies, diagnostics);
    let (host_code, device_code) = job.tokens.both(host_code, device_code);
    diagnostics.extend(job.cache.iter().flat_map(|cache| cache.finish()));
    files.extend(bodies.used().map(Path::to_path_buf));
    files.extend(job.device_bitcode.iter().map(|file| file.path.clone()));
    files.extend(job.pass_plugins.iter().map(|plugin| plugin.path.clone()));
    let (host, code) = (host_code?, device_code?);
    if diagnostics.has_errors() {
        return Err(Failure::Reason(Ended));
    }
    work.end_after(Stage::Host)?;
    // From here all code is bytes; no LLVM module exists.

    let Bundled { registration, cpu } = work.stage(Stage::Bundle, || {
        let variables = &variables;
        let names = Names { kernels, variables, host_functions, functions, calls_functions, hash: &hash };
        bundle(&work, job, code, names, diagnostics)
    })?;
    Ok(ProgramObjects { host, registration, cpu, platform: job.platform })
}

/// The libraries that are searched for bodies that the inputs lack. No file is opened yet.
fn bodies(job: &Job, archives: &[PathBuf], device: &Module<'_>) -> Bodies {
    let echo = job.verbose || job.dry_run;
    let sysroot = Sysroot { path: job.sysroot.clone(), triple: device.triple(), echo };
    let (reader, tokens) = (Arc::clone(&job.reader), job.tokens.clone());
    Bodies::new([archives, &job.libraries].concat(), &job.library_folders, sysroot, reader, tokens)
}

/// The target-independent device module, and its kernels.
struct NeutralModule<'a, 'c> {
    module: Module<'c>,
    kernels: &'a KernelSet,
    /// The functions that kernels of other objects may be given.
    linkable: Option<LinkableFunctions>,
}

/// Runs the device stages: first those that all archs share, then the jobs of the archs in parallel.
fn device_jobs(
    lanes: &Lanes<'_>,
    work: &Work<'_>,
    device: NeutralModule<'_, '_>,
    bodies: &mut Bodies,
    diagnostics: &mut Diagnostics,
) -> Result<DeviceCode, Failure<Ended>> {
    let job = lanes.job;
    let NeutralModule { module, kernels, linkable } = device;
    if kernels.is_empty() {
        let outputs = linkable.map(|functions| functions_alone(job, &module, &functions)).transpose()?;
        return Ok(DeviceCode { outputs: outputs.into_iter().collect(), ..DeviceCode::default() });
    }
    work.end_after(Stage::Split)?;
    let unresolved = work.change_with_state(
        Stage::Resolve,
        &module,
        |_| StageState::of(kernels),
        |passes| resolve(passes, &module, kernels, bodies, &lanes.job.math),
    )?;
    work.end_after(Stage::Resolve)?;
    arch_jobs(lanes, work, NeutralModule { module, kernels, linkable }, &unresolved, None, diagnostics)
}

/// Runs the device stages after `resolve`, or those after the stage that `from` names with its state.
fn arch_jobs(
    lanes: &Lanes<'_>,
    work: &Work<'_>,
    NeutralModule { module, kernels, linkable }: NeutralModule<'_, '_>,
    unresolved: &Unresolved,
    from: Option<(Stage, StageState)>,
    diagnostics: &mut Diagnostics,
) -> Result<DeviceCode, Failure<Ended>> {
    let job = lanes.job;
    let libraries = &read_libraries(job, diagnostics)?;
    let loaded = Plugins::load(job, diagnostics)?;
    let plugins = &loaded.simplify[..];
    let copy = (!job.remarks.is_empty()).then(|| module.duplicate());
    let neutral = NeutralJob { lanes, work, module, kernels, unresolved, libraries, plugins };
    let Neutral { modules, validated } = match from {
        Some((from, state)) => neutral.resume(from, state, diagnostics)?,
        None => neutral.run(diagnostics)?,
    };
    if job.only_checks {
        return Err(Failure::Reason(Ended));
    }
    let modules = if job.generic.is_some() { small_modules(modules)? } else { modules };
    let own = slice(job, modules, kernels, &validated);
    let slice = Slice { libraries: libraries.clone(), plugins: loaded.optimize, ..own };
    if work.wants(Stage::Slice) {
        work.stage(Stage::Slice, || work.emit(Stage::Slice, &slice.write()?))?;
    }
    work.end_after(Stage::Slice)?;
    // From here the device module is bytes; each job parses its own copy.
    let generic = job.generic.as_ref().map(|_| generic_image(&slice, &validated.refusals, linkable.as_ref()));
    let generic = generic.transpose()?;
    let archs = &validated.archs.clone();
    let mut code = compile_archs(lanes, &slice, validated, diagnostics)?;
    if let Some(module) = copy {
        let outputs = &code.outputs[..];
        RemarkJob { module, unresolved, plugins, slice: &slice, archs, outputs }.run(lanes, diagnostics)?;
    }
    code.outputs.extend(generic);
    Ok(code)
}

/// The generic image of an object without kernels, whose functions kernels of other objects may be given.
fn functions_alone(job: &Job, module: &Module<'_>, functions: &LinkableFunctions) -> Result<DeviceOutput> {
    let context = Context::create();
    let empty = Module::empty(&context, "device");
    empty.set_triple(&module.triple());
    let module = SliceModule { kernels: Vec::new(), before: PanicCounts::default(), bitcode: empty.bitcode() };
    let none = Validated {
        archs: job.archs.iter().collect(),
        code: LoweredCode::default(),
        bounds: Bounds::default(),
        panics: PanicTable::default(),
        refusals: Vec::new(),
    };
    generic_image(&slice(job, vec![module], &KernelSet::new(), &none), &none.refusals, Some(functions))
}

/// Continues with the text of a stage that all archs share. Adds the files that were read to `files`.
fn resume_shared(
    lanes: &Lanes<'_>,
    from: Stage,
    diagnostics: &mut Diagnostics,
    files: &mut Vec<PathBuf>,
) -> Result<(), Failure<Ended>> {
    let program = Program::read(lanes.job, diagnostics).ok_or(Failure::Reason(Ended))?;
    let context = Context::create();
    let Some((input, bytes)) = program.modules().next() else { return Ok(()) };
    let module = checked(&context, input, bytes).map_err(Ended::with(diagnostics))?;
    let state = state(&module, from, input).map_err(Failure::Reason).map_err(Ended::with(diagnostics))?;
    module.set_name("device");
    let job = &lanes.job.settle(Platform::of(&module.triple()).unwrap_or_default())?;
    let (lanes, kernels) = (&lanes.of(job), &state.kernels.clone());
    let work = lanes.shared();
    let mut bodies = bodies(job, &program.archives, &module);
    // The outputs are those of one arch, so there is no generic image for functions.
    let device = NeutralModule { module, kernels, linkable: None };
    let code = match from {
        Stage::Split => device_jobs(lanes, &work, device, &mut bodies, diagnostics),
        Stage::Resolve => arch_jobs(lanes, &work, device, &Unresolved::new(), None, diagnostics),
        _ => arch_jobs(lanes, &work, device, &Unresolved::new(), Some((from, state)), diagnostics),
    };
    files.push(input.path.clone());
    files.extend(bodies.used().map(Path::to_path_buf));
    code.map(drop)
}

/// All that the jobs of archs need.
fn slice(job: &Job, modules: Vec<SliceModule>, kernels: &KernelSet, validated: &Validated<'_>) -> Slice {
    let options = SliceOptions::new(job.opt_level, job.runtime, most_parts(job), job.target_options.clone());
    let checked = job.generic.iter().flat_map(|generic| &generic.checked);
    let archs = validated.archs.iter().copied().chain(checked).map(|arch| arch.name.clone()).collect();
    Slice {
        modules,
        platform: job.platform,
        kernels: kernels.clone(),
        archs,
        options,
        libraries: Vec::new(),
        plugins: Vec::new(),
        standalone: false,
    }
}
