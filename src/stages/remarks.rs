//! Remarks: how kernels are executed, and why not faster, with the lines of the causes.
//!
//! Lines must stay in the code until the steps have seen it that remarks are about, and the code of an object has none.
//! So the resolved module is compiled once more, with its lines, and this code is dropped. No byte of an object depends
//! on remarks, and an image that comes from the cache or from another machine has the same ones.

use std::borrow::Cow;
use std::collections::HashMap;

use super::device::{flavor, new_machine, optimize};
use super::neutral::make::make;
use super::neutral::options::NeutralOptions;
use super::neutral::types::Source;
use super::work::{Ended, Lanes};
use crate::analysis::location::{function_location, own_location};
use crate::bundle::{Image, ImageView};
use crate::contract::kernel::KernelSet;
use crate::diagnostics::{Diagnostic, Diagnostics, Location, Remark, Severity, Topic};
use crate::distribution::Slice;
use crate::error::Result;
use crate::input::bodies::Unresolved;
use crate::job::Job;
use crate::llvm::{Context, Function, Module, PassPlugin};
use crate::passes::pass::Passes;
use crate::targets::gpu_remarks::{remark_on_neutral, remark_on_pointers};
use crate::targets::{Arch, DeviceOutput, Share, resources};

/// The input of remarks: the resolved module, the slice that was made of it, and its images.
pub struct RemarkJob<'a, 'c> {
    /// A copy of the resolved module.
    pub module: Module<'c>,
    /// The bodies that were not found.
    pub unresolved: &'a Unresolved,
    /// Plugins that extend the simplification.
    pub plugins: &'a [PassPlugin],
    /// The slice.
    pub slice: &'a Slice,
    /// The archs that are built.
    pub archs: &'a [&'a Arch],
    /// Their images.
    pub outputs: &'a [DeviceOutput],
}

impl RemarkJob<'_, '_> {
    /// Adds the remarks that are asked for, in the order of the kernels, their regions and the archs.
    pub fn run(self, lanes: &Lanes<'_>, diagnostics: &mut Diagnostics) -> Result<()> {
        let Self { module, unresolved, plugins, slice, archs, outputs } = self;
        let (job, kernels) = (lanes.job.without_outputs(), &slice.kernels);
        let lanes = lanes.of(&job);
        let own = NeutralOptions::new(&job);
        let options = NeutralOptions { debug: true, libraries: &slice.libraries, plugins, ..own };
        let source = Source { module: &module, kernels, options };
        // The slice has been made, so all findings are known.
        let mut known = Diagnostics::new();
        let made = make(&lanes.remarks(), source, unresolved, |archs, _| Ok(archs.to_vec()), &mut known);
        let Some(made) = Ended::or_none(made)? else { return Ok(()) };
        let of_gpus = archs.iter().any(|arch| is_gpu(arch));
        let neutral = if of_gpus { remark_on_neutral(&module, kernels) } else { Vec::new() };
        let one = |(number, arch): (usize, &&Arch)| -> Result<Vec<Diagnostic>> {
            let neutral = if is_gpu(arch) { neutral.clone() } else { Vec::new() };
            let work = lanes.remarks_of(number, arch);
            let passed = remark_on_passes(&lanes, slice, arch, work.passes(), &made.bitcode)?;
            let all = [neutral, passed, work.into_remarks()].concat();
            Ok(all.into_iter().map(|remark| remark.target(&arch.name)).collect())
        };
        let all: Result<Vec<_>> = job.tokens.side_by_side(archs.iter().enumerate(), &one).into_iter().collect();
        let mut all: Vec<_> = all?.into_iter().flatten().collect();
        let images = outputs.iter().flat_map(|output| &output.images);
        all.extend(remark_on_spills(&job, images, &module, kernels)?);
        all.retain(|found| found.remark.as_ref().is_some_and(|remark| job.remarks.contains(&remark.topic)));
        let place = |found: &Diagnostic| {
            let remark = found.remark.as_ref()?;
            Some((kernels.iter().position(|kernel| kernel.display == remark.kernel), remark.region))
        };
        all.sort_by_key(place);
        if !all.is_empty() && all.iter().all(|remark| remark.location.is_none()) {
            let text = "remarks name no lines, because the code of kernels has no debug information";
            let note = Diagnostic::new(Severity::Note, text);
            diagnostics.push(note.help("compile it with `-Cdebuginfo=line-tables-only`"));
        }
        diagnostics.extend(all);
        Ok(())
    }
}

/// Runs the passes of an arch, which make their remarks, and the remarks on the code that the back end of a GPU gets.
fn remark_on_passes(
    lanes: &Lanes<'_>,
    slice: &Slice,
    arch: &Arch,
    passes: &Passes,
    bitcode: &[u8],
) -> Result<Vec<Diagnostic>> {
    let tools = lanes.tools(&arch.name);
    let device = slice.job(arch, Share::Whole, &tools, passes);
    let context = Context::create();
    let module = flavor(passes, Module::from_bitcode(&context, bitcode, "device")?, &device)?;
    if !is_gpu(arch) || !lanes.job.remarks.contains(&Topic::Pointers) {
        return Ok(Vec::new());
    }
    optimize(passes, &module, &device, &new_machine(&device, &arch.processor.features)?)?;
    Ok(remark_on_pointers(&module, &slice.kernels, arch.target.address_spaces().generic))
}

/// The kernels that keep registers in memory, as far as the images show it.
fn remark_on_spills<'a>(
    job: &Job,
    images: impl Iterator<Item = &'a Image>,
    module: &Module<'_>,
    kernels: &KernelSet,
) -> Result<Vec<Diagnostic>> {
    let places: HashMap<_, _> =
        kernels.iter().filter_map(|kernel| Some((&kernel.name[..], start(module.function(&kernel.name)?)))).collect();
    let mut all = Vec::new();
    for image in images {
        let Image { kind, triple, arch, strings, bytes } = image;
        let strings = strings.iter().map(|(key, value)| (&key[..], &value[..])).collect();
        let (arch, bytes) = (Cow::Borrowed(&arch[..]), Cow::Borrowed(&bytes[..]));
        let view = ImageView { kind: Some(*kind), triple, arch, strings, bytes, compressed: None };
        for used in resources(&view, &job.tools)?.iter().filter(|used| used.spill_bytes > 0) {
            let Some(kernel) = kernels.iter().find(|kernel| kernel.name == used.kernel) else { continue };
            let (name, registers, bytes) = (&kernel.display, used.registers, used.spill_bytes);
            let text =
                format!("kernel `{name}` has {registers} registers, and keeps {bytes} bytes of others in memory");
            let cause = Some("spill");
            let remark = Remark { topic: Topic::Spills, kernel: name.clone(), region: None, cause, width: None };
            let remark = Diagnostic::remark(remark, text).at(places.get(&kernel.name[..]).cloned().flatten());
            let help = "promise smaller blocks by `launch_bounds`, allow more by `max_registers`, or keep fewer values";
            all.push(remark.help(help).target(&image.arch));
        }
    }
    Ok(all)
}

/// The first place of a kernel in the user's source.
fn start(function: Function<'_>) -> Option<Location> {
    let own = if function.is_declaration() { None } else { function.instructions().find_map(own_location) };
    own.or_else(|| function_location(function))
}

/// Whether a target has several address spaces, as GPUs have.
fn is_gpu(arch: &Arch) -> bool {
    let spaces = arch.target.address_spaces();
    spaces.global != spaces.generic
}
