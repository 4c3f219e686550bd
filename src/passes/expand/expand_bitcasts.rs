//! Replaces bit casts from and to vectors that a device lacks by operations on elements. Host code that compares many
//! bytes at once converts a mask of single bits to an integer.
//!
//! Before: no function has parameters or results of such types, and values of these types are built and read element by
//! element. After: no bit cast has such a type. The integers in between may have any width, so `split_integers` may
//! have to follow.

use crate::llvm::{Builder, Function, Module, Opcode, Type, Value};

/// Rewrites the bit casts of a function whose vector types `lacks` contains.
pub fn expand_bitcasts<'c>(module: &Module<'c>, function: Function<'c>, lacks: &dyn Fn(Type<'c>) -> bool) {
    let concerns = |i: &Value<'c>| i.is(Opcode::BitCast) && (lacks(i.ty()) || lacks(i.operand(0).ty()));
    for cast in function.instructions().filter(concerns).collect::<Vec<_>>() {
        let (builder, value, ty) = (Builder::before(cast), cast.operand(0), cast.ty());
        let number = if lacks(value.ty()) {
            number_of(module, &builder, value)
        } else {
            reinterpreted(&builder, value, ty.types().int(bits(module, value.ty())))
        };
        let result = if lacks(ty) { vector_of(module, cast, number) } else { reinterpreted(&builder, number, ty) };
        cast.replace_all_uses_with(result);
        cast.erase();
    }
}

/// The width of an integer, or of all elements of a vector.
fn bits<'c>(module: &Module<'c>, ty: Type<'c>) -> u32 {
    match (ty.vector_length(), ty.parts().first()) {
        (Some(length), Some(element)) => length * bits(module, *element),
        _ => ty.int_width().unwrap_or(8 * ty.store_size(module) as u32),
    }
}

fn reinterpreted<'c>(builder: &Builder<'c>, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
    if value.ty() == ty { value } else { builder.cast(Opcode::BitCast, value, ty, "") }
}

/// The elements of a vector in one integer, the first in the lowest bits.
fn number_of<'c>(module: &Module<'c>, builder: &Builder<'c>, vector: Value<'c>) -> Value<'c> {
    let (ty, each) = (vector.ty(), bits(module, vector.ty()) / vector.ty().vector_length().unwrap_or(1).max(1));
    let number = ty.types().int(bits(module, ty));
    (0..ty.vector_length().unwrap_or(0)).fold(number.zero(), |whole, i| {
        let part = reinterpreted(builder, element(builder, vector, i), ty.types().int(each));
        let wide = if ty.types().int(each) == number { part } else { builder.cast(Opcode::ZExt, part, number, "") };
        let placed = builder.binary(Opcode::Shl, wide, number.constant((i * each).into()), "");
        builder.binary(Opcode::Or, whole, placed, "")
    })
}

/// A vector whose elements are the bits of a number. `extractelement`s of `cast` are replaced by the elements at once,
/// because no pass simplifies this code later.
fn vector_of<'c>(module: &Module<'c>, cast: Value<'c>, number: Value<'c>) -> Value<'c> {
    let (builder, ty, wide) = (Builder::before(cast), cast.ty(), number.ty());
    let length = ty.vector_length().unwrap_or(0);
    let each = bits(module, ty) / length.max(1);
    let Some(element) = ty.parts().first().copied() else { return ty.poison() };
    let part = |i: u32| {
        let part = builder.binary(Opcode::LShr, number, wide.constant((i * each).into()), "");
        let part = if ty.types().int(each) == wide {
            part
        } else {
            builder.cast(Opcode::Trunc, part, ty.types().int(each), "")
        };
        reinterpreted(&builder, part, element)
    };
    let elements: Vec<_> = (0..length).map(part).collect();
    assemble_vector(&builder, cast, &elements)
}

/// Replaces `instruction` by a vector of these elements, and each `extractelement` of it by the element.
pub(super) fn assemble_vector<'c>(builder: &Builder<'c>, instruction: Value<'c>, elements: &[Value<'c>]) -> Value<'c> {
    for user in instruction.users().into_iter().filter(|u| u.is(Opcode::ExtractElement)) {
        let at = user.operand(1).as_u64().and_then(|at| elements.get(usize::try_from(at).ok()?));
        if let Some(element) = at {
            // The `extractelement` remains without a use, because a caller may hold it.
            user.replace_all_uses_with(*element);
        }
    }
    let ty = instruction.ty();
    elements.iter().zip(0..).fold(ty.poison(), |vector, (element, i)| {
        builder.insert_element(vector, *element, ty.types().i32().constant(i), "")
    })
}

/// An element of a vector, which may have been put together from scalars.
pub(super) fn element<'c>(builder: &Builder<'c>, vector: Value<'c>, index: u32) -> Value<'c> {
    let mut from = vector;
    while from.is(Opcode::InsertElement) {
        match from.operand(2).as_u64() {
            Some(at) if at == u64::from(index) => return from.operand(1),
            Some(_) => from = from.operand(0),
            None => break,
        }
    }
    builder.extract_element(from, vector.types().i32().constant(index.into()), "")
}
