//! The generic image: writes it into the bundle, and makes the images of archs from it.

use std::path::Path;

use super::archs::ArchJob;
use super::device::names;
use super::fold_arch::fold_arch;
use super::link::{self, LinkedSlice};
use super::parts::Parts;
use super::pass_plugins::Plugins;
use super::specialize::specialize_slice;
use super::work::{Ended, Lanes};
use crate::analysis::callees::calls_what_is_stored;
use crate::analysis::written::may_be_written;
use crate::bundle::{Image, ImageKind};
use crate::contract::builtin::{BUILTINS, STATIC_SECTION, intrinsic_name};
use crate::contract::panic_table::PanicTable;
use crate::contract::queries::asks_arch;
use crate::contract::triples;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::distribution::{
    GENERIC_VERSION, GenericImage, LinkableFunctions, NotGeneric, NotLinkable, Producer, Slice, SliceModule,
};
use crate::error::{ExitCode, Failure, Result};
use crate::llvm::{Context, Module, Value};
use crate::passes::launch::fold_late_constants::is_of_late_constant;
use crate::passes::legalize::prune::prune;
use crate::passes::pass::{Passes, pass};
use crate::targets::{Arch, DeviceOutput, GENERIC};

/// The image of a slice. `refusals` are the errors for archs that are not built.
pub fn generic_image(
    slice: &Slice,
    refusals: &[Diagnostic],
    functions: Option<&LinkableFunctions>,
) -> Result<DeviceOutput> {
    let (slice, mut functions) = (slice.clone(), functions.cloned());
    for functions in functions.iter_mut().filter(|functions| !functions.bitcode.is_empty()) {
        functions.bitcode = small_bitcode(&functions.bitcode)?;
    }
    let image = GenericImage { slice, refusals: refusals.to_vec(), functions };
    let (bytes, slice) = (image.write()?, &image.slice);
    let Producer { offloadc, llvm, .. } = Producer::here();
    let facts = facts(slice)?;
    let yes = |fact| if fact { "yes" } else { "no" }.to_owned();
    let strings = [
        ("generic-version", GENERIC_VERSION.to_string()),
        ("compiler", format!("offloadc {offloadc}, LLVM {llvm}")),
        ("identity", GenericImage::identity(&bytes)),
        ("statics", yes(facts.writes_statics())),
        ("late-constants", facts.late_constants().to_owned()),
        ("stored-functions", yes(facts.calls_what_is_stored)),
        ("uses-lanes", yes(facts.uses_lanes)),
        ("warp_size", slice.options.cpu_warp_size().to_string()),
    ];
    let mut strings: Vec<_> = strings.map(|(key, value)| (key.to_owned(), value)).into();
    let faults = image.functions.as_ref().filter(|functions| !functions.faults.is_empty());
    strings.extend(faults.map(|functions| (NOT_LINKABLE.to_owned(), not_linkable(functions))));
    let (triple, arch) = (triples::GENERIC.to_owned(), GENERIC.to_owned());
    let image = Image { kind: ImageKind::Bitcode, triple, arch, strings, bytes };
    Ok(DeviceOutput { images: vec![image], ..DeviceOutput::default() })
}

/// The key of the functions that kernels of other objects cannot be linked with.
const NOT_LINKABLE: &str = "not-linkable";

/// Why functions cannot be linked, as a text for the runtime: their positions, and a reason with its length for each:
/// `1:6:reason,3:5:other,`.
fn not_linkable(functions: &LinkableFunctions) -> String {
    let text = |fault: &NotLinkable| {
        let first = fault.found.first()?;
        let place = first.location.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
        let reason = format!("{}{place}", first.message).replace('\0', "");
        Some(format!("{}:{}:{reason},", fault.position, reason.len()))
    };
    functions.faults.iter().filter_map(text).collect()
}

/// The facts about the code that the runtime needs before the code is compiled.
#[derive(Default)]
struct Facts {
    /// Kernels may write statics of the program, so two images of the code in one process would have two copies.
    writes_own_statics: bool,
    /// Kernels may call functions whose addresses other launches have stored. Each image has its own addresses.
    calls_what_is_stored: bool,
    /// Kernels may write constants that the program sets.
    writes_constants: bool,
    /// Kernels may use the lanes of a warp.
    uses_lanes: bool,
}

