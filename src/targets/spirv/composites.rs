//! Rewrites statics into types that SPIR-V instructions can represent: an array with too many elements for one
//! instruction becomes an array of arrays, an empty array is removed, and a vector type that SPIR-V lacks becomes an
//! array. The bytes, their offsets and the accesses do not change.
//!
//! ```text
//! [70000 x i8] c"…"   →   { [2 x [32768 x i8]] […], [4464 x i8] c"…" }
//! ```

use super::types::lacks_in_memory;
use crate::error::{Error, Result};
use crate::llvm::{Module, Type, TypeKind, Value};

/// The largest number of elements in an array. An instruction has at most 65,535 words, a few of which describe its
/// result.
const MOST: u64 = 32_768;
/// The largest number of elements of a static. LLVM's back end needs about a minute and 2 GB of memory to write it.
pub(super) const MOST_WRITTEN: u64 = 1 << 24;

/// Rewrites all such statics.
pub(super) fn fit_composites(module: &Module<'_>) -> Result<()> {
    for variable in module.variables() {
        let ty = variable.value_type();
        let written = variable.initializer().filter(|value| !value.is_null() && !value.is_undef());
        if !(lacks_in_memory(ty) || (written.is_some() && holds_long_array(ty))) {
            continue;
        }
        let name = variable.name();
        variable.set_name("");
        let fitted = if ty.alloc_size(module) == 0 { ty.types().i8() } else { fitting(module, ty) };
        let new = module.add_variable(&name, fitted, variable.ty().address_space());
        new.set_alignment(variable.alignment().max(ty.alignment(module)));
        new.set_linkage(variable.linkage());
        new.set_constant_global(variable.is_constant_global());
        let value = variable.initializer().map(|value| match written {
            _ if value.is_undef() => fitted.poison(),
            Some(value) if ty.alloc_size(module) > 0 => fitted_value(module, value),
            _ => fitted.zero(),
        });
        if value.is_some_and(|value| value.ty() != fitted) {
            return Err(Error::new(format!("static `{name}` has a vector of an uncommon type")));
        }
        new.set_initializer(value);
        variable.replace_all_uses_with(new);
        variable.erase_global();
    }
    Ok(())
}

/// The number of values in the representation of a constant: one for a zero.
pub(super) fn written_elements(constant: Value<'_>) -> u64 {
    let ty = constant.ty();
    let aggregate = matches!(ty.kind(), TypeKind::Array | TypeKind::Struct);
    if !aggregate || constant.is_null() || constant.is_undef() {
        return 1;
    }
    match ty.array_length() {
        Some(length) if ty.parts().iter().all(|element| element.parts().is_empty()) => length,
        _ => constant.operands().into_iter().map(written_elements).sum(),
    }
}

fn holds_long_array(ty: Type<'_>) -> bool {
    ty.array_length() > Some(MOST) || ty.parts().into_iter().any(holds_long_array)
}

/// The fields of a struct that contain bytes, each with the padding before it, and the padding at the end; none if no
/// explicit padding is needed.
fn padded_fields<'c>(module: &Module<'c>, ty: Type<'c>) -> Option<(Vec<(u64, u32)>, u64)> {
    let parts = ty.parts();
    // The types that replace them have smaller alignments.
    if !parts.iter().any(|part| lacks_in_memory(*part)) {
        return None;
    }
    let (mut fields, mut end) = (Vec::new(), 0);
    for (index, part) in parts.iter().enumerate().filter(|(_, part)| part.alloc_size(module) > 0) {
        let offset = ty.field_offset(module, index as u32);
        fields.push((offset - end, index as u32));
        end = offset + part.alloc_size(module);
    }
    Some((fields, ty.alloc_size(module) - end))
}

/// The bytes of a vector that SPIR-V lacks, including padding: an array of its elements, or of bytes if its elements
/// have a fraction of a byte.
fn array_instead<'c>(module: &Module<'c>, vector: Type<'c>) -> Type<'c> {
    let element = vector.parts()[0];
    let is_bytes = element.int_width().is_none_or(|width| width.is_multiple_of(8));
    let size = if is_bytes { element.store_size(module) } else { 1 };
    let length = if is_bytes { vector.vector_length().unwrap_or(0).into() } else { vector.store_size(module) };
    let elements = if is_bytes { element } else { vector.types().i8() }.array(length);
    match vector.alloc_size(module) - size * length {
        0 => elements,
        rest => vector.types().packed_structure(&[elements, vector.types().i8().array(rest)]),
    }
}

