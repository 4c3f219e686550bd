//! Checks that calls through pointers lead to device code.
//!
//! A kernel runs in the host's process, where the address of a host function is callable. Before each call through a
//! pointer, this function is called:
//!
//! ```c
//! void offload_check_callee(const char *callee) {
//!   if ((size_t)(callee - offload_code_begin) >= (size_t)(offload_code_end - offload_code_begin))
//!     offload_host_call(); // panics
//! }
//! ```
//!
//! All device code of the object is in one section, between the two symbols.

use crate::contract::symbols::HOST_CALL;
use crate::llvm::{Builder, Function, IntPredicate, Linkage, Module, Opcode};

const BEGIN: &str = "offload_code_begin";
const END: &str = "offload_code_end";
const SECTION: &str = ".text.offload";

/// Checks the callee of each call through a pointer.
pub(in crate::targets::cpu) fn check_callees(module: &Module<'_>) {
    let Some(host_call) = module.function(HOST_CALL) else { return };
    let all = module.functions().into_iter().flat_map(|function| function.instructions());
    let calls: Vec<_> = all.filter(|instruction| instruction.is_indirect_call()).collect();
    if calls.is_empty() {
        return host_call.erase_global();
    }
    let elsewhere = declared_and_taken(module);
    let check = define_check(module, host_call, &elsewhere);
    for call in calls {
        Builder::before(call).call(check, &[call.callee()], "");
    }
}

/// Functions of the C library, such as `memcpy`, whose address device code takes. They are the only device code outside
/// of the section.
fn declared_and_taken<'c>(module: &Module<'c>) -> Vec<Function<'c>> {
    let taken = |f: &Function<'c>| f.is_declaration() && !f.is_intrinsic() && !f.is_only_called();
    module.functions().into_iter().filter(taken).collect()
}

fn define_check<'c>(module: &Module<'c>, host_call: Function<'c>, elsewhere: &[Function<'c>]) -> Function<'c> {
    let types = module.types();
    let (void, pointer, i64) = (types.void(), types.ptr(0), types.i64());
    let [begin, end] = [BEGIN, END].map(|name| module.add_function(name, void.function(&[])));
    let linkage = Linkage::Internal;
    let check = module.define("offload_check_callee", void.function(&[pointer]), linkage, |_, _| {});
    let (wrong, right) = (check.append_block("wrong"), check.append_block("right"));
    let builder = Builder::at_end(check.blocks()[0]);
    let callee = check.parameters()[0];
    let [at, begin, end] = [callee, *begin, *end].map(|value| builder.cast(Opcode::PtrToInt, value, i64, ""));
    let distance = |to| builder.binary(Opcode::Sub, to, begin, "");
    let mut outside = builder.icmp(IntPredicate::Uge, distance(at), distance(end), "outside");
    for function in elsewhere {
        let other = builder.icmp(IntPredicate::Ne, callee, **function, "");
        outside = builder.binary(Opcode::And, outside, other, "");
    }
    builder.cond_br(outside, wrong, right);
    builder.move_to_end(wrong);
    builder.call(host_call, &[], "");
    builder.unreachable();
    builder.move_to_end(right);
    builder.ret_void();
    ["alwaysinline", "nounwind"].into_iter().for_each(|name| check.mark(name));
    check
}

/// Defines the two symbols, after the last pass that moves a function.
pub(in crate::targets::cpu) fn bound_code(module: &Module<'_>) {
    let (Some(begin), Some(end)) = (module.function(BEGIN), module.function(END)) else { return };
    let functions: Vec<_> = module.definitions().collect();
    functions.iter().for_each(|function| function.set_section(SECTION));
    let Some(first) = functions.first() else { return };
    begin.replace_all_uses_with(**first);
    begin.erase_global();
    // The second symbol is last, because functions are emitted in the order of the module.
    let last = module.define("", end.function_type(), Linkage::Internal, |_, block| {
        Builder::at_end(block).ret_void();
    });
    last.set_section(SECTION);
    end.replace_all_uses_with(*last);
    end.erase_global();
    last.set_name(END);
}
