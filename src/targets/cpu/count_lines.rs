//! Counts how often each line of the user's source is executed, in a module whose instructions are at these lines.
//!
//! Each block has a counter, which a thread that comes to the block raises. The pass runs on the code of one thread,
//! before threads are joined to loops and vectors. A count is therefore a number of threads, and does not depend on how
//! they are executed. A table has a row for each line of a block:
//!
//! ```c
//! struct row { const char *function, *symbol, *file; uint32_t line, is_kernel, counter, instructions, accesses, bytes; };
//! struct table { uint32_t version, rows; const uint64_t *counters; struct row row[]; }; // for offloadrt_profile_write()
//! ```
//!
//! Rows are in the order of symbols, files, lines and counters.

use std::collections::{BTreeMap, HashMap};

use super::abi::checker::{DESTRUCTORS, call_from};
use crate::contract::kernel::KernelSet;
use crate::contract::profile::{CONSTANTS, WRITE};
use crate::llvm::{AtomicOperation, Block, Builder, Frame, Function, Linkage, Module, Opcode, Ordering, Value};
use crate::rust_std::demangle::demangle;

/// The version of the table.
const VERSION: u64 = 1;

/// The file and the line of the source; of code without a line, no file and 0.
type Line = (String, u32);

/// The costs of a block at a line, each time the block is executed.
#[derive(Clone, Copy, Default)]
struct Costs {
    instructions: u64,
    accesses: u64,
    bytes: u64,
}

/// A row of the table: the symbol of the function, the line, and the number of the counter.
type Key = (String, Line, u64);

/// Inserts the counters into all functions with lines, and adds the table.
pub(super) fn count_lines(module: &Module<'_>, kernels: &KernelSet) {
    let counted: Vec<_> = module.definitions().filter(|function| function.has_subprogram()).collect();
    let blocks: Vec<_> = counted.iter().flat_map(|function| function.blocks()).collect();
    if blocks.is_empty() {
        return;
    }
    let i64 = module.types().i64();
    let counters = module.add_variable(&format!("{CONSTANTS}counters"), i64.array(blocks.len() as u64), 0);
    counters.set_initializer(Some(i64.array(blocks.len() as u64).zero()));
    counters.set_linkage(Linkage::Internal);
    let mut rows = BTreeMap::new();
    for (block, number) in blocks.into_iter().zip(0..) {
        let symbol = block.function().name();
        for (line, costs) in costs(module, block) {
            let _new = rows.insert((symbol.clone(), line, number), costs);
        }
        count(module, block, counters, number);
    }
    add_table(module, kernels, counters, &rows);
}

/// The name of a function, and whether it is a kernel.
fn name_of(kernels: &KernelSet, symbol: &str) -> (String, bool) {
    match kernels.iter().find(|kernel| kernel.name == symbol) {
        Some(kernel) => (kernel.display.clone(), true),
        None => (demangle(symbol), false),
    }
}

/// The costs of a block at each line.
fn costs<'c>(module: &Module<'c>, block: Block<'c>) -> BTreeMap<Line, Costs> {
    let mut all: BTreeMap<Line, Costs> = BTreeMap::new();
    for instruction in block.instructions().filter(|instruction| is_executed(*instruction)) {
        let costs = all.entry(line_of(&instruction.frames())).or_default();
        costs.instructions += 1;
        if let Some(bytes) = accessed(module, instruction) {
            costs.accesses += 1;
            costs.bytes += bytes;
        }
    }
    all
}

/// The line of an instruction, which is that of its innermost location.
fn line_of(frames: &[Frame]) -> Line {
    let Some(frame) = frames.first().filter(|frame| frame.line != 0) else { return Line::default() };
    let is_whole = frame.folder.is_empty() || frame.file.starts_with('/');
    let file = if is_whole { frame.file.clone() } else { format!("{}/{}", frame.folder, frame.file) };
    (file, frame.line)
}

