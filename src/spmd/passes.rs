//! The passes on the code of kernels, in the order in which they run. Those on regions add versions of a region, or
//! rewrite its function; each reads and writes the table of the kernels' code.

use super::cause::{Cause, Reason};
use super::idioms::exchange;
use super::options::{VectorOptions, When};
use super::prepare::phis_to_selects::select_known;
use super::region::code_table::{self, KernelCode, change};
use super::region::hoist::hoist;
use super::region::signature::RegionSignature;
use super::region::slots;
use super::region::types::{Iterations, Region, Regions, SplitKernel};
use super::region::versions::kept_or;
use super::remarks::remark;
use super::tuning::{REGIONS_IN_ENTRY, WIDTH};
use super::vectorize::function;
use super::version::loop_iterations;
use super::version::low_bits;
use super::version::row_range;
use super::version::trip_count;
use super::version::uniform_branch;
use super::version::uniform_loads;
use super::warps::full;
use crate::contract::kernel::KernelSet;
use crate::diagnostics::Diagnostic;
use crate::error::Result;
use crate::llvm::{Function, Machine, Module};
use crate::passes::launch::launch_bounds::LaunchBounds;
use crate::passes::pass::Passes;

/// What is run on the code of a thread before it is vectorised.
const BEFORE_VECTORS: &str = "function(sroa,early-cse<memssa>,simplifycfg,loop-simplify,lcssa)";

/// Moves what depends on the position alone to the start of a kernel: each region computes it again, if no branch is
/// between.
pub(crate) fn hoist_position(module: &Module<'_>, machine: &Machine) -> Result<()> {
    for code in code_table::read(module)? {
        hoist(module, code.regions.any(), code.regions.position());
    }
    module.run_passes("function(early-cse)", machine)
}

/// Replaces phis that a condition at the start of a kernel decides by selections.
pub(crate) fn convert_phis_to_selects(module: &Module<'_>, machine: &Machine) -> Result<()> {
    for code in code_table::read(module)? {
        select_known(code.regions.any());
    }
    module.run_passes("function(simplifycfg)", machine)
}

/// Keeps values of slots in registers within a region.
pub(crate) fn promote_slots(module: &Module<'_>, machine: &Machine) -> Result<()> {
    for code in code_table::read(module)? {
        let Regions::Several(split) = code.regions else { continue };
        for region in &split.regions {
            slots::load_once(region.function, &region.signature().slots(), &split.kept);
        }
    }
    module.run_passes(BEFORE_VECTORS, machine)
}

/// Loads what all threads of the block load before the loops over them.
pub(crate) fn hoist_uniform_loads(module: &Module<'_>) -> Result<()> {
    change(module, |regions| {
        let Regions::Several(split) = regions else { return Ok(()) };
        // Otherwise some threads may have stopped at another place, and may store to what these load.
        if split.regions.iter().any(|region| !region.agrees) {
            return Ok(());
        }
        for region in split.fast_regions() {
            if let Some((function, uniform_slots)) = uniform_loads::pass_loads(region.function, &region.uniform_slots) {
                (region.function, region.uniform_slots) = (function, uniform_slots);
            }
        }
        Ok(())
    })
}

/// Removes branches around stores to shared memory.
pub(crate) fn speculate_stores(module: &Module<'_>) -> Result<()> {
    for code in code_table::read(module)? {
        match &code.regions {
            Regions::One(body, _) => exchange::store_always(*body, code.regions.position()[0]),
            Regions::Several(split) => {
                for region in &split.regions {
                    exchange::store_always(region.function, region.signature().position()[0]);
                }
            }
        }
    }
    Ok(())
}

