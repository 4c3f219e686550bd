//! Masks numbers that are cut and then widened again, instead of converting them twice.
//!
//! LLVM 22's SPIR-V back end makes one `and` of `zext (trunc a)`. If `a` is wider than the result, it forgets to cut
//! `a` first, and writes an `and` of numbers of two widths, which is not valid. The optimiser leaves no such pair, but
//! passes that expand products and other operations into wider ones do.

use crate::llvm::{Builder, Module, Opcode, Value};

/// The widest number whose bits fit into a constant.
const WIDEST: u32 = 64;

/// Masks all such numbers of `module`.
pub fn mask_truncations(module: &Module<'_>) {
    for function in module.definitions() {
        for widened in function.instructions().filter(|i| cuts_twice(*i)).collect::<Vec<_>>() {
            let (builder, cut, ty) = (Builder::before(widened), widened.operand(0), widened.ty());
            let bits = cut.ty().int_width().unwrap_or(0);
            let narrow = builder.cast(Opcode::Trunc, cut.operand(0), ty, "");
            let masked = builder.binary(Opcode::And, narrow, ty.constant((1 << bits) - 1), "");
            widened.replace_all_uses_with(masked);
            widened.erase();
            if !cut.is_used() {
                cut.erase();
            }
        }
    }
}

/// Whether an instruction widens a number that was cut from one that is wider than the result.
fn cuts_twice(instruction: Value<'_>) -> bool {
    if !instruction.is(Opcode::ZExt) || !instruction.operand(0).is(Opcode::Trunc) {
        return false;
    }
    let [to, from] = [instruction, instruction.operand(0).operand(0)].map(|value| value.ty().int_width());
    matches!((from, to), (Some(from), Some(to)) if to < from && to <= WIDEST)
}
