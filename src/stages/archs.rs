//! The device jobs: the code of every arch, side by side, from the module that all archs share.

use super::device::compile_device;
use super::skip_refused::skip_refused;
use super::validate::{KernelFacts, Validated};
use super::work::{Lanes, Work};
use crate::cache::{Cache, Key, image};
use crate::contract::kernel::{ANY_HASH, KernelSet};
use crate::contract::panic_table::PanicTable;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::error::{ExitCode, Result};
use crate::job::Job;
use crate::passes::pass::PassOptions;
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

/// Compiles the device module, as bitcode, for every arch that it was validated for.
pub fn compile_archs(
    lanes: &Lanes<'_>,
    bitcode: &[u8],
    kernels: &KernelSet,
    validated: Validated<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<DeviceCode> {
    let Validated { archs, code, bounds, panics } = validated;
    let job = lanes.job;
    let compile = |(number, arch): (usize, &&Arch)| {
        let work = lanes.arch(number, &arch.name);
        let (runtime, recurses, level) = (job.runtime, code.recurses, job.opt_level);
        let (passes, tools) = (work.passes(), &lanes.tools(&arch.name));
        let hash = ANY_HASH;
        let device = DeviceJob { arch, kernels, runtime, recurses, hash, level, tools, passes };
        cached(job, bitcode, &device, &work)
    };
    let outputs =
        all_or_every_failure(job.tokens.side_by_side(archs.iter().enumerate(), &compile), &archs, diagnostics)?;
    diagnostics.extend(job.cache.iter().flat_map(|cache| cache.finish()));
    let built = skip_refused(job, &archs, diagnostics)?;
    let bounds = bounds.common(|name| built.iter().any(|arch| arch.name == name));
    let mut kernels = code.kernels;
    kernels.iter_mut().zip(bounds).for_each(|(facts, threads)| facts.threads_per_block = threads);
    Ok(DeviceCode { outputs, panics, kernels })
}

/// Compiles one arch, or takes its code from the cache.
fn cached(job: &Job, bitcode: &[u8], device: &DeviceJob<'_>, work: &Work<'_>) -> Result<DeviceOutput> {
    let Some(cache) = job.cache.as_ref().filter(|_| !shows_steps(job)) else {
        return compile_device(bitcode, device, work);
    };
    let key = match Key::of_image(bitcode, device) {
        Ok(key) => key,
        Err(error) => {
            cache.has_trouble(error.to_string());
            return compile_device(bitcode, device, work);
        }
    };
    if let Some(output) = from_cache(cache, &key, &device.arch.name) {
        if let Some(image) = output.images.first() {
            work.emit(Stage::Image, &image.bytes)?;
        }
        return Ok(output);
    }
    let output = compile_device(bitcode, device, work)?;
    cache.put(&key, &image::write(&output));
    Ok(output)
}

/// The output of an arch in the cache.
fn from_cache(cache: &Cache, key: &Key, arch: &str) -> Option<DeviceOutput> {
    let contents = cache.get(key, arch)?;
    let output = image::read(&contents);
    if output.is_none() {
        cache.has_trouble(format!("the entry for `{arch}` is not an image"));
    }
    output
}

/// Whether something between the module and the image is shown or checked, so that the work must be done.
fn shows_steps(job: &Job) -> bool {
    let PassOptions { verify, print_before, print_after, only } = &job.passes;
    let shown = [Stage::Flavor, Stage::Optimize, Stage::Codegen].iter().any(|stage| job.wants(*stage));
    let printed = !print_before.is_empty() || !print_after.is_empty() || only.is_some();
    shown || printed || *verify || job.dry_run
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
