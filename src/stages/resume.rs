//! `--from`: continues with the output of a stage of one arch.

use std::path::PathBuf;

use crate::contract::kernel::KernelSet;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::error::Result;
use crate::job::Job;
use crate::llvm::{Context, Module};
use crate::stage::Stage;
use crate::stages::device::continue_device;
use crate::stages::read::{Program, checked};
use crate::stages::work::Work;
use crate::system::time_trace::Trace;
use crate::targets::{Arch, DeviceJob};

/// Runs the stages after `from`. Returns the files that were read. The job has one input and one arch, and its outputs
/// need no other stage.
pub fn resume(job: &Job, from: Stage, trace: &Trace, diagnostics: &mut Diagnostics) -> Result<Vec<PathBuf>> {
    let (Some(program), [arch]) = (Program::read(job, diagnostics), &job.archs[..]) else { return Ok(Vec::new()) };
    let context = Context::create();
    let Some((input, bytes)) = program.modules().next() else { return Ok(Vec::new()) };
    let module = match checked(&context, input, bytes)? {
        Ok(module) => module,
        Err(diagnostic) => {
            diagnostics.push(diagnostic);
            return Ok(Vec::new());
        }
    };
    if let Some(diagnostic) = misfit(&module, arch) {
        diagnostics.push(diagnostic);
        return Ok(Vec::new());
    }
    let work = Work::new(job, trace.lane(&arch.name), Some(&arch.name));
    let tools = &job.tools.in_lane(trace, &arch.name);
    // The module's kernels are entry points already, and only the bundle, which is not written here, records whether
    // one recurses.
    let kernels = &KernelSet::new();
    let device =
        DeviceJob { arch, kernels, runtime: job.runtime, recurses: false, hash: "", level: job.opt_level, tools };
    continue_device(module, from, &device, &work)?;
    Ok(vec![input.path.clone()])
}

/// Why a module cannot be compiled for an arch.
fn misfit(module: &Module<'_>, arch: &Arch) -> Option<Diagnostic> {
    let architecture = |triple: &str| triple.split('-').next().unwrap_or_default().to_owned();
    let (is, wanted) = (module.triple(), arch.target.triple());
    // The features of a SPIR-V version are part of the architecture's name.
    let fits = architecture(&is).starts_with(&architecture(wanted));
    let message = format!("the input is a module for `{is}`, but `{}` needs one for `{wanted}`", arch.name);
    let help = "`--from` takes the output of `--emit=flavor` or `--emit=optimize` for the same arch";
    (!fits).then(|| Diagnostic::coded(Code::InvalidInput, message).help(help))
}
