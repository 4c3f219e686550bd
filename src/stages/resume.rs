//! `--from`: continues with the output of a stage of one arch.

use std::path::PathBuf;

use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::PanicCounts;
use crate::contract::platform::Platform;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::error::{Failure, Result};
use crate::llvm::{Context, Module};
use crate::stage::Stage;
use crate::stages::device::continue_device;
use crate::stages::pass_plugins::Plugins;
use crate::stages::read::{Program, checked};
use crate::stages::slice_job::slice_job;
use crate::stages::work::{Ended, Lanes};
use crate::targets::{Arch, DeviceJob, Share};

/// Runs the stages after `from`. Adds the files that were read to `files`. The job has one input and one arch, and its
/// outputs need no other stage.
pub fn resume(
    lanes: &Lanes<'_>,
    from: Stage,
    diagnostics: &mut Diagnostics,
    files: &mut Vec<PathBuf>,
) -> Result<(), Failure<Ended>> {
    if from == Stage::Slice {
        return slice_job(lanes, diagnostics, files);
    }
    let program = Program::read(lanes.job, diagnostics).ok_or(Failure::Reason(Ended))?;
    let context = Context::create();
    let Some((input, bytes)) = program.modules().next() else { return Ok(()) };
    let module = checked(&context, input, bytes).map_err(Ended::with(diagnostics))?;
    let job = &lanes.job.settle(Platform::of(&module.triple()).unwrap_or_default())?;
    let [arch] = &job.archs[..] else { return Ok(()) };
    let lanes = &lanes.of(job);
    if let Some(diagnostic) = misfit(&module, arch) {
        diagnostics.push(diagnostic);
        return Err(Failure::Reason(Ended));
    }
    let work = lanes.arch(0, &arch.name);
    let (passes, tools) = (work.passes(), &lanes.tools(&arch.name));
    // The module's kernels are entry points already.
    let kernels = &KernelSet::new();
    let device = DeviceJob {
        arch,
        kernels,
        before: PanicCounts::default(),
        runtime: job.runtime,
        hash: "",
        level: job.opt_level,
        share: Share::Whole,
        standalone: false,
        libraries: &[],
        plugins: &Plugins::load(job, diagnostics)?.optimize,
        tools,
        passes,
    };
    continue_device(module, from, &device, &work)?;
    files.push(input.path.clone());
    Ok(())
}

/// Why a module cannot be compiled for an arch.
fn misfit(module: &Module<'_>, arch: &Arch) -> Option<Diagnostic> {
    let architecture = |triple: &str| triple.split('-').next().unwrap_or_default().to_owned();
    let (is, wanted) = (module.triple(), arch.processor.triple);
    // The features of a SPIR-V version are part of the architecture's name.
    let fits = architecture(&is).starts_with(&architecture(wanted));
    let message = format!("the input is a module for `{is}`, but `{}` needs one for `{wanted}`", arch.name);
    let help = "`--from` takes the output of `--emit=flavor` or `--emit=optimize` for the same arch";
    (!fits).then(|| Diagnostic::coded(Code::InvalidInput, message).help(help))
}
