//! Regions: the parts of a kernel between its stops, and their versions.

use super::position;
use super::signature::RegionSignature;
use super::slots::{FrameLayout, Kept};
use super::stops::Warps;
use super::uniform_slots::UniformSlot;
use super::versions::{Faster, Vectorized};
use crate::llvm::{Function, Value};
use crate::spmd::cause::{Cause, Reason};
use crate::spmd::tuning::REGIONS_IN_ENTRY;

/// The code of one thread of a kernel.
pub(crate) enum Regions<'c> {
    /// A kernel without stops: one function without a result.
    One(Function<'c>, Faster<'c>),
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
    /// Its function.
    pub(crate) function: Function<'c>,
    /// The possible results, in ascending order; never empty.
    pub(crate) exits: Vec<u32>,
    /// Whether all threads have the same result if all of them run the region together.
    pub(crate) agrees: bool,
    pub(crate) faster: Faster<'c>,
    /// The values that are the same in all threads, which its function receives as its last parameters.
    pub(crate) uniform_slots: Vec<UniformSlot<'c>>,
    pub(crate) sides: Option<Sides<'c>>,
    /// Whether neighbouring threads access elements that are no neighbours: vectors would be put together one by one.
    pub(crate) is_scattered: bool,
    /// A version for the iterations of a loop that no thread leaves.
    pub(crate) iterations: Option<Iterations<'c>>,
    /// The only lane of a warp that does anything in it.
    pub(crate) lane: Option<u32>,
}

/// The two versions of a region between which a block chooses.
pub(crate) struct Sides<'c> {
    /// The function that decides for all threads.
    pub(crate) decide: Function<'c>,
    pub(crate) regions: Box<[Region<'c>; 2]>,
}

/// The functions of the two versions.
pub(crate) struct SideFunctions<'c> {
    /// Returns whether the threads take the first side, an `i1`. It has the region's parameters, for any thread.
    pub(crate) decide: Function<'c>,
    pub(crate) functions: [Function<'c>; 2],
}

/// The version of a region for iterations after which all threads stop at the region's start again. Its functions have
/// the parameters of the region, and then the counter of the first thread.
pub(crate) struct Iterations<'c> {
    /// The slot of the counter.
    pub(crate) counter: Kept<'c>,
    /// One iteration of a thread.
    pub(crate) fast: Function<'c>,
    /// The same for several threads at once.
    pub(crate) together: Option<Vectorized<'c>>,
    /// Why there is no such version, or why a part of it is slow.
    pub(crate) cause: Option<Cause>,
    /// Returns whether all threads of a block of one row may run an iteration so, an `i1`.
    pub(crate) whole: Function<'c>,
    /// Returns the counter of the first thread in the next iteration.
    pub(crate) next: Function<'c>,
    /// Asks for the memory that the next threads read, from this one on. None if it is not known.
    pub(crate) prefetch: Option<Function<'c>>,
}

impl<'c> Regions<'c> {
    /// The function with all code of a thread.
    pub(crate) fn any(&self) -> Function<'c> {
        match self {
            Regions::One(function, _) => *function,
            Regions::Several(split) => split.any,
        }
    }

    /// The position of a thread in this function.
    pub(crate) fn position(&self) -> [Value<'c>; 4] {
        match self {
            Regions::One(function, _) => position::position(*function, 0),
            Regions::Several(split) => RegionSignature::of(split.any, 0).position(),
        }
    }
}

impl<'c> SplitKernel<'c> {
    /// Whether there are stops at which threads do not wait beside such at which they do.
    pub(crate) fn has_iterations(&self) -> bool {
        self.real_stops > 0 && self.regions.len() > self.real_stops as usize + 1
    }

    /// The regions that have faster versions: not those of warps, nor of kernels with many regions.
    pub(crate) fn fast_regions(&mut self) -> Vec<&mut Region<'c>> {
        let any = self.warps.is_none() && self.regions.len() <= REGIONS_IN_ENTRY;
        let mut left: Vec<_> = if any { self.regions.iter_mut().collect() } else { Vec::new() };
        let mut found = Vec::new();
        while let Some(region) = left.pop() {
            match region.sides {
                Some(_) => left.extend(region.sides.iter_mut().flat_map(|sides| sides.regions.iter_mut())),
                None => found.push(region),
            }
        }
        found
    }

    /// Says of regions that have no faster versions why.
    pub(crate) fn refuse_others(&mut self) {
        let reason = match &self.warps {
            Some(warps) if warps.full => return,
            Some(warps) => Reason::SmallWarps(warps.lanes),
            None if self.regions.len() > REGIONS_IN_ENTRY => Reason::ManyRegions(self.regions.len(), REGIONS_IN_ENTRY),
            None => return,
        };
        self.regions.iter_mut().for_each(|region| region.faster.refuse(&reason));
    }
}

impl<'c> Region<'c> {
    pub(crate) fn new(
        function: Function<'c>,
        exits: Vec<u32>,
        agrees: bool,
        uniform_slots: Vec<UniformSlot<'c>>,
    ) -> Self {
        let (faster, sides, iterations) = (Faster::default(), None, None);
        Region { function, exits, agrees, faster, uniform_slots, sides, is_scattered: false, iterations, lane: None }
    }

    /// The parameters of its function.
    pub(crate) fn signature(&self) -> RegionSignature<'c> {
        RegionSignature::of(self.function, self.uniform_slots.len())
    }

    /// Splits the region into two versions, between which a function decides.
    pub(crate) fn set_sides(&mut self, SideFunctions { decide, functions }: SideFunctions<'c>) {
        let side = |function| Region::new(function, self.exits.clone(), true, self.uniform_slots.clone());
        self.sides = Some(Sides { decide, regions: Box::new(functions.map(side)) });
    }
}
