//! Cuts the module of all archs into parts, which are compiled side by side and become one image for each arch.
//!
//! The parts follow from the module, or from `--parts`, and never from the number of threads.

use std::num::NonZeroUsize;
use std::sync::OnceLock;

use crate::analysis::partition::partition;
use crate::contract::kernel::{Kernel, KernelSet};
use crate::distribution::Slice;
use crate::error::{Error, Result};
use crate::job::Job;
use crate::llvm::{Context, Module};
use crate::passes::pass::PassOptions;
use crate::stage::Stage;
use crate::targets::Arch;

/// The parts of a slice, which is cut when they are first needed: all images may be in the cache.
pub struct Parts<'a> {
    slice: &'a Slice,
    /// The number of parts, if it does not follow from the module.
    pub count: Option<NonZeroUsize>,
    cut: OnceLock<Result<Cut>>,
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
    /// The module with only what they reach.
    pub bitcode: Vec<u8>,
}

impl<'a> Parts<'a> {
    /// The parts of a slice in a job, which may show the whole module.
    pub fn new(slice: &'a Slice, job: &Job) -> Self {
        let count = if shows_module(job) { Some(NonZeroUsize::MIN) } else { slice.options.parts };
        Self { slice, count, cut: OnceLock::new() }
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

/// Cuts a module. It is read from its bytes, because every job of the slice must cut it in the same way.
fn cut(slice: &Slice, count: Option<NonZeroUsize>) -> Result<Cut> {
    if count == Some(NonZeroUsize::MIN) {
        return Ok(Cut::default());
    }
    let context = Context::create();
    let module = Module::from_bitcode(&context, &slice.bitcode, "device")?;
    let parts = partition(&module, &slice.kernels, count);
    let bitcode = |globals| {
        let own = module.clone_definitions(globals);
        let unused = own.globals().into_iter().filter(|global| global.is_declaration() && !global.is_used());
        unused.for_each(|declaration| declaration.erase_global());
        own.bitcode()
    };
    let chosen = |part: &[usize]| part.iter().map(|kernel| slice.kernels[*kernel].clone()).collect::<Vec<Kernel>>();
    Ok(Cut {
        parts: parts
            .iter()
            .map(|p| Part { kernels: chosen(&p.kernels).into(), bitcode: bitcode(&p.globals) })
            .collect(),
        kernels: parts.into_iter().map(|part| part.kernels).collect(),
    })
}

/// The most parts of a build's module. Line tables in PTX have numbers of their own in each text, so with `-g` a module
/// is whole.
pub fn most_parts(job: &Job) -> Option<NonZeroUsize> {
    if job.debug || shows_module(job) { Some(NonZeroUsize::MIN) } else { job.parts }
}

/// Whether something is written or printed that shows the module of an arch, and that is one module.
fn shows_module(job: &Job) -> bool {
    let PassOptions { print_before, print_after, only, verify: _ } = &job.passes;
    let shown = [Stage::Flavor, Stage::Optimize, Stage::Codegen].iter().any(|stage| job.wants(*stage));
    shown || !print_before.is_empty() || !print_after.is_empty() || only.is_some()
}
