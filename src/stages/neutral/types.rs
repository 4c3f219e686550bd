//! The inputs and the findings of the stages that all archs share.

use std::collections::HashSet;

use super::options::NeutralOptions;
use crate::cache::Cache;
use crate::checks::check_device::Candidate;
use crate::contract::kernel::{KernelSet, Scalar};
use crate::contract::panic_table::PanicTable;
use crate::diagnostics::Diagnostic;
use crate::distribution::{SliceModule, StageState};
use crate::input::bodies::Unresolved;
use crate::llvm::{Module, PassPlugin};
use crate::passes::launch::launch_bounds::Bounds;
use crate::stage::Stage;
use crate::stages::work::{Lanes, Work};
use crate::targets::{Arch, DeviceLibrary};

/// The resolved module, of which the neutral one is made.
pub struct NeutralJob<'a, 'b, 'c> {
    /// The lanes of the build.
    pub lanes: &'b Lanes<'a>,
    /// The lane of the stages that all archs share.
    pub work: &'b Work<'a>,
    /// The output of `resolve`.
    pub module: Module<'c>,
    /// Its kernels.
    pub kernels: &'b KernelSet,
    /// The bodies that were not found.
    pub unresolved: &'b Unresolved,
    /// The files of `--device-bitcode`.
    pub libraries: &'a [DeviceLibrary],
    /// Plugins that extend the simplification.
    pub plugins: &'a [PassPlugin],
}

/// The neutral code, and the findings about it.
pub struct Neutral<'a> {
    /// The modules: one, or one for each part.
    pub modules: Vec<SliceModule>,
    /// The findings.
    pub validated: Validated<'a>,
}

impl<'a> NeutralJob<'a, '_, '_> {
    /// The cache, unless something that these stages make is shown.
    pub fn cache(&self) -> Option<&'a Cache> {
        self.lanes.job.cache.as_deref().filter(|_| !self.shows_stages())
    }

    /// Whether something that these stages make is shown or checked, so that the work must be done.
    pub fn shows_stages(&self) -> bool {
        let stages = [Stage::Legalize, Stage::Simplify, Stage::Validate];
        self.lanes.job.shows_passes() || stages.iter().any(|stage| self.work.wants(*stage))
    }
}

/// A resolved module, or a part of one.
#[derive(Clone, Copy)]
pub struct Source<'s, 'a, 'c> {
    /// The module.
    pub module: &'s Module<'c>,
    /// Its kernels.
    pub kernels: &'s KernelSet,
    /// The options, which also decide the neutral module.
    pub options: NeutralOptions<'a>,
}

/// The findings about a legalized device module.
#[derive(Default)]
pub struct Legalized {
    /// Code that a device may not be able to run.
    pub candidates: Vec<Candidate>,
    /// Whether the source calls `__offload_arch()`.
    pub asks_arch: bool,
    /// The meaning of the numbers in panic records.
    pub panics: PanicTable,
    /// The warning about calls that print nothing.
    pub dropped_prints: Option<Diagnostic>,
}

/// The findings about a simplified device module.
#[derive(Default)]
pub struct Simplified {
    /// Code that a device may not be able to run.
    pub candidates: Vec<Candidate>,
    /// Kernels whose barriers are proven to be uniform.
    pub proven: HashSet<String>,
    /// Kernels that no optimiser of LLVM has changed before.
    pub as_written: HashSet<String>,
    /// Whether the source calls `__offload_arch()`.
    pub asks_arch: bool,
    /// The meaning of the numbers in panic records.
    pub panics: PanicTable,
    /// Whether the code contains lines or columns of the source.
    pub depends_on_lines: bool,
}

impl Simplified {
    /// The proven kernels in the order of their names.
    pub fn proven_in_order(&self) -> Vec<String> {
        let mut proven = Vec::from_iter(self.proven.clone());
        proven.sort();
        proven
    }
}

/// The facts about a kernel for registration.
#[derive(Clone, Debug, Default)]
pub struct KernelFacts {
    /// Whether the kernel takes the launch state.
    pub takes_state: bool,
    /// Whether the kernel allocates memory.
    pub needs_heap: bool,
    /// Whether a function allocates memory that the kernel may call through a pointer.
    pub may_allocate: bool,
    /// Whether a later launch may access that memory.
    pub keeps_heap: bool,
    /// Whether the kernel calls functions of the host.
    pub calls_host: bool,
    /// The largest block, in threads, that the kernel promises; 0 without a promise.
    pub threads_per_block: u32,
    /// The scalars among the bytes of its arguments, in order.
    pub scalars: Vec<Scalar>,
    /// Whether code of it for the size of the block is wanted.
    pub specializes_block_dim: bool,
    /// Whether launches with arguments that overlap are refused.
    pub restricts: bool,
}

/// The result of validation.
pub struct Validated<'a> {
    /// The archs that are not refused.
    pub archs: Vec<&'a Arch>,
    /// The findings about the functions for panics and allocation.
    pub code: LoweredCode,
    /// The promises about launches.
    pub bounds: Bounds,
    /// The meaning of the numbers in panic records.
    pub panics: PanicTable,
    /// The refusals of archs that are not built, for the generic image. Each is an error for its archs.
    pub refusals: Vec<Diagnostic>,
}

/// The findings about a module in which panics and allocation have bodies.
#[derive(Default)]
pub struct LoweredCode {
    /// Facts about each kernel, without the promises, which depend on the archs that are built.
    pub kernels: Vec<KernelFacts>,
}

/// A neutral module that was made.
pub struct Made<'a> {
    /// The module.
    pub bitcode: Vec<u8>,
    /// The findings about it.
    pub validated: Validated<'a>,
    /// Whether its code depends on lines of the source.
    pub depends_on_lines: bool,
    /// Whether functions are values.
    pub has_function_values: bool,
}

/// The state after `simplify` that the module's text does not show.
pub fn simplified_state(simplified: &Simplified, kernels: &KernelSet) -> StageState {
    StageState {
        asks_arch: simplified.asks_arch,
        panics: simplified.panics.clone(),
        proven: simplified.proven_in_order(),
        ..StageState::of(kernels)
    }
}

/// The state after `validate` that the module's text does not show.
pub fn validated_state(validated: &Validated<'_>, kernels: &KernelSet) -> StageState {
    StageState { panics: validated.panics.clone(), ..StageState::of(kernels) }
}
