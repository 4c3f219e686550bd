//! Finds pointers with an address space in the code of kernels.
//!
//! The input is written for the host, where the numbers of address spaces mean segments of the processor. Each device
//! gives the same numbers another meaning: 4 is constant memory on one, and generic on another. Code that names them
//! would be right on one target at most, so it is refused on all.

use std::cell::RefCell;
use std::collections::HashSet;

use super::check_support::{Refusal, check_support};
use crate::contract::kernel::KernelSet;
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Module, Type, TypeKind, Value};

/// Reports these pointers.
pub fn check_address_spaces(module: &Module<'_>, kernels: &KernelSet) -> Vec<Diagnostic> {
    let without = RefCell::default();
    check_support(module, kernels, &|instruction| refuse(instruction, &without))
}

/// The constants that are known to contain no such pointer.
type Without<'c> = RefCell<HashSet<Value<'c>>>;

fn refuse<'c>(instruction: Value<'c>, without: &Without<'c>) -> Option<Refusal> {
    let mut operands = instruction.operands().into_iter();
    let ty = in_type(instruction.ty()).or_else(|| operands.find_map(|operand| in_operand(operand, without)))?;
    let what = format!("uses the type `{}`, whose address space has another meaning on each device", ty.text());
    let help = "use pointers without an address space; a section of the device contract places a static";
    Some(Refusal { code: Code::UnsupportedType, what, help })
}

/// The type of a pointer with an address space in an operand: its own, one in a constant, or one in the initial value
/// of a static.
fn in_operand<'c>(operand: Value<'c>, without: &Without<'c>) -> Option<Type<'c>> {
    let mut seen = HashSet::new();
    let mut queue = vec![operand];
    while let Some(value) = queue.pop() {
        if let Some(ty) = in_type(value.ty()) {
            return Some(ty);
        }
        if !value.is_constant() || value.is_function() || without.borrow().contains(&value) || !seen.insert(value) {
            continue;
        }
        queue.extend(value.operands());
    }
    without.borrow_mut().extend(seen);
    None
}

/// A type, or a part of it, that is a pointer with an address space.
fn in_type(ty: Type<'_>) -> Option<Type<'_>> {
    match ty.kind() {
        TypeKind::Pointer => (ty.address_space() != 0).then_some(ty),
        TypeKind::Struct | TypeKind::Array | TypeKind::Vector => ty.parts().into_iter().find_map(in_type),
        _ => None,
    }
}
