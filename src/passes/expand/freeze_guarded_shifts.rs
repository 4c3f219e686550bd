//! Keeps the comparison of a shift's amount with the width.
//!
//! PTX defines shifts by too much: they give 0. LLVM 22's back end for NVIDIA GPUs therefore drops the comparison of
//! `if n < 64 { x << n } else { 0 }`. But a shift of PTX has an amount of 32 bits, and the back end also drops the
//! comparison of an amount of 64 bits, whose upper half is then lost (LLVM's pull request 201165). `freeze` between the
//! shift and the selection is no code, and hides one from the other.

use crate::llvm::{Builder, Module, Opcode, Value};

/// The width of amounts in PTX.
const AMOUNT: u32 = 32;

/// Freezes all such shifts of `module` for the selections that use them.
pub fn freeze_guarded_shifts(module: &Module<'_>) {
    for function in module.definitions() {
        for select in function.instructions().filter(|i| i.is(Opcode::Select)).collect::<Vec<_>>() {
            for at in [1, 2].into_iter().filter(|at| has_wide_amount(select.operand(*at))) {
                let frozen = Builder::before(select).freeze(select.operand(at), "");
                select.set_operand(at, frozen);
            }
        }
    }
}

/// Whether a value is a shift whose amount was wider than PTX's.
fn has_wide_amount(value: Value<'_>) -> bool {
    if !value.is(Opcode::Shl) && !value.is(Opcode::LShr) {
        return false;
    }
    let mut amount = value.operand(1);
    if amount.is(Opcode::Trunc) {
        amount = amount.operand(0);
    }
    match amount.ty().int_width() {
        Some(width) => width > AMOUNT && amount.unsigned_bits(value) > AMOUNT,
        None => amount.ty().parts()[0].int_width() > Some(AMOUNT),
    }
}
