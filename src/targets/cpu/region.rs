//! Regions: the parts of a kernel between its stops, and their versions.

use super::cause::{Cause, Reason};
use super::cells::Cell;
use super::faster::{Faster, Vectorized};
use super::lanes::Warps;
use super::position;
use super::signature::RegionSignature;
use super::slots::{FrameLayout, Kept};
use crate::llvm::{Function, Value};

/// The largest number of regions whose loops are in the entry itself. LLVM's compile time is quadratic in this number.
pub(super) const MOST_REGIONS: usize = 16;

/// The code of one thread of a kernel.
pub(super) enum Regions<'c> {
    /// A kernel without stops: one function without a result.
    One(Function<'c>, Faster<'c>),
    /// A kernel with stops.
    Several(SplitKernel<'c>),
}

/// A body that was split at its stops. All functions have the kernel's parameters, the position, and the parameters for
/// slots.
pub(super) struct SplitKernel<'c> {
    /// The regions. Region 0 starts at the kernel's start, region n after stop n.
    pub(super) regions: Vec<Region<'c>>,
    /// A function for all regions, with the region's number as its last parameter.
    pub(super) any: Function<'c>,
    /// The slots of a thread.
    pub(super) frame: FrameLayout,
    /// The slots of values that the regions hand on.
    pub(super) kept: Vec<Kept<'c>>,
    /// The highest number of a barrier. At stops with higher numbers, threads do not wait for others.
    pub(super) real_stops: u32,
    /// The cross-lane operations of the kernel, if there are any. Then the exits are the states of lanes.
    pub(super) warps: Option<Warps>,
}

/// One region.
pub(super) struct Region<'c> {
    /// Its function.
    pub(super) function: Function<'c>,
    /// The possible results, in ascending order; never empty.
    pub(super) exits: Vec<u32>,
    /// Whether all threads have the same result if all of them run the region together.
    pub(super) agrees: bool,
    pub(super) faster: Faster<'c>,
    /// The values that are the same in all threads, which its function receives as its last parameters.
    pub(super) cells: Vec<Cell<'c>>,
    pub(super) sides: Option<Sides<'c>>,
    /// Whether neighbouring threads access elements that are no neighbours: vectors would be put together one by one.
    pub(super) is_scattered: bool,
    /// A version for the iterations of a loop that no thread leaves.
    pub(super) iterations: Option<Iterations<'c>>,
    /// The only lane of a warp that does anything in it.
    pub(super) lane: Option<u32>,
}

/// The two versions of a region between which a block chooses.
pub(super) struct Sides<'c> {
    /// The function that decides for all threads.
    pub(super) decide: Function<'c>,
    pub(super) regions: Box<[Region<'c>; 2]>,
}

/// The functions of the two versions.
pub(super) struct SideFunctions<'c> {
    /// Returns whether the threads take the first side, an `i1`. It has the region's parameters, for any thread.
    pub(super) decide: Function<'c>,
    pub(super) functions: [Function<'c>; 2],
}

/// The version of a region for iterations after which all threads stop at the region's start again. Its functions have
/// the parameters of the region, and then the counter of the first thread.
pub(super) struct Iterations<'c> {
    /// The slot of the counter.
    pub(super) counter: Kept<'c>,
    /// One iteration of a thread.
    pub(super) fast: Function<'c>,
    /// The same for several threads at once.
    pub(super) together: Option<Vectorized<'c>>,
    /// Why there is no such version, or why a part of it is slow.
    pub(super) cause: Option<Cause>,
    /// Returns whether all threads of a block of one row may run an iteration so, an `i1`.
    pub(super) whole: Function<'c>,
    /// Returns the counter of the first thread in the next iteration.
    pub(super) next: Function<'c>,
    /// Asks for the memory that the next threads read, from this one on. None if it is not known.
    pub(super) prefetch: Option<Function<'c>>,
}

impl<'c> Regions<'c> {
    /// The function with all code of a thread.
    pub(super) fn any(&self) -> Function<'c> {
        match self {
            Regions::One(function, _) => *function,
            Regions::Several(split) => split.any,
        }
    }

    /// The position of a thread in this function.
    pub(super) fn position(&self) -> [Value<'c>; 4] {
        match self {
            Regions::One(function, _) => position::position(*function, 0),
            Regions::Several(split) => RegionSignature::of(split.any, 0).position(),
        }
    }
}

impl<'c> SplitKernel<'c> {
    /// Whether there are stops at which threads do not wait beside such at which they do.
    pub(super) fn has_iterations(&self) -> bool {
        self.real_stops > 0 && self.regions.len() > self.real_stops as usize + 1
    }

    /// The regions that have faster versions: not those of warps, nor of kernels with many regions.
    pub(super) fn fast_regions(&mut self) -> Vec<&mut Region<'c>> {
        let any = self.warps.is_none() && self.regions.len() <= MOST_REGIONS;
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
    pub(super) fn refuse_others(&mut self) {
        let reason = match &self.warps {
            Some(warps) if warps.full => return,
            Some(warps) => Reason::SmallWarps(warps.lanes),
            None if self.regions.len() > MOST_REGIONS => Reason::ManyRegions(self.regions.len(), MOST_REGIONS),
            None => return,
        };
        self.regions.iter_mut().for_each(|region| region.faster.refuse(&reason));
    }
}

impl<'c> Region<'c> {
    pub(super) fn new(function: Function<'c>, exits: Vec<u32>, agrees: bool, cells: Vec<Cell<'c>>) -> Self {
        let (faster, sides, iterations) = (Faster::default(), None, None);
        Region { function, exits, agrees, faster, cells, sides, is_scattered: false, iterations, lane: None }
    }

    /// The parameters of its function.
    pub(super) fn signature(&self) -> RegionSignature<'c> {
        RegionSignature::of(self.function, self.cells.len())
    }

    /// Splits the region into two versions, between which a function decides.
    pub(super) fn set_sides(&mut self, SideFunctions { decide, functions }: SideFunctions<'c>) {
        let side = |function| Region::new(function, self.exits.clone(), true, self.cells.clone());
        self.sides = Some(Sides { decide, regions: Box::new(functions.map(side)) });
    }
}
