//! Removes attributes and properties of functions and statics that are specific to the host.

use crate::contract::builtin::{CONSTANT_SECTION, SHARED_SECTION, STATIC_SECTION};
use crate::contract::platform::host_intrinsic;
use crate::llvm::{Function, Linkage, Opcode, Place, Value};

/// Attributes of functions that only have a meaning for host code, or that prevent optimisation for a device.
const HOST_ATTRIBUTES: &[&str] = &[
    "uwtable",
    "nonlazybind",
    "ssp",
    "sspstrong",
    "sspreq",
    "safestack",
    "shadowcallstack",
    "noredzone",
    "optnone",
    "naked",
    "sanitize_address",
    "sanitize_hwaddress",
    "sanitize_memory",
    "sanitize_thread",
    "sanitize_memtag",
];

/// `inreg` selects registers, and not values. On a GPU, it means the registers that all lanes of a warp share.
const IN_REGISTER: &str = "inreg";

/// Removes them from a function and its calls.
pub fn strip_host(function: Function<'_>) {
    function.remove_text_attributes();
    drop_inreg(*function, function.parameters().len());
    for name in HOST_ATTRIBUTES {
        function.remove_attribute(Place::Function, name);
    }
    function.set_section("");
    function.clear_comdat();
    function.set_default_visibility();
    if function.is_intrinsic() {
        return;
    }
    function.set_calling_convention(0);
    if function.is_declaration() {
        return;
    }
    function.clear_host_frame();
    for call in function.instructions().filter(|i| i.is_call()) {
        call.remove_text_attributes();
        drop_inreg(call, call.arguments().len());
        call.set_calling_convention(0);
        if call.is_musttail() {
            // The calling conventions that guarantee tail calls are the host's.
            call.clear_tail_kind();
        }
        if is_pause(call) {
            call.erase();
        } else if is_extremum(call) {
            call.distinguish_zeros();
        }
    }
}

fn drop_inreg(of: Value<'_>, parameters: usize) {
    of.remove_attribute(Place::Return, IN_REGISTER);
    (0..parameters as u32).for_each(|index| of.remove_attribute(Place::Parameter(index), IN_REGISTER));
}

/// In Rust, `max(0.0, -0.0)` may be either; since 1.96 a flag permits this. On devices, the result is the same
/// everywhere.
fn is_extremum(call: Value<'_>) -> bool {
    let name = call.called_function().map(|f| f.name()).unwrap_or_default();
    ["llvm.maximumnum.", "llvm.maxnum.", "llvm.minimumnum.", "llvm.minnum."].iter().any(|start| name.starts_with(start))
}

/// The instruction of `core::hint::spin_loop` on the host. It is only a hint.
fn is_pause(call: Value<'_>) -> bool {
    const PAUSES: [&str; 2] = ["sse2.pause", "isb"];
    let name = call.called_function().filter(|_| call.is(Opcode::Call)).map(|f| f.name()).unwrap_or_default();
    host_intrinsic(&name).is_some_and(|name| PAUSES.contains(&name))
}

/// Removes them from a static, which keeps its symbol or becomes internal.
pub fn strip_host_of_variable(variable: Value<'_>, keeps_symbol: bool) {
    variable.clear_comdat();
    variable.set_default_visibility();
    let of_the_contract = [SHARED_SECTION, CONSTANT_SECTION, STATIC_SECTION].contains(&variable.section().as_str());
    if !of_the_contract {
        variable.set_section("");
    }
    if !variable.is_declaration() {
        if keeps_symbol {
            variable.set_protected();
        } else {
            variable.set_linkage(Linkage::Internal);
        }
        // The initial value of a static that the host may write must not be folded before the warning about it is
        // reported.
        variable.set_externally_initialized(keeps_symbol || !of_the_contract && !variable.is_constant_global());
    }
}
