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
//! An access to a local at a constant offset is not checked. Neither is an access to the bytes of a kernel's argument.

use std::collections::HashSet;

use super::places::Places;
use crate::contract::atomic::{AtomicBuiltin, Operation, SCOPES, Scope};
use crate::contract::builtin::{Builtin, BuiltinId, DeviceBuiltin, FenceScope, LaneOperation, SHARED_SECTION};
use crate::contract::checker::{self, SIZES, atomic};
use crate::contract::kernel::{KernelSet, ParameterKind};
use crate::llvm::{Builder, Module, Opcode, Ordering, Value};

/// C functions that access memory: their name, the index of the operand with the size, and for each pointer its index
/// and whether the function writes there.
const MEMORY_FUNCTIONS: [(&str, usize, &[(usize, bool)]); 5] = [
    ("memcpy", 2, &[(1, false), (0, true)]),
    ("memmove", 2, &[(1, false), (0, true)]),
    ("memset", 2, &[(0, true)]),
    ("memcmp", 2, &[(0, false), (1, false)]),
    ("bcmp", 2, &[(0, false), (1, false)]),
];

/// Inserts the calls into all functions.
pub fn check_accesses(module: &Module<'_>, kernels: &KernelSet) {
    checker::mark_instrumented(module);
    let mut instrumented = Instrumented { module, places: Places::new(module), arguments: arguments(module, kernels) };
    for function in module.definitions().collect::<Vec<_>>() {
        for instruction in function.instructions().collect::<Vec<_>>() {
            instrumented.check(instruction);
        }
    }
    for kernel in kernels.functions(module) {
        for end in kernel.instructions().filter(|i| i.is(Opcode::Ret)).collect::<Vec<_>>() {
            let place = instrumented.places.of(end);
            instrumented.insert(end, "exit", &[place]);
        }
    }
}

/// The parameters of kernels that are addresses of their arguments' bytes.
fn arguments<'c>(module: &Module<'c>, kernels: &KernelSet) -> HashSet<Value<'c>> {
    let mut found = HashSet::new();
    for kernel in kernels.iter() {
        let Some(function) = module.function(&kernel.name) else { continue };
        for (index, (parameter, row)) in function.parameters().into_iter().zip(&kernel.parameters).enumerate() {
            if row.kind == ParameterKind::Block || function.byval_type(index as u32).is_some() {
                found.insert(parameter);
            }
        }
    }
    found
}

/// The object that an access leads to, as far as the function tells.
enum Object<'c> {
    /// Memory that no other thread writes, at a known offset.
    Private,
    /// A local or a constant with this address and this size, at an offset that is not known.
    Bounded(Value<'c>, u64),
    /// Any other memory.
    Any,
}

struct Instrumented<'m, 'c> {
    module: &'m Module<'c>,
    places: Places<'m, 'c>,
    arguments: HashSet<Value<'c>>,
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
                self.check_access(instruction, pointer, ty.store_size(self.module), writes);
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

    fn check_access(&mut self, instruction: Value<'c>, pointer: Value<'c>, bytes: u64, writes: bool) {
        let i64 = self.module.types().i64();
        match self.object(pointer) {
            Object::Private => {}
            Object::Bounded(base, size) => {
                let place = self.places.of(instruction);
                let [size, bytes] = [size, bytes].map(|number| i64.constant(number));
                self.insert(instruction, "local", &[pointer, base, size, bytes, place]);
            }
            Object::Any => {
                let place = self.places.of(instruction);
                let verb = if writes { "write" } else { "read" };
                if SIZES.contains(&bytes) {
                    self.insert(instruction, &format!("{verb}{bytes}"), &[pointer, place]);
                } else {
                    self.insert(instruction, &format!("{verb}_range"), &[pointer, i64.constant(bytes), place]);
                }
            }
        }
    }

    /// Checks an access to a number of bytes that is known at run time.
    fn check_range(&mut self, instruction: Value<'c>, pointer: Value<'c>, bytes: Value<'c>, writes: bool) {
        let i64 = self.module.types().i64();
        if let Some(bytes) = bytes.as_u64().filter(|bytes| *bytes > 0) {
            return self.check_access(instruction, pointer, bytes, writes);
        }
        let place = self.places.of(instruction);
        let wide =
            |v: Value<'c>| if v.ty() == i64 { v } else { Builder::before(instruction).cast(Opcode::ZExt, v, i64, "") };
        match self.object(pointer) {
            Object::Private => {}
            Object::Bounded(base, size) => {
                self.insert(instruction, "local", &[pointer, base, i64.constant(size), wide(bytes), place]);
            }
            Object::Any => {
                let name = if writes { "write_range" } else { "read_range" };
                self.insert(instruction, name, &[pointer, wide(bytes), place]);
            }
        }
    }

