//! Replaces the queries of the device contract by their constants for an arch.

use crate::contract::builtin::ARCH;
use crate::contract::queries::{IS_GENERIC, LINKED_FUNCTION, WARP_SIZE};
use crate::error::Result;
use crate::llvm::Module;
use crate::passes::builtins::fold_features::fold_features;
use crate::passes::builtins::fold_query::fold_query;
use crate::passes::pass::{Passes, pass};
use crate::targets::Arch;

/// Folds all queries for an arch whose image is made, by the build or from the generic image.
pub fn fold_arch(passes: &Passes, module: &Module<'_>, arch: &Arch, finished: bool) -> Result<()> {
    pass!(passes, fold_query(module, ARCH, arch.number().into()))?;
    pass!(passes, fold_query(module, WARP_SIZE, arch.target.warp_size(arch).unwrap_or(0).into()))?;
    pass!(passes, fold_query(module, IS_GENERIC, finished.into()))?;
    pass!(passes, fold_query(module, LINKED_FUNCTION, 0))?;
    pass!(passes, fold_features(module, &|name| arch.has_feature(name)))
}
