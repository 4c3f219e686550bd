//! Finds integers that are wider than LLVM's back ends translate in reasonable time. The source of such integers is an
//! optimiser that treats a whole vector or array as one number, or a program that was written by hand.
//!
//! The back ends themselves have no limit. The code of an operation on words of 64 bits grows with the width, the code
//! of a product or a quotient grows with the square of the width, and the time to compile it grows faster still.

use super::check_support::{Refusal, check_support};
use crate::contract::kernel::KernelSet;
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Module, Opcode, Type, TypeKind, Value};

/// The widest integer of a kernel, in bits.
const WIDEST: u32 = 4096;
/// The widest integer that a kernel multiplies or divides, in bits.
const WIDEST_PRODUCT: u32 = 2048;

/// Reports these integers.
pub fn check_integer_widths(module: &Module<'_>, kernels: &KernelSet) -> Vec<Diagnostic> {
    check_support(module, kernels, &refuse)
}

fn refuse(instruction: Value<'_>) -> Option<Refusal> {
    let mut types = [instruction.ty()].into_iter().chain(instruction.operands().into_iter().map(Value::ty));
    let refusal = |what| Some(Refusal { code: Code::UnsupportedType, what, help: "use narrower integers in kernels" });
    if let Some(ty) = types.find_map(|ty| wider_than(WIDEST, ty)) {
        return refusal(format!(
            "uses the type `{}`, and no device has integers of more than {WIDEST} bits",
            ty.text()
        ));
    }
    if !multiplies(instruction) {
        return None;
    }
    let ty = wider_than(WIDEST_PRODUCT, instruction.ty())?;
    refusal(format!(
        "multiplies or divides the type `{}`, and devices can do that with at most {WIDEST_PRODUCT} bits",
        ty.text()
    ))
}

/// Whether an instruction multiplies or divides, or is an intrinsic that does.
fn multiplies(instruction: Value<'_>) -> bool {
    let name = || instruction.called_function().filter(|callee| callee.is_intrinsic()).map(|callee| callee.name());
    match instruction.opcode() {
        Opcode::Mul | Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem => true,
        Opcode::Call => name().is_some_and(|name| name.contains(".umul.") || name.contains(".smul.")),
        _ => false,
    }
}

/// A type, or a part of it, that is an integer of more than `bits` bits.
fn wider_than(bits: u32, ty: Type<'_>) -> Option<Type<'_>> {
    match ty.kind() {
        TypeKind::Integer => (ty.int_width()? > bits).then_some(ty),
        TypeKind::Struct | TypeKind::Array | TypeKind::Vector => {
            ty.parts().into_iter().find_map(|part| wider_than(bits, part))
        }
        _ => None,
    }
}
