//! Lets kernels call functions of the host without a mailbox: both run in one process.

use std::mem::offset_of;

use crate::contract::abi::{HostCallStatus, LaunchState};
use crate::contract::symbols::HOST_MAILBOX;
use crate::llvm::{Builder, IntPredicate, Linkage, Module};

/// Replaces the body of the function that calls the host through a mailbox:
///
/// ```c
/// return state->call_host ? state->call_host(state, number, arguments, argument_bytes, result, result_bytes) : NO_HOST;
/// ```
///
/// After: this call through a pointer is the only one whose callee is not device code, and is not checked.
pub(in crate::targets::cpu) fn call_host_directly(module: &Module<'_>) {
    let Some(function) = module.function(HOST_MAILBOX).filter(|f| !f.is_declaration()) else { return };
    function.delete_body();
    // LLVM has made it external.
    function.set_linkage(Linkage::Internal);
    let builder = Builder::at_end(function.append_block("entry"));
    let [present, absent] = ["present", "absent"].map(|name| function.append_block(name));
    let (pointer, result) = (module.types().ptr(0), function.function_type().result());
    let at = builder.byte_offset(function.parameters()[0], offset_of!(LaunchState, call_host) as u64, "");
    let callee = builder.load(pointer, at, 8, "call_host");
    let is_absent = builder.icmp(IntPredicate::Eq, callee, pointer.zero(), "");
    builder.cond_br(is_absent, absent, present);
    builder.move_to_end(present);
    builder.ret(builder.call_typed(function.function_type(), callee, &function.parameters(), ""));
    builder.move_to_end(absent);
    builder.ret(result.constant(HostCallStatus::NoHost as u64));
}
