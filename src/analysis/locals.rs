//! Local variables of a thread in one function: which pointers lead to which alloca, and which loads and calls access
//! it.
//!
//! Pointers are followed through offsets, casts, phis and selects, with the bytes that they add to the address of the
//! alloca, so that the fields of a struct are separate. An alloca whose address is used in any other way has *escaped*:
//! it may be accessed through a pointer from memory or from a call. A kernel's argument in memory that the kernel may
//! change is a local, too, because each thread has its own copy. Other parameters of a kernel and statics never lead to
//! a local. A callee is assumed not to store the address of a local in a static.

use std::collections::{HashMap, HashSet};

use super::gep_offset::gep_offset;
use super::own_addresses::OwnAddresses;
use super::points_to::Offset;
use crate::contract::kernel::OWN_COPY;
use crate::llvm::{Function, Module, Opcode, Place, Value};

/// Bytes of an alloca.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bytes {
    /// Where they begin.
    offset: Offset,
    /// How many there are.
    width: u64,
}

impl Bytes {
    /// All bytes of an alloca.
    pub const ALL: Bytes = Bytes { offset: Offset::ANY, width: u64::MAX };

    /// Whether these and others may have one in common.
    pub fn overlap(self, other: Self) -> bool {
        self.offset.overlaps(self.width, other.offset, other.width)
    }

    /// Where these bytes are after a copy of the bytes `from` to the bytes `to`.
    pub(super) fn copied(self, from: Self, to: Self) -> Self {
        if self.offset.is_exact() && from.offset.is_exact() {
            let offset = to.offset.plus(self.offset).plus(from.offset.negated());
            return Bytes { offset, width: self.width };
        }
        to
    }
}

/// The uses of a function's allocas.
#[derive(Default)]
pub struct Locals<'c> {
    /// The allocas a pointer may lead to.
    roots: HashMap<Value<'c>, Vec<Value<'c>>>,
    /// Loads and copies through a pointer to an alloca, with the bytes that they read.
    pub loads: HashMap<Value<'c>, Vec<(Value<'c>, Bytes)>>,
    /// The allocas that a store, an atomic or a copy may write to, with the bytes that it writes.
    pub writes: HashMap<Value<'c>, Vec<(Value<'c>, Bytes)>>,
    /// Other calls that receive a pointer to an alloca.
    pub calls: HashMap<Value<'c>, Vec<Value<'c>>>,
    /// Allocas whose address is in memory, or was passed to a call.
    pub escaped: HashSet<Value<'c>>,
    /// Whether the address of an alloca is in memory other than an alloca.
    pub published: bool,
    /// Possible reads of an escaped alloca: loads and copies through pointers of unknown origin, and calls that receive
    /// pointers.
    pub unknown_readers: Vec<Value<'c>>,
    /// Which values may contain the address of a local.
    pub addresses: OwnAddresses<'c>,
}

impl<'c> Locals<'c> {
    /// Analyses a function with a body.
    pub fn of(module: &Module<'c>, function: Function<'c>) -> Self {
        let mut locals = Locals::default();
        let allocas = function.instructions().filter(|i| i.is(Opcode::Alloca));
        let copies = function.parameters().into_iter().filter(|parameter| is_own_copy(*parameter));
        let pointers: Vec<_> = allocas.chain(copies).flat_map(|local| locals.follow(module, local)).collect();
        locals.addresses = OwnAddresses::of(function, &locals, pointers);
        for instruction in function.instructions() {
            match instruction.opcode() {
                Opcode::Load if is_unknown(instruction.operand(0)) => locals.unknown_readers.push(instruction),
                Opcode::Call if locals.may_read_unknown(instruction) => locals.unknown_readers.push(instruction),
                Opcode::Store if locals.leads_to_local(instruction.operand(0)) => {
                    locals.published |= !is_local(instruction.operand(1));
                }
                _ => {}
            }
        }
        locals.published |= locals.addresses.are_published();
        locals
    }

    /// Whether a call may read memory through a pointer that may lead to an escaped alloca.
    fn may_read_unknown(&self, call: Value<'c>) -> bool {
        let arguments = call.arguments();
        if is_copy(call) {
            return is_unknown(arguments[1]) && arguments[1].ty().is_pointer();
        }
        if call.called_intrinsic().is_some_and(reads_nothing) {
            return false;
        }
        let is_own = |argument: &Value<'c>| argument.ty().is_pointer() && !is_unknown(*argument);
        let may_lead = |argument: &Value<'c>| !is_intrinsic(call) || !is_own(argument);
        arguments.iter().any(|argument| self.may_hold_address(*argument) && may_lead(argument))
    }

