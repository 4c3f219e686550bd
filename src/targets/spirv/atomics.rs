//! Atomics and fences. LLVM's back end turns atomic loads and stores into plain ones, and its orderings do not specify
//! the memory that they order. Each access is therefore a relaxed one of an integer, between barriers that specify the
//! memory.

use super::calls::{CROSS_DEVICE, DEVICE, Effect, MEMORY, WORKGROUP, call, memory_barrier};
use crate::contract::atomic::Scope;
use crate::llvm::{AtomicOperation, Builder, Function, Module, Opcode, Ordering, Type, Value};

/// Bits of `MemorySemantics`.
const ACQUIRE: u64 = 0x2;
const RELEASE: u64 = 0x4;
const SEQUENTIAL: u64 = 0x10;

/// The size of the narrowest atomic access in SPIR-V, in bytes.
const WORD_BYTES: u64 = 4;

/// Rewrites every atomic instruction and fence of a function.
pub(super) fn order_with_barriers<'c>(module: &Module<'c>, function: Function<'c>) {
    let narrow = |i: &Value<'c>| accessed(*i).is_some_and(|ty| ty.store_size(module) < WORD_BYTES);
    function.instructions().filter(narrow).collect::<Vec<_>>().into_iter().for_each(Value::widen_atomic);
    let operations: Vec<_> = function.instructions().filter(|i| i.is(Opcode::AtomicRMW)).collect();
    operations.into_iter().filter(|i| !is_native(*i)).for_each(Value::expand_atomic);
    for instruction in function.instructions().collect::<Vec<_>>() {
        match instruction.opcode() {
            Opcode::Fence => lower_fence(module, instruction),
            Opcode::Load if instruction.is_atomic() => lower_load(module, instruction),
            Opcode::Store if instruction.is_atomic() => lower_store(module, instruction),
            Opcode::AtomicRMW => lower_operation(module, instruction),
            Opcode::AtomicCmpXchg => lower_exchange(module, instruction),
            _ => {}
        }
    }
}

/// The type of an atomic access.
fn accessed(instruction: Value<'_>) -> Option<Type<'_>> {
    match instruction.opcode() {
        Opcode::Load if instruction.is_atomic() => Some(instruction.ty()),
        Opcode::Store if instruction.is_atomic() => Some(instruction.operand(0).ty()),
        Opcode::AtomicRMW | Opcode::AtomicCmpXchg => Some(instruction.operand(1).ty()),
        _ => None,
    }
}

/// Whether SPIR-V has an instruction for an operation. An exchange of any type is an exchange of bits.
fn is_native(operation: Value<'_>) -> bool {
    use AtomicOperation::*;
    match operation.atomic_operation() {
        Xchg => true,
        Add | Sub | And | Or | Xor | Max | Min | UMax | UMin => operation.ty().int_width().is_some(),
        _ => false,
    }
}

/// The barriers before and after an access with this ordering, as `MemorySemantics`.
fn barriers(ordering: Ordering) -> (Option<u64>, Option<u64>) {
    match ordering {
        Ordering::Acquire => (None, Some(ACQUIRE)),
        Ordering::Release => (Some(RELEASE), None),
        Ordering::AcquireRelease => (Some(RELEASE), Some(ACQUIRE)),
        Ordering::SequentiallyConsistent => (Some(SEQUENTIAL), Some(SEQUENTIAL)),
        _ => (None, None),
    }
}

/// The `Scope` of an access or a fence.
fn scope(instruction: Value<'_>) -> u64 {
    match Scope::of(instruction) {
        Scope::System => CROSS_DEVICE,
        Scope::Device => DEVICE,
        // The target has no narrower scope.
        Scope::Block | Scope::Warp | Scope::Thread => WORKGROUP,
    }
}

fn order<'c>(module: &Module<'c>, access: Value<'c>, ordering: Ordering) {
    let (before, after) = barriers(ordering);
    if let Some(semantics) = before {
        memory_barrier(module, &Builder::before(access), scope(access), semantics | MEMORY);
    }
    if let (Some(semantics), Some(next)) = (after, access.next()) {
        memory_barrier(module, &Builder::before(next), scope(access), semantics | MEMORY);
    }
}

