//! Slots: the memory for values of a thread that are live across a barrier.
//!
//! All threads of a block share one piece of memory, `offload_cpu_block.frames`. It contains an array for each slot,
//! with one element for each thread in the order of execution, so that a loop over threads has consecutive accesses:
//!
//! ```text
//! T0 slot0[threads]; T1 slot1[threads]; ...   with `threads` rounded up to a multiple of 64
//! ```
//!
//! The arrays are aligned to 64 bytes. An element that needs more has room to spare, and its address is rounded up.

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::llvm::{Attribute, Builder, Function, Module, Opcode, Place, Type, Value};

/// The number of threads is rounded up to a multiple of this, so that every array is aligned to as many bytes.
pub(crate) const THREADS_MULTIPLE: u64 = 64;

/// The slots of one thread.
pub(crate) struct FrameLayout {
    /// The size of all slots but the last, in bytes per thread.
    pub(crate) state_offset: u64,
}

impl FrameLayout {
    /// The size of all slots in bytes per thread. The last slot is a `u32`, the number of a thread's next region.
    pub(crate) fn bytes(&self) -> u64 {
        self.state_offset + 4
    }
}

/// Replaces every alloca by a slot; all allocas are in the entry block. The last four parameters are the slots' memory,
/// the number of threads rounded up, this thread's number, and the region. Returns the layout, and the offset of each
/// alloca's slot in bytes per thread. All threads use the first element of the slots of `uniform_slots`. `points`:
/// debuggers find variables by pointers to the slots.
pub(crate) fn place<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    uniform_slots: &[Value<'c>],
    points: bool,
) -> Result<(FrameLayout, HashMap<Value<'c>, u64>)> {
    let allocas: Vec<_> = function.instructions().filter(|i| i.is(Opcode::Alloca)).collect();
    let parameters = function.parameters();
    let [memory, threads, thread] = parameters[parameters.len() - 4..parameters.len() - 1] else {
        return Err(Error::internal("a region's function has no parameters for its slots"));
    };
    let i64 = module.types().i64();
    let (mut offset, mut offsets) = (0, HashMap::new());
    for alloca in allocas {
        let Some(count) = alloca.operand(0).as_u64() else {
            return Err(Error::new(
                "a kernel with barriers or cross-lane operations reserves stack memory of a size that is not constant",
            ));
        };
        let align = u64::from(alloca.alignment().max(1));
        let to_spare = align.saturating_sub(THREADS_MULTIPLE);
        let size = count * alloca.allocated_type().alloc_size(module);
        let size = size.next_multiple_of(align.min(THREADS_MULTIPLE)) + to_spare;
        let builder = Builder::before(alloca);
        let array = builder.mul(threads, i64.constant(offset), "");
        let element = builder.mul(thread, i64.constant(size), "");
        let i8 = module.types().i8();
        let first = builder.gep(i8, memory, &[array], "");
        let mut slot = if uniform_slots.contains(&alloca) { first } else { builder.gep(i8, first, &[element], "slot") };
        if to_spare > 0 {
            slot = round_up(module, &builder, slot, align);
        }
        alloca.erase_lifetime_markers();
        alloca.replace_all_uses_with(slot);
        alloca.erase();
        offsets.insert(alloca, offset);
        offset += size;
    }
    if points {
        function.point_to_variables();
    }
    Ok((FrameLayout { state_offset: offset }, offsets))
}

/// A slot whose value only its own loads and stores use.
#[derive(Clone, Copy)]
pub(crate) struct Kept<'c> {
    /// Its offset in bytes per thread.
    pub(crate) offset: u64,
    /// The type of its value.
    pub(crate) ty: Type<'c>,
    /// How much more a thread's value is than that of the thread before it, if all threads have stopped at the same
    /// places; none if this is not known.
    pub(crate) step: Option<Step>,
}

/// A difference between the values of neighbouring threads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Certain(i64),
    Likely(i64),
}

impl Step {
    /// Whether neighbouring threads have the same value.
    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Step::Certain(0) | Step::Likely(0))
    }
}

/// The parameters of a region's function that addresses of slots are computed from.
pub(crate) struct SlotParameters<'c> {
    pub(crate) memory: Value<'c>,
    pub(crate) threads: Value<'c>,
    pub(crate) thread: Value<'c>,
}

impl<'c> SlotParameters<'c> {
    /// `number` is the place of the parameter with the number of the thread.
    pub(crate) fn of(function: Function<'c>, number: usize) -> Self {
        let parameters = function.parameters();
        SlotParameters { memory: parameters[number - 2], threads: parameters[number - 1], thread: parameters[number] }
    }

    /// The offset of a slot in bytes per thread, by its address; none if it is no such address.
    pub(crate) fn offset(&self, address: Value<'c>) -> Option<u64> {
        self.parts(address).filter(|(_, has_thread)| *has_thread).map(|(offset, _)| offset)
    }

    /// The same for a slot of which all threads use the first element.
    pub(crate) fn uniform_slot_offset(&self, address: Value<'c>) -> Option<u64> {
        self.parts(address).filter(|(_, has_thread)| !has_thread).map(|(offset, _)| offset)
    }

    /// The stores to slots of the thread, with the offsets of these; none if the address of some access is not known.
    fn stores(&self) -> Option<Vec<(u64, Value<'c>)>> {
        let (mut found, mut work) = (Vec::new(), vec![self.memory]);
        while let Some(address) = work.pop() {
            for user in address.users() {
                match user.opcode() {
                    Opcode::GetElementPtr => work.push(user),
                    Opcode::Load => {}
                    Opcode::Store if user.operand(0) != address => {
                        let (offset, has_thread) = self.parts(address)?;
                        found.extend(has_thread.then_some((offset, user)));
                    }
                    _ => return None,
                }
            }
        }
        Some(found)
    }

