//! The device jobs: the code of every arch, side by side, from the module that all archs share.

use std::path::Path;

use super::cached::{Form, cached};
use super::device::{compile_device, compile_module, make_image};
use super::distribute::distribute;
use super::neutral::types::{KernelFacts, Validated};
use super::parts::{Cut, Part, Parts};
use super::skip_refused::skip_refused;
use super::work::{Lanes, Work, part_lane};
use crate::cache::{Cache, Key, Subject, image};
use crate::contract::panic_table::PanicTable;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::distribution::Slice;
use crate::error::{ExitCode, Result};
use crate::job::Job;
use crate::stage::Stage;
use crate::targets::{Arch, DeviceJob, DeviceOutput, Share};

/// The code of all archs.
#[derive(Default)]
pub struct DeviceCode {
    /// The output of each arch, for the bundle.
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
    let Validated { archs, code, bounds, panics, refusals: _ } = validated;
    let job = lanes.job;
    let parts = Parts::new(slice, job);
    let compile = |(number, arch): (usize, &&Arch)| ArchJob { lanes, number, arch, slice, parts: &parts }.run();
    let outputs = match job.distributor.as_ref().filter(|_| !shows_steps(job)) {
        Some(distributor) => distribute(lanes, distributor, (slice, &parts), &archs, diagnostics)?,
        None => {
            let results = job.tokens.side_by_side(archs.iter().enumerate(), &compile);
            all_or_every_failure(job, results, &archs, diagnostics)?
        }
    };
    let built = skip_refused(job, &archs, diagnostics)?;
    // The generic image may come to run on any arch.
    let bounds = bounds.common(|name| job.generic.is_some() || built.iter().any(|arch| arch.name == name));
    let mut kernels = code.kernels;
    kernels.iter_mut().zip(bounds).for_each(|(facts, threads)| facts.threads_per_block = threads);
    Ok(DeviceCode { outputs, panics, kernels })
}

/// The job of one arch.
pub struct ArchJob<'a> {
    /// The lanes of the build.
    pub lanes: &'a Lanes<'a>,
    /// The number of the arch.
    pub number: usize,
    /// The arch.
    pub arch: &'a Arch,
    /// The module of all kernels.
    pub slice: &'a Slice,
    /// Its parts.
    pub parts: &'a Parts<'a>,
}

impl ArchJob<'_> {
    /// Compiles the arch, or takes its image from the cache.
    pub fn run(&self) -> Result<DeviceOutput> {
        let work = self.lanes.arch(self.number, self.arch);
        let tools = self.lanes.tools(&self.arch.name);
        let device = self.slice.job(self.arch, Share::Whole, &tools, work.passes());
        let mut compiled = false;
        let make = || {
            compiled = true;
            match self.parts.of(self.arch)? {
                Some(cut) => self.join_parts(cut, &device, &work),
                None => compile_device(self.parts.whole()?, &device, &work),
            }
        };
        let subject = Subject::Image(&self.arch.name);
        let output = cached(self.cache(), subject, || self.key(&self.slice.code(), &device), &IMAGE, make)?;
        if let Some(bytes) = output.shown().filter(|_| !compiled) {
            work.emit(Stage::Image, bytes)?;
        }
        Ok(output)
    }

    /// Compiles the parts side by side, and makes one image of them.
    fn join_parts(&self, cut: &Cut, device: &DeviceJob<'_>, work: &Work<'_>) -> Result<DeviceOutput> {
        let parts = cut.parts.iter().enumerate().collect();
        let size = |(_, part): &(usize, &Part)| part.bitcode.len();
        let codes = self.lanes.job.tokens.largest_first(parts, size, &|(number, part)| self.part(number, part));
        let codes = codes.into_iter().collect::<Result<Vec<_>>>()?;
        let code = work.stage(Stage::Image, || self.arch.target.join(&codes, device))?;
        let mut output = make_image(code, device, work)?;
        order(cut, &mut output.shared_bytes);
        Ok(output)
    }

    /// The code of a part, which may be in the cache.
    fn part(&self, number: usize, part: &Part) -> Result<Vec<u8>> {
        let name = part_lane(&self.arch.name, number);
        let (work, tools) = (self.lanes.part(self.number, number, self.arch), self.lanes.tools(&name));
        let whole = self.slice.job(self.arch, Share::Part, &tools, work.passes());
        let device = DeviceJob { kernels: &part.kernels, before: part.before, ..whole };
        let make = || compile_module(&part.bitcode, &device, &work);
        cached(self.cache(), Subject::Part(&name), || self.key(&part.bitcode, &device), &CODE, make)
    }

    fn cache(&self) -> Option<&Cache> {
        self.lanes.job.cache.as_deref().filter(|_| !shows_steps(self.lanes.job))
    }

    /// The key of the code that this process compiles.
    fn key(&self, bitcode: &[u8], device: &DeviceJob<'_>) -> Result<Key> {
        Key::of_image(bitcode, device, self.parts.count, Path::new("/proc/self/exe"))
    }
}

/// Facts about the kernels of one part after the other, in the order of all kernels.
fn order(cut: &Cut, facts: &mut [u32]) {
    let by_part = facts.to_vec();
    let kernels = cut.kernels.iter().flatten();
    kernels.zip(by_part).for_each(|(kernel, fact)| facts[*kernel] = fact);
}

const IMAGE: Form<DeviceOutput> = Form { write: image::write, read: |contents| image::read(&contents) };
const CODE: Form<Vec<u8>> = Form { write: Vec::clone, read: Some };

/// Whether something between the module and the image is shown or checked, so that the work must be done.
fn shows_steps(job: &Job) -> bool {
    job.shows_passes() || [Stage::Flavor, Stage::Optimize, Stage::Codegen].iter().any(|stage| job.wants(*stage))
}

/// Returns the outputs, and reports a diagnostic for each arch that failed. An internal error is returned. If a back
/// end has written wrong code, however, the arch is left out if it is optional.
fn all_or_every_failure(
    job: &Job,
    results: Vec<Result<DeviceOutput>>,
    archs: &[&Arch],
    diagnostics: &mut Diagnostics,
) -> Result<Vec<DeviceOutput>> {
    let may_lack = |(result, arch): (&Result<_>, &&Arch)| result.is_ok() || job.optional_archs.contains(&arch.name);
    let leaves_out = results.iter().any(Result::is_ok) && results.iter().zip(archs).all(may_lack);
    let mut outputs = Vec::new();
    for (result, arch) in results.into_iter().zip(archs) {
        match result {
            Ok(output) => outputs.push(output),
            Err(error) if error.exit_code() == ExitCode::Internal && !(leaves_out && error.is_of_code()) => {
                return Err(error);
            }
            Err(error) if error.is_of_output() => diagnostics.push(Diagnostic::from(&error)),
            Err(error) => diagnostics.push(Diagnostic::from(&error).target(&arch.name)),
        }
    }
    Ok(outputs)
}
