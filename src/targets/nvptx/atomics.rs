//! Read-modify-writes as strong as asked. LLVM's back end drops their ordering, and PTX takes an instruction without a
//! scope for one of this device alone; a host's atomics are seen by the whole system.
//!
//! Compare-and-exchange, loads and stores keep both. Memory of a block is seen by nobody outside of it.

use super::ADDRESS_SPACES;
use crate::llvm::{AtomicOperation, Builder, Opcode, Ordering, TypeKind, Value};

/// Rewrites every read-modify-write of a function. `scopes`: whether the arch has scopes; older ones have the device's.
pub(super) fn strengthen(function: Value<'_>, scopes: bool) {
    for operation in function.instructions().filter(|i| i.is(Opcode::LLVMAtomicRMW)).collect::<Vec<_>>() {
        let shared = operation.operand(0).ty().address_space() == ADDRESS_SPACES.shared;
        let instruction = if shared || !scopes { Some(None) } else { of_the_system(operation).map(Some) };
        let Some(instruction) = instruction else {
            operation.expand_atomic();
            continue;
        };
        order(operation);
        if let Some((text, constraints)) = instruction {
            let builder = Builder::before(operation);
            let operands = [operation.operand(0), operation.operand(1)];
            operation.replace_all_uses_with(builder.assembly(operation.ty(), &text, &constraints, &operands));
            operation.erase();
        }
    }
}

/// The instruction of the whole system's scope for an operation, and its constraints; none where only a loop does it.
/// LLVM's intrinsics for these forget which memory the address is in.
fn of_the_system(operation: Value<'_>) -> Option<(String, String)> {
    use AtomicOperation::*;
    let (letter, bits, real) = match (operation.ty().kind(), operation.ty().int_width()) {
        (_, Some(32)) => ("r", 32, false),
        (_, Some(64)) => ("l", 64, false),
        (TypeKind::LLVMFloatTypeKind, _) => ("f", 32, true),
        (TypeKind::LLVMDoubleTypeKind, _) => ("d", 64, true),
        _ => return None,
    };
    let name = match operation.atomic_operation() {
        LLVMAtomicRMWBinOpFAdd => "add.f",
        _ if real => return None,
        LLVMAtomicRMWBinOpAdd => "add.u",
        LLVMAtomicRMWBinOpAnd => "and.b",
        LLVMAtomicRMWBinOpOr => "or.b",
        LLVMAtomicRMWBinOpXor => "xor.b",
        LLVMAtomicRMWBinOpXchg => "exch.b",
        LLVMAtomicRMWBinOpMax => "max.s",
        LLVMAtomicRMWBinOpMin => "min.s",
        LLVMAtomicRMWBinOpUMax => "max.u",
        LLVMAtomicRMWBinOpUMin => "min.u",
        _ => return None,
    };
    let global = operation.operand(0).ty().address_space() == ADDRESS_SPACES.global;
    let space = if global { ".global" } else { "" };
    let text = format!("atom.sys{space}.{name}{bits} $0, [$1], $2;");
    Some((text, format!("={letter},l,{letter},~{{memory}}")))
}

/// Puts the fences around an operation that give it its ordering.
fn order(operation: Value<'_>) {
    use Ordering::*;
    let (before, after) = match operation.ordering() {
        LLVMAtomicOrderingAcquire => (None, true),
        LLVMAtomicOrderingRelease => (Some(LLVMAtomicOrderingRelease), false),
        LLVMAtomicOrderingAcquireRelease => (Some(LLVMAtomicOrderingRelease), true),
        LLVMAtomicOrderingSequentiallyConsistent => (Some(LLVMAtomicOrderingSequentiallyConsistent), true),
        _ => (None, false),
    };
    if let Some(ordering) = before {
        let _fence = Builder::before(operation).fence(ordering, "");
    }
    if let Some(next) = operation.next().filter(|_| after) {
        let _fence = Builder::before(next).fence(LLVMAtomicOrderingAcquire, "");
    }
}
