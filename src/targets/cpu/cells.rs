//! Cells: the memory for values that are the same in all threads of a block and live across a barrier.
//!
//! The counter of a loop with barriers in it is such a value. If the threads of a kernel always stop at the same
//! places, one element of memory is enough for all of them. A region receives the value as a parameter, which is loaded
//! before its loop over the threads, because the first thread may already store the next one. LLVM then knows that a
//! branch on the value has one direction in the whole loop.

use super::entry::{Frames, Launch};
use super::regions::Region;
use super::slots::{self, SlotParameters};
use crate::llvm::{Builder, Function, Opcode, Type, Value};

/// A value that is the same in all threads.
#[derive(Clone, Copy)]
pub(super) struct Cell<'c> {
    /// The offset of its slot, of which the first element is used, in bytes per thread.
    pub(super) offset: u64,
    pub(super) ty: Type<'c>,
}

/// Makes parameters of the cells that a region reads. Returns its new function, and these cells in the order of the
/// parameters, which are the last ones.
pub(super) fn pass_cells<'c>(function: Function<'c>, cells: &[Cell<'c>]) -> (Function<'c>, Vec<Cell<'c>>) {
    let number = function.parameters().len() - 2;
    let is_read = |cell: &&Cell<'c>| accesses(function, number, cell).iter().any(|access| access.is(Opcode::Load));
    let read: Vec<_> = cells.iter().filter(is_read).copied().collect();
    let types: Vec<_> = read.iter().map(|cell| cell.ty).collect();
    let extended = function.extend_signature(function.function_type().result(), &types);
    function.erase_global();
    let parameters = extended.parameters();
    let start = extended.blocks()[0].instructions().next().expect("a block has a terminator");
    for (cell, parameter) in read.iter().zip(&parameters[parameters.len() - types.len()..]) {
        let builder = Builder::before(start);
        let variable = builder.alloca(cell.ty, "");
        builder.store(*parameter, variable, 0);
        slots::keep_in(variable, accesses(extended, number, cell));
    }
    (extended, read)
}

/// The loads and stores of a cell.
fn accesses<'c>(function: Function<'c>, number: usize, cell: &Cell<'c>) -> Vec<Value<'c>> {
    let slots = SlotParameters::of(function, number);
    let is_own = |i: &Value<'c>| match i.opcode() {
        Opcode::Load => slots.cell_offset(i.operand(0)) == Some(cell.offset),
        Opcode::Store => slots.cell_offset(i.operand(1)) == Some(cell.offset),
        _ => false,
    };
    function.instructions().filter(is_own).collect()
}

impl<'c> Launch<'_, 'c> {
    /// The values of the cells that a region receives, before any thread runs it.
    pub(super) fn load_cells(&self, builder: &Builder<'c>, frames: &Frames<'c>, region: &Region<'c>) -> Vec<Value<'c>> {
        let types = self.types();
        let load = |cell: &Cell<'c>| {
            let offset = builder.mul(frames.threads, types.i64().constant(cell.offset), "");
            builder.load(cell.ty, builder.gep(types.i8(), frames.memory, &[offset], ""), 0, "")
        };
        region.cells.iter().map(load).collect()
    }
}
