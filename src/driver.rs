//! Runs the stages in order. The file of a stage has the order of its passes; each target's `flavor` has the order of
//! the target's passes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bundle::{Bundle, HostObject, KernelRow, Registration};
use crate::checks::check_builtins::check_builtins;
use crate::checks::check_device::find_candidates;
use crate::checks::check_version::check_version;
use crate::contract::builtin;
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::PanicTable;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::error::{Context as _, Error, ExitCode, Result};
use crate::input::bodies::Bodies;
use crate::input::sysroot::Sysroot;
use crate::job::Job;
use crate::llvm::{self, Context, Module};
use crate::passes::atomics::lower_atomics::lower_atomics;
use crate::passes::builtins::drop_prints::drop_prints;
use crate::passes::convergence::mark_convergent::drop_convergent;
use crate::passes::convergence::repair_convergence::repair_convergence;
use crate::passes::host::marks::Marks;
use crate::passes::panic::resolve_panics::resolve_panics;
use crate::rust_std::demangle::demangle;
use crate::stage::Stage;
use crate::stages::device::compile_device;
use crate::stages::exe;
use crate::stages::host::{self, HostInput, host_jobs};
use crate::stages::kernels::{FoundKernels, find_kernels};
use crate::stages::legalize::legalize;
use crate::stages::read::Program;
use crate::stages::resolve::resolve;
use crate::stages::resume::resume;
use crate::stages::simplify::{prune, simplify};
use crate::stages::skip_refused::skip_refused;
use crate::stages::split::split;
use crate::stages::validate::{KernelFacts, Simplified, Validated, validate};
use crate::stages::work::Work;
use crate::system::time_trace::Trace;
use crate::targets::{Arch, DeviceJob, DeviceOutput, kernel_conventions};

/// The stack size of each worker thread, in bytes. It is large because LLVM recurses over expressions and types.
const WORKER_STACK: usize = 64 << 20;

/// Runs the whole job. Findings go to `diagnostics`; if one of them is an error, no output is written.
pub fn compile(job: &Job, diagnostics: &mut Diagnostics) -> Result<()> {
    let read = in_pool(job, |trace| match job.from {
        Some(stage) => resume(job, stage, trace, diagnostics),
        None => stages(job, trace, diagnostics),
    })?;
    if let Some(depfile) = job.depfile.as_ref().filter(|_| !diagnostics.has_errors()) {
        depfile.write(&read)?;
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

/// Runs `work` in the job's thread pool, then writes the job's trace.
fn in_pool<T: Send>(job: &Job, work: impl FnOnce(&Trace) -> Result<T> + Send) -> Result<T> {
    let pool = workers(job)?;
    if let Some(folder) = job.save_temps_folder() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make folder `{}`", folder.display()))?;
    }
    let trace = Trace::new(job.time_trace.is_some());
    let done = pool.install(|| work(&trace));
    llvm::finish();
    let done = done?;
    if let Some(path) = &job.time_trace {
        trace.write(path)?;
    }
    Ok(done)
}

/// Runs the stages in order. Returns the files that were read.
fn stages(job: &Job, trace: &Trace, diagnostics: &mut Diagnostics) -> Result<Vec<PathBuf>> {
    let Some(program) = Program::read(job, diagnostics) else { return Ok(Vec::new()) };
    let mut files: Vec<_> = program.inputs.iter().map(|i| i.path.clone()).collect();
    let Some(parts) = parts(job, trace, &program, diagnostics, &mut files)? else { return Ok(files) };
    drop(program);
    let work = Work::new(job, trace.lane("offloadc"), None);
    let object = work.stage(Stage::Object, || {
        let object = parts.as_object().merge(&job.tools.in_lane(trace, "offloadc"))?.into_owned();
        work.emit(Stage::Object, &object)?;
        Ok(object)
    })?;
    if job.wants(Stage::Exe) {
        work.stage(Stage::Exe, || exe::link(job, &job.tools.in_lane(trace, "offloadc"), &object))?;
    }
    Ok(files)
}

/// A compiled program, as object files.
#[derive(Debug, Default)]
pub struct ProgramObjects {
    /// The host code: one object for each module, first those of the inputs.
    pub host: Vec<Vec<u8>>,
    /// Images, tables and the constructor; none if there are no kernels.
    pub registration: Option<Vec<u8>>,
    /// The device code for the CPU.
    pub cpu: Option<Vec<u8>>,
}

impl ProgramObjects {
    /// All objects as one.
    pub fn as_object(&self) -> HostObject<'_> {
        HostObject { host: &self.host, registration: self.registration.as_deref(), cpu: self.cpu.as_deref() }
    }
}

