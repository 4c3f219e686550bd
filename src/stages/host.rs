//! The host jobs: make ordinary code of each of the host's modules.

use rayon::prelude::*;

use crate::bundle::HostObject;
use crate::contract::kernel::KernelSet;
use crate::error::{Context as _, Error, Result};
use crate::input::file::Input;
use crate::job::Job;
use crate::llvm::{Context, FileKind, Machine, Module, OptLevel};
use crate::passes::host::define_host_builtins::define_host_builtins;
use crate::passes::host::drop_stand_ins::drop_stand_ins;
use crate::passes::host::marks::Marks;
use crate::stage::Stage;
use crate::stages::read::{Program, parse};
use crate::stages::split::finish_host;
use crate::stages::work::Work;
use crate::system::time_trace::Trace;
use crate::targets::kernel_conventions;

/// The host's processor when its functions name none: what rustc takes for this platform.
const BASELINE_CPU: &str = "x86-64";

/// The one platform whose objects `bundle/host_object.rs` can write.
const PLATFORM: (&str, &str) = ("x86_64-", "-linux-");

/// What a module is compiled for that does not say it.
pub const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// Checks that host objects can be made for the platform of a module, which is in the file `name`.
pub fn check_platform(triple: &str, name: &str) -> Result<()> {
    if triple.starts_with(PLATFORM.0) && triple.contains(PLATFORM.1) {
        return Ok(());
    }
    Err(Error::new(format!("{name} was compiled for `{triple}`, and host objects can be made for x86-64 Linux only")))
}

/// Gives a module without a data layout the platform's: IR written by hand has often none, and LLVM's default lays out
/// kernel arguments differently.
pub fn complete_layout(module: &Module<'_>) -> Result<()> {
    if module.data_layout().is_empty() {
        module.set_machine(&Machine::new(&module.triple(), BASELINE_CPU, "", OptLevel::O0.codegen(), true)?);
    }
    Ok(())
}

/// What the host's modules are told of the device.
#[derive(Debug)]
pub struct HostInput<'a> {
    /// What each marker call names.
    pub marks: Marks,
    /// The kernels.
    pub kernels: &'a KernelSet,
    /// What handles are named by.
    pub hash: &'a str,
}

/// Host code of every module, side by side.
pub fn host_jobs(job: &Job, trace: &Trace, program: &Program, side: &HostInput<'_>) -> Result<Vec<Vec<u8>>> {
    let modules: Vec<_> = program.modules().collect();
    let alone = modules.len() == 1;
    let compile = |(number, module): (usize, &(&Input, &[u8]))| {
        let lane = if alone { "host".to_owned() } else { format!("host {number}") };
        let work = Work::new(job, trace.lane(&lane), None);
        work.stage(Stage::Host, || host_job(job, &work, *module, number, side))
    };
    let code = modules.par_iter().enumerate().map(compile).collect::<Result<Vec<_>>>()?;
    if job.wants(Stage::Host) {
        let all = HostObject { host: &code, registration: None, cpu: None };
        Work::new(job, trace.lane("host"), None).emit(Stage::Host, &all.merge(&job.tools)?)?;
    }
    Ok(code)
}

/// Host code of one module; its context lives and dies here, on this thread.
fn host_job(
    job: &Job,
    work: &Work<'_>,
    (input, bytes): (&Input, &[u8]),
    number: usize,
    side: &HostInput<'_>,
) -> Result<Vec<u8>> {
    let context = Context::create();
    let module = parse(&context, input, bytes)?;
    drop_stand_ins(&module);
    complete_layout(&module)?;
    finish_host(&module, &side.marks.of(&module, number), side.kernels, side.hash, &kernel_conventions());
    define_host_builtins(&module)?;
    work.verify(Stage::Split, &module)?;
    host_code(&module, job.host_level)
}

/// A relocatable object of a host module: sections apart, constructors in `.init_array`, position-independent.
fn host_code(module: &Module<'_>, level: OptLevel) -> Result<Vec<u8>> {
    let machine = Machine::new(&module.triple(), BASELINE_CPU, "", level.codegen(), true)?;
    module.run_passes(level.pipeline(), &machine)?;
    machine.emit(module, FileKind::Object).context("making host code")
}
