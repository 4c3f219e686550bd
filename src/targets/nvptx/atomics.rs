//! Implements the ordering and the scope of atomics. LLVM's back end drops the ordering of read-modify-write
//! operations, and before `sm_70` also of compare-and-exchange. PTX gives an instruction without a scope the scope of
//! the device.
//!
//! Compare-and-exchange on later archs, loads and stores keep both. Shared and private memory is invisible to other
//! blocks, so its atomics need no wider scope. Archs before `sm_60` have no scopes: their atomics have the scope of the
//! device, and wider ones are refused.

use super::ADDRESS_SPACES;
use crate::checks::check_support::Refusal;
use crate::contract::atomic::Scope;
use crate::contract::builtin::{DeviceBuiltin, SHARED_SECTION};
use crate::diagnostics::Code;
use crate::llvm::{AtomicOperation, Builder, Function, Module, Opcode, Ordering, TypeKind, Value};

/// The first arch whose atomics have a scope.
const SCOPES: u32 = 60;
/// The first arch whose compare-and-exchange has an ordering.
const ORDERINGS: u32 = 70;

/// LLVM's name of a scope; the narrowest in PTX is the block.
pub(super) fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::System | Scope::Device => scope.neutral(),
        Scope::Block | Scope::Warp | Scope::Thread => "block",
    }
}

/// Whether the atomics of an arch have scopes, so that they can reach the whole system.
pub(super) fn have_scopes(arch: u32) -> bool {
    arch >= SCOPES
}

/// Why an arch cannot execute an access with the scope in the source; none if it can.
pub(super) fn refuse(instruction: Value<'_>) -> Option<Refusal> {
    let changes = matches!(instruction.opcode(), Opcode::AtomicRMW | Opcode::AtomicCmpXchg);
    if !changes || Scope::of(instruction) != Scope::System || is_of_block(instruction.operand(0)) {
        return None;
    }
    let what =
        "changes memory atomically for the whole system, but the atomics of this arch reach one device only".to_owned();
    let help = "if the scope of the device is enough, use `__offload_atomic_add_u32(at, value, ordering, 1)` or another atomic of the contract; otherwise use `sm_60` or a later arch";
    Some(Refusal { code: Code::UnsupportedAtomic, what, help })
}

/// Whether an address is known to be in shared or private memory.
fn is_of_block(pointer: Value<'_>) -> bool {
    let base = pointer.strip_constant_casts();
    if !base.is_instruction() {
        return base.is_global_variable() && base.section() == SHARED_SECTION;
    }
    match base.opcode() {
        Opcode::GetElementPtr | Opcode::AddrSpaceCast => is_of_block(base.operand(0)),
        Opcode::Alloca => true,
        Opcode::Call => base.called_function().is_some_and(|f| f.name() == DeviceBuiltin::DynamicShared.symbol()),
        _ => false,
    }
}

/// Rewrites every read-modify-write operation, and other accesses whose ordering the arch drops.
pub(super) fn strengthen_atomics(module: &Module<'_>, arch: u32) {
    module.functions().into_iter().for_each(|function| strengthen(function, arch));
}

fn strengthen(function: Function<'_>, arch: u32) {
    for operation in function.instructions().filter(|i| i.is(Opcode::AtomicRMW)).collect::<Vec<_>>() {
        let shared = operation.operand(0).ty().address_space() == ADDRESS_SPACES.shared;
        let instruction = if shared || arch < SCOPES { Some(None) } else { scoped(operation).map(Some) };
        let Some(instruction) = instruction else {
            operation.expand_atomic();
            continue;
        };
        order(operation, operation.ordering());
        if let Some((text, constraints)) = instruction {
            let builder = Builder::before(operation);
            let operands = [operation.operand(0), operation.operand(1)];
            operation.replace_all_uses_with(builder.assembly(operation.ty(), &text, &constraints, &operands));
            operation.erase();
        }
    }
    let exchanges = function.instructions().filter(|i| arch < ORDERINGS && i.is(Opcode::AtomicCmpXchg));
    for exchange in exchanges.collect::<Vec<_>>() {
        order(exchange, exchange.exchange_ordering());
        exchange.relax_exchange();
    }
}

/// The PTX instruction of an operation with its scope, and its constraints; none if it needs a loop. LLVM's intrinsics
/// for these instructions lose the address space.
fn scoped(operation: Value<'_>) -> Option<(String, String)> {
    use AtomicOperation::*;
    let (letter, bits, real) = match (operation.ty().kind(), operation.ty().int_width()) {
        (_, Some(32)) => ("r", 32, false),
        (_, Some(64)) => ("l", 64, false),
        (TypeKind::Float, _) => ("f", 32, true),
        (TypeKind::Double, _) => ("d", 64, true),
        _ => return None,
    };
    let name = match operation.atomic_operation() {
        FAdd => "add.f",
        _ if real => return None,
        Add => "add.u",
        And => "and.b",
        Or => "or.b",
        Xor => "xor.b",
        Xchg => "exch.b",
        Max => "max.s",
        Min => "min.s",
        UMax => "max.u",
        UMin => "min.u",
        _ => return None,
    };
    let global = operation.operand(0).ty().address_space() == ADDRESS_SPACES.global;
    let space = if global { ".global" } else { "" };
    let scope = match Scope::of(operation) {
        _ if operation.has_scope(scope(Scope::Block)) => "cta",
        Scope::Device => "gpu",
        _ => "sys",
    };
    let text = format!("atom.{scope}{space}.{name}{bits} $0, [$1], $2;");
    Some((text, format!("={letter},l,{letter},~{{memory}}")))
}

/// Inserts fences around an operation that provide its ordering.
fn order(operation: Value<'_>, ordering: Ordering) {
    use Ordering::*;
    let (before, after) = match ordering {
        Acquire => (None, true),
        Release => (Some(Release), false),
        AcquireRelease => (Some(Release), true),
        SequentiallyConsistent => (Some(SequentiallyConsistent), true),
        _ => (None, false),
    };
    if let Some(ordering) = before {
        Builder::before(operation).fence_like(operation, ordering);
    }
    if let Some(next) = operation.next().filter(|_| after) {
        Builder::before(next).fence_like(operation, Acquire);
    }
}