/// Compiles a program whose files have been read. Returns none if `diagnostics` has an error.
pub fn compile_program(job: &Job, program: &Program, diagnostics: &mut Diagnostics) -> Result<Option<ProgramObjects>> {
    in_pool(job, |trace| {
        if program.inputs.is_empty() {
            let nothing = HostInput { marks: Marks::default(), kernels: &KernelSet::new(), hash: "" };
            let host = host_jobs(job, trace, program, &nothing)?;
            return Ok(Some(ProgramObjects { host, registration: None, cpu: None }));
        }
        parts(job, trace, program, diagnostics, &mut Vec::new())
    })
}

/// Runs the stages from `read` to `bundle`. Adds the libraries that were read to `files`.
fn parts(
    job: &Job,
    trace: &Trace,
    program: &Program,
    diagnostics: &mut Diagnostics,
    files: &mut Vec<PathBuf>,
) -> Result<Option<ProgramObjects>> {
    let work = Work::new(job, trace.lane("offloadc"), None);
    let context = Context::create();
    let hash = program.hash();
    let host = work.stage(Stage::Read, || {
        let host = match program.link(&context)? {
            Ok(host) => host,
            Err(diagnostic) => return Ok(Err(diagnostic)),
        };
        host::complete_layout(&host)?;
        work.emit_module(Stage::Read, &host)?;
        Ok(Ok(host))
    })?;
    let host = match host {
        Ok(host) => host,
        Err(diagnostic) => {
            diagnostics.push(diagnostic);
            return Ok(None);
        }
    };
    if finished(job, Stage::Read) {
        return Ok(None);
    }

    let found = work.stage(Stage::Kernels, || Ok(find_kernels(&host, &job.kernel_globs, &kernel_conventions())))?;
    diagnostics.extend(check_version(&host));
    diagnostics.extend(check_builtins(&host));
    diagnostics.extend(found.diagnostics.iter().cloned());
    if diagnostics.has_errors() {
        return Ok(None);
    }
    warn_without_kernels(&found.kernels, diagnostics);
    work.emit(Stage::Kernels, list(&found).as_bytes())?;
    if finished(job, Stage::Kernels) {
        return Ok(None);
    }
    // From here the list of kernels is fixed: no stage adds, drops or renames one.

    let device = work.stage(Stage::Split, || {
        let device = split(&host, &found, &hash);
        work.emit_module(Stage::Split, &device)?;
        Ok(device)
    })?;
    let (marks, kernels) = (Marks::new(&host, &found.marks), found.kernels);
    drop(host);
    // From here host and device share only the list of kernels. The host's modules are read again, each separately.

    let mut bodies = bodies(job, &program.archives, &device);
    let neutral = NeutralModule { module: device, kernels: &kernels, hash: &hash };
    let side = HostInput { marks, kernels: &kernels, hash: &hash };
    let mut host_code = Ok(Vec::new());
    let outputs = rayon::in_place_scope(|scope| {
        // Host code does not need the bytes of images.
        if !finished(job, Stage::Image) {
            scope.spawn(|_| host_code = host_jobs(job, trace, program, &side));
        }
        device_jobs(job, trace, &work, neutral, &mut bodies, diagnostics)
    });
    files.extend(bodies.used().map(Path::to_path_buf));
    let (host, DeviceCode { outputs, panics, kernels: facts }) = (host_code?, outputs?);
    if diagnostics.has_errors() || finished(job, Stage::Host) {
        return Ok(None);
    }
    // From here all code is bytes; no LLVM module exists.

    work.stage(Stage::Bundle, || {
        let (images, mut cpu) = gather(outputs);
        diagnostics.extend(unregistered(job, &images));
        work.emit(Stage::Bundle, &images.containers())?;
        let known = RegistrationInput { images, cpu: &cpu, panics, kernels: facts };
        let registration = register(job, &hash, &kernels, &known)?;
        Ok(Some(ProgramObjects { host, registration, cpu: cpu.host_code.take() }))
    })
}

/// Whether no stage after `stage` is needed.
fn finished(job: &Job, stage: Stage) -> bool {
    job.last_stage() <= stage
}

