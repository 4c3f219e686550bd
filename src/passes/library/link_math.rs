//! Links the bodies of the math functions that are used from the portable library.

use std::collections::HashSet;
use std::path::Path;

use crate::contract::math::{PORTABLE, is_symbol};
use crate::error::{Context as _, Result};
use crate::llvm::{Function, Module, Opcode, Value, crash};
use crate::rust_std::panics::is_panic;

/// Links functions from the bitcode of a file. Returns every function that was added.
pub fn link_from<'c>(
    module: &Module<'c>,
    bitcode: &[u8],
    path: &Path,
    symbols: &[String],
) -> Result<Vec<Function<'c>>> {
    let name = path.display().to_string();
    let _activity = crash::activity_on_input(format!("taking functions out of `{name}`"));
    link(module, bitcode, &name, symbols)
}

/// Links the functions that are declared with the names of `math.rs`. Returns every function that was added.
pub fn link_math<'c>(module: &Module<'c>) -> Result<Vec<Function<'c>>> {
    let declared = |f: &Function<'c>| f.is_declaration() && f.is_used() && is_symbol(&f.name());
    let symbols: Vec<_> = module.functions().into_iter().filter(declared).map(|f| f.name()).collect();
    if symbols.is_empty() {
        return Ok(Vec::new());
    }
    let added = link(module, PORTABLE, "the math library", &symbols);
    let added = added.context("cannot take functions out of the math library")?;
    added.iter().for_each(|function| drop_forced_operations(*function));
    Ok(added)
}

/// Drops operations that the library computes only to raise a floating-point exception, which no device reports. It
/// forces them by a volatile load from a local variable, which would also keep threads from being executed together.
fn drop_forced_operations(function: Function<'_>) {
    let is_forced =
        |i: &Value<'_>| i.is(Opcode::Load) && i.is_volatile() && !i.is_used() && i.operand(0).is(Opcode::Alloca);
    let forced: Vec<_> = function.instructions().filter(is_forced).collect();
    forced.into_iter().for_each(Value::erase);
}

fn link<'c>(module: &Module<'c>, bitcode: &[u8], name: &str, symbols: &[String]) -> Result<Vec<Function<'c>>> {
    let before: HashSet<_> = module.functions().into_iter().map(|f| f.name()).collect();
    let wanted = |global: Value<'_>| !global.as_function().is_some_and(is_panic);
    module.linker().link(bitcode, name, symbols, false, &wanted)?;
    let added = |f: &Function<'c>| !before.contains(&f.name()) || symbols.contains(&f.name());
    Ok(module.functions().into_iter().filter(added).collect())
}
