//! Warps whose lanes are all there, in one row of the block: nearly all warps are like this.
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
//! - If only one lane does anything in a region, as with `if lane == 0 { sums[warp] = sum }`, only it executes the
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
use crate::spmd::region::versions::{Guard, Vectorized, Version};
use crate::spmd::tuning::{WARP_REGIONS, WARP_REGIONS_WITH_BRANCHES};
use crate::spmd::vectorize::function::vectorize_function;
use crate::spmd::version::one_lane;
use crate::spmd::version::row_range::{self, Row};

/// Adds versions of the regions for threads of a row whose branches are known.
pub(crate) fn add_ranges<'c>(module: &Module<'c>, regions: &mut [Region<'c>]) {
    if regions.len() > WARP_REGIONS_WITH_BRANCHES {
        return;
    }
    for region in regions {
        let signature = region.signature();
        region.version.change(&mut |code| row_range::add(code, module, Row::of_warps(module, signature)));
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
        let (code, signature) = (region.any(), region.signature());
        let has_one_exit = code.exits.len() == 1;
        let lane = if has_one_exit { one_lane::find(code.function, signature.number(), warps.lanes) } else { None };
        let (one, has_branches) = (Version::Code(code.clone()), !is_straight(code.function));
        if count > WARP_REGIONS {
            region.version.refuse(&Reason::ManyRegions(count, WARP_REGIONS));
        } else if let When::Never(option) = options.when {
            region.version.refuse(&Reason::Never(option));
        } else if has_branches && count > WARP_REGIONS_WITH_BRANCHES {
            region.version.refuse(&Reason::ManyRegions(count, WARP_REGIONS_WITH_BRANCHES));
        } else {
            let kept: Vec<_> = vote_before(warps, place, module).into_iter().chain(kept.iter().copied()).collect();
            // Without branches, no lanes diverge; and operations want their operands in vectors.
            let options = VectorOptions { promised: 0, of_warp: true, ..options };
            let always = VectorOptions { when: When::Always, ..options };
            let affine = signature.affine();
            let make = |function, options| vectorize_function(module, function, &affine, &kept, options);
            let (fast, others) = match &mut region.version {
                Version::If(_, sides) => {
                    let [fast, others] = &mut **sides;
                    (Some(fast), others)
                }
                version => (None, version),
            };
            others.add_group(make(others.any().function, if has_branches { options } else { always }));
            if let Some(fast) = fast.filter(|fast| is_straight(fast.any().function))
                && let Ok(made) = make(fast.any().function, always)
            {
                fast.add_group(Ok(Vectorized { slow: None, ..made }));
            }
        }
        if let Some(lane) = lane {
            region.version.add(Guard::Lane(lane), one);
        }
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
    region.version.group(false).is_some_and(|group| !is_straight(group.function))
}
