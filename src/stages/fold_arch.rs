//! Replaces the queries of the device contract by their constants for an arch.

use crate::analysis::feature_name::feature_name;
use crate::contract::builtin::ARCH;
use crate::contract::queries::{HAS_FEATURE, IS_GENERIC, LINKED_FUNCTION, WARP_SIZE};
use crate::error::Result;
use crate::llvm::{Module, Opcode, Value};
use crate::passes::builtins::fold_features::fold_features;
use crate::passes::builtins::fold_query::fold_query;
use crate::passes::pass::{Passes, pass};
use crate::targets::Arch;

/// The answers to the queries that a module asks. With the same answers, an arch gets the same code as another one.
pub fn answers(module: &Module<'_>, arch: &Arch, finished: bool) -> Vec<u64> {
    let lanes = || arch.target.warp_size(arch).unwrap_or(0).into();
    let queries: [(&str, &dyn Fn() -> u64); 3] = [
        (ARCH, &|| u64::from(arch.number()) & bits_of_number(module)),
        (WARP_SIZE, &lanes),
        (IS_GENERIC, &|| finished.into()),
    ];
    let asked = queries.into_iter().filter(|(query, _)| module.function(query).is_some());
    let has = |call| feature_name(call).is_some_and(|name| arch.has_feature(&name)).into();
    let features = module.function(HAS_FEATURE).into_iter().flat_map(|query| query.direct_calls()).map(has);
    asked.map(|(_, answer)| answer()).chain(features).collect()
}

/// The bits of the arch's number that the module uses: those of the target alone, or all.
fn bits_of_number(module: &Module<'_>) -> u64 {
    const TARGET: u64 = 0xff00_0000;
    let of_target = |user: Value<'_>| {
        let number = user.is_instruction().then(|| user.operand(user.operand_count() - 1).as_u64()).flatten();
        match (user.is_instruction().then(|| user.opcode()), number) {
            (Some(Opcode::LShr), Some(shift)) => shift >= 24,
            (Some(Opcode::And), Some(mask)) => mask & !TARGET == 0,
            _ => false,
        }
    };
    let Some(query) = module.function(ARCH) else { return TARGET };
    let mut users = query.direct_calls().into_iter().flat_map(|call| call.users());
    if query.is_only_called() && users.all(of_target) { TARGET } else { u64::MAX }
}

/// Folds all queries for an arch whose image is made, by the build or from the generic image.
pub fn fold_arch(passes: &Passes, module: &Module<'_>, arch: &Arch, finished: bool) -> Result<()> {
    pass!(passes, fold_query(module, ARCH, arch.number().into()))?;
    pass!(passes, fold_query(module, WARP_SIZE, arch.target.warp_size(arch).unwrap_or(0).into()))?;
    pass!(passes, fold_query(module, IS_GENERIC, finished.into()))?;
    pass!(passes, fold_query(module, LINKED_FUNCTION, 0))?;
    pass!(passes, fold_features(module, &|name| arch.has_feature(name)))
}