/// Whether an instruction does anything when it is executed: not the place of a local, nor a value that a branch has
/// chosen, nor a remark for the optimiser.
fn is_executed(instruction: Value<'_>) -> bool {
    let is_remark = |callee: Function<'_>| {
        let name = callee.name();
        let remarks = ["llvm.assume", "llvm.dbg.", "llvm.lifetime.", "llvm.invariant.", "llvm.experimental.noalias"];
        remarks.iter().any(|remark| name.starts_with(remark))
    };
    match instruction.opcode() {
        Opcode::Phi | Opcode::Alloca => false,
        Opcode::Call => !instruction.called_function().is_some_and(is_remark),
        _ => true,
    }
}

/// The bytes that an instruction loads or stores, if it accesses memory. An atomic that does both counts once. Copies
/// and fills count if their length is known.
fn accessed<'c>(module: &Module<'c>, instruction: Value<'c>) -> Option<u64> {
    match instruction.opcode() {
        Opcode::Load | Opcode::AtomicRMW => Some(instruction.ty().store_size(module)),
        Opcode::Store => Some(instruction.operand(0).ty().store_size(module)),
        Opcode::AtomicCmpXchg => Some(instruction.operand(1).ty().store_size(module)),
        Opcode::Call => {
            let name = instruction.called_function()?.name();
            let moved = ["llvm.memcpy.", "llvm.memmove."].iter().any(|intrinsic| name.starts_with(intrinsic));
            let set = name.starts_with("llvm.memset.");
            let length = if moved || set { instruction.operand(2).as_u64().unwrap_or(0) } else { return None };
            Some(if moved { 2 * length } else { length })
        }
        _ => None,
    }
}

/// Lets each thread that comes to a block raise its counter.
fn count<'c>(module: &Module<'c>, block: Block<'c>, counters: Value<'c>, number: u64) {
    let first = block.instructions().find(|i| !matches!(i.opcode(), Opcode::Phi | Opcode::Alloca));
    let builder = first.map_or_else(|| Builder::at_end(block), Builder::before);
    let i64 = module.types().i64();
    let counter = counters.constant_gep(i64, &[i64.constant(number)]);
    let _before = builder.atomic_update((AtomicOperation::Add, Ordering::Monotonic, ""), counter, i64.constant(1));
}

/// Adds the table, and a destructor that hands it to the runtime.
fn add_table<'c>(module: &Module<'c>, kernels: &KernelSet, counters: Value<'c>, rows: &BTreeMap<Key, Costs>) {
    let types = module.types();
    let i32 = types.i32();
    let mut texts = HashMap::new();
    let mut text = |text: &str| {
        let bytes = [text.as_bytes(), &[0]].concat();
        *texts.entry(text.to_owned()).or_insert_with(|| module.add_bytes(&format!("{CONSTANTS}text"), &bytes))
    };
    let mut fields = vec![i32.constant(VERSION), i32.constant(rows.len() as u64), counters];
    for ((symbol, (file, line), counter), costs) in rows {
        let (name, is_kernel) = name_of(kernels, symbol);
        let Costs { instructions, accesses, bytes } = *costs;
        fields.extend([text(&name), text(symbol), text(file)]);
        let numbers = [u64::from(*line), u64::from(is_kernel), *counter, instructions, accesses, bytes];
        fields.extend(numbers.map(|number| i32.constant(number.min(u32::MAX.into()))));
    }
    let ty = types.structure(&fields.iter().map(|field| field.ty()).collect::<Vec<_>>());
    let table = module.add_variable(&format!("{CONSTANTS}table"), ty, 0);
    table.set_initializer(Some(ty.structure_constant(&fields)));
    table.set_constant_global(true);
    table.set_linkage(Linkage::Private);
    let write = |module: &Module<'c>| module.declare(WRITE, types.void().function(&[types.ptr(0)]));
    call_from(module, DESTRUCTORS, &format!("{CONSTANTS}write"), write, table);
}