/// The libraries that are searched for bodies that the inputs lack. No file is opened yet.
fn bodies(job: &Job, archives: &[PathBuf], device: &Module<'_>) -> Bodies {
    let echo = job.verbose || job.dry_run;
    let sysroot = Sysroot { path: job.sysroot.clone(), triple: device.triple(), echo };
    Bodies::new([archives, &job.libraries].concat(), &job.library_folders, sysroot, Arc::clone(&job.reader))
}

fn warn_without_kernels(kernels: &KernelSet, diagnostics: &mut Diagnostics) {
    if kernels.is_empty() {
        diagnostics.push(
            Diagnostic::coded(Code::NoKernel, "no kernel found; the output contains host code only")
                .help(format!(
                    "call `{}(f)` on a function, or name exported functions with `--kernel=GLOB`",
                    builtin::MARK_KERNEL
                ))
                .help(format!("or put pointers to functions into section `{}`", builtin::KERNELS_SECTION)),
        );
    }
}

/// The list of kernels as text: one line for each kernel and each parameter, then the functions that are passed as
/// values.
fn list(found: &FoundKernels<'_>) -> String {
    let mut text = String::new();
    for kernel in &found.kernels {
        let (form, found_by) = (kernel.form.name(), kernel.found_by.name());
        text += &format!("{} ({}): {form}, found by {found_by}\n", kernel.name, kernel.display);
        for (i, p) in kernel.parameters.iter().enumerate() {
            let extent = p.extent.map_or(String::new(), |extent| format!("; {}", extent.text()));
            let kind = p.kind.name();
            text += &format!("  {i}: {kind} at {}, {} bytes, aligned to {}{extent}\n", p.offset, p.size, p.align);
        }
    }
    for (i, function) in found.handed.functions.iter().enumerate() {
        text += &format!("function {}: {}\n", i + 1, demangle(&function.name()));
    }
    text
}

/// The target-independent device module, and the names of its images.
struct NeutralModule<'a, 'c> {
    module: Module<'c>,
    kernels: &'a KernelSet,
    hash: &'a str,
}

/// The output of the device jobs.
#[derive(Default)]
struct DeviceCode {
    outputs: Vec<DeviceOutput>,
    /// The meaning of the numbers in panic records.
    panics: PanicTable,
    /// Facts about each kernel, in the order of the kernels.
    kernels: Vec<KernelFacts>,
}

/// Runs the device stages: first those that all archs share, then the jobs of the archs in parallel.
fn device_jobs(
    job: &Job,
    trace: &Trace,
    work: &Work<'_>,
    neutral: NeutralModule<'_, '_>,
    bodies: &mut Bodies,
    diagnostics: &mut Diagnostics,
) -> Result<DeviceCode> {
    let NeutralModule { module, kernels, hash } = neutral;
    if kernels.is_empty() || finished(job, Stage::Split) {
        return Ok(DeviceCode::default());
    }
    let unresolved = work.stage(Stage::Resolve, || {
        let unresolved = resolve(&module, kernels, bodies, &job.math)?;
        work.emit_module(Stage::Resolve, &module)?;
        Ok(unresolved)
    })?;
    if finished(job, Stage::Resolve) {
        return Ok(DeviceCode::default());
    }
    let asks_arch = module.function(builtin::ARCH).is_some();
    let mut panics = PanicTable::default();
    let candidates = work.stage(Stage::Legalize, || {
        let asks_where = module.function(builtin::IS_DEVICE).is_some();
        panics = legalize(&module, kernels, job.device_panic)?;
        if asks_where {
            prune(&module)?;
        }
        if !job.device_print {
            drop_prints(&module).into_iter().for_each(|d| diagnostics.push(d));
        }
        work.emit_module(Stage::Legalize, &module)?;
        Ok(find_candidates(&module, kernels, &unresolved))
    })?;
    let proven = work.stage(Stage::Simplify, || {
        simplify(&module, job.opt_level)?;
        lower_atomics(&module);
        resolve_panics(&module, &mut panics);
        let proven = repair_convergence(&module, kernels)?;
        drop_convergent(&module);
        work.emit_module(Stage::Simplify, &module)?;
        Ok(proven)
    })?;
    let simplified = Simplified { module: &module, kernels, candidates: &candidates, proven: &proven, asks_arch };
    let validated = work.stage(Stage::Validate, || validate(job, work, &simplified, &mut panics, diagnostics))?;
    let Validated { archs, recurses, kernels: mut facts, bounds } = validated;
    if diagnostics.has_errors() || finished(job, Stage::Validate) {
        return Ok(DeviceCode::default());
    }
    if !job.debug {
        // Debug locations are needed only for diagnostics, and all diagnostics with a location have been reported.
        module.strip_debug();
    }
    let bitcode = module.bitcode();
    drop(module);
    // From here the device module is bytes; each job parses its own copy.
    let compile = |arch: &Arch| {
        let work = Work::new(job, trace.lane(&arch.name), Some(&arch.name));
        let (runtime, level) = (job.runtime, job.opt_level);
        let tools = &job.tools.in_lane(trace, &arch.name);
        compile_device(&bitcode, &DeviceJob { arch, kernels, runtime, recurses, hash, level, tools }, &work)
    };
    let mut results: Vec<_> = archs.iter().map(|_| None).collect();
    // Jobs are taken one at a time from a queue. If rayon divided the list into halves, a worker could be idle while
    // another one has two jobs left.
    rayon::scope_fifo(|scope| {
        for (result, arch) in results.iter_mut().zip(&archs) {
            scope.spawn_fifo(|_| *result = Some(compile(arch)));
        }
    });
    let results = results.into_iter().flatten().collect();
    let outputs = all_or_every_failure(results, &archs, diagnostics)?;
    let archs = skip_refused(job, &archs, diagnostics)?;
    let bounds = bounds.common(|name| archs.iter().any(|arch| arch.name == name));
    facts.iter_mut().zip(bounds).for_each(|(facts, threads)| facts.threads_per_block = threads);
    Ok(DeviceCode { outputs, panics, kernels: facts })
}

