//! The device jobs: the code of every arch, side by side, from the module that all archs share.

use super::device::compile_device;
use super::skip_refused::skip_refused;
use super::validate::{KernelFacts, Validated};
use super::work::Lanes;
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::PanicTable;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::error::{ExitCode, Result};
use crate::targets::{Arch, DeviceJob, DeviceOutput};

/// The code of all archs.
#[derive(Default)]
pub struct DeviceCode {
    /// What each arch adds to the bundle.
    pub outputs: Vec<DeviceOutput>,
    /// The meaning of the numbers in panic records.
    pub panics: PanicTable,
    /// Facts about each kernel, in the order of the kernels.
    pub kernels: Vec<KernelFacts>,
}

/// Compiles the device module, as bitcode, for every arch that it was validated for.
pub fn compile_archs(
    lanes: &Lanes<'_>,
    bitcode: &[u8],
    (kernels, hash): (&KernelSet, &str),
    validated: Validated<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<DeviceCode> {
    let Validated { archs, code, bounds, panics } = validated;
    let job = lanes.job;
    let compile = |(number, arch): (usize, &&Arch)| {
        let work = lanes.arch(number, &arch.name);
        let (runtime, recurses, level) = (job.runtime, code.recurses, job.opt_level);
        let (passes, tools) = (work.passes(), &lanes.tools(&arch.name));
        compile_device(bitcode, &DeviceJob { arch, kernels, runtime, recurses, hash, level, tools, passes }, &work)
    };
    let outputs =
        all_or_every_failure(job.tokens.side_by_side(archs.iter().enumerate(), &compile), &archs, diagnostics)?;
    let built = skip_refused(job, &archs, diagnostics)?;
    let bounds = bounds.common(|name| built.iter().any(|arch| arch.name == name));
    let mut kernels = code.kernels;
    kernels.iter_mut().zip(bounds).for_each(|(facts, threads)| facts.threads_per_block = threads);
    Ok(DeviceCode { outputs, panics, kernels })
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
            Ok(output) => outputs.push(output),
            Err(error) if error.exit_code() == ExitCode::Internal => return Err(error),
            Err(error) if error.is_of_output() => diagnostics.push(Diagnostic::from(&error)),
            Err(error) => diagnostics.push(Diagnostic::from(&error).target(&arch.name)),
        }
    }
    Ok(outputs)
}
