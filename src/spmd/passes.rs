//! The passes on the code of kernels, in the order in which they run. Those on regions add versions of a region, or
//! rewrite its function; each reads and writes the table of the kernels' code.

use super::cause::{Cause, Reason};
use super::idioms::exchange;
use super::options::{VectorOptions, When};
use super::prepare::phis_to_selects::select_known;
use super::region::code_table::{self, KernelCode, change};
use super::region::hoist::hoist;
use super::region::signature::RegionSignature;
use super::region::slots::{self, Kept};
use super::region::types::{Regions, SplitKernel};
use super::region::versions::{Code, Guard, Version};
use super::remarks::remark;
use super::tuning::REGIONS_IN_ENTRY;
use super::vectorize::function::vectorize_function;
use super::version::loop_iterations;
use super::version::low_bits;
use super::version::row_range::{self, Row};
use super::version::trip_count;
use super::version::uniform_branch;
use super::version::uniform_loads;
use super::warps::full;
use crate::contract::kernel::KernelSet;
use crate::diagnostics::Diagnostic;
use crate::error::Result;
use crate::llvm::{Machine, Module};
use crate::passes::launch::launch_bounds::LaunchBounds;
use crate::passes::pass::Passes;

/// LLVM's passes that run on the code of a thread before it is vectorised.
const BEFORE_VECTORS: &str = "function(sroa,early-cse<memssa>,simplifycfg,loop-simplify,lcssa)";

/// Moves computations that depend on the position alone to the start of a kernel: each region repeats them, if no
/// branch is between.
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
            slots::load_once(region.any().function, &region.signature().slots(), &split.kept);
        }
    }
    module.run_passes(BEFORE_VECTORS, machine)
}

/// Hoists loads that all threads of the block execute out of the loops over the threads.
pub(crate) fn hoist_uniform_loads(module: &Module<'_>) -> Result<()> {
    change_split(module, |split| {
        // Otherwise some threads may have stopped at another place, and may store to the same addresses.
        let agrees = split.regions.iter().all(|region| region.agrees);
        for region in split.versioned().filter(|_| agrees) {
            let Version::Code(code) = &mut region.version else { continue };
            if let Some((function, uniform_slots)) = uniform_loads::pass_loads(code.function, &region.uniform_slots) {
                (code.function, region.uniform_slots) = (function, uniform_slots);
            }
        }
    })
}

/// Removes branches around stores to shared memory.
pub(crate) fn speculate_stores(module: &Module<'_>) -> Result<()> {
    for code in code_table::read(module)? {
        match &code.regions {
            Regions::One(version) => exchange::store_always(version.any().function, code.regions.position()[0]),
            Regions::Several(split) => {
                for region in &split.regions {
                    exchange::store_always(region.any().function, region.signature().position()[0]);
                }
            }
        }
    }
    Ok(())
}

/// Splits regions whose first branch is the same for all threads, and removes stores of their versions to slots that
/// have the value already.
pub(crate) fn version_uniform_branches(module: &Module<'_>, machine: &Machine) -> Result<()> {
    // One version may start with another such branch: a loop's next iteration, in which an inner loop begins.
    for _ in 0..2 {
        version_regions(module, |code, signature| uniform_branch::split(module, code, signature))?;
        module.run_passes("function(simplifycfg)", machine)?;
    }
    change_split(module, |split| {
        let kept = std::mem::take(&mut split.kept);
        for region in split.versioned() {
            let (agrees, signature) = (region.agrees, region.signature());
            region.version.change(&mut |code| {
                slots::drop_unchanged(&signature.with(code.function).slots(), &kept);
                // Those of a version are some of those of its region.
                if let Some(exits) = uniform_branch::results(code.function).filter(|_| agrees) {
                    code.exits = exits;
                }
                None
            });
        }
        split.kept = kept;
    })
}

/// Splits regions at conditions on bits that are the same for all threads.
pub(crate) fn version_low_bits(module: &Module<'_>) -> Result<()> {
    version_regions(module, |code, signature| low_bits::split(module, code, signature))
}

/// Splits regions whose loops iterate as often in all threads of most blocks.
pub(crate) fn version_trip_counts(module: &Module<'_>) -> Result<()> {
    version_regions(module, |code, signature| trip_count::split(module, code, signature))
}

/// Adds versions for iterations of grid-stride loops that no thread leaves.
pub(crate) fn guard_loop_iterations(module: &Module<'_>) -> Result<()> {
    change_split(module, |split| {
        if split.warps.is_none() && split.regions.len() <= REGIONS_IN_ENTRY {
            let first = split.real_stops as usize + 1;
            for (number, region) in split.regions.iter_mut().enumerate().skip(first) {
                loop_iterations::add(module, region, number as u32, &split.kept);
            }
        }
    })
}

