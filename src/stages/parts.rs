//! The parts of a slice, which are compiled side by side and become one image for each arch. They are the modules of
//! the slice, or its only module is cut here.
//!
//! The parts follow from the code, or from `--parts`, and never from the number of threads.

use std::num::NonZeroUsize;
use std::sync::OnceLock;

use crate::analysis::partition::{Code, partition};
use crate::contract::builtin::STATIC_SECTION;
use crate::contract::kernel::{Kernel, KernelSet};
use crate::contract::panic_table::PanicCounts;
use crate::contract::symbols::{HOST_CALL, HOST_MAILBOX, LANE_PANIC, RECORD, STACK_FULL};
use crate::distribution::{Slice, SliceModule};
use crate::error::{Error, Result};
use crate::job::Job;
use crate::llvm::{Context, Linkage, Module};
use crate::passes::panic::number_panics::set_counts;
use crate::passes::pass::PassOptions;
use crate::stage::Stage;
use crate::targets::Arch;

/// The parts of a slice, which is cut when they are first needed: all images may be in the cache.
pub struct Parts<'a> {
    slice: &'a Slice,
    /// The number of parts, if it does not follow from the module.
    pub count: Option<NonZeroUsize>,
    cut: OnceLock<Result<Cut>>,
    whole: OnceLock<Result<Vec<u8>>>,
}

/// A module that is cut; no parts if it is whole.
#[derive(Default)]
pub struct Cut {
    /// The parts.
    pub parts: Vec<Part>,
    /// The kernels of each part, by number.
    pub kernels: Vec<Vec<usize>>,
}

/// A part of a module.
pub struct Part {
    /// Its kernels.
    pub kernels: KernelSet,
    /// The messages and locations of panics in the parts before this one.
    pub before: PanicCounts,
    /// The module with only the globals that they reach.
    pub bitcode: Vec<u8>,
}

impl<'a> Parts<'a> {
    /// The parts of a slice in a job, which may show the whole module.
    pub fn new(slice: &'a Slice, job: &Job) -> Self {
        let count = if shows_module(job) { Some(NonZeroUsize::MIN) } else { slice.options.parts };
        Self { slice, count, cut: OnceLock::new(), whole: OnceLock::new() }
    }

    /// The module of all kernels.
    pub fn whole(&self) -> Result<&[u8]> {
        if let [only] = &self.slice.modules[..] {
            return Ok(&only.bitcode);
        }
        let whole = self.whole.get_or_init(|| link(self.slice));
        whole.as_ref().map(|bitcode| &bitcode[..]).map_err(Error::clone)
    }

    /// The parts of which the image of an arch is made; none if its module is compiled as a whole.
    pub fn of(&self, arch: &Arch) -> Result<Option<&Cut>> {
        if !arch.target.facts().joins {
            return Ok(None);
        }
        let cut = self.cut.get_or_init(|| cut(self.slice, self.count)).as_ref().map_err(Error::clone)?;
        Ok(Some(cut).filter(|cut| !cut.parts.is_empty()))
    }
}

/// Cuts the module of a slice that has only one. It is read from its bytes, because every job of the slice must cut it
/// in the same way.
fn cut(slice: &Slice, count: Option<NonZeroUsize>) -> Result<Cut> {
    if count == Some(NonZeroUsize::MIN) {
        return Ok(Cut::default());
    }
    let chosen = |part: &[usize]| part.iter().map(|kernel| slice.kernels[*kernel].clone()).collect::<Vec<Kernel>>();
    let [only] = &slice.modules[..] else {
        let part = |SliceModule { kernels, before, bitcode }: &SliceModule| Part {
            kernels: chosen(kernels).into(),
            before: *before,
            bitcode: bitcode.clone(),
        };
        let kernels = slice.modules.iter().map(|module| module.kernels.clone()).collect();
        return Ok(Cut { parts: slice.modules.iter().map(part).collect(), kernels });
    };
    let context = Context::create();
    let module = Module::from_bitcode(&context, &only.bitcode, "device")?;
    let parts = partition(&module, &slice.kernels, count, Code::Neutral);
    let before = only.before;
    let own = parts.iter().map(|part| (chosen(&part.kernels).into(), part.cut_out(&module).bitcode()));
    Ok(Cut {
        parts: own.map(|(kernels, bitcode)| Part { kernels, before, bitcode }).collect(),
        kernels: parts.into_iter().map(|part| part.kernels).collect(),
    })
}