    fn object(&self, pointer: Value<'c>) -> Object<'c> {
        let (mut base, mut is_known) = (pointer, true);
        loop {
            let opcode = if base.is_instruction() { Some(base.opcode()) } else { base.constant_opcode() };
            match opcode {
                Some(Opcode::GetElementPtr) => {
                    is_known &= base.operands()[1..].iter().all(|index| index.as_u64().is_some());
                    base = base.operand(0);
                }
                Some(Opcode::BitCast | Opcode::AddrSpaceCast) => base = base.operand(0),
                _ => break,
            }
        }
        if self.arguments.contains(&base) {
            return Object::Private;
        }
        let Some(size) = self.private_size(base) else { return Object::Any };
        if is_known { Object::Private } else { Object::Bounded(base, size) }
    }

    /// The size of a local or of a constant.
    fn private_size(&self, base: Value<'c>) -> Option<u64> {
        if base.is_instruction() {
            let count = base.is(Opcode::Alloca).then(|| base.operand(0).as_u64())??;
            return Some(count * base.allocated_type().alloc_size(self.module));
        }
        let is_constant = base.is_global_variable() && base.is_constant_global() && !base.is_declaration();
        let ours = is_constant && base.section() != SHARED_SECTION;
        ours.then(|| base.value_type().alloc_size(self.module))
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
        self.surround(instruction, pointer, bytes, how(kind, ordering, Scope::of(instruction)));
    }

    /// Inserts the calls before and after an atomic access.
    fn surround(&mut self, instruction: Value<'c>, pointer: Value<'c>, bytes: u64, how: u64) {
        let i32 = self.module.types().i32();
        let arguments = [pointer, i32.constant(bytes), i32.constant(how), self.places.of(instruction)];
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
        let plain = name.strip_prefix("llvm.").map_or(name.as_str(), |rest| rest.split('.').next().unwrap_or(rest));
        let Some((_, size, pointers)) = MEMORY_FUNCTIONS.iter().find(|(known, ..)| *known == plain) else { return };
        let arguments = call.arguments();
        for (index, writes) in *pointers {
            self.check_range(call, arguments[*index], arguments[*size], *writes);
        }
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
            _ => {}
        }
    }

    /// Checks an atomic whose ordering is not known yet, as the strongest one.
    fn check_atomic_builtin(&mut self, call: Value<'c>, builtin: AtomicBuiltin) {
        let ordering = Ordering::SequentiallyConsistent;
        let kind = match builtin.operation {
            Operation::Fence => return self.check_fence(call, ordering, Scope::System),
            Operation::Load => atomic::READS,
            Operation::Store => atomic::WRITES,
            Operation::Update(_) | Operation::CompareExchange => atomic::READS | atomic::WRITES,
        };
        let bytes = builtin.value_type(self.module).store_size(self.module);
        self.surround(call, call.arguments()[0], bytes, how(kind, ordering, Scope::System));
    }
}

/// The operand that describes an atomic operation to the checker.
fn how(kind: u64, ordering: Ordering, scope: Scope) -> u64 {
    use Ordering::{Acquire, AcquireRelease, Release, SequentiallyConsistent};
    let acquires = matches!(ordering, Acquire | AcquireRelease | SequentiallyConsistent) && kind & atomic::READS != 0;
    let releases = matches!(ordering, Release | AcquireRelease | SequentiallyConsistent) && kind & atomic::WRITES != 0;
    let scope = SCOPES.iter().position(|known| *known == scope).unwrap_or(0) as u64;
    let bit = |is_set: bool, bit: u64| if is_set { bit } else { 0 };
    kind | bit(acquires, atomic::ACQUIRES) | bit(releases, atomic::RELEASES) | scope << atomic::SCOPE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_acquires_what_it_reads_and_releases_what_it_writes() {
        let strong = Ordering::SequentiallyConsistent;
        assert_eq!(how(atomic::READS, strong, Scope::System), atomic::READS | atomic::ACQUIRES);
        assert_eq!(how(atomic::WRITES, strong, Scope::Block), atomic::WRITES | atomic::RELEASES | 2 << 4);
        assert_eq!(how(3, Ordering::Monotonic, Scope::Device), 3 | 1 << 4);
    }
}
