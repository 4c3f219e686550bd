//! Hides numbers of 32 bits whose low byte or half is put in from x86's back end.
//!
//! LLVM 22 makes `movb` into a register of `(x & !0xff) | byte`, and believes that the upper half of the register is
//! zero, as after an operation on 32 bits. It is that of the register of `x`, which may have 64 bits (issue 205600). It
//! reads the upper half where the number is extended, also for a division by a constant.
//!
//! Empty assembly with a register for its result is a copy of 32 bits.

use crate::llvm::{Builder, Module, Opcode, Value};

const WORD: u32 = 32;
/// The bits of the parts that instructions put into a register.
const PARTS: [u32; 2] = [8, 16];

/// Hides all such numbers of `module`.
pub fn hide_low_bytes(module: &Module<'_>) {
    for function in module.definitions() {
        for number in function.instructions().filter(|i| is_merged(*i)).collect::<Vec<_>>() {
            let builder = Builder::before(number.next().unwrap_or(number));
            let copy = builder.pure_assembly(number.ty(), "", "=r,0", &[number]);
            number.replace_all_uses_with(copy);
            copy.set_operand(0, number);
        }
    }
}

/// Whether an instruction puts a part into a number.
fn is_merged(instruction: Value<'_>) -> bool {
    let is_or = instruction.is(Opcode::Or) && instruction.ty().int_width() == Some(WORD);
    is_or
        && [(0, 1), (1, 0)].into_iter().any(|(part, rest)| {
            let [part, rest] = [part, rest].map(|at| instruction.operand(at));
            let zeros = rest.known_bits().map_or(0, |known| known.zeros.trailing_ones());
            !part.is_constant() && PARTS.iter().any(|bits| part.unsigned_bits(instruction) <= *bits && zeros >= *bits)
        })
}