    /// The offset of an address in a slot, and whether it is that of the thread's own element.
    fn parts(&self, mut address: Value<'c>) -> Option<(u64, bool)> {
        let (mut offset, mut has_thread) = (0, false);
        while address != self.memory {
            if !address.is(Opcode::GetElementPtr) || address.gep_source_type().int_width() != Some(8) {
                return None;
            }
            let [base, index] = address.operands()[..] else { return None };
            let (factor, count) = match index.is(Opcode::Mul) {
                true => (index.operand(0), index.operand(1).as_u64()?),
                false => (index, 1),
            };
            match factor {
                _ if factor == self.threads => offset += count,
                _ if factor == self.thread => has_thread = true,
                _ => return None,
            }
            address = base;
        }
        Some((offset, has_thread))
    }
}

/// Loads the kept values of a region at its start and stores those that it changes at its end, so that they are in
/// registers between.
pub(crate) fn load_once<'c>(function: Function<'c>, parameters: &SlotParameters<'c>, kept: &[Kept<'c>]) {
    let entry = function.blocks()[0];
    let addresses: Vec<_> = entry.instructions().filter(|i| i.ty().is_pointer()).collect();
    for address in addresses {
        let Some(kept) = parameters.offset(address).and_then(|at| kept.iter().find(|kept| kept.offset == at)) else {
            continue;
        };
        let users = address.users();
        let is_own = |user: &Value<'c>| match user.opcode() {
            Opcode::Load => user.ty() == kept.ty,
            Opcode::Store => user.operand(1) == address && user.operand(0).ty() == kept.ty,
            _ => false,
        };
        if users.is_empty() || !users.iter().all(is_own) {
            continue;
        }
        let builder = Builder::before(address.next().expect("an address is no terminator"));
        let variable = builder.alloca(kept.ty, "");
        builder.store(builder.load(kept.ty, address, 0, ""), variable, 0);
        keep_in(variable, users);
    }
}

/// Lets the loads and stores of an address use a variable, which has been initialised. If one changes it, stores the
/// variable's value to the address where the function returns.
pub(crate) fn keep_in<'c>(variable: Value<'c>, accesses: Vec<Value<'c>>) {
    let (same, mut accesses): (Vec<_>, Vec<_>) = accesses.into_iter().partition(|access| stores_same(*access));
    let Some(address) = accesses.iter().chain(&same).find(|i| i.is(Opcode::Store)).map(|store| store.operand(1)) else {
        accesses.into_iter().for_each(|load| load.set_operand(0, variable));
        return;
    };
    let changes = accesses.iter().any(|access| access.is(Opcode::Store));
    if changes {
        // The slot may have another value where such a store is.
        accesses.extend(same);
    } else {
        same.into_iter().for_each(Value::erase);
    }
    let function = variable.function();
    for access in accesses {
        access.set_operand(u32::from(access.is(Opcode::Store)), variable);
    }
    let ends = function.blocks().into_iter().filter_map(|b| b.terminator());
    // A thread that has ended needs no values.
    let ends = ends.filter(|end| end.is(Opcode::Ret) && end.operand(0).as_u64() != Some(0));
    for end in ends.filter(|_| changes) {
        let builder = Builder::before(end);
        builder.store(builder.load(variable.allocated_type(), variable, 0, ""), address, 0);
    }
}

/// Removes the stores of a region to slots that it does not change: each of them stores a value loaded from the slot.
pub(crate) fn drop_unchanged<'c>(parameters: &SlotParameters<'c>, kept: &[Kept<'c>]) {
    let Some(stores) = parameters.stores() else { return };
    for slot in kept {
        let own = stores.iter().filter(|(offset, _)| *offset == slot.offset);
        let own: Vec<_> = own.map(|(_, store)| *store).collect();
        let is_same = |store: &Value<'c>| {
            let value = store.operand(0);
            value.is(Opcode::Load) && value.ty() == slot.ty && parameters.offset(value.operand(0)) == Some(slot.offset)
        };
        if own.iter().all(is_same) {
            own.into_iter().for_each(Value::erase);
        }
    }
}

/// Whether a store's value was loaded from the address of the store, perhaps through phis of one value.
fn stores_same(store: Value<'_>) -> bool {
    if !store.is(Opcode::Store) {
        return false;
    }
    let mut value = store.operand(0);
    while value.is(Opcode::Phi) {
        let [(only, _)] = value.incoming()[..] else { return false };
        value = only;
    }
    value.is(Opcode::Load) && value.operand(0) == store.operand(1)
}

/// Adds the attributes of the slots' memory to a parameter, or to an argument of a call.
pub(crate) fn describe_frames(of: Value<'_>, place: Place) {
    for name in ["noalias", "nonnull", "noundef"] {
        of.add_attribute(place, &Attribute::Enum(name, 0));
    }
    of.add_attribute(place, &Attribute::Enum("align", THREADS_MULTIPLE));
}

/// The first address from `pointer` on that has an alignment.
fn round_up<'c>(module: &Module<'c>, builder: &Builder<'c>, pointer: Value<'c>, align: u64) -> Value<'c> {
    let i64 = module.types().i64();
    let mask = module.intrinsic("llvm.ptrmask", &[pointer.ty(), i64]);
    let end = builder.byte_offset(pointer, align - 1, "");
    builder.call(mask, &[end, i64.constant(!(align - 1))], "slot")
}
