//! The function that prefetches the elements that a row of a later block of the grid reads.
//!
//! A block of 16 x 16 threads reads 64 bytes of each of 16 rows of an array, and these rows lie in as many pages. The
//! processor foresees only few such streams. But the blocks of a row of the grid run one after another, and each reads
//! the elements after those of the one before. So each row of threads prefetches the line that is two blocks away. No
//! result depends on whether this is the right line.

use std::collections::HashSet;
use std::mem::offset_of;

use super::range::{Substitution, find, replay};
use super::{Row, depending};
use crate::contract::abi::CpuBlock;
use crate::llvm::{Builder, Function, Linkage, Module, Opcode, Value};
use crate::spmd::facts::shapes::Shapes;
use crate::spmd::region::position;
use crate::spmd::tuning::{MOST_PREFETCHED, PREFETCHED_BLOCKS};

/// Creates the function, with the parameters of the body, for the first thread of a row. None if no address that is
/// known at the start of the body increases with x and depends on the number of the block.
pub(super) fn define<'c>(module: &Module<'c>, row: &Row<'c>) -> Option<Function<'c>> {
    let body = row.code.function;
    let affine: Vec<_> = [row.x].into_iter().chain(row.number).collect();
    let mut shapes = Shapes::new(module, &affine);
    shapes.guess();
    shapes.compute(body);
    // The values that depend on the number of the block.
    let is_number = |value| position::is_loaded_from(value, row.code.position()[0], offset_of!(CpuBlock, block_id));
    let moving = depending(row.prologue, HashSet::new(), is_number);
    let mut places: Vec<(Value<'c>, _, i64)> = Vec::new();
    for load in body.instructions().filter(|i| i.is(Opcode::Load) && !i.is_volatile()) {
        let address = load.operand(0);
        let is_there = address.is_instruction() && address.block() == row.prologue;
        let is_known = is_there && moving.contains(&address) && !row.private.contains(&address);
        let step = shapes.step(address).filter(|step| is_known && (1..=MOST_PREFETCHED.0).contains(step));
        let line = without_constants(address);
        if let Some(step) = step.filter(|_| places.iter().all(|(_, other, _)| *other != line)) {
            places.push((address, line, step));
        }
    }
    places.truncate(MOST_PREFETCHED.1);
    if places.is_empty() {
        return None;
    }
    let ty = module.types().void().function(&body.function_type().parameters());
    let function = module.define(&format!("{}.prefetch", body.name()), ty, Linkage::Internal, |_, _| {});
    function.mark("nounwind");
    let builder = Builder::at_end(function.blocks()[0]);
    let (i32, i64) = (module.types().i32(), module.types().i64());
    let dim =
        position::load_block(&builder, row.code.with(function).position()[0], i32, offset_of!(CpuBlock, block_dim));
    let dim = builder.cast(Opcode::ZExt, dim, i64, "");
    let prefetch = module.intrinsic("llvm.prefetch", &[module.types().ptr(0)]);
    let mut same: Substitution<'c> = row.code.zip(function).collect();
    for value in row.prologue.instructions().filter(|i| !i.is_terminator() && !row.private.contains(i)) {
        let copy = replay(&builder, value, &same);
        same.push((value, copy));
    }
    for (address, _, step) in places {
        let distance = builder.mul(dim, i64.constant(step as u64 * PREFETCHED_BLOCKS), "");
        let place = builder.gep(module.types().i8(), find(&same, address), &[distance], "");
        // There may be no such block, so nothing may follow from its addresses.
        place.drop_annotations();
        // It is read, and is data. The lines of many rows may have one place in the first cache.
        builder.call(prefetch, &[place, i32.zero(), i32.constant(2), i32.constant(1)], "");
    }
    builder.ret_void();
    Some(function)
}

/// An array and an index, without the constants that are added to them: neighbours are mostly in the same line.
fn without_constants(mut address: Value<'_>) -> (Value<'_>, Option<Value<'_>>) {
    while address.is(Opcode::GetElementPtr) {
        let &[base, index] = &address.operands()[..] else { break };
        if !index.is_constant() {
            let is_sum = index.is(Opcode::Add) && index.operand(1).is_constant();
            return (base, Some(if is_sum { index.operand(0) } else { index }));
        }
        address = base;
    }
    (address, None)
}
