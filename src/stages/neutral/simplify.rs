//! Runs the optimisations that are the same for all targets, then resolves the texts of panics, and repairs barriers
//! that the optimiser duplicated.
//!
//! Before: `convergent` is set wherever a barrier may be reached. After: `convergent` is set only where it is needed.

use super::options::NeutralOptions;
use super::types::{Legalized, Simplified};
use crate::analysis::convergence::is_as_written;
use crate::analysis::formatting::Formatting;
use crate::analysis::user_lines::WrittenLines;
use crate::contract::kernel::KernelSet;
use crate::error::Result;
use crate::llvm::{Bisect, Module, OptLevel};
use crate::passes::atomics::lower_atomics::lower_atomics;
use crate::passes::convergence::agree_on_returns::agree_on_returns;
use crate::passes::convergence::mark_convergent::drop_convergent;
use crate::passes::convergence::repair_convergence::repair_convergence;
use crate::passes::expand::split_products::split_products;
use crate::passes::library::end_formatting::end_formatting;
use crate::passes::panic::hide_lines::restore_lines;
use crate::passes::panic::name_callers::name_callers;
use crate::passes::panic::resolve_panics::resolve_panics;
use crate::passes::pass::{Passes, pass};
use crate::passes::sanitize::check_accesses::check_accesses;
use crate::passes::sanitize::check_values::check_values;
use crate::passes::sanitize::drop_settled_checks::drop_settled_checks;
use crate::passes::sanitize::expose_accesses::expose_accesses;

/// Simplifies a legalized module.
pub fn simplify(
    passes: &Passes,
    module: &Module<'_>,
    kernels: &KernelSet,
    legalized: Legalized,
    options: &NeutralOptions<'_>,
) -> Result<Simplified> {
    let Legalized { candidates, asks_arch, mut panics, .. } = legalized;
    let is_as_written = |name: &String| module.function(name).is_some_and(is_as_written);
    let as_written = kernels.iter().map(|kernel| kernel.name.clone()).filter(is_as_written).collect();
    if options.sanitize {
        pass!(passes, expose_accesses(module)?)?;
        pass!(passes, check_values(module, kernels))?;
        pass!(passes, check_accesses(module, kernels))?;
    }
    let written = WrittenLines::of(module, kernels, &panics);
    let formatted = Formatting::of(kernels.functions(module)).formats;
    pass!(passes, optimize_for_all(module, options, passes.bisect())?)?;
    if options.sanitize {
        pass!(passes, drop_settled_checks(module)?)?;
    }
    pass!(passes, split_products(module))?;
    pass!(passes, lower_atomics(module))?;
    pass!(passes, resolve_panics(module, &mut panics, options.numbering))?;
    pass!(passes, name_callers(module, kernels, &written, &mut panics))?;
    pass!(passes, end_formatting(module, kernels, formatted)?)?;
    let depends_on_lines = pass!(passes, restore_lines(module))?;
    pass!(passes, agree_on_returns(module, kernels, options.device_panic, &mut panics)?)?;
    let proven = pass!(passes, repair_convergence(module, kernels)?)?;
    pass!(passes, drop_convergent(module))?;
    Ok(Simplified { candidates, proven, as_written, asks_arch, panics, depends_on_lines })
}

/// Runs the target-independent part of a level's pipeline: inlining, promotion of locals to registers,
/// devirtualisation. The vectoriser, the unroller and cost models belong to a target. Even at `-O0`, locals become
/// registers and dead stores are removed: the check of control flow and the mandatory inlining need the first, and
/// otherwise the stores would keep the arguments of panics alive.
fn optimize_for_all(module: &Module<'_>, options: &NeutralOptions<'_>, bisect: Option<&Bisect>) -> Result<()> {
    let NeutralOptions { level, plugins, .. } = *options;
    module.run_extended_passes(&simplifying_passes(level), None, level, plugins, bisect)?;
    if bisect.is_some_and(Bisect::has_skipped) {
        return module.run_neutral_passes(&simplifying_passes(OptLevel::O0));
    }
    Ok(())
}

/// The pipeline that all targets share.
pub fn simplifying_passes(level: OptLevel) -> String {
    let shared = level.simplification().unwrap_or("always-inline,function(sroa,early-cse,simplifycfg,dse)");
    format!("{shared},globaldce")
}