/// Splits regions whose first branch is the same for all threads, and removes what their versions store to slots if it
/// is in them already.
pub(crate) fn version_uniform_branches(module: &Module<'_>, machine: &Machine) -> Result<()> {
    // One side may start with another such branch: a loop's next iteration, in which an inner loop begins.
    for _ in 0..2 {
        change_fast_regions(module, |module, region| region.split_uniform_branch(module))?;
        module.run_passes("function(simplifycfg)", machine)?;
    }
    change(module, |regions| {
        if let Regions::Several(split) = regions {
            drop_unchanged(split);
            split.fast_regions().into_iter().for_each(Region::find_exits);
        }
        Ok(())
    })
}

/// Splits regions at conditions on bits that are the same for all threads.
pub(crate) fn version_low_bits(module: &Module<'_>) -> Result<()> {
    change_fast_regions(module, |module, region| region.split_low_bits(module))
}

/// Splits regions whose loops iterate as often in all threads of most blocks.
pub(crate) fn version_trip_counts(module: &Module<'_>) -> Result<()> {
    change_fast_regions(module, |module, region| region.split_trip_count(module))
}

/// Adds versions for iterations of grid-stride loops that no thread leaves.
pub(crate) fn guard_loop_iterations(module: &Module<'_>) -> Result<()> {
    change(module, |regions| {
        let Regions::Several(split) = regions else { return Ok(()) };
        if split.warps.is_none() && split.regions.len() <= REGIONS_IN_ENTRY {
            let first = split.real_stops as usize + 1;
            for (number, region) in split.regions.iter_mut().enumerate().skip(first) {
                region.iterations = loop_iterations::find(module, region, number as u32, &split.kept);
            }
        }
        Ok(())
    })
}

/// Adds versions for threads of a row whose branches are known.
pub(crate) fn split_row_ranges(module: &Module<'_>, machine: &Machine) -> Result<()> {
    change(module, |regions| {
        let position = regions.position();
        match regions {
            Regions::One(body, faster) => faster.rows = row_range::split(module, *body, position, None),
            Regions::Several(split) => {
                if split.warps.as_ref().is_some_and(|warps| warps.full) {
                    full::find_rows(module, &mut split.regions);
                }
                for region in split.fast_regions() {
                    let signature = region.signature();
                    let number = Some(signature.number());
                    region.faster.rows = row_range::split(module, region.function, signature.position(), number);
                }
            }
        }
        Ok(())
    })?;
    module.run_passes(BEFORE_VECTORS, machine)
}

/// Adds versions for several threads at once. Remarks tell which there are, and why there are not more.
pub(crate) fn vectorize(
    module: &Module<'_>,
    kernels: &KernelSet,
    passes: &Passes,
    options: VectorOptions,
) -> Result<()> {
    let mut all = code_table::read(module)?;
    all.iter_mut().for_each(|code| vectorize_regions(module, &mut code.regions, options));
    code_table::write(module, &all);
    passes.remark(|| remarks(kernels, &all));
    Ok(())
}

/// The remarks that no code is executed in vectors, for this reason. Without the table, which only `--run-pass` can
/// lack, there are none.
pub(crate) fn refusals(module: &Module<'_>, kernels: &KernelSet, reason: &Reason) -> Vec<Diagnostic> {
    let mut all = code_table::read(module).unwrap_or_default();
    for code in &mut all {
        match &mut code.regions {
            Regions::One(_, faster) => faster.refuse(reason),
            Regions::Several(split) => split.regions.iter_mut().for_each(|region| region.faster.refuse(reason)),
        }
    }
    remarks(kernels, &all)
}

/// The remarks about kernels.
fn remarks(kernels: &KernelSet, all: &[KernelCode<'_>]) -> Vec<Diagnostic> {
    kernels.iter().zip(all).flat_map(|(kernel, code)| remark(kernel, &code.regions)).collect()
}

/// Changes all regions that have faster versions.
fn change_fast_regions<'c>(module: &Module<'c>, change_one: impl Fn(&Module<'c>, &mut Region<'c>)) -> Result<()> {
    change(module, |regions| {
        if let Regions::Several(split) = regions {
            split.fast_regions().into_iter().for_each(|region| change_one(module, region));
        }
        Ok(())
    })
}