/// A constant of the type that `array_instead` returns. Of elements with a fraction of a byte, only single bits are
/// supported.
fn elements_instead<'c>(module: &Module<'c>, vector: Value<'c>) -> Value<'c> {
    let (ty, new) = (vector.ty(), array_instead(module, vector.ty()));
    let elements: Vec<_> = (0..ty.vector_length().unwrap_or(0)).map(|i| vector.lane(i)).collect();
    let array = if ty.parts()[0].int_width() == Some(1) {
        let byte = |bits: &[Value<'c>]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit.as_u64().unwrap_or(0));
        ty.types()
            .i8()
            .constant_array(&elements.chunks(8).map(|bits| ty.types().i8().constant(byte(bits))).collect::<Vec<_>>())
    } else {
        ty.parts()[0].constant_array(&elements)
    };
    match new.kind() {
        TypeKind::Struct => new.structure_constant(&[array, new.parts()[1].zero()]),
        _ => array,
    }
}

/// A type with the same bytes; the type is not empty.
fn fitting<'c>(module: &Module<'c>, ty: Type<'c>) -> Type<'c> {
    let parts = ty.parts();
    match ty.kind() {
        TypeKind::Array => {
            let (length, element) = (ty.array_length().unwrap_or(0), fitting(module, parts[0]));
            let (whole, rest) = (element.array(MOST).array(length / MOST), element.array(length % MOST));
            match (length / MOST, length % MOST) {
                (0, _) => rest,
                (_, 0) => whole,
                _ => ty.types().structure(&[whole, rest]),
            }
        }
        TypeKind::Struct => match padded_fields(module, ty) {
            None => {
                let fields: Vec<_> = parts.into_iter().map(|part| fitting(module, part)).collect();
                if ty.is_packed() { ty.types().packed_structure(&fields) } else { ty.types().structure(&fields) }
            }
            Some((fields, end)) => {
                let padding = |bytes: u64| (bytes > 0).then(|| ty.types().i8().array(bytes));
                let mut all = Vec::new();
                for (before, index) in fields {
                    all.extend(padding(before));
                    all.push(fitting(module, parts[index as usize]));
                }
                all.extend(padding(end));
                ty.types().packed_structure(&all)
            }
        },
        TypeKind::Vector if lacks_in_memory(ty) => array_instead(module, ty),
        _ => ty,
    }
}

/// A constant of the type that `fitting` returns.
fn fitted_value<'c>(module: &Module<'c>, constant: Value<'c>) -> Value<'c> {
    let ty = constant.ty();
    let fitted = fitting(module, ty);
    if constant.is_null() {
        return fitted.zero();
    }
    match ty.kind() {
        TypeKind::Array => fitted_array(module, constant, fitting(module, ty.parts()[0])),
        TypeKind::Struct => {
            let field = |index: u32| fitted_value(module, constant.element(index));
            let Some((fields, end)) = padded_fields(module, ty) else {
                let fields: Vec<_> = (0..constant.element_count()).map(field).collect();
                return fitted.structure_constant(&fields);
            };
            let padding = |bytes: u64| (bytes > 0).then(|| ty.types().i8().array(bytes).zero());
            let mut all = Vec::new();
            for (before, index) in fields {
                all.extend(padding(before));
                all.push(field(index));
            }
            all.extend(padding(end));
            fitted.structure_constant(&all)
        }
        TypeKind::Vector if lacks_in_memory(ty) => elements_instead(module, constant),
        _ => constant,
    }
}

fn fitted_array<'c>(module: &Module<'c>, constant: Value<'c>, element: Type<'c>) -> Value<'c> {
    let elements = |from: u64, count: u64| {
        let range = from as u32..(from + count) as u32;
        element.constant_array(&range.map(|i| fitted_value(module, constant.element(i))).collect::<Vec<_>>())
    };
    let length = u64::from(constant.element_count());
    let (chunks, rest) = (length / MOST, length % MOST);
    if chunks == 0 {
        return elements(0, rest);
    }
    let whole: Vec<_> = (0..chunks).map(|chunk| elements(chunk * MOST, MOST)).collect();
    let whole = element.array(MOST).constant_array(&whole);
    if rest == 0 {
        return whole;
    }
    let parts = [whole, elements(chunks * MOST, rest)];
    constant.types().structure(&parts.map(Value::ty)).structure_constant(&parts)
}