/// Returns the outputs, and reports a diagnostic for each arch that failed.
fn all_or_every_failure(
    results: Vec<Result<DeviceOutput>>,
    archs: &[&Arch],
    diagnostics: &mut Diagnostics,
) -> Result<Vec<DeviceOutput>> {
    let mut outputs = Vec::new();
    for (result, arch) in results.into_iter().zip(archs) {
        match result {
            Ok(product) => outputs.push(product),
            Err(error) if error.exit_code() == ExitCode::Internal => return Err(error),
            Err(error) if error.is_of_output() => diagnostics.push(Diagnostic::from(&error)),
            Err(error) => diagnostics.push(Diagnostic::from(&error).target(&arch.name)),
        }
    }
    Ok(outputs)
}

/// Collects all images in their order, and the output of the arch whose code becomes part of the host object.
fn gather(outputs: Vec<DeviceOutput>) -> (Bundle, DeviceOutput) {
    let mut images = Vec::new();
    let mut cpu = DeviceOutput::default();
    for mut product in outputs {
        images.append(&mut product.images);
        if product.host_code.is_some() {
            cpu = product;
        }
    }
    (Bundle::new(images), cpu)
}

/// A warning about images that are not registered with the runtime.
fn unregistered(job: &Job, images: &Bundle) -> Option<Diagnostic> {
    let archs: Vec<_> = images.unregistered(job.runtime).iter().map(|arch| format!("`{arch}`")).collect();
    (!archs.is_empty()).then(|| {
        let archs = archs.join(", ");
        Diagnostic::coded(
            Code::UnregisteredImage,
            format!("the images for {archs} are not registered with libomptarget"),
        )
        .note("it loads machine code only, and these images are PTX or SPIR-V")
        .help("name NVIDIA's assembler with `--ptxas`, leave the archs out, or use `--runtime=offloadrt`")
    })
}

/// The input of registration.
struct RegistrationInput<'a> {
    images: Bundle,
    cpu: &'a DeviceOutput,
    panics: PanicTable,
    kernels: Vec<KernelFacts>,
}

/// Creates the registration object; a program without kernels has none.
fn register(job: &Job, hash: &str, kernels: &KernelSet, known: &RegistrationInput<'_>) -> Result<Option<Vec<u8>>> {
    if kernels.is_empty() {
        return Ok(None);
    }
    let row = |(i, kernel): (usize, _)| {
        let facts = known.kernels.get(i).copied().unwrap_or_default();
        KernelRow {
            kernel,
            has_cpu_code: known.cpu.host_code.is_some(),
            shared_bytes: known.cpu.shared_bytes.get(i).copied().unwrap_or(0),
            takes_state: facts.takes_state,
            needs_heap: facts.needs_heap,
            keeps_heap: facts.keeps_heap,
            threads_per_block: facts.threads_per_block,
        }
    };
    let rows: Vec<_> = kernels.iter().enumerate().map(row).collect();
    Registration { runtime: job.runtime, hash, kernels: &rows, images: &known.images, panics: &known.panics }
        .object()
        .map(Some)
}
