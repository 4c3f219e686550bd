//! Splits each `phi`, `select` or `freeze` of a struct or array into one for each field.
//!
//! Loads and stores are split in the same way.
//!
//! Before: nothing. After: none of these instructions has a struct or an array as its type. No field is
//! extracted from an aggregate that was built from fields.

use std::collections::HashMap;

use crate::llvm::{Block, Builder, Module, Opcode, Type, Value};

/// Splits all such instructions of `module`.
pub fn split_aggregates(module: &Module<'_>) {
    for function in module.definitions() {
        function.instructions().for_each(|access| split_access(module, access));
        // A field may be a struct, too.
        loop {
            let chosen: Vec<_> = function.instructions().filter(|i| is_aggregate(i.ty())).collect();
            if chosen.into_iter().filter(|i| split(*i)).count() == 0 {
                break;
            }
        }
        function.instructions().for_each(take_field);
    }
}

/// Loads and stores with more fields are not split.
const MOST_FIELDS: usize = 64;

/// Splits a load or store of a struct or an array into one for each field.
fn split_access<'c>(module: &Module<'c>, access: Value<'c>) {
    let (is_load, is_store) = (access.is(Opcode::Load), access.is(Opcode::Store));
    let ty = if is_store { access.operand(0).ty() } else { access.ty() };
    if !(is_load || is_store) || !is_aggregate(ty) || count_fields(ty) > MOST_FIELDS {
        return;
    }
    let (builder, align, volatile) = (Builder::before(access), access.alignment().into(), access.is_volatile());
    if is_load {
        access.replace_all_uses_with(load_fields(module, &builder, ty, (access.operand(0), align, volatile)));
    } else {
        store_fields(module, &builder, access.operand(0), (access.operand(1), align, volatile));
    }
    access.erase();
}

fn count_fields(ty: Type<'_>) -> usize {
    match ty.array_length() {
        Some(length) => usize::try_from(length).unwrap_or(usize::MAX).saturating_mul(count_fields(ty.parts()[0])),
        None if is_aggregate(ty) => ty.parts().into_iter().map(count_fields).sum(),
        None => 1,
    }
}

/// An address, its alignment, and whether the access is volatile.
type At<'c> = (Value<'c>, u64, bool);

/// The address of a field of a struct or array at `at`.
fn field_at<'c>(module: &Module<'c>, builder: &Builder<'c>, ty: Type<'c>, at: At<'c>, index: u32) -> At<'c> {
    let offset = match ty.array_length() {
        Some(_) => u64::from(index) * ty.parts()[0].alloc_size(module),
        None => ty.field_offset(module, index),
    };
    if offset == 0 { at } else { (builder.byte_offset(at.0, offset, ""), 1 << (at.1 | offset).trailing_zeros(), at.2) }
}

fn load_fields<'c>(module: &Module<'c>, builder: &Builder<'c>, ty: Type<'c>, at: At<'c>) -> Value<'c> {
    if !is_aggregate(ty) {
        let field = builder.load(ty, at.0, at.1 as u32, "");
        if at.2 {
            field.set_volatile();
        }
        return field;
    }
    let load =
        |(index, field): (u32, Type<'c>)| load_fields(module, builder, field, field_at(module, builder, ty, at, index));
    let fields: Vec<_> = (0..).zip(field_types(ty)).map(load).collect();
    assembled(builder, ty, &fields)
}

fn store_fields<'c>(module: &Module<'c>, builder: &Builder<'c>, value: Value<'c>, at: At<'c>) {
    let ty = value.ty();
    if !is_aggregate(ty) {
        match at.2 {
            true => builder.volatile_store(value, at.0, at.1 as u32),
            false => builder.store(value, at.0, at.1 as u32),
        }
        return;
    }
    for index in 0..field_types(ty).len() as u32 {
        let field = builder.extract_value(value, index, "");
        store_fields(module, builder, field, field_at(module, builder, ty, at, index));
    }
}

/// Replaces an `extractvalue` by the field, through any number of `insertvalue`s.
fn take_field(extract: Value<'_>) {
    if !extract.is(Opcode::ExtractValue) || is_aggregate(extract.ty()) {
        return;
    }
    let (whole, path) = find(extract.operand(0), extract.aggregate_indices());
    if whole != extract.operand(0) {
        let builder = Builder::before(extract);
        let field = path.iter().fold(whole, |part, index| builder.extract_value(part, *index, ""));
        extract.replace_all_uses_with(field);
    }
}

/// The value that contains the field `path` of `whole`, and the rest of the path in it.
fn find<'c>(mut whole: Value<'c>, mut path: Vec<u32>) -> (Value<'c>, Vec<u32>) {
    loop {
        if whole.is(Opcode::ExtractValue) {
            path = [whole.aggregate_indices(), path].concat();
            whole = whole.operand(0);
        } else if whole.is(Opcode::InsertValue) {
            let inserted = whole.aggregate_indices();
            match path.strip_prefix(&inserted[..]).map(<[u32]>::to_vec) {
                Some(rest) => (whole, path) = (whole.operand(1), rest),
                // Only a part of the requested field was inserted here.
                None if inserted.starts_with(&path) => return (whole, path),
                None => whole = whole.operand(0),
            }
        } else {
            return (whole, path);
        }
    }
}

/// Splits an instruction if its type is an aggregate. Returns whether it did.
fn split(instruction: Value<'_>) -> bool {
    match instruction.opcode() {
        Opcode::Phi => split_phi(instruction),
        Opcode::Select => split_select(instruction),
        Opcode::Freeze => split_freeze(instruction),
        _ => return false,
    }
    true
}

fn is_aggregate(ty: Type<'_>) -> bool {
    ty.vector_length().is_none() && !ty.parts().is_empty()
}

/// Builds the aggregate from its fields.
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
        // A block with several edges to this one has the same value for all of them.
        let mut extracted: HashMap<Block<'_>, Value<'_>> = HashMap::new();
        for (value, block) in &incoming {
            let end = block.terminator().expect("every block of a valid function ends");
            let extract = || Builder::before(end).extract_value(*value, index as u32, "");
            field.add_incoming(*extracted.entry(*block).or_insert_with(extract), *block);
        }
    }
    let next = phi.block().instructions().find(|i| !i.is(Opcode::Phi));
    let next = next.expect("every block of a valid function ends");
    phi.replace_all_uses_with(assembled(&Builder::before(next), phi.ty(), &fields));
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
