//! Loads that all threads of a block do from one address are one load for the block.
//!
//! After a block reduction, every thread loads the result from shared memory, and computes a mean of it, or a factor.
//! In the loop over the threads, LLVM cannot do this once, because a thread may store to the same address as far as it
//! can see. But between two barriers no thread may store to what all others load: this would be a data race. A thread
//! itself loads before it stores. So the value is loaded before the loop, and is a parameter of the region, as that of
//! a cell.

use std::collections::HashSet;

use super::cells::Cell;
use super::vectors::{is_element, is_hint};
use crate::llvm::{Builder, Function, Linkage, Opcode, Value};

/// More loads of a region stay in the loop.
const MOST_LOADS: usize = 8;

/// Makes parameters of such loads at the start of a region, which must be one that all threads of the block run
/// together. Its cells are its last parameters, and `number` is the place of the one with the number of the thread.
/// Returns the new function and the cells, if there are such loads.
pub(super) fn pass_loads<'c>(
    function: Function<'c>,
    number: usize,
    own: &[Value<'c>],
    cells: &[Cell<'c>],
) -> Option<(Function<'c>, Vec<Cell<'c>>)> {
    let parameters = function.parameters();
    let slots = &parameters[number - 2..=number];
    let varying: Vec<_> = own.iter().chain(slots).copied().collect();
    let loads: Vec<_> = start_of(function).into_iter().filter(|i| is_same(*i, &varying)).take(MOST_LOADS).collect();
    if loads.is_empty() {
        return None;
    }
    let name = function.name();
    let all: Vec<_> = function.instructions().collect();
    let place = |load: &Value<'c>| all.iter().position(|i| i == load).expect("it is in the function");
    let places: Vec<_> = loads.iter().map(place).collect();
    let cell = |(index, at): (usize, &usize)| Cell::computed(loading(function, *at, &format!("{name}.load{index}")));
    let more: Vec<_> = places.iter().enumerate().map(cell).collect();
    let types: Vec<_> = more.iter().map(|cell| cell.ty).collect();
    let extended = function.extend_signature(function.function_type().result(), &types);
    function.erase_global();
    let moved: Vec<_> = extended.instructions().collect();
    let parameters = extended.parameters();
    for (at, parameter) in places.into_iter().zip(&parameters[parameters.len() - types.len()..]) {
        moved[at].replace_all_uses_with(*parameter);
        moved[at].erase();
    }
    Some((extended, [cells, &more].concat()))
}

/// The instructions that each thread executes first, whatever it does later, and before it writes anything.
pub(super) fn start_of<'c>(function: Function<'c>) -> Vec<Value<'c>> {
    let blocks = function.blocks();
    let (mut block, mut start) = (blocks[0], Vec::new());
    loop {
        let before = start.len();
        start.extend(block.instructions().take_while(|i| !may_change(*i)));
        let is_whole = start.len() - before + 1 == block.instructions().count();
        let [next] = block.successors()[..] else { return start };
        let is_entered_once = blocks.iter().filter(|from| from.successors().contains(&next)).count() == 1;
        if !is_whole || !is_entered_once {
            return start;
        }
        block = next;
    }
}

/// Whether an instruction may change memory, or wait for a change, or does not go on to the next one.
fn may_change(instruction: Value<'_>) -> bool {
    match instruction.opcode() {
        Opcode::Store | Opcode::AtomicRMW | Opcode::AtomicCmpXchg | Opcode::Fence => true,
        Opcode::Load => instruction.is_volatile() || instruction.is_atomic(),
        Opcode::Call => !is_hint(instruction) && !instruction.is_repeatable(),
        _ => instruction.is_terminator(),
    }
}

/// Whether it is a load from an address that is the same in all threads, of memory that may change. LLVM moves other
/// loads out of the loop itself.
fn is_same<'c>(load: Value<'c>, varying: &[Value<'c>]) -> bool {
    if !load.is(Opcode::Load) || load.is_invariant() || !is_element(load.ty()) {
        return false;
    }
    let (mut seen, mut work) = (HashSet::new(), vec![load.operand(0)]);
    while let Some(value) = work.pop() {
        let is_known = match value.is_instruction() {
            false => !varying.contains(&value),
            true => match value.opcode() {
                Opcode::Load => value.is_invariant(),
                Opcode::Phi | Opcode::Call | Opcode::Alloca | Opcode::Freeze => false,
                _ => true,
            },
        };
        if !is_known {
            return false;
        }
        if value.is_instruction() && seen.insert(value) {
            work.extend(value.operands());
        }
    }
    true
}

/// A function with the region's parameters that returns the result of the load with this number.
fn loading<'c>(region: Function<'c>, at: usize, name: &str) -> Function<'c> {
    let copy = region.clone_function();
    let ty = copy.instructions().nth(at).expect("it is a copy").ty();
    let function = copy.extend_signature(ty, &[]);
    copy.erase_global();
    function.set_linkage(Linkage::Internal);
    function.set_name(name);
    let load = function.instructions().nth(at).expect("it is a copy");
    let block = load.block();
    let behind: Vec<_> = block.instructions().skip_while(|i| *i != load).skip(1).collect();
    Builder::before(behind[0]).ret(load);
    for instruction in behind.into_iter().rev() {
        if instruction.is_used() {
            instruction.replace_all_uses_with(instruction.ty().poison());
        }
        instruction.erase();
    }
    function.erase_unreachable_blocks();
    function
}
