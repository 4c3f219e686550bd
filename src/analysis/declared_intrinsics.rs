//! Intrinsics by name in a module.

use crate::contract::builtin::intrinsic_name;
use crate::llvm::{Function, Module};

/// The intrinsics that a module declares by their symbols.
pub fn declared_intrinsics<'c>(module: &Module<'c>) -> Vec<(Function<'c>, String)> {
    let name = |f: Function<'c>| Some((f, intrinsic_name(&f.name())?.to_owned()));
    module.functions().into_iter().filter_map(name).collect()
}
