//! Takes structs and arrays that are chosen as a whole apart: a `phi`, `select` or `freeze` of one becomes one for each
//! field.
//!
//! Before: nothing. After: none of these gives a struct or an array; what was built of fields for one is dead.

use std::collections::HashMap;

use crate::llvm::{Block, Builder, Module, Opcode, Type, Value};

/// Splits every such choice of `module`.
pub fn split_aggregates(module: &Module<'_>) {
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        // A field may be a struct again.
        loop {
            let chosen: Vec<_> = function.instructions().filter(|i| is_aggregate(i.ty())).collect();
            if chosen.into_iter().filter(|i| split(*i)).count() == 0 {
                break;
            }
        }
    }
}

/// Whether there was something to split.
fn split(instruction: Value<'_>) -> bool {
    match instruction.opcode() {
        Opcode::LLVMPHI => split_phi(instruction),
        Opcode::LLVMSelect => split_select(instruction),
        Opcode::LLVMFreeze => split_freeze(instruction),
        _ => return false,
    }
    true
}

fn is_aggregate(ty: Type<'_>) -> bool {
    ty.vector_length().is_none() && !ty.parts().is_empty()
}

/// The fields put together, in order, where `builder` stands.
fn assembled<'c>(builder: &Builder<'c>, ty: Type<'c>, fields: &[Value<'c>]) -> Value<'c> {
    let whole = |sum, (index, field): (usize, &Value<'c>)| builder.insert_value(sum, *field, index as u32, "");
    fields.iter().enumerate().fold(ty.poison(), whole)
}

/// The types of all fields or elements.
fn field_types<'c>(ty: Type<'c>) -> Vec<Type<'c>> {
    let parts = ty.parts();
    match ty.array_length() {
        Some(length) => parts.iter().cycle().take(length as usize).copied().collect(),
        None => parts,
    }
}

fn split_phi(phi: Value<'_>) {
    let before = Builder::before(phi);
    let incoming = phi.incoming();
    let fields: Vec<_> = field_types(phi.ty()).into_iter().map(|ty| before.phi(ty, "")).collect();
    for (index, field) in fields.iter().enumerate() {
        // A block with several edges to here gives the same value on all.
        let mut extracted: HashMap<Block<'_>, Value<'_>> = HashMap::new();
        for (value, block) in &incoming {
            let end = block.terminator().expect("every block of a valid function ends");
            let extract = || Builder::before(end).extract_value(*value, index as u32, "");
            field.add_incoming(*extracted.entry(*block).or_insert_with(extract), *block);
        }
    }
    let behind = phi.block().instructions().find(|i| !i.is(Opcode::LLVMPHI));
    let behind = behind.expect("every block of a valid function ends");
    phi.replace_all_uses_with(assembled(&Builder::before(behind), phi.ty(), &fields));
    phi.erase();
}

fn split_select(select: Value<'_>) {
    let builder = Builder::before(select);
    let [condition, then, or_else] = [0, 1, 2].map(|index| select.operand(index));
    let count = field_types(select.ty()).len() as u32;
    let choose = |index| {
        let [then, or_else] = [then, or_else].map(|whole| builder.extract_value(whole, index, ""));
        builder.select(condition, then, or_else, "")
    };
    let fields: Vec<_> = (0..count).map(choose).collect();
    select.replace_all_uses_with(assembled(&builder, select.ty(), &fields));
    select.erase();
}

fn split_freeze(freeze: Value<'_>) {
    let builder = Builder::before(freeze);
    let count = field_types(freeze.ty()).len() as u32;
    let frozen = |index| builder.freeze(builder.extract_value(freeze.operand(0), index, ""), "");
    let fields: Vec<_> = (0..count).map(frozen).collect();
    freeze.replace_all_uses_with(assembled(&builder, freeze.ty(), &fields));
    freeze.erase();
}
