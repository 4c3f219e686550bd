//! Intrinsics by name in a module.

use crate::contract::builtin::intrinsic_name;
use crate::llvm::{Module, Value};

/// The intrinsics that a module declares by their symbols.
pub fn declared_intrinsics<'c>(module: &Module<'c>) -> Vec<(Value<'c>, String)> {
    let name = |f: Value<'c>| Some((f, intrinsic_name(&f.name())?.to_owned()));
    module.functions().into_iter().filter_map(name).collect()
}