impl Facts {
    /// Adds those of a module.
    fn add(&mut self, module: &Module<'_>) {
        let written = |v: &Value<'_>| v.section() == STATIC_SECTION && !v.is_constant_global() && may_be_written(*v);
        for variable in module.variables().into_iter().filter(written) {
            let is_late = is_of_late_constant(variable);
            self.writes_constants |= is_late;
            self.writes_own_statics |= !is_late;
        }
        self.calls_what_is_stored |= calls_what_is_stored(module);
        let of_lanes = BUILTINS.iter().filter(|builtin| builtin.is_of_lanes());
        self.uses_lanes |= of_lanes.filter_map(|builtin| module.function(builtin.name)).any(|f| f.is_used());
    }

    fn writes_statics(&self) -> bool {
        self.writes_own_statics || self.writes_constants
    }

    /// Whether some of the statics are those of constants that the program sets, or all are. With their values in the
    /// code, kernels do not write them.
    fn late_constants(&self) -> &'static str {
        match (self.writes_constants, self.writes_own_statics) {
            (false, _) => "none",
            (true, true) => "some",
            (true, false) => "only",
        }
    }
}

/// The modules of a slice, in fewer bytes, for a generic image. The jobs of the build start from the same bytes, so an
/// image does not depend on the job that makes it.
pub fn small_modules(mut modules: Vec<SliceModule>) -> Result<Vec<SliceModule>> {
    for module in &mut modules {
        module.bitcode = small_bitcode(&module.bitcode)?;
    }
    Ok(modules)
}

fn small_bitcode(bitcode: &[u8]) -> Result<Vec<u8>> {
    Ok(Module::from_bitcode(&Context::create(), bitcode, "device")?.into_small_bitcode())
}

fn facts(slice: &Slice) -> Result<Facts> {
    let context = Context::create();
    let mut facts = Facts::default();
    for module in &slice.modules {
        facts.add(&Module::from_bitcode(&context, &module.bitcode, "device")?);
    }
    Ok(facts)
}

/// Makes the images of the job's archs from a generic image, whose kernels may be given the functions of the images
/// `linked`. The work ends early if `diagnostics` has an error.
pub fn finish(
    lanes: &Lanes<'_>,
    image: &GenericImage,
    linked: &[GenericImage],
    diagnostics: &mut Diagnostics,
) -> Result<Vec<DeviceOutput>, Failure<Ended>> {
    let (job, work) = (lanes.job, lanes.shared());
    if image.slice.kernels.is_empty() {
        let fault = Diagnostic::coded(Code::NotLinkable, "the generic image has functions only, and no kernel");
        diagnostics.push(fault.help("link it with the image of a kernel: `offloadc finish FILE --link=THIS`"));
    }
    let mut checked = vec![image.clone()];
    for other in linked {
        match link::functions(other) {
            Ok(functions) => {
                diagnostics.extend(link::left_out(functions));
                checked.push(link::as_image(other, functions));
            }
            Err(faults) => diagnostics.extend(faults),
        }
    }
    diagnostics.extend(link::own_left_out(image, linked)?);
    for (arch, image) in job.archs.iter().flat_map(|arch| checked.iter().map(move |image| (arch, image))) {
        diagnostics.extend(refusals(image, arch, work.passes())?);
    }
    if diagnostics.has_errors() {
        return Err(Failure::Reason(Ended));
    }
    let LinkedSlice { slice, panics } =
        link::link_slice(work.passes(), image, linked, &job.specialize).map_err(Ended::with(diagnostics))?;
    let slice = specialize_slice(work.passes(), slice, &job.specialize).map_err(Ended::with(diagnostics))?;
    let slice = &Slice { plugins: Plugins::load(job, diagnostics)?.optimize, ..slice };
    let parts = Parts::new(slice, job);
    // Whether all constants are in the code: the runtime needs this, because each image has its own copy of the others.
    let statics = match job.specialize.has_constants() {
        true => Some(if facts(slice)?.writes_statics() { "yes" } else { "no" }),
        false => None,
    };
    let compile = |(number, arch): (usize, &Arch)| ArchJob { lanes, number, arch, slice, parts: &parts }.run();
    let made = job.tokens.side_by_side(job.archs.iter().enumerate(), &compile);
    let mut outputs = Vec::new();
    for (output, arch) in made.into_iter().zip(&job.archs) {
        match output {
            Ok(output) => outputs.push(with_statics(with_panics(with_shared_bytes(output), &panics), statics)),
            Err(error) if error.exit_code() == ExitCode::Internal || error.is_of_output() => return Err(error.into()),
            Err(error) => {
                let note = format!("this is the image of {}", names(&slice.kernels));
                diagnostics.push(Diagnostic::from(&error).target(&arch.name).note(note));
            }
        }
    }
    if diagnostics.has_errors() { Err(Failure::Reason(Ended)) } else { Ok(outputs) }
}