    /// Whether a value may have a whole address of a local in it: as a pointer, or as a number.
    pub fn may_hold_address(&self, value: Value<'c>) -> bool {
        holds_pointer(&value) || (is_wide(value) && self.addresses.contains(value))
    }

    /// The allocas that a pointer may lead to.
    pub fn roots(&self, pointer: Value<'c>) -> Vec<Value<'c>> {
        self.roots.get(&pointer).cloned().unwrap_or_default()
    }

    fn leads_to_local(&self, value: Value<'c>) -> bool {
        self.roots.contains_key(&value)
    }

    /// Finds every pointer that is derived from an alloca, and its uses. Returns these pointers.
    fn follow(&mut self, module: &Module<'c>, alloca: Value<'c>) -> Vec<Value<'c>> {
        let derived = derived(module, alloca);
        for (pointer, offset) in derived.iter().copied() {
            self.roots.entry(pointer).or_default().push(alloca);
            let bytes = |value: Value<'c>| Bytes { offset, width: value.ty().store_size(module) };
            for user in pointer.users() {
                match user.opcode() {
                    Opcode::Load => self.loads.entry(alloca).or_default().push((user, bytes(user))),
                    Opcode::Store | Opcode::AtomicRMW | Opcode::AtomicCmpXchg => {
                        self.follow_write(alloca, pointer, user, bytes);
                    }
                    Opcode::ICmp => {}
                    Opcode::Call if is_copy(user) => self.follow_copy(alloca, (pointer, offset), user),
                    _ if is_derived(user) => {}
                    Opcode::Call => {
                        self.calls.entry(alloca).or_default().push(user);
                        if links(user) {
                            self.escaped.insert(alloca);
                        }
                    }
                    _ => {
                        self.escaped.insert(alloca);
                    }
                }
            }
        }
        derived.into_iter().map(|(pointer, _)| pointer).collect()
    }

    /// Looks at a call that copies or sets memory, with a pointer to an alloca among its arguments.
    fn follow_copy(&mut self, alloca: Value<'c>, (pointer, offset): (Value<'c>, Offset), copy: Value<'c>) {
        let arguments = copy.arguments();
        let bytes = Bytes { offset, width: arguments[2].as_u64().unwrap_or(u64::MAX) };
        if arguments[0] == pointer {
            self.writes.entry(copy).or_default().push((alloca, bytes));
        }
        if arguments[1] == pointer {
            self.loads.entry(alloca).or_default().push((copy, bytes));
        }
    }

    /// Looks at a store or an atomic with a pointer to an alloca, as its address or as its value.
    fn follow_write(
        &mut self,
        alloca: Value<'c>,
        pointer: Value<'c>,
        write: Value<'c>,
        bytes: impl Fn(Value<'c>) -> Bytes,
    ) {
        let (address, value) = if write.is(Opcode::Store) { (1, 0) } else { (0, 1) };
        if write.operand(address) == pointer {
            self.writes.entry(write).or_default().push((alloca, bytes(write.operand(value))));
        }
        if !write.is(Opcode::Store) || write.operand(value) == pointer {
            self.escaped.insert(alloca);
        }
    }
}

/// Whether a call is an intrinsic that copies or sets memory. It writes only through its first argument, and reads only
/// through its second.
pub fn is_copy(call: Value<'_>) -> bool {
    let copies =
        |name: String| ["llvm.memcpy.", "llvm.memmove.", "llvm.memset."].iter().any(|copy| name.starts_with(copy));
    call.called_intrinsic().is_some_and(|callee| copies(callee.name()))
}

/// The pointers that are derived from an alloca, in the order in which they are found, with the bytes that they add.
fn derived<'c>(module: &Module<'c>, alloca: Value<'c>) -> Vec<(Value<'c>, Offset)> {
    let mut found = vec![(alloca, Offset::exact(0))];
    let mut place = HashMap::from([(alloca, 0)]);
    let mut work = vec![0];
    while let Some(at) = work.pop() {
        let (pointer, offset) = found[at];
        for user in pointer.users().into_iter().filter(|user| is_derived(*user)) {
            let by = if user.is(Opcode::GetElementPtr) { gep_offset(module, user) } else { Offset::exact(0) };
            let next = offset.plus(by);
            let known = place.get(&user).copied();
            match known {
                None => {
                    place.insert(user, found.len());
                    work.push(found.len());
                    found.push((user, next));
                }
                // Another path to a phi or a select. Each join divides the stride, so this ends.
                Some(known) if found[known].1.join(next) != found[known].1 => {
                    found[known].1 = found[known].1.join(next);
                    work.push(known);
                }
                Some(_) => {}
            }
        }
    }
    found
}