/// Removes what regions store to slots if it is in them already.
fn drop_unchanged(split: &mut SplitKernel<'_>) {
    let kept = std::mem::take(&mut split.kept);
    for region in split.fast_regions() {
        slots::drop_unchanged(&region.signature().slots(), &kept);
    }
    split.kept = kept;
}

fn vectorize_regions<'c>(module: &Module<'c>, regions: &mut Regions<'c>, options: VectorOptions) {
    let options = VectorOptions { promised: LaunchBounds::of(regions.any()).size[0], ..options };
    match regions {
        Regions::One(body, faster) => {
            let x = body.parameters().len() - 3;
            let together = |function: Function<'c>| function::vectorize_function(module, function, &[x], &[], options);
            // LLVM vectorises straight code, and unrolls it.
            let of_rows = |fast: Function<'c>| match row_range::is_straight(fast) {
                true => Err(Cause::new(Reason::Straight)),
                false => together(fast),
            };
            faster.vectorize(*body, of_rows, together);
        }
        Regions::Several(split) => {
            let kept = std::mem::take(&mut split.kept);
            if split.warps.as_ref().is_some_and(|warps| warps.full) {
                full::vectorize_regions(module, split, &kept, options);
            }
            for region in split.fast_regions() {
                let linear = region.signature().linear();
                let together =
                    |function: Function<'c>| function::vectorize_function(module, function, &linear, &kept, options);
                if !region.is_scattered || options.when == When::Always {
                    region.faster.vectorize(region.function, together, together);
                } else {
                    region.faster.refuse(&Reason::Scattered);
                }
                if let Some(Iterations { fast, together, cause, .. }) = &mut region.iterations {
                    let linear = RegionSignature::of(*fast, 1).linear();
                    let made = match row_range::is_straight(*fast) {
                        true => Err(Cause::new(Reason::Straight)),
                        false => function::vectorize_function(module, *fast, &linear, &kept, options),
                    };
                    *together = kept_or(made, cause);
                }
            }
            split.kept = kept;
            split.refuse_others();
        }
    }
}

impl<'c> Region<'c> {
    fn split_uniform_branch(&mut self, module: &Module<'c>) {
        let own = self.signature().own();
        if !self.agrees || self.exits.len() == 1 {
            return;
        }
        if let Some(sides) = uniform_branch::split(module, self.function, &own) {
            self.set_sides(sides);
        }
    }

    /// The exits of a version are some of those of its region.
    fn find_exits(&mut self) {
        if let Some(exits) = uniform_branch::results(self.function).filter(|_| self.agrees) {
            self.exits = exits;
        }
    }

    /// The second side is that of other distances.
    fn split_low_bits(&mut self, module: &Module<'c>) {
        let (position, own) = (self.signature().position(), self.signature().own());
        let sides = if self.agrees { low_bits::split(module, self.function, position, &own) } else { None };
        if let Some(sides) = sides {
            self.set_sides(sides);
            self.sides.iter_mut().for_each(|sides| sides.regions[1].split_distance(module, 0));
        }
    }

    /// The second side is that of blocks whose threads do not all have the same number of iterations.
    fn split_trip_count(&mut self, module: &Module<'c>) {
        if !self.agrees || self.is_scattered {
            return;
        }
        let (position, thread) = (self.signature().position(), self.signature().number());
        if let Some(sides) = trip_count::split(module, self.function, position, thread) {
            self.set_sides(sides);
        }
    }

    /// One side for each distance below the size of a group.
    fn split_distance(&mut self, module: &Module<'c>, exponent: u32) {
        let own = self.signature().own();
        let is_small = 1 << exponent < WIDTH;
        match if is_small { low_bits::split_distance(module, self.function, &own, exponent) } else { None } {
            Some(sides) => {
                self.set_sides(sides);
                self.sides.iter_mut().for_each(|sides| sides.regions[1].split_distance(module, exponent + 1));
            }
            None => self.is_scattered = true,
        }
    }
}
