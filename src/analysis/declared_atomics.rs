//! The contract's atomics in a module.

use crate::contract::atomic::AtomicBuiltin;
use crate::llvm::{Function, Module};

/// The atomics of the contract that a module declares and uses.
pub fn declared_atomics<'c>(module: &Module<'c>) -> Vec<(Function<'c>, AtomicBuiltin)> {
    let named = |f: Function<'c>| Some((f, AtomicBuiltin::named(&f.name())?));
    module.functions().into_iter().filter(|f| f.is_declaration()).filter_map(named).collect()
}
