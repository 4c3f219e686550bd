//! The stages that all archs share, in their order.

use super::legalize::legalize;
use super::simplify::simplify;
use super::types::{Legalized, Made, Source, simplified_state, validated_state};
use super::validate::validate;
use crate::analysis::partition::has_function_values;
use crate::diagnostics::Diagnostics;
use crate::distribution::StageState;
use crate::error::{Failure, Result};
use crate::input::bodies::Unresolved;
use crate::stage::Stage;
use crate::stages::work::{Ended, Work};
use crate::targets::Arch;

/// Makes a neutral module. `built` chooses among the archs once all refusals are known.
pub fn make<'a>(
    work: &Work<'_>,
    Source { module, kernels, options }: Source<'_, 'a, '_>,
    unresolved: &Unresolved,
    built: impl FnOnce(&[&'a Arch], &mut Diagnostics) -> Result<Vec<&'a Arch>>,
    diagnostics: &mut Diagnostics,
) -> Result<Made<'a>, Failure<Ended>> {
    let mut legalized = work.change_with_state(
        Stage::Legalize,
        module,
        |legalized: &Legalized| StageState {
            asks_arch: legalized.asks_arch,
            panics: legalized.panics.clone(),
            ..StageState::of(kernels)
        },
        |passes| legalize(passes, module, kernels, unresolved, &options),
    )?;
    diagnostics.extend(legalized.dropped_prints.take());
    let simplified = work.change_with_state(
        Stage::Simplify,
        module,
        |simplified| simplified_state(simplified, kernels),
        |passes| simplify(passes, module, kernels, legalized, &options),
    )?;
    let depends_on_lines = simplified.depends_on_lines;
    let validated = work.change_with_state(
        Stage::Validate,
        module,
        |validated| validated_state(validated, kernels),
        |passes| validate(passes, module, kernels, simplified, &options, built, diagnostics),
    )?;
    if !options.debug {
        // Debug locations are needed only for diagnostics, and all diagnostics with a location have been reported.
        module.strip_debug();
    }
    let has_function_values = has_function_values(module);
    Ok(Made { bitcode: module.bitcode(), validated, depends_on_lines, has_function_values })
}
