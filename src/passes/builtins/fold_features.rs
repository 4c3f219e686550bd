//! Replaces calls of `__offload_has_feature` by the answers for one arch.

use crate::analysis::feature_name::feature_name;
use crate::contract::queries::HAS_FEATURE;
use crate::llvm::Module;

/// Gives every call the answer of `has`. A call whose text is not a constant has been reported.
pub fn fold_features(module: &Module<'_>, has: &dyn Fn(&str) -> bool) {
    let Some(query) = module.function(HAS_FEATURE).filter(|f| f.is_declaration()) else { return };
    for call in query.direct_calls() {
        let answer = feature_name(call).is_some_and(|name| has(&name));
        call.replace_all_uses_with(call.ty().constant(answer.into()));
        call.erase();
    }
    if !query.is_used() {
        query.erase_global();
    }
}
