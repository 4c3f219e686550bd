//! Inserts the calls of the checker into a module: before each access to memory that another thread may access, before
//! each barrier and each operation of a warp, at fences, and where a kernel ends.
//!
//! ```c
//! offloadrt_check_write4(p, &place);        // before `*p = value`
//! offloadrt_check_local(p, array, 64, 4, &place); // before an access to a local array or a constant
//! offloadrt_check_atomic(p, 4, how, &place); // before an atomic access
//! offloadrt_check_atomic_done(p, 4, how, &place); // after it
//! ```
//!
//! An access to a local at a constant offset, or to the bytes of a kernel's argument, is not checked.

pub(super) mod places;
mod returns;

use crate::analysis::objects::{Object, Objects};
use crate::contract::atomic::{AtomicBuiltin, Operation, SCOPES, Scope, number_of_ordering};
use crate::contract::builtin::{Builtin, BuiltinId, DeviceBuiltin, FenceScope, LaneOperation, Participants};
use crate::contract::checker::{self, SIZES, atomic};
use crate::contract::kernel::KernelSet;
use crate::llvm::{Builder, Module, Opcode, Ordering, Place, Value};
use crate::rust_std::allocator::allocator_name;
use places::Places;
use returns::Returns;

/// A C function that accesses memory: its name, the index of the operand with the size, and for each pointer its index
/// and whether the function writes there.
type MemoryFunction = (&'static str, usize, &'static [(usize, bool)]);

const MEMORY_FUNCTIONS: [MemoryFunction; 5] = [
    ("memcpy", 2, &[(1, false), (0, true)]),
    ("memmove", 2, &[(1, false), (0, true)]),
    ("memset", 2, &[(0, true)]),
    ("memcmp", 2, &[(0, false), (1, false)]),
    ("bcmp", 2, &[(0, false), (1, false)]),
];

/// Inserts the calls into all functions.
pub fn check_accesses(module: &Module<'_>, kernels: &KernelSet) {
    checker::mark_instrumented(module);
    let mut instrumented =
        Instrumented { module, places: Places::new(module, kernels), objects: Objects::new(module, kernels) };
    for function in module.definitions().collect::<Vec<_>>() {
        for instruction in function.instructions().collect::<Vec<_>>() {
            instrumented.check(instruction);
        }
    }
    for kernel in kernels.functions(module) {
        for end in kernel.instructions().filter(|i| i.is(Opcode::Ret)).collect::<Vec<_>>() {
            let place = Returns::new(&mut instrumented.places, kernel, end).of(end.block(), Some(end));
            instrumented.insert(end, "exit", &[place]);
        }
    }
}

struct Instrumented<'m, 'c> {
    module: &'m Module<'c>,
    places: Places<'m, 'c>,
    objects: Objects<'m, 'c>,
}

