//! The device jobs: the code of every arch, side by side, from the module that all archs share.

use std::path::Path;

use super::cached::{Form, cached};
use super::device::compile_device;
use super::distribute::distribute;
use super::skip_refused::skip_refused;
use super::validate::{KernelFacts, Validated};
use super::work::{Lanes, Work};
use crate::cache::{Key, Subject, image};
use crate::contract::panic_table::PanicTable;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::distribution::Slice;
use crate::error::{ExitCode, Result};
use crate::job::Job;
use crate::stage::Stage;
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

/// Compiles the device module for every arch that it was validated for.
pub fn compile_archs(
    lanes: &Lanes<'_>,
    slice: &Slice,
    validated: Validated<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<DeviceCode> {
    let Validated { archs, code, bounds, panics } = validated;
    let job = lanes.job;
    let compile = |(number, arch): (usize, &&Arch)| {
        let work = lanes.arch(number, &arch.name);
        let tools = lanes.tools(&arch.name);
        compile_cached(job, &slice.bitcode, &slice.job(arch, &tools, work.passes()), &work)
    };
    let outputs = match job.distributor.as_ref().filter(|_| !shows_steps(job)) {
        Some(distributor) => distribute(lanes, distributor, slice, &archs, diagnostics)?,
        None => all_or_every_failure(job.tokens.side_by_side(archs.iter().enumerate(), &compile), &archs, diagnostics)?,
    };
    let built = skip_refused(job, &archs, diagnostics)?;
    let bounds = bounds.common(|name| built.iter().any(|arch| arch.name == name));
    let mut kernels = code.kernels;
    kernels.iter_mut().zip(bounds).for_each(|(facts, threads)| facts.threads_per_block = threads);
    Ok(DeviceCode { outputs, panics, kernels })
}

/// Compiles one arch, or takes its code from the cache.
fn compile_cached(job: &Job, bitcode: &[u8], device: &DeviceJob<'_>, work: &Work<'_>) -> Result<DeviceOutput> {
    let cache = job.cache.as_deref().filter(|_| !shows_steps(job));
    let mut compiled = false;
    let output = cached(
        cache,
        Subject::Image(&device.arch.name),
        || Key::of_image(bitcode, device, Path::new("/proc/self/exe")),
        &IMAGE,
        || {
            compiled = true;
            compile_device(bitcode, device, work)
        },
    )?;
    if let Some(image) = output.images.first().filter(|_| !compiled) {
        work.emit(Stage::Image, &image.bytes)?;
    }
    Ok(output)
}

const IMAGE: Form<DeviceOutput> = Form { write: image::write, read: image::read };

/// Whether something between the module and the image is shown or checked, so that the work must be done.
fn shows_steps(job: &Job) -> bool {
    job.shows_passes() || [Stage::Flavor, Stage::Optimize, Stage::Codegen].iter().any(|stage| job.wants(*stage))
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
