//! Declares the static workgroup memory that calls of `__offload_shared_array` name. A static of Rust cannot depend on
//! the parameters of a generic function; a function that is named in such a call is another one for each instance.

use crate::analysis::constant_of::constant_of;
use crate::contract::builtin::{SHARED_ARRAY, SHARED_SECTION};
use crate::llvm::{Linkage, Module, Value};

/// The arguments of a call: the name of the function that identifies the memory, its size and its alignment in bytes.
type Named = (String, u64, u32);

/// Replaces each call by the address of a static. Calls with equal arguments share a static. A call whose arguments are
/// not constants stays, and `check_device.rs` reports it.
pub fn declare_shared_arrays(module: &Module<'_>) {
    let Some(function) = module.function(SHARED_ARRAY) else { return };
    let mut declared: Vec<(Named, Value<'_>)> = Vec::new();
    for call in function.direct_calls() {
        let Some(named) = named(call) else { continue };
        let known = declared.iter().find(|(other, _)| *other == named).map(|(_, variable)| *variable);
        let variable = known.unwrap_or_else(|| {
            let variable = declare(module, &named);
            declared.push((named, variable));
            variable
        });
        call.replace_all_uses_with(variable);
        call.erase();
    }
    if !function.is_used() {
        function.erase_global();
    }
}

fn named(call: Value<'_>) -> Option<Named> {
    let [function, size, align] = call.arguments()[..] else { return None };
    let function = constant_of(function)?.strip_constant_casts().as_function()?;
    let align: u32 = constant_of(align)?.as_u64()?.try_into().ok()?;
    align.is_power_of_two().then_some((function.name(), constant_of(size)?.as_u64()?, align))
}

fn declare<'c>(module: &Module<'c>, (name, size, align): &Named) -> Value<'c> {
    let ty = module.types().i8().array(*size);
    let variable = module.add_variable(&format!("{name}.shared"), ty, 0);
    variable.set_initializer(Some(ty.poison()));
    variable.set_linkage(Linkage::Internal);
    variable.set_section(SHARED_SECTION);
    variable.set_alignment(*align);
    variable
}
