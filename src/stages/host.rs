//! The host jobs: they compile each host module into host code.

use crate::bundle::HostObject;
use crate::contract::kernel::KernelSet;
use crate::error::{Error, Result};
use crate::input::file::Input;
use crate::job::Job;
use crate::llvm::{Context, FileKind, Machine, Module, OptLevel, crash};
use crate::passes::host::define_host_builtins::define_host_builtins;
use crate::passes::host::drop_stand_ins::drop_stand_ins;
use crate::passes::host::marks::Marks;
use crate::passes::pass::{Passes, pass};
use crate::stage::Stage;
use crate::stages::read::{Program, parse};
use crate::stages::split::finish_host;
use crate::stages::work::Lanes;
use crate::targets::kernel_conventions;

/// The host's processor if its functions name none: rustc's default for this platform.
const BASELINE_CPU: &str = "x86-64";

/// The only platform for which `bundle/host_object.rs` can write objects.
const PLATFORM: (&str, &str) = ("x86_64-", "-linux-");

/// The target triple of a module that does not have one.
pub const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// Checks that host objects can be created for the platform of a module from the file `name`.
pub fn check_platform(triple: &str, name: &str) -> Result<()> {
    if triple.starts_with(PLATFORM.0) && triple.contains(PLATFORM.1) {
        return Ok(());
    }
    Err(Error::new(format!("{name} was compiled for `{triple}`, and host objects can be made for x86-64 Linux only")))
}

/// Sets the platform's data layout in a module that has none. IR written by hand often has none, and kernel arguments
/// have other offsets in LLVM's default layout.
pub fn complete_layout(module: &Module<'_>) -> Result<()> {
    if module.data_layout().is_empty() {
        module.set_machine(&Machine::new(&module.triple(), BASELINE_CPU, "", OptLevel::O0.codegen(), true)?);
    }
    Ok(())
}

/// The information about the device that host modules need.
#[derive(Debug)]
pub struct HostInput<'a> {
    /// The kernel or function that each marker call names.
    pub marks: Marks,
    /// The kernels.
    pub kernels: &'a KernelSet,
    /// The hash in the symbols of handles.
    pub hash: &'a str,
}

/// Compiles the host code of every module, in parallel.
pub fn host_jobs(lanes: &Lanes<'_>, program: &Program, side: &HostInput<'_>) -> Result<Vec<Vec<u8>>> {
    let job = lanes.job;
    let modules: Vec<_> = program.modules().collect();
    let alone = modules.len() == 1;
    let compile = |(number, module): (usize, &(&Input, &[u8]))| {
        let lane = if alone { "host".to_owned() } else { format!("host {number}") };
        let work = lanes.host(number, &lane);
        work.stage(Stage::Host, || host_job(job, work.passes(), *module, number, side))
    };
    let code = job.tokens.side_by_side(modules.iter().enumerate(), &compile).into_iter().collect::<Result<Vec<_>>>()?;
    if job.wants(Stage::Host) {
        let all = HostObject { host: &code, registration: None, cpu: None };
        lanes.host(modules.len(), "host").emit(Stage::Host, &all.merge(&job.tools)?)?;
    }
    Ok(code)
}

/// Compiles the host code of one module. The LLVM context exists only in this function and on this thread.
fn host_job(
    job: &Job,
    passes: &Passes,
    (input, bytes): (&Input, &[u8]),
    number: usize,
    side: &HostInput<'_>,
) -> Result<Vec<u8>> {
    let unchanged = || crash::activity_on_input(format_args!("compiling {}", input.display()));
    let context = Context::create();
    let reading = unchanged();
    let module = parse(&context, input, bytes)?;
    drop(reading);
    complete_layout(&module)?;
    pass!(passes, drop_stand_ins(&module))?;
    let marks = side.marks.of(&module, number);
    pass!(passes, finish_host(&module, &marks, side.kernels, side.hash, &kernel_conventions()))?;
    pass!(passes, define_host_builtins(&module)?)?;
    let _activity = unchanged();
    host_code(&module, job.host_level)
}

/// A relocatable object of a host module: position-independent, with one section for each function and with
/// constructors in `.init_array`.
fn host_code(module: &Module<'_>, level: OptLevel) -> Result<Vec<u8>> {
    let machine = Machine::new(&module.triple(), BASELINE_CPU, "", level.codegen(), true)?;
    module.run_passes(level.pipeline(), &machine)?;
    machine.emit(module, FileKind::Object)
}
