//! Gives math functions their bodies out of the portable library: those that are used, and nothing else of it.

use std::collections::HashSet;

use super::panics::is_panic;
use crate::error::{Context as _, Result};
use crate::llvm::{Module, Value};
use crate::math::{PORTABLE, is_symbol};

/// Links what is declared under the names of `math.rs`; gives every function that was added.
pub fn link_math<'c>(module: &Module<'c>) -> Result<Vec<Value<'c>>> {
    let declared = |f: &Value<'c>| f.is_declaration() && f.is_used() && is_symbol(&f.name());
    let symbols: Vec<_> = module.functions().into_iter().filter(declared).map(Value::name).collect();
    if symbols.is_empty() {
        return Ok(Vec::new());
    }
    let before: HashSet<_> = module.functions().into_iter().map(Value::name).collect();
    let wanted = |global: Value<'_>| !global.is_function() || !is_panic(global);
    let linked = module.link_needed(PORTABLE, "the math library", &symbols, false, &wanted);
    linked.context("while taking functions out of the math library")?;
    let added = |f: &Value<'c>| !before.contains(&f.name()) || symbols.contains(&f.name());
    Ok(module.functions().into_iter().filter(added).collect())
}
