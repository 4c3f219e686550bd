//! Hides shifts that extend a sign from AMD's back end, where bytes of the result are put together.
//!
//! LLVM 22 looks for the bytes of an `or`, or of the factors of a sum of products of bytes, and makes one `v_perm_b32`
//! of them. For a byte of a shift to the right with a sign, it takes the byte above the number, which is another one,
//! instead of the sign (pull request 198708).

use crate::llvm::{Builder, Module, Opcode, Value};

/// More instructions between a shift and an `or` than the back end looks through.
const DEPTH: u32 = 7;
const BYTE: u64 = 8;

/// Hides each such shift of `module`.
pub fn hide_sign_bytes(module: &Module<'_>) {
    let is_sign = |i: &Value<'_>| {
        i.is(Opcode::AShr) && i.operand(1).as_u64().is_some_and(|bits| bits != 0 && bits.is_multiple_of(BYTE))
    };
    for function in module.definitions() {
        let shifts = function.instructions().filter(|i| is_sign(i) && i.ty().int_width() >= Some(32));
        for shift in shifts.filter(|shift| reaches_bytes(*shift, DEPTH)).collect::<Vec<_>>() {
            let Some(next) = shift.next() else { continue };
            let copy = Builder::before(next).vector_copy(shift);
            shift.replace_all_uses_with(copy);
            copy.set_operand(0, shift);
        }
    }
}

/// Whether parts of a number are put together with others.
fn reaches_bytes(number: Value<'_>, depth: u32) -> bool {
    depth > 0
        && number.users().into_iter().any(|user| match user.opcode() {
            Opcode::Or | Opcode::InsertElement => true,
            Opcode::Call => user.called_intrinsic().is_some_and(|callee| is_of_bytes(&callee.name())),
            Opcode::And
            | Opcode::Shl
            | Opcode::LShr
            | Opcode::Trunc
            | Opcode::ZExt
            | Opcode::SExt
            | Opcode::Freeze
            | Opcode::BitCast => {
                reaches_bytes(user, depth - 1)
                    || user.users().iter().any(|user| matches!(user.opcode(), Opcode::Add | Opcode::Mul | Opcode::Xor))
            }
            _ => false,
        })
}

fn is_of_bytes(intrinsic: &str) -> bool {
    ["llvm.fshl.", "llvm.fshr.", "llvm.bswap."].iter().any(|name| intrinsic.starts_with(name))
}