/// Adds versions for threads of a row whose branches are known.
pub(crate) fn split_row_ranges(module: &Module<'_>, machine: &Machine) -> Result<()> {
    change(module, |regions| {
        if let Regions::Several(split) = regions
            && split.warps.as_ref().is_some_and(|warps| warps.full)
        {
            full::add_ranges(module, &mut split.regions);
        }
        for (version, signature) in regions.versioned() {
            version.change(&mut |code| row_range::add(code, module, Row::new(module, signature.with(code.function))));
        }
        Ok(())
    })?;
    module.run_passes(BEFORE_VECTORS, machine)
}

/// Adds versions for several threads at once. Remarks list them, and the reasons why there are not more.
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
            Regions::One(version) => version.refuse(reason),
            Regions::Several(split) => split.regions.iter_mut().for_each(|region| region.version.refuse(reason)),
        }
    }
    remarks(kernels, &all)
}

/// The remarks about kernels.
fn remarks(kernels: &KernelSet, all: &[KernelCode<'_>]) -> Vec<Diagnostic> {
    kernels.iter().zip(all).flat_map(|(kernel, code)| remark(kernel, &code.regions)).collect()
}

/// Changes the kernels with stops.
fn change_split<'c>(module: &Module<'c>, mut change_one: impl FnMut(&mut SplitKernel<'c>)) -> Result<()> {
    change(module, |regions| {
        if let Regions::Several(split) = regions {
            change_one(split);
        }
        Ok(())
    })
}

/// Replaces the code of regions at whose end all threads of a block agree by versions between which a block decides.
fn version_regions<'c>(
    module: &Module<'c>,
    split: impl Fn(&Code<'c>, RegionSignature<'c>) -> Option<Version<'c>>,
) -> Result<()> {
    change_split(module, |kernel| {
        for region in kernel.versioned().filter(|region| region.agrees) {
            let signature = region.signature();
            region.version.change(&mut |code| split(code, signature.with(code.function)));
        }
    })
}

fn vectorize_regions<'c>(module: &Module<'c>, regions: &mut Regions<'c>, options: VectorOptions) {
    let options = VectorOptions { promised: LaunchBounds::of(regions.any()).size[0], ..options };
    let (mut kept, mut leaves_rows) = (Vec::new(), true);
    if let Regions::Several(split) = regions {
        (kept, leaves_rows) = (split.kept.clone(), false);
        if split.warps.as_ref().is_some_and(|warps| warps.full) {
            full::vectorize_regions(module, split, &kept, options);
        }
    }
    for (version, signature) in regions.versioned() {
        let affine = &signature.affine();
        Vectorizer { module, affine, kept: &kept, options, leaves_rows }.vectorize(version, false);
    }
    if let Regions::Several(split) = regions {
        split.refuse_others(options);
    }
}

/// Adds versions for groups.
struct Vectorizer<'a, 'c> {
    module: &'a Module<'c>,
    /// The numbers of the parameters that increase by one from thread to thread.
    affine: &'a [usize],
    kept: &'a [Kept<'c>],
    options: VectorOptions,
    /// Whether straight code for the range of a row is left to LLVM, which vectorises and unrolls it.
    leaves_rows: bool,
}

impl<'c> Vectorizer<'_, 'c> {
    fn vectorize(&self, version: &mut Version<'c>, leaves_straight: bool) {
        let Version::If(guard, sides) = version else { return self.add_group(version, leaves_straight) };
        let [then, or_else] = &mut **sides;
        match guard {
            Guard::Row(rows) => {
                self.vectorize(then, self.leaves_rows);
                if !rows.others_leave {
                    self.vectorize(or_else, false);
                }
            }
            guard => {
                self.vectorize(or_else, false);
                self.vectorize(then, matches!(guard, Guard::Iteration(_)));
            }
        }
    }

    fn add_group(&self, leaf: &mut Version<'c>, leaves_straight: bool) {
        let &Code { function, is_scattered, .. } = leaf.any();
        leaf.add_group(if is_scattered && self.options.when != When::Always {
            Err(Cause::new(Reason::Scattered))
        } else if leaves_straight && row_range::is_straight(function) {
            Err(Cause::new(Reason::Straight))
        } else {
            vectorize_function(self.module, function, self.affine, self.kept, self.options)
        });
    }
}