/// The key of an image with the size of each kernel's static shared memory, in the order of the kernels.
const SHARED_BYTES: &str = "shared-bytes";

/// Writes these sizes into an image whose sizes are in no host object. The order of an image's parts is not that of its
/// kernels, so this is the place where they are known.
fn with_shared_bytes(mut output: DeviceOutput) -> DeviceOutput {
    if !output.shared_bytes.is_empty() {
        let list = output.shared_bytes.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        output.images.iter_mut().for_each(|image| image.strings.push((SHARED_BYTES.to_owned(), list.clone())));
    }
    output
}

/// The key of an image with the texts of the panics of linked functions.
const LINKED_PANICS: &str = "linked-panics";

/// Writes these texts into the images.
fn with_panics(mut output: DeviceOutput, panics: &PanicTable) -> DeviceOutput {
    if !panics.messages().is_empty() || !panics.places().is_empty() {
        let text = link::panic_text(panics);
        output.images.iter_mut().for_each(|image| image.strings.push((LINKED_PANICS.to_owned(), text.clone())));
    }
    output
}

/// Writes whether the kernels of the output's images write statics.
fn with_statics(mut output: DeviceOutput, statics: Option<&str>) -> DeviceOutput {
    let strings = statics.map(|statics| ("statics".to_owned(), statics.to_owned()));
    output.images.iter_mut().for_each(|image| image.strings.extend(strings.clone()));
    output
}

/// The reasons why an arch cannot run the code: those that were found when the image was written, or those that are
/// found now if the offloadc that wrote it does not support the arch.
fn refusals(image: &GenericImage, arch: &Arch, passes: &Passes) -> Result<Vec<Diagnostic>> {
    let GenericImage { slice, refusals, functions: _ } = image;
    let base = arch.target.base(&arch.name);
    if slice.archs.iter().any(|known| arch.is_named(known) || arch.target.base(known) == base) {
        let own = refusals.iter().filter(|refusal| refusal.targets.iter().any(|name| arch.is_named(name)));
        return Ok(own.map(|refusal| Diagnostic { targets: vec![arch.name.clone()], ..refusal.clone() }).collect());
    }
    let context = Context::create();
    let mut found = Vec::new();
    for module in &slice.modules {
        let module = Module::from_bitcode(&context, &module.bitcode, "device")?;
        if asks_arch(&module) {
            fold_arch(passes, &module, arch, true)?;
            pass!(passes, prune(&module)?)?;
        }
        let names = module.functions().into_iter().filter_map(|f| intrinsic_name(&f.name()).map(str::to_owned));
        found.extend(names.filter(|name| !arch.has_intrinsic(name)).map(|name| {
            let message = format!("kernels name the intrinsic `{name}`, which `{}` does not have", arch.name);
            Diagnostic::coded(Code::Intrinsic, message).help("name another arch")
        }));
        found.extend(arch.target.validate(&module, &slice.kernels, &arch.limits(), slice.options.runtime()));
    }
    Ok(found.into_iter().map(|refusal| refusal.target(&arch.name)).collect())
}

/// The generic image in these bytes, which are those of the file `path` or of an image in it.
pub fn read(bytes: &[u8], path: &Path) -> Result<GenericImage, Diagnostic> {
    let shown = path.display();
    GenericImage::read(bytes).map_err(|reason| {
        let (message, help) = match &reason {
            NotGeneric::Other => (
                format!("`{shown}` is not a generic image"),
                "`--offload-arch=generic` adds one to a program".to_owned(),
            ),
            NotGeneric::Damaged => {
                (format!("the generic image in `{shown}` is damaged"), "build the program again".to_owned())
            }
            NotGeneric::Version(producer) => (
                format!("the generic image in `{shown}` is of another offloadc"),
                format!("finish it with offloadc {}, or build the program again", producer.offloadc),
            ),
        };
        let diagnostic = Diagnostic::coded(Code::NoSlice, message).help(help);
        match reason {
            NotGeneric::Version(was) => diagnostic.note(format!("{was} wrote it; this is {}", Producer::here())),
            NotGeneric::Other | NotGeneric::Damaged => diagnostic,
        }
    })
}
