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
use crate::llvm::{Builder, Function, Module, Opcode, Value};

/// The number of threads is rounded up to a multiple of this, so that every array is aligned to as many bytes.
pub(super) const THREADS_MULTIPLE: u64 = 64;

/// The slots of one thread.
pub(super) struct FrameLayout {
    /// The size of all slots but the last, in bytes per thread.
    pub(super) state_offset: u64,
}

impl FrameLayout {
    /// The size of all slots in bytes per thread. The last slot is a `u32`, the number of a thread's next region.
    pub(super) fn bytes(&self) -> u64 {
        self.state_offset + 4
    }
}

/// Replaces every alloca by a slot; all allocas are in the entry block. The last four parameters are the slots' memory,
/// the number of threads rounded up, this thread's number, and the region. Returns the layout, and the offset of each
/// alloca's slot in bytes per thread.
pub(super) fn place<'c>(module: &Module<'c>, function: Function<'c>) -> Result<(FrameLayout, HashMap<Value<'c>, u64>)> {
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
        let mut slot = builder.gep(i8, builder.gep(i8, memory, &[array], ""), &[element], "slot");
        if to_spare > 0 {
            slot = round_up(module, &builder, slot, align);
        }
        alloca.erase_lifetime_markers();
        alloca.replace_all_uses_with(slot);
        alloca.erase();
        offsets.insert(alloca, offset);
        offset += size;
    }
    Ok((FrameLayout { state_offset: offset }, offsets))
}

/// The first address from `pointer` on that has an alignment.
fn round_up<'c>(module: &Module<'c>, builder: &Builder<'c>, pointer: Value<'c>, align: u64) -> Value<'c> {
    let i64 = module.types().i64();
    let mask = module.intrinsic("llvm.ptrmask", &[pointer.ty(), i64]);
    let end = builder.byte_offset(pointer, align - 1, "");
    builder.call(mask, &[end, i64.constant(!(align - 1))], "slot")
}