fn lower_fence<'c>(module: &Module<'c>, fence: Value<'c>) {
    let semantics = match barriers(fence.ordering()) {
        (Some(SEQUENTIAL), _) => SEQUENTIAL,
        (before, after) => before.unwrap_or(0) | after.unwrap_or(0),
    };
    // There is a separate bit for acquire and release together.
    let semantics = if semantics == ACQUIRE | RELEASE { 0x8 } else { semantics };
    memory_barrier(module, &Builder::before(fence), scope(fence), semantics | MEMORY);
    fence.erase();
}

/// The integer type with the size of a value.
fn word<'c>(module: &Module<'c>, ty: Type<'c>) -> Type<'c> {
    ty.types().int(8 * ty.store_size(module) as u32)
}

/// The bits of a value as another type with the same size.
fn reinterpret<'c>(builder: &Builder<'c>, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
    let opcode = match (value.ty().is_pointer(), ty.is_pointer()) {
        _ if value.ty() == ty => return value,
        (true, _) => Opcode::PtrToInt,
        (_, true) => Opcode::IntToPtr,
        _ => Opcode::BitCast,
    };
    builder.cast(opcode, value, ty, "")
}

/// The mangled names of a pointer to an address space, and of an integer type.
fn mangled(pointer: Value<'_>, word: Type<'_>, constant: &str) -> (String, &'static str) {
    let word = if word.int_width() == Some(64) { "m" } else { "j" };
    let pointer = match pointer.ty().address_space() {
        0 => format!("P{constant}{word}"),
        space => format!("PU3AS{space}{constant}{word}"),
    };
    (pointer, word)
}

/// `OpAtomicLoad`
fn lower_load<'c>(module: &Module<'c>, load: Value<'c>) {
    order(module, load, load.ordering());
    let (builder, ty) = (Builder::before(load), word(module, load.ty()));
    let (pointer, _) = mangled(load.operand(0), ty, "K");
    let [scope, semantics] = [scope(load), 0].map(|n| ty.types().i32().constant(n));
    let name = format!("_Z18__spirv_AtomicLoad{pointer}ii");
    let value = call(module, &builder, (&name, Effect::Memory), ty, &[load.operand(0), scope, semantics]);
    load.replace_all_uses_with(reinterpret(&builder, value, load.ty()));
    load.erase();
}

/// `OpAtomicStore`
fn lower_store<'c>(module: &Module<'c>, store: Value<'c>) {
    order(module, store, store.ordering());
    let (builder, ty) = (Builder::before(store), word(module, store.operand(0).ty()));
    let (pointer, letter) = mangled(store.operand(1), ty, "");
    let value = reinterpret(&builder, store.operand(0), ty);
    let [scope, semantics] = [scope(store), 0].map(|n| ty.types().i32().constant(n));
    let name = format!("_Z19__spirv_AtomicStore{pointer}ii{letter}");
    let arguments = [store.operand(1), scope, semantics, value];
    call(module, &builder, (&name, Effect::Memory), module.types().void(), &arguments);
    store.erase();
}

fn lower_operation<'c>(module: &Module<'c>, operation: Value<'c>) {
    order(module, operation, operation.ordering());
    let builder = Builder::before(operation);
    let value = reinterpret(&builder, operation.operand(1), word(module, operation.ty()));
    let result = operation.relaxed_operation(value);
    operation.replace_all_uses_with(reinterpret(&builder, result, operation.ty()));
    operation.erase();
}

fn lower_exchange<'c>(module: &Module<'c>, exchange: Value<'c>) {
    order(module, exchange, exchange.exchange_ordering());
    let builder = Builder::before(exchange);
    let ty = exchange.operand(1).ty();
    let [expected, new] = [1, 2].map(|i| reinterpret(&builder, exchange.operand(i), word(module, ty)));
    let result = exchange.relaxed_exchange(expected, new);
    let found = reinterpret(&builder, builder.extract_value(result, 0, ""), ty);
    let exchanged = builder.extract_value(result, 1, "");
    for user in exchange.users().into_iter().filter(|u| u.is(Opcode::ExtractValue)) {
        user.replace_all_uses_with(if user.aggregate_indices() == [0] { found } else { exchanged });
        user.erase();
    }
    if exchange.is_used() {
        let half = builder.insert_value(exchange.ty().poison(), found, 0, "");
        exchange.replace_all_uses_with(builder.insert_value(half, exchanged, 1, ""));
    }
    exchange.erase();
}
