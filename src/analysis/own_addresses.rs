//! Which values of a function may contain the address of a thread's local: as a pointer, as a number, or as a part of
//! either.
//!
//! Two threads with such an address have different places, although the analysis of divergence calls the pointer
//! uniform if it leads to the same local in each thread. Addresses are followed through operations, through the bytes
//! of locals where they are stored and copied, and through calls. Memory that is reached through a pointer from memory
//! is assumed to be read as it was written: as a pointer, or in a number that is wider than one.

use std::collections::{HashMap, HashSet};

use super::locals::{
    Bytes, Locals, holds_pointer, is_copy, is_intrinsic, is_local, is_unknown, is_wide, links, may_be_address,
};
use crate::llvm::{Function, Linkage, Opcode, Value};

/// A local with more stores of addresses than this is full of addresses, so that the analysis ends.
const MAX_BYTES: usize = 64;

/// The values of a function that may contain such an address.
#[derive(Default)]
pub struct OwnAddresses<'c> {
    values: HashSet<Value<'c>>,
    /// The bytes of each local where an address may be.
    held: HashMap<Value<'c>, HashSet<Bytes>>,
    /// The locals where only a pointer, or a number that is wider than one, may be an address.
    filled: HashSet<Value<'c>>,
    /// Whether an address may be in memory that is no local, or in an escaped local.
    published: bool,
}

impl<'c> OwnAddresses<'c> {
    /// Follows `pointers`, which lead to locals. A parameter of a function that is no kernel may lead to a local of a
    /// caller.
    pub(super) fn of(function: Function<'c>, locals: &Locals<'c>, pointers: Vec<Value<'c>>) -> Self {
        let is_kernel = function.linkage() == Linkage::External;
        let parameters = function.parameters().into_iter().filter(|p| !is_kernel && holds_pointer(p));
        let mut flow = Flow { found: OwnAddresses::default(), function, locals, work: Vec::new() };
        pointers.into_iter().chain(parameters).for_each(|pointer| flow.add(pointer));
        while let Some(value) = flow.work.pop() {
            value.users().into_iter().for_each(|user| flow.follow(value, user));
        }
        flow.found
    }

    /// Whether a value may contain such an address.
    pub fn contains(&self, value: Value<'c>) -> bool {
        self.values.contains(&value)
    }

    /// Whether an address may be in memory that is no local, or in an escaped local.
    pub fn are_published(&self) -> bool {
        self.published
    }

    /// Whether there may be addresses in a local.
    pub fn are_in(&self, local: Value<'c>) -> bool {
        self.held.contains_key(&local)
    }
}

struct Flow<'a, 'c> {
    found: OwnAddresses<'c>,
    function: Function<'c>,
    locals: &'a Locals<'c>,
    work: Vec<Value<'c>>,
}

impl<'c> Flow<'_, 'c> {
    fn add(&mut self, value: Value<'c>) {
        if self.found.values.insert(value) {
            self.work.push(value);
        }
    }

    /// Looks at an instruction with an address among its operands.
    fn follow(&mut self, value: Value<'c>, user: Value<'c>) {
        match user.opcode() {
            Opcode::Store if user.operand(0) != value => {}
            Opcode::Store => self.keep(value, user, user.operand(1)),
            Opcode::AtomicRMW | Opcode::AtomicCmpXchg if user.operands().iter().skip(1).all(|o| *o != value) => {}
            Opcode::AtomicRMW | Opcode::AtomicCmpXchg => self.keep(value, user, user.operand(0)),
            Opcode::Load | Opcode::ICmp | Opcode::FCmp => {}
            Opcode::Sub if is_distance(user) => {}
            Opcode::ExtractValue | Opcode::ExtractElement if holds_pointer(&value) && !holds_pointer(&user) => {}
            Opcode::Call if is_copy(user) => {}
            Opcode::Call => self.call(value, user),
            _ if is_wide(user) => self.add(user),
            _ => {}
        }
    }

    /// A call may return an address that it receives, and store it where another pointer leads. A narrow result may
    /// contain the address only if the call receives the address as a number.
    fn call(&mut self, value: Value<'c>, call: Value<'c>) {
        if may_be_address(&call) || !holds_pointer(&value) {
            self.add(call);
        }
        if !is_intrinsic(call) && links(call) {
            for pointer in call.arguments().into_iter().filter(|a| a.ty().is_pointer()) {
                self.locals.roots(pointer).into_iter().for_each(|local| self.fill(local));
                if is_unknown(pointer) {
                    self.publish();
                }
            }
        }
    }

    /// An address is stored. Of a number that is wider than an address, the place of the address in it is not known.
    fn keep(&mut self, value: Value<'c>, store: Value<'c>, address: Value<'c>) {
        let is_exact = holds_pointer(&value) || !may_be_address(&value);
        for (local, bytes) in self.locals.writes.get(&store).cloned().unwrap_or_default() {
            if is_exact { self.hold(local, bytes) } else { self.fill(local) }
        }
        if !is_local(address) {
            self.publish();
        }
    }

    fn hold(&mut self, local: Value<'c>, bytes: Bytes) {
        let held = self.found.held.entry(local).or_default();
        let bytes = if held.len() < MAX_BYTES { bytes } else { Bytes::ALL };
        if held.contains(&Bytes::ALL) || !held.insert(bytes) {
            return;
        }
        let loads = self.locals.loads.get(&local).cloned().unwrap_or_default();
        for (load, read) in loads.into_iter().filter(|(_, read)| read.overlap(bytes)) {
            if is_copy(load) { self.copy(load, bytes, read) } else { self.add(load) }
        }
    }

    /// Bytes with an address are copied: `from` are the bytes that are copied.
    fn copy(&mut self, copy: Value<'c>, bytes: Bytes, from: Bytes) {
        for (local, to) in self.locals.writes.get(&copy).cloned().unwrap_or_default() {
            self.hold(local, bytes.copied(from, to));
        }
        if !is_local(copy.operand(0)) {
            self.publish();
        }
    }

    /// An address may be anywhere in a local.
    fn fill(&mut self, local: Value<'c>) {
        if !self.found.filled.insert(local) {
            return;
        }
        for (load, _) in self.locals.loads.get(&local).cloned().unwrap_or_default() {
            self.refill(load);
        }
    }

    /// A load or a copy of memory where pointers are that may be addresses.
    fn refill(&mut self, load: Value<'c>) {
        if !is_copy(load) {
            if may_be_address(&load) {
                self.add(load);
            }
            return;
        }
        for (local, _) in self.locals.writes.get(&load).cloned().unwrap_or_default() {
            self.fill(local);
        }
        if !is_local(load.operand(0)) {
            self.publish();
        }
    }

    /// An address is in memory that is no local, or in any local that has escaped.
    #[expect(clippy::iter_over_hash_type, reason = "values are added until there are no more, in whatever order")]
    fn publish(&mut self) {
        if std::mem::replace(&mut self.found.published, true) {
            return;
        }
        for reader in self.function.instructions() {
            let address = match reader.opcode() {
                Opcode::Load => reader.operand(0),
                Opcode::Call if is_copy(reader) => reader.operand(1),
                _ => continue,
            };
            if address.ty().is_pointer() && !is_local(address) {
                self.refill(reader);
            }
        }
        let locals = self.locals;
        for local in &locals.escaped {
            self.fill(*local);
        }
    }
}

/// Whether an instruction is the distance of two pointers.
fn is_distance(value: Value<'_>) -> bool {
    value.is(Opcode::Sub) && value.operands().iter().all(|o| o.is(Opcode::PtrToInt))
}
