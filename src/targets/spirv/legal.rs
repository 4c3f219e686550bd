//! Rewrites optimised code into what LLVM's SPIR-V back end translates, and translates rightly.
//!
//! Found by giving the back end every instruction and intrinsic at every type; `tests/spirv.rs` tries them again.

use super::builtins::TRAPS;
use super::{ADDRESS_SPACES, SPIR_KERNEL};
use crate::error::Result;
use crate::llvm::{Builder, Machine, Module, Opcode, Type, Value};
use crate::passes::expand_arithmetic::expand_arithmetic;

/// Hints that only an optimiser reads.
const HINTS: [&str; 9] = [
    "llvm.assume",
    "llvm.debugtrap",
    "llvm.donothing",
    "llvm.experimental.noalias.scope.decl",
    "llvm.invariant.start",
    "llvm.invariant.end",
    "llvm.lifetime",
    "llvm.prefetch",
    "llvm.sideeffect",
];

/// Makes all of `module` legal.
pub(super) fn make_legal(module: &Module<'_>, machine: &Machine) -> Result<()> {
    module.run_passes(
        "function(lower-constant-intrinsics,lower-expect,expand-reductions,scalarizer<load-store>)",
        machine,
    )?;
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        erase_hints(function);
        leave_at_traps(function);
        return_at_dead_ends(function);
        load_pointers_as_integers(function);
        expand_arithmetic(function);
    }
    module.run_passes("function(dce),globaldce", machine)
}

/// Whether a function of SPIR-V can take and give these types.
pub(super) fn has_legal_signature(function: Value<'_>) -> bool {
    let ty = function.function_type();
    [ty.result()].into_iter().chain(ty.parameters()).all(is_legal)
}

/// Whether SPIR-V's kernels have this type.
pub(super) fn is_legal(ty: Type<'_>) -> bool {
    match ty.int_width() {
        Some(width) => matches!(width, 1 | 8 | 16 | 32 | 64),
        None => ty.parts().into_iter().all(is_legal),
    }
}

fn erase_hints(function: Value<'_>) {
    for call in function.instructions().filter(|i| i.is_call()).collect::<Vec<_>>() {
        let hint = call.called_function().is_some_and(|f| HINTS.iter().any(|hint| f.name().starts_with(hint)));
        if hint {
            if !call.ty().is_void() {
                call.replace_all_uses_with(call.ty().poison());
            }
            call.erase();
        }
    }
}

/// `*(volatile global char *)0 = 0; return;` for every trap.
fn leave_at_traps(function: Value<'_>) {
    for call in function.instructions().filter(|i| i.is_call()).collect::<Vec<_>>() {
        let trap = call.called_function().is_some_and(|f| TRAPS.contains(&f.name().as_str()));
        if !trap {
            continue;
        }
        let builder = Builder::before(call);
        let byte = call.ty().int(8);
        let store = builder.store(byte.zero(), byte.pointer(ADDRESS_SPACES.global).zero(), 1);
        store.set_volatile();
        call.erase();
    }
}

/// Ends with a return what LLVM knows to be never reached, or to lie behind a trap: not every driver takes `OpUnreachable`
/// in the middle of a kernel.
fn return_at_dead_ends(function: Value<'_>) {
    for end in function.blocks().into_iter().filter_map(|b| b.terminator()) {
        if !end.is(Opcode::LLVMUnreachable) {
            continue;
        }
        let builder = Builder::before(end);
        let result = function.function_type().result();
        debug_assert!(result.is_void() || function.calling_convention() != SPIR_KERNEL);
        let _return = if result.is_void() { builder.ret_void() } else { builder.ret(result.zero()) };
        end.erase();
    }
}

/// A pointer that is loaded comes as an integer: from the type of a load the back end concludes what the memory is, and so
/// makes a whole local array no larger than one pointer.
fn load_pointers_as_integers(function: Value<'_>) {
    for load in function.instructions().filter(|i| i.is(Opcode::LLVMLoad) && i.ty().is_pointer()).collect::<Vec<_>>() {
        let builder = Builder::before(load);
        let number = builder.load(load.ty().int(64), load.operand(0), load.alignment(), "");
        if load.is_volatile() {
            number.set_volatile();
        }
        load.replace_all_uses_with(builder.cast(Opcode::LLVMIntToPtr, number, load.ty(), ""));
        load.erase();
    }
}
