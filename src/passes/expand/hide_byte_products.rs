//! Hides products of bytes from AMD's back end where something else than a sum uses them.
//!
//! LLVM 22 makes one `v_dot4` of a sum of products of bytes. It looks through the operands of the sum, and takes each
//! instruction with a product as its operand for a sum, also a mask or a difference (pull request 198412).
//!
//! Empty assembly with a vector register for its result is a copy that no pass looks through.

use crate::llvm::{Builder, Module, Opcode, Value};

/// The bits of the sums.
const WORD: u32 = 32;
const BYTE: u32 = 8;

/// Hides the products of bytes in `module` but for the operands of sums.
pub fn hide_byte_products(module: &Module<'_>) {
    for function in module.definitions() {
        for product in function.instructions().filter(|i| is_of_bytes(*i)).collect::<Vec<_>>() {
            for user in product.users().into_iter().filter(|user| may_be_taken(*user)) {
                let copy = Builder::before(user).vector_copy(product);
                (0..2).filter(|at| user.operand(*at) == product).for_each(|at| user.set_operand(at, copy));
            }
        }
    }
}

fn is_of_bytes(instruction: Value<'_>) -> bool {
    let is_byte =
        |number: Value<'_>| number.unsigned_bits(instruction) <= BYTE || number.signed_bits(instruction) <= BYTE;
    instruction.is(Opcode::Mul)
        && instruction.ty().int_width() == Some(WORD)
        && (0..2).all(|at| is_byte(instruction.operand(at)))
}

/// Whether an instruction has two operands, is no sum, and its result may be an operand of one.
fn may_be_taken(user: Value<'_>) -> bool {
    !matches!(user.opcode(), Opcode::Add | Opcode::Phi | Opcode::ICmp | Opcode::Store)
        && user.ty().int_width() == Some(WORD)
        && user.operand_count() > 1
}
