//! Warps whose lanes are all there, in one row of the block: nearly all warps are so.
//!
//! While the lanes of such a warp are at one stop, the number of lanes and the set of those that take part are
//! constants, and the lanes are neighbours in a row. So a region is executed for several lanes at once
//! (`vectorize/function.rs`), and an operation is one on a vector of all lanes:
//!
//! - A shuffle whose distance is a constant is a permutation that the compiler knows. Each lane reads from a lane that
//!   takes part, because all do, and a mask of all lanes forbids none. The compiler knows whether the masks are those
//!   of all lanes, or the code compares them. Other masks are waited for as in other warps (`masks.rs`).
//! - A vote is a comparison whose bits are the lanes, and its result is the same in all lanes.
//!
//! - If only one lane does anything in a region, as with `if lane == 0 { sums[warp] = sum }`, it alone executes the
//!   region (`version/one_lane.rs`).
//!
//! All of it goes through the same slots as in other warps, so the lanes may diverge at the end of each region, and
//! then continue one after another, as they do elsewhere (`schedule.rs`). LLVM forwards the values from one region to
//! the next if it sees the stores and the loads of a group of lanes together. That is why the vectors here have the
//! size of a group.

use crate::llvm::{Function, Module};
use crate::spmd::cause::Reason;
use crate::spmd::options::{VectorOptions, When};
use crate::spmd::region::slots::{Kept, Step};
use crate::spmd::region::stops::Warps;
use crate::spmd::region::types::{Region, SplitKernel};
use crate::spmd::region::versions::kept_or;
use crate::spmd::tuning::{WARP_REGIONS, WARP_REGIONS_WITH_BRANCHES};
use crate::spmd::vectorize::function::vectorize_function;
use crate::spmd::version::one_lane;
use crate::spmd::version::row_range;

/// Adds versions of the regions for threads of a row whose branches are known.
pub(crate) fn find_rows<'c>(module: &Module<'c>, regions: &mut [Region<'c>]) {
    if regions.len() > WARP_REGIONS_WITH_BRANCHES {
        return;
    }
    for region in regions {
        let signature = region.signature();
        let (position, number) = (signature.position(), signature.number());
        region.faster.rows = row_range::split_for_warps(module, region.function, position, number);
    }
}

/// Adds versions of the regions for several lanes, and finds those in which only one lane does anything.
pub(crate) fn vectorize_regions<'c>(
    module: &Module<'c>,
    split: &mut SplitKernel<'c>,
    kept: &[Kept<'c>],
    options: VectorOptions,
) {
    let SplitKernel { warps: Some(warps), regions, .. } = split else { return };
    let count = regions.len();
    for (place, region) in regions.iter_mut().enumerate() {
        let number = region.signature().number();
        let has_one_exit = region.exits.len() == 1;
        region.lane = if has_one_exit { one_lane::find(region.function, number, warps.lanes) } else { None };
        if count > WARP_REGIONS {
            region.faster.refuse(&Reason::ManyRegions(count, WARP_REGIONS));
            continue;
        }
        if options.when == When::Never {
            region.faster.refuse(&Reason::Never);
            continue;
        }
        let linear = region.signature().linear();
        // Without branches, no lanes go alone; and operations want their operands in vectors.
        let options = VectorOptions { promised: 0, of_warp: true, ..options };
        let always = VectorOptions { when: When::Always, ..options };
        let options = match is_straight(region.function) {
            true => always,
            false if count > WARP_REGIONS_WITH_BRANCHES => {
                region.faster.refuse(&Reason::ManyRegions(count, WARP_REGIONS_WITH_BRANCHES));
                continue;
            }
            false => options,
        };
        let kept: Vec<_> = vote_before(warps, place, module).into_iter().chain(kept.iter().copied()).collect();
        let made = vectorize_function(module, region.function, &linear, &kept, options);
        region.faster.together = kept_or(made, &mut region.faster.cause);
        let fast = region.faster.rows.as_ref().map(|rows| rows.fast).filter(|fast| is_straight(*fast));
        let made = fast.and_then(|fast| vectorize_function(module, fast, &linear, &kept, always).ok());
        region.faster.rows_together = made.map(|made| made.version);
    }
}

/// The slot of the result of a vote in front of a region, which all lanes have.
fn vote_before<'c>(warps: &Warps, region: usize, module: &Module<'c>) -> Option<Kept<'c>> {
    let vote = region.checked_sub(1).filter(|stop| warps.gives_one_result(*stop));
    vote.map(|_| Kept { offset: warps.mailbox.result, ty: module.types().i64(), step: Some(Step::Certain(0)) })
}

/// Whether a function has no branch.
pub(crate) fn is_straight(function: Function<'_>) -> bool {
    function.blocks().iter().all(|block| block.successors().len() <= 1)
}

/// Whether a region has branches in its version for several lanes.
pub(crate) fn is_long(region: &Region<'_>) -> bool {
    region.faster.together.is_some_and(|version| !is_straight(version.function))
}
