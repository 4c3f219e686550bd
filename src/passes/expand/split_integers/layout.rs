//! The memory layout of integers that are split: types and initial values with the same bytes at the same offsets.

use super::holds_split;
use crate::error::{Error, Result};
use crate::llvm::{Module, Type, TypeKind, Value};

/// Replaces the type of every static that contains such integers by one with the same bytes at the same offsets. An
/// error names a static for which this is impossible.
pub fn split_statics(module: &Module<'_>) -> Result<()> {
    for variable in module.variables().into_iter().filter(|v| holds_split(v.value_type())) {
        let refused =
            || Error::new(format!("static `{}` has integers of an uncommon width in a struct", variable.name()));
        let ty = bytes_instead(module, variable.value_type()).ok_or_else(refused)?;
        let name = variable.name();
        variable.set_name("");
        let new = module.add_variable(&name, ty, variable.ty().address_space());
        new.set_alignment(variable.alignment().max(variable.value_type().alignment(module)));
        new.set_linkage(variable.linkage());
        new.set_constant_global(variable.is_constant_global());
        if let Some(value) = variable.initializer() {
            new.set_initializer(Some(bytes_of(module, value).ok_or_else(refused)?));
        }
        variable.replace_all_uses_with(new);
        variable.erase_global();
    }
    Ok(())
}

/// A constant of the type that `bytes_instead` returns.
fn bytes_of<'c>(module: &Module<'c>, constant: Value<'c>) -> Option<Value<'c>> {
    let (ty, new) = (constant.ty(), bytes_instead(module, constant.ty())?);
    if constant.is_null() || constant.is_undef() {
        return Some(if constant.is_undef() { new.poison() } else { new.zero() });
    }
    let element = *new.parts().first()?;
    if ty.int_width().is_none() {
        let elements: Option<Vec<_>> = constant.operands().into_iter().map(|each| bytes_of(module, each)).collect();
        return Some(element.constant_array(&elements?));
    }
    // LLVM prints it as a signed number of at most 128 bits.
    let number: i128 = constant.text().split_whitespace().last()?.parse().ok()?;
    let width = ty.int_width().filter(|width| *width < 128);
    let number = width.map_or(number, |width| number & ((1 << width) - 1));
    let count = ty.alloc_size(module) as usize;
    let bytes: Vec<_> = number.to_le_bytes()[..count].iter().map(|byte| element.constant((*byte).into())).collect();
    Some(element.constant_array(&bytes))
}

/// Whether a type has the same layout as on the host. The host aligns integers of more than 64 bits to 16 bytes, a
/// device may align them to 8: this must not change the size or offset of anything that contains one.
pub(super) fn keeps_layout<'c>(module: &Module<'c>, ty: Type<'c>) -> bool {
    if !holds_split(ty) || ty.int_width().is_some() {
        return true;
    }
    let fields = ty.kind() == TypeKind::Struct;
    let in_place = |field: usize| !fields || ty.field_offset(module, field as u32).is_multiple_of(HOST_ALIGNMENT);
    let parts = ty.parts();
    let mut wide = parts.iter().enumerate().filter(|(_, part)| holds_split(**part));
    ty.alloc_size(module).is_multiple_of(HOST_ALIGNMENT)
        && wide.all(|(field, part)| in_place(field) && keeps_layout(module, *part))
}

/// The alignment of the host's wide integers, in bytes.
const HOST_ALIGNMENT: u64 = 16;

/// A type with the same size and stride, without integers that must be split; none if fields would move.
pub(super) fn bytes_instead<'c>(module: &Module<'c>, ty: Type<'c>) -> Option<Type<'c>> {
    if !holds_split(ty) {
        return Some(ty);
    }
    let bytes = ty.alloc_size(module);
    match ty.kind() {
        TypeKind::Integer => Some(ty.types().i8().array(bytes)),
        TypeKind::Array => {
            let element = *ty.parts().first()?;
            let size = element.alloc_size(module).max(1);
            Some(bytes_instead(module, element)?.array(bytes / size))
        }
        _ => None,
    }
}
