//! Splits copies and fills of a known size into loads and stores, for back ends that would create a loop over bytes.
//!
//! Before: `lower_memory_functions` has replaced the long ones by calls. Source and destination overlap only in a
//! `memmove`: it loads everything before it stores anything. The others load a few registers before they store them,
//! because no back end moves a load over a store that may alias.

use crate::llvm::{Builder, Function, Module, Opcode, Type, Value};
use crate::passes::library::lower_memory_functions::{LoweredMemops, MANY, alignment};

/// The number of 4-byte registers that are loaded before the first one is stored.
const REGISTERS: u64 = 16;
/// The size of the widest access, a vector, in bytes.
const VECTOR: u64 = 16;

/// Splits the calls of these intrinsics into accesses of at most `widest` bytes, 8 or 16.
pub fn split_copies(module: &Module<'_>, slow: LoweredMemops, widest: u64) {
    module.functions().into_iter().for_each(|function| split_copies_of(function, slow, widest));
}

/// Cuts those in a function into accesses of at most `widest` bytes, which is 8 or 16.
pub fn split_copies_of(function: Function<'_>, lowered: LoweredMemops, widest: u64) {
    for call in function.instructions().filter(|i| i.is(Opcode::Call)).collect::<Vec<_>>() {
        let Some(callee) = call.called_intrinsic() else { continue };
        let name = callee.name();
        let family = name.split('.').nth(1).unwrap_or_default();
        let length = lowered.contains(&family).then(|| call.arguments()[2].as_u64()).flatten();
        let Some(length) = length.filter(|length| *length <= MANY && call.arguments()[3].as_u64() == Some(0)) else {
            continue;
        };
        match family {
            "memset" => fill(call, length, widest),
            _ => {
                let _loads = copy(call, length, widest, family == "memmove");
            }
        }
        call.erase();
    }
}

/// The offset and size of each access to `length` bytes.
fn pieces(length: u64, widest: u64) -> Vec<(u64, u64)> {
    let mut at = 0;
    let next = || {
        let size = [VECTOR, 8, 4, 2, 1].into_iter().find(|size| *size <= widest && at + size <= length)?;
        at += size;
        Some((at - size, size))
    };
    std::iter::from_fn(next).collect()
}

/// The type of an access of this size. Vectors have small elements, so that few bytes become poison together.
fn piece(any: Type<'_>, size: u64) -> Type<'_> {
    if size == VECTOR { any.types().i32().vector(4) } else { any.types().int(8 * size as u32) }
}

fn fill(call: Value<'_>, length: u64, widest: u64) {
    let (builder, arguments, align) = (Builder::before(call), call.arguments(), alignment(call, 0));
    let word = arguments[1].types().i64();
    let extended = builder.cast(Opcode::ZExt, arguments[1], word, "");
    let value = builder.mul(extended, word.constant(0x0101_0101_0101_0101), "");
    for (offset, size) in pieces(length, widest.min(align)) {
        let part = match size {
            VECTOR => splat(&builder, builder.cast(Opcode::Trunc, value, word.types().i32(), "")),
            8 => value,
            _ => builder.cast(Opcode::Trunc, value, piece(word, size), ""),
        };
        builder.store(part, builder.byte_offset(arguments[0], offset, ""), size as u32);
    }
}

/// A vector whose elements are all `value`.
fn splat<'c>(builder: &Builder<'c>, value: Value<'c>) -> Value<'c> {
    let (none, index) = (value.ty().vector(4).poison(), value.ty());
    (0..4).fold(none, |vector, at| builder.insert_element(vector, value, index.constant(at), ""))
}

/// Writes the loads and stores of a copy whose size is known and whose source and destination do not overlap, before
/// the copy. Returns the loads.
pub fn split_copy(call: Value<'_>, widest: u64) -> Vec<Value<'_>> {
    let length = call.arguments()[2].as_u64().expect("the caller has looked at the size");
    copy(call, length, widest, false)
}

/// Copies in groups of a few registers, or everything at once if source and destination may overlap. Returns the loads.
fn copy(call: Value<'_>, length: u64, widest: u64, overlaps: bool) -> Vec<Value<'_>> {
    let mut loads = Vec::new();
    let (builder, arguments) = (Builder::before(call), call.arguments());
    let widest = widest.min(alignment(call, 0)).min(alignment(call, 1));
    let at_once = if overlaps { length } else { REGISTERS * widest.min(4) };
    for group in pieces(length, widest).chunk_by(|(a, _), (b, _)| a / at_once == b / at_once) {
        let load = |&(offset, size): &(u64, u64)| {
            let from = builder.byte_offset(arguments[1], offset, "");
            builder.load(piece(from.ty(), size), from, size as u32, "")
        };
        let values: Vec<_> = group.iter().map(load).collect();
        for ((offset, size), value) in group.iter().zip(&values) {
            builder.store(*value, builder.byte_offset(arguments[0], *offset, ""), *size as u32);
        }
        loads.extend(values);
    }
    loads
}
