//! Regions: the parts of a kernel between its stops, and their versions.

use super::signature::RegionSignature;
use super::slots::{FrameLayout, Kept};
use super::stops::Warps;
use super::uniform_slots::UniformSlot;
use super::versions::{Code, Version};
use crate::llvm::{Function, Value};
use crate::spmd::cause::Reason;
use crate::spmd::options::VectorOptions;
use crate::spmd::tuning::REGIONS_IN_ENTRY;

/// The code of one thread of a kernel.
pub(crate) enum Regions<'c> {
    /// A kernel without stops: one function without a result.
    One(Version<'c>),
    /// A kernel with stops.
    Several(SplitKernel<'c>),
}

/// A body that was split at its stops. All functions have the kernel's parameters, the position, and the parameters for
/// slots.
pub(crate) struct SplitKernel<'c> {
    /// The regions. Region 0 starts at the kernel's start, region n after stop n.
    pub(crate) regions: Vec<Region<'c>>,
    /// A function for all regions, with the region's number as its last parameter.
    pub(crate) any: Function<'c>,
    /// The slots of a thread.
    pub(crate) frame: FrameLayout,
    /// The slots of values that the regions hand on.
    pub(crate) kept: Vec<Kept<'c>>,
    /// The highest number of a barrier. At stops with higher numbers, threads do not wait for others.
    pub(crate) real_stops: u32,
    /// The cross-lane operations of the kernel, if there are any. Then the exits are the states of lanes.
    pub(crate) warps: Option<Warps>,
}

/// One region.
pub(crate) struct Region<'c> {
    /// Its code, whose results are where a thread stops.
    pub(crate) version: Version<'c>,
    /// Whether all threads have the same result if all of them run the region together.
    pub(crate) agrees: bool,
    /// The values that are the same in all threads, which its functions receive as their last parameters.
    pub(crate) uniform_slots: Vec<UniformSlot<'c>>,
}

impl<'c> Regions<'c> {
    /// The function with all code of a thread.
    pub(crate) fn any(&self) -> Function<'c> {
        match self {
            Regions::One(version) => version.any().function,
            Regions::Several(split) => split.any,
        }
    }

    /// The position of a thread in this function.
    pub(crate) fn position(&self) -> [Value<'c>; 4] {
        match self {
            Regions::One(_) => RegionSignature::of_kernel(self.any()).position(),
            Regions::Several(_) => RegionSignature::of(self.any(), 0).position(),
        }
    }

    /// The code that may have several versions, with its parameters. Warps and kernels with many regions have no such
    /// code.
    pub(crate) fn versioned(&mut self) -> Vec<(&mut Version<'c>, RegionSignature<'c>)> {
        match self {
            Regions::One(version) => {
                let signature = RegionSignature::of_kernel(version.any().function);
                vec![(version, signature)]
            }
            Regions::Several(split) => {
                let mut all = Vec::new();
                for region in split.versioned() {
                    let signature = region.signature();
                    all.push((&mut region.version, signature));
                }
                all
            }
        }
    }
}

impl<'c> SplitKernel<'c> {
    /// Whether there are stops at which threads do not wait beside such at which they do.
    pub(crate) fn has_iterations(&self) -> bool {
        self.real_stops > 0 && self.regions.len() > self.real_stops as usize + 1
    }

    /// The regions that have versions: not those of warps, nor of kernels with many regions.
    pub(crate) fn versioned(&mut self) -> impl Iterator<Item = &mut Region<'c>> {
        let any = self.warps.is_none() && self.regions.len() <= REGIONS_IN_ENTRY;
        self.regions.iter_mut().rev().filter(move |_| any)
    }

    /// Says of regions that have no versions why.
    pub(crate) fn refuse_others(&mut self, options: VectorOptions) {
        let reason = match &self.warps {
            Some(warps) if warps.full => return,
            Some(warps) => Reason::SmallWarps(warps.lanes, options.large_warps),
            None if self.regions.len() > REGIONS_IN_ENTRY => Reason::ManyRegions(self.regions.len(), REGIONS_IN_ENTRY),
            None => return,
        };
        self.regions.iter_mut().for_each(|region| region.version.refuse(&reason));
    }
}

impl<'c> Region<'c> {
    /// The code of one thread.
    pub(crate) fn any(&self) -> &Code<'c> {
        self.version.any()
    }

    /// Its parameters.
    pub(crate) fn signature(&self) -> RegionSignature<'c> {
        RegionSignature::of(self.any().function, self.uniform_slots.len())
    }
}