impl<'c> Instrumented<'_, 'c> {
    fn check(&mut self, instruction: Value<'c>) {
        match instruction.opcode() {
            Opcode::Load | Opcode::Store if !instruction.is_atomic() => {
                let writes = instruction.is(Opcode::Store);
                let (ty, pointer) = match writes {
                    true => (instruction.operand(0).ty(), instruction.operand(1)),
                    false => (instruction.ty(), instruction.operand(0)),
                };
                let align = instruction.alignment().into();
                self.check_access(instruction, pointer, (ty.store_size(self.module), align), writes);
            }
            Opcode::Load | Opcode::Store | Opcode::AtomicRMW | Opcode::AtomicCmpXchg => self.check_atomic(instruction),
            Opcode::Fence if !instruction.is_compiler_fence() => {
                self.check_fence(instruction, instruction.ordering(), Scope::of(instruction));
            }
            Opcode::Call => self.check_call(instruction),
            _ => {}
        }
    }

    /// Inserts a call before an instruction.
    fn insert(&self, before: Value<'c>, name: &str, arguments: &[Value<'c>]) {
        Builder::before(before).call(checker::function(self.module, name), arguments, "");
    }

    fn check_access(&mut self, instruction: Value<'c>, pointer: Value<'c>, (bytes, align): (u64, u64), writes: bool) {
        let i64 = self.module.types().i64();
        match self.objects.of(pointer) {
            Object::Private => {}
            Object::Bounded(base, size) => {
                let place = self.places.of(instruction);
                let [size, bytes] = [size, bytes].map(|number| i64.constant(number));
                self.insert(instruction, "local", &[pointer, base, size, bytes, place]);
            }
            Object::Any => {
                let place = self.places.of(instruction);
                let verb = if writes { "write" } else { "read" };
                if SIZES.contains(&bytes) && align == bytes {
                    self.insert(instruction, &format!("{verb}{bytes}"), &[pointer, place]);
                } else {
                    let [bytes, align] = [bytes, align].map(|number| i64.constant(number));
                    self.insert(instruction, &format!("{verb}_range"), &[pointer, bytes, align, place]);
                }
            }
        }
    }

    /// Checks an access to a number of bytes that is known at run time.
    fn check_range(
        &mut self,
        instruction: Value<'c>,
        pointer: Value<'c>,
        (bytes, align): (Value<'c>, u64),
        writes: bool,
    ) {
        let i64 = self.module.types().i64();
        if let Some(bytes) = bytes.as_u64() {
            return self.check_access(instruction, pointer, (bytes, align), writes);
        }
        let place = self.places.of(instruction);
        let wide =
            |v: Value<'c>| if v.ty() == i64 { v } else { Builder::before(instruction).cast(Opcode::ZExt, v, i64, "") };
        match self.objects.of(pointer) {
            Object::Private => {}
            Object::Bounded(base, size) => {
                self.insert(instruction, "local", &[pointer, base, i64.constant(size), wide(bytes), place]);
            }
            Object::Any => {
                let name = if writes { "write_range" } else { "read_range" };
                self.insert(instruction, name, &[pointer, wide(bytes), i64.constant(align), place]);
            }
        }
    }

    fn check_atomic(&mut self, instruction: Value<'c>) {
        use atomic::{READS, WRITES};
        let (pointer, ty, ordering, kind) = match instruction.opcode() {
            Opcode::Load => (instruction.operand(0), instruction.ty(), instruction.ordering(), READS),
            Opcode::Store => (instruction.operand(1), instruction.operand(0).ty(), instruction.ordering(), WRITES),
            Opcode::AtomicRMW => {
                (instruction.operand(0), instruction.operand(1).ty(), instruction.ordering(), READS | WRITES)
            }
            _ => (instruction.operand(0), instruction.operand(1).ty(), instruction.exchange_ordering(), READS | WRITES),
        };
        let bytes = ty.store_size(self.module);
        let how = self.module.types().i32().constant(how(kind, ordering, Scope::of(instruction)));
        self.surround(instruction, pointer, bytes, how);
    }

    /// Inserts the calls before and after an atomic access.
    fn surround(&mut self, instruction: Value<'c>, pointer: Value<'c>, bytes: u64, how: Value<'c>) {
        let arguments = [pointer, how.ty().constant(bytes), how, self.places.of(instruction)];
        self.insert(instruction, "atomic", &arguments);
        if let Some(next) = instruction.next() {
            let builder = Builder::before(next);
            builder.locate_as(instruction);
            builder.call(checker::function(self.module, "atomic_done"), &arguments, "");
        }
    }

    fn check_fence(&self, instruction: Value<'c>, ordering: Ordering, scope: Scope) {
        let how = how(atomic::READS | atomic::WRITES, ordering, scope);
        self.insert(instruction, "fence", &[self.module.types().i32().constant(how)]);
    }

    fn check_call(&mut self, call: Value<'c>) {
        let Some(callee) = call.called_function() else { return };
        let name = callee.name();
        if let Some(builtin) = Builtin::named(&name) {
            return self.check_builtin(call, builtin);
        }
        if let Some(builtin) = AtomicBuiltin::named(&name) {
            return self.check_atomic_builtin(call, builtin);
        }
        if let Some(name) = allocator_name(&name) {
            return self.check_allocator(call, name);
        }
        let plain = name.strip_prefix("llvm.").map_or(name.as_str(), |rest| rest.split('.').next().unwrap_or(rest));
        let Some((_, size, pointers)) = MEMORY_FUNCTIONS.iter().find(|(known, ..)| *known == plain) else { return };
        let arguments = call.arguments();
        for (index, writes) in *pointers {
            let align = call.attribute_value(Place::Parameter(*index as u32), "align").unwrap_or(1);
            self.check_range(call, arguments[*index], (arguments[*size], align), *writes);
        }
    }

    /// Announces memory of the launch's heap.
    fn check_allocator(&mut self, call: Value<'c>, name: &str) {
        let (i32, arguments) = (self.module.types().i32(), call.arguments());
        if let "__rust_dealloc" | "__rust_realloc" = name {
            let place = self.places.of(call);
            self.insert(call, "freed", &[arguments[0], arguments[1], place]);
        }
        let (size, is_written) = match name {
            "__rust_alloc" => (arguments[0], 0),
            "__rust_alloc_zeroed" => (arguments[0], 1),
            "__rust_realloc" => (arguments[3], 1),
            _ => return,
        };
        let Some(next) = call.next() else { return };
        let builder = Builder::before(next);
        builder.locate_as(call);
        builder.call(checker::function(self.module, "allocated"), &[call, size, i32.constant(is_written)], "");
    }

    fn check_builtin(&mut self, call: Value<'c>, builtin: &Builtin) {
        match builtin.id {
            BuiltinId::Device(DeviceBuiltin::SyncThreads) => {
                let place = self.places.of(call);
                self.insert(call, "barrier", &[place]);
            }
            BuiltinId::Device(DeviceBuiltin::Fence(scope)) => {
                let scope = match scope {
                    FenceScope::Block => Scope::Block,
                    FenceScope::Device => Scope::Device,
                    FenceScope::System => Scope::System,
                };
                self.check_fence(call, Ordering::SequentiallyConsistent, scope);
            }
            // The other operations of a warp do not order accesses to memory.
            BuiltinId::Device(DeviceBuiltin::Lanes(LaneOperation::SyncWarp)) => {
                let arguments = [call.arguments()[0], self.places.of(call)];
                self.insert(call, "warp", &arguments);
            }
            BuiltinId::Device(DeviceBuiltin::Lanes(LaneOperation::Shuffle(mode, Participants::Active))) => {
                let mode = self.module.types().i32().constant(mode as u64);
                let arguments = [mode, call.arguments()[1], self.places.of(call)];
                self.insert(call, "shuffle", &arguments);
            }
            _ => {}
        }
    }

    /// Checks an atomic of the contract whose ordering is not known before the optimiser has run.
    fn check_atomic_builtin(&mut self, call: Value<'c>, builtin: AtomicBuiltin) {
        let kind = match builtin.operation {
            Operation::Load => atomic::READS,
            Operation::Store => atomic::WRITES,
            Operation::Fence | Operation::Update(_) | Operation::CompareExchange => atomic::READS | atomic::WRITES,
        };
        let arguments = call.arguments();
        let (ordering, scope) = (arguments[builtin.values()], arguments[arguments.len() - 1]);
        let builder = Builder::before(call);
        let shifted = |value: Value<'c>, by| builder.binary(Opcode::Shl, value, value.ty().constant(by), "");
        let parts = [shifted(scope, atomic::SCOPE), shifted(ordering, atomic::ORDERING)];
        let how =
            parts.into_iter().fold(ordering.ty().constant(kind), |how, part| builder.binary(Opcode::Or, how, part, ""));
        if builtin.operation == Operation::Fence {
            return self.insert(call, "fence", &[how]);
        }
        let bytes = builtin.value_type(self.module).store_size(self.module);
        self.surround(call, arguments[0], bytes, how);
    }
}

/// The operand that describes an atomic operation to the checker.
fn how(kind: u64, ordering: Ordering, scope: Scope) -> u64 {
    let scope = SCOPES.iter().position(|known| *known == scope).unwrap_or(0) as u64;
    kind | scope << atomic::SCOPE | number_of_ordering(ordering) << atomic::ORDERING
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_described_by_numbers() {
        assert_eq!(how(atomic::READS, Ordering::SequentiallyConsistent, Scope::System), 1 | 5 << 8);
        assert_eq!(how(atomic::WRITES, Ordering::Release, Scope::Block), 2 | 2 << 4 | 3 << 8);
        assert_eq!(how(3, Ordering::Monotonic, Scope::Device), 3 | 1 << 4);
    }
}
