//! Moves computations that depend only on a function's parameters to its start.

use std::collections::HashSet;
use std::mem::offset_of;

use super::position::is_loaded_from;
use crate::analysis::effects::made_of;
use crate::contract::abi::CpuBlock;
use crate::llvm::{Block, Builder, Function, Module, Opcode, Place, Value};
use crate::spmd::facts::trip_count::Count;
use crate::spmd::facts::uniform::is_decided;

/// Inserts a block before the others, and moves allocas and computations on parameters and constants to it. `position`
/// is the position parameters of the function; the memory of the block is constant.
pub(crate) fn hoist<'c>(module: &Module<'c>, function: Function<'c>, position: [Value<'c>; 4]) -> Block<'c> {
    hoist_all(module, function, position, &HashSet::new())
}

/// The same for a function that is split at its stops: the numbers of iterations that differ between threads are moved,
/// too. Where they are the same in most blocks, all regions together divide once, see `version/trip_count.rs`.
pub(crate) fn hoist_counts<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    position: [Value<'c>; 4],
    thread: Value<'c>,
) -> Block<'c> {
    let own = [position[1], position[2], position[3], thread];
    let mut parts = HashSet::new();
    for number in function.instructions() {
        let Some(Count { end, begin, step }) = Count::of(number).filter(|_| number.is(Opcode::Add)) else { continue };
        let differs = [end, begin].into_iter().any(|v| !is_decided(v, &own));
        if is_block_size(step, position[0]) && differs {
            parts.extend(quotients(number));
        }
    }
    hoist_all(module, function, position, &parts)
}

/// The quotient and the remainder of a number of iterations, and the difference that is divided.
fn quotients<'c>(number: Value<'c>) -> Vec<Value<'c>> {
    let divides = |v: &Value<'_>| v.is(Opcode::UDiv) || v.is(Opcode::URem);
    let with_difference = |value: Value<'c>| {
        let difference = value.operand(0);
        let narrowed = Some(difference).filter(|v| v.is_instruction() && v.drops_zeros()).map(|v| v.operand(0));
        [value, difference].into_iter().chain(narrowed)
    };
    made_of(number, |v| !divides(&v)).into_iter().filter(divides).flat_map(with_difference).collect()
}

/// Whether a value is a dimension of the block, or a product of them, and so not 0.
fn is_block_size<'c>(value: Value<'c>, block: Value<'c>) -> bool {
    if !value.is_instruction() {
        return false;
    }
    match value.opcode() {
        Opcode::ZExt => is_block_size(value.operand(0), block),
        Opcode::Mul => value.operands().into_iter().all(|factor| is_block_size(factor, block)),
        _ => is_loaded_from(value, block, offset_of!(CpuBlock, block_dim)),
    }
}

/// The same with more instructions that may be moved.
fn hoist_all<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    position: [Value<'c>; 4],
    more: &HashSet<Value<'c>>,
) -> Block<'c> {
    let start = function.blocks()[0];
    let prologue = start.insert_before("prologue");
    let builder = Builder::at_end(prologue);
    for variable in start.instructions().filter(|i| i.is_fixed_alloca()).collect::<Vec<_>>() {
        variable.move_to(&builder);
    }
    for freeze in function.instructions().filter(|i| i.is(Opcode::Freeze)).collect::<Vec<_>>() {
        // The host wrote the bytes of an argument, so they are numbers.
        if is_argument_load(module, freeze.operand(0)) {
            freeze.replace_all_uses_with(freeze.operand(0));
            freeze.erase();
        }
    }
    loop {
        let mut moved = false;
        for instruction in function.instructions().filter(|i| i.block() != prologue).collect::<Vec<_>>() {
            let known =
                |v: &Value<'c>| v.is_constant() || v.is_argument() || (v.is_instruction() && v.block() == prologue);
            let argument = is_argument_load(module, instruction);
            if (argument || more.contains(&instruction) || is_cheap(instruction, position[0]))
                && instruction.operands().iter().all(known)
            {
                instruction.move_to(&builder);
                // A debugger that stops at its line would stop before the code of this region.
                if !instruction.is_call() {
                    instruction.clear_location();
                }
                if argument {
                    // In a thread that does not use the value, its annotations may not hold.
                    instruction.drop_annotations();
                    instruction.mark_invariant();
                }
                moved = true;
            }
        }
        if !moved {
            builder.br(start);
            return prologue;
        }
    }
}

/// Whether recomputing a value is better than storing it, and safe in threads in which the kernel would not compute it.
fn is_cheap<'c>(instruction: Value<'c>, block: Value<'c>) -> bool {
    match instruction.opcode() {
        Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl | Opcode::LShr | Opcode::AShr => true,
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::ICmp | Opcode::Select => true,
        Opcode::ZExt | Opcode::SExt | Opcode::Trunc | Opcode::BitCast => true,
        Opcode::PtrToInt | Opcode::IntToPtr | Opcode::GetElementPtr => true,
        Opcode::ExtractValue | Opcode::InsertValue => true,
        Opcode::Freeze => is_compared_once(instruction),
        // The fields of the block are always readable and never change.
        Opcode::Load => {
            let pointer = instruction.operand(0);
            let base = if pointer.is(Opcode::GetElementPtr) { pointer.operand(0) } else { pointer };
            base == block && !instruction.is_volatile()
        }
        _ => false,
    }
}

/// Whether a value is used by one comparison only, perhaps after a constant was added to it, and this comparison by one
/// branch, perhaps with other conditions. A `freeze` of poison is any number, but one number: it may be computed again,
/// as another number, only if nothing compares the two results. One branch may then go either way in any case.
pub(crate) fn is_compared_once(value: Value<'_>) -> bool {
    let mut at = value;
    loop {
        let [user] = at.users()[..] else { return false };
        let compared = at != value && at.ty().int_width() == Some(1);
        match user.opcode() {
            Opcode::Add | Opcode::Sub | Opcode::ICmp if !compared => {}
            Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Select if compared => {}
            Opcode::Br => return compared,
            _ => return false,
        }
        at = user;
    }
}

/// Whether an instruction loads bytes within an argument, which do not change while the kernel runs.
pub(crate) fn is_argument_load<'c>(module: &Module<'c>, instruction: Value<'c>) -> bool {
    if !instruction.is(Opcode::Load) || instruction.is_volatile() {
        return false;
    }
    let pointer = instruction.operand(0);
    let (base, offset) = match byte_offset(module, pointer) {
        Some(base_and_offset) => base_and_offset,
        None => (pointer, 0),
    };
    let function = instruction.function();
    let Some(index) = function.parameters().iter().position(|p| *p == base) else { return false };
    let place = Place::Parameter(index as u32);
    let there = function.attribute_value(place, "dereferenceable").unwrap_or(0);
    let end = offset.checked_add(instruction.ty().store_size(module));
    // Where attributes were dropped, the loads that were found before are marked.
    let is_constant = instruction.is_invariant() || function.has_attribute(place, "noalias");
    end.is_some_and(|end| end <= there) && is_constant && function.has_attribute(place, "readonly")
}

/// The address, and the constant offset that an instruction adds to it.
fn byte_offset<'c>(module: &Module<'c>, pointer: Value<'c>) -> Option<(Value<'c>, u64)> {
    if !pointer.is(Opcode::GetElementPtr) || pointer.gep_source_type() != module.types().i8() {
        return None;
    }
    match pointer.operands()[..] {
        [base, bytes] => Some((base, bytes.as_u64()?)),
        _ => None,
    }
}
