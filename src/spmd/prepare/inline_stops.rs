//! Inlines the functions that reach barriers or cross-lane operations into the kernels. Functions that cannot be
//! inlined have been refused. Math functions that can be vectorised are inlined, too.

use crate::contract::kernel::KernelSet;
use crate::contract::math::is_straight;
use crate::error::{Error, Result};
use crate::llvm::{Function, Machine, Module, Place, Value};
use crate::spmd::region::barriers;
use crate::spmd::region::stops;

/// The builtins at which threads may stop.
fn stopping<'c>(module: &Module<'c>, warps: bool) -> Vec<Function<'c>> {
    let lanes = if warps { stops::builtins(module) } else { Vec::new() };
    [barriers::builtins(module), lanes].concat()
}

/// The functions that call one of these, directly or not; callees first.
fn reaching(mut order: Vec<Function<'_>>) -> Vec<Function<'_>> {
    let mut next = 0;
    while next < order.len() {
        for caller in callers(order[next]) {
            if !order.contains(&caller) {
                order.push(caller);
            }
        }
        next += 1;
    }
    order
}

fn callers<'c>(function: Function<'c>) -> impl Iterator<Item = Function<'c>> {
    function.calls().into_iter().map(Value::function)
}

/// Inlines functions that reach a barrier into the kernels, and with `warps` also functions that reach a cross-lane
/// operation. Returns whether there are any.
pub(crate) fn inline_stops(module: &Module<'_>, kernels: &KernelSet, warps: bool, machine: &Machine) -> Result<bool> {
    let is_kernel = |f: &Function<'_>| kernels.has_name(&f.name());
    let inlined: Vec<_> =
        reaching(stopping(module, warps)).into_iter().filter(|f| !f.is_declaration() && !is_kernel(f)).collect();
    for function in &inlined {
        function.remove_attribute(Place::Function, "noinline");
        function.mark("alwaysinline");
    }
    if !inlined.is_empty() {
        module.run_passes("always-inline,globaldce", machine)?;
    }
    let left = reaching(stopping(module, warps)).into_iter().find(|f| !f.is_declaration() && !is_kernel(f));
    if let Some(function) = left {
        return Err(Error::internal(format!(
            "`{}` was not inlined, and threads wait for each other in it",
            function.name()
        )));
    }
    Ok(stopping(module, warps).iter().any(|b| b.is_used()))
}

/// Inlines marked functions, and math functions of straight-line code: the vectoriser does not look into functions.
pub(crate) fn inline_marked(module: &Module<'_>, machine: &Machine) -> Result<()> {
    let is_inlined = |f: &Function<'_>| !f.is_declaration() && is_straight(&f.name());
    module.functions().into_iter().filter(is_inlined).for_each(Function::inline_calls);
    module.run_passes("always-inline", machine)
}