/// Whether the result of an instruction is a pointer that is derived from its operand.
fn is_derived(user: Value<'_>) -> bool {
    use Opcode::{AddrSpaceCast, BitCast, Freeze, GetElementPtr, Phi, Select};
    matches!(user.opcode(), GetElementPtr | BitCast | AddrSpaceCast | Phi | Select | Freeze) && user.ty().is_pointer()
}

fn reads_nothing(intrinsic: Function<'_>) -> bool {
    // The value 0 of memory(...) is none.
    intrinsic.attribute_value(Place::Function, "memory") == Some(0)
}

/// Whether a call may store a pointer argument where another one leads, or return it: it has two pointers, or its
/// result may be an address.
pub(super) fn links(call: Value<'_>) -> bool {
    let pointers = call.arguments().iter().filter(|a| holds_pointer(a)).count();
    may_be_address(&call) || (!is_intrinsic(call) && pointers > 1)
}

/// Whether a call is one of an intrinsic.
pub(super) fn is_intrinsic(call: Value<'_>) -> bool {
    call.called_intrinsic().is_some()
}

/// Whether a value is a pointer, or has one among its parts.
pub(super) fn holds_pointer(value: &Value<'_>) -> bool {
    let (mut work, mut found) = (vec![value.ty()], false);
    while let Some(ty) = work.pop() {
        found |= ty.is_pointer();
        work.extend(ty.parts());
    }
    found
}

/// Whether an address fits into a value.
pub(super) fn is_wide(value: Value<'_>) -> bool {
    value.ty().int_width().is_none_or(|width| width >= 64)
}

/// Whether a value is a pointer, has one among its parts, or is as wide as a struct with one. rustc passes small
/// structs as such numbers.
pub(super) fn may_be_address(value: &Value<'_>) -> bool {
    holds_pointer(value) || value.ty().int_width().is_some_and(|width| width > 64)
}

/// Whether a parameter is an argument of a kernel in memory that the kernel may change: each thread has its own copy.
pub fn is_own_copy(parameter: Value<'_>) -> bool {
    let function = parameter.function();
    let index = function.parameters().iter().position(|p| *p == parameter).unwrap_or(0) as u32;
    let is_copy =
        function.byval_type(index).is_some() || function.text_attribute(Place::Parameter(index), OWN_COPY).is_some();
    is_copy && !is_only_read(parameter)
}

/// Whether memory is only read through a pointer, which no one else gets.
fn is_only_read(pointer: Value<'_>) -> bool {
    let (mut work, mut seen) = (vec![pointer], HashSet::from([pointer]));
    while let Some(pointer) = work.pop() {
        for user in pointer.users() {
            let is_source = || is_copy(user) && user.arguments()[0] != pointer;
            match user.opcode() {
                Opcode::Load | Opcode::ICmp => {}
                _ if is_derived(user) => work.extend(seen.insert(user).then_some(user)),
                Opcode::Call if is_source() || user.is_lifetime_marker() => {}
                _ => return false,
            }
        }
    }
    true
}

/// Whether a pointer may come from memory or a call, and therefore lead to an escaped alloca.
pub fn is_unknown(pointer: Value<'_>) -> bool {
    let base = base(pointer);
    !(base.is_constant() || base.is_argument() || base.is(Opcode::Alloca))
}

/// Whether a pointer leads to a local, and to nothing else.
pub fn is_local(pointer: Value<'_>) -> bool {
    let base = base(pointer);
    base.is(Opcode::Alloca) || (base.is_argument() && is_own_copy(base))
}

/// The pointer without offsets and casts.
pub fn base(pointer: Value<'_>) -> Value<'_> {
    let mut value = pointer;
    while value.is_instruction()
        && matches!(value.opcode(), Opcode::GetElementPtr | Opcode::BitCast | Opcode::AddrSpaceCast)
    {
        value = value.operand(0);
    }
    value
}