/// Functions that later passes find by their names. Every module with one has the same one.
const SAME_IN_ALL: [&str; 5] = [RECORD, STACK_FULL, HOST_CALL, HOST_MAILBOX, LANE_PANIC];

/// Links the modules of a slice to one.
fn link(slice: &Slice) -> Result<Vec<u8>> {
    let context = Context::create();
    let mut modules = slice.modules.iter().map(|module| linkable(&context, module, &slice.kernels));
    let whole = modules.next().ok_or_else(|| Error::internal("a slice without a module"))??;
    let linker = whole.module_linker();
    modules.try_for_each(|module| linker.link(module?))?;
    drop(linker);
    end_linking(&whole);
    Ok(whole.bitcode())
}

/// Makes the functions internal that each linked module defined.
pub(super) fn end_linking(whole: &Module<'_>) {
    let same = SAME_IN_ALL.iter().filter_map(|name| whole.function(name)).filter(|function| !function.is_declaration());
    same.for_each(|function| function.set_linkage(Linkage::Internal));
}

/// Runs passes across functions on a module of a slice. Functions that later passes find by their names, and call or
/// replace, keep all their parameters, and no property is derived from their bodies.
pub(super) fn run_across_functions(module: &Module<'_>, passes: &str) -> Result<()> {
    let found = SAME_IN_ALL.iter().filter_map(|name| module.function(name));
    let kept: Vec<_> = found.filter(|f| !f.is_declaration()).map(|f| (f, f.linkage())).collect();
    kept.iter().for_each(|(function, _)| function.set_linkage(Linkage::WeakAny));
    module.run_neutral_passes(passes)?;
    kept.iter().for_each(|(function, linkage)| function.set_linkage(*linkage));
    Ok(())
}

/// A module of a slice whose names do not clash with those of the others.
pub(super) fn linkable<'c>(context: &'c Context, own: &SliceModule, kernels: &KernelSet) -> Result<Module<'c>> {
    let module = Module::from_bitcode(context, &own.bitcode, "device")?;
    set_counts(&module, own.before);
    let entries: Vec<_> = own.kernels.iter().map(|kernel| &kernels[*kernel].name[..]).collect();
    for global in module.globals().into_iter().filter(|global| !global.is_declaration()) {
        let name = global.name();
        if SAME_IN_ALL.contains(&&name[..]) {
            // A pass may look one up by its name, so the linker must not drop it where it has no uses yet.
            global.set_linkage(Linkage::WeakODR);
        } else if !entries.contains(&&name[..]) && global.section() != STATIC_SECTION {
            global.set_linkage(Linkage::Internal);
        }
    }
    Ok(module)
}

/// The most parts of a build's module. Line tables in PTX have separate numbers in each text, so with `-g` a module is
/// not cut. Variables of a file of `--device-bitcode` must exist once, and passes of plugins see all code.
pub fn most_parts(job: &Job) -> Option<NonZeroUsize> {
    let extended = !job.device_bitcode.is_empty() || !job.pass_plugins.is_empty();
    if job.debug || extended || shows_module(job) { Some(NonZeroUsize::MIN) } else { job.parts }
}

/// Whether something is written or printed that shows the module of an arch, and that is one module.
fn shows_module(job: &Job) -> bool {
    let PassOptions { print_before, print_after, only, bisect, verify: _, without: _ } = &job.passes;
    let shown = [Stage::Flavor, Stage::Optimize, Stage::Codegen].iter().any(|stage| job.wants(*stage));
    shown || !print_before.is_empty() || !print_after.is_empty() || only.is_some() || bisect.is_some()
}
