//! Cuts copies and fills of a known size into loads and stores: for back ends that would make a loop over bytes.
//!
//! Before: `lower_memory_functions` has made calls of those that take many. What is copied may overlap only where the
//! intrinsic says so: such a copy loads everything before it stores anything.

use crate::llvm::{Builder, Opcode, Value};
use crate::passes::library::lower_memory_functions::{MANY, Slow, alignment};

/// The widest access.
const WIDEST: u64 = 8;

/// Cuts the calls of these intrinsics in a function.
pub fn split_copies(function: Value<'_>, slow: Slow) {
    for call in function.instructions().filter(|i| i.is(Opcode::LLVMCall)).collect::<Vec<_>>() {
        let Some(callee) = call.called_function().filter(|f| f.is_intrinsic()) else { continue };
        let name = callee.name();
        let family = name.split('.').nth(1).unwrap_or_default();
        let length = slow.contains(&family).then(|| call.arguments()[2].as_u64()).flatten();
        let Some(length) = length.filter(|length| *length <= MANY && call.arguments()[3].as_u64() == Some(0)) else {
            continue;
        };
        match family {
            "memset" => fill(call, length),
            "memmove" => copy(call, length, length),
            _ => copy(call, length, WIDEST),
        }
        call.erase();
    }
}

/// Offset and size of each access to so many bytes.
fn pieces(length: u64, alignment: u64) -> impl Iterator<Item = (u64, u64)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let size = [8, 4, 2, 1].into_iter().find(|size| *size <= alignment && at + size <= length)?;
        at += size;
        Some((at - size, size))
    })
}

fn fill(call: Value<'_>, length: u64) {
    let (builder, arguments, align) = (Builder::before(call), call.arguments(), alignment(call, 0));
    let word = arguments[1].ty().int(64);
    let extended = builder.cast(Opcode::LLVMZExt, arguments[1], word, "");
    let value = builder.mul(extended, word.constant(0x0101_0101_0101_0101), "");
    for (offset, size) in pieces(length, align) {
        let ty = word.int(8 * size as u32);
        let part = if size == WIDEST { value } else { builder.cast(Opcode::LLVMTrunc, value, ty, "") };
        let _store = builder.store(part, builder.byte_offset(arguments[0], offset, ""), size as u32);
    }
}

/// Copies `at_once` bytes, or one access where that is more, before it goes on.
fn copy(call: Value<'_>, length: u64, at_once: u64) {
    let (builder, arguments) = (Builder::before(call), call.arguments());
    let align = alignment(call, 0).min(alignment(call, 1));
    let pieces: Vec<_> = pieces(length, align).collect();
    for group in pieces.chunk_by(|(a, _), (b, _)| a / at_once.max(1) == b / at_once.max(1)) {
        let load = |&(offset, size): &(u64, u64)| {
            let ty = arguments[0].ty().int(8 * size as u32);
            builder.load(ty, builder.byte_offset(arguments[1], offset, ""), size as u32, "")
        };
        let values: Vec<_> = group.iter().map(load).collect();
        for ((offset, size), value) in group.iter().zip(values) {
            let _store = builder.store(value, builder.byte_offset(arguments[0], *offset, ""), *size as u32);
        }
    }
}
