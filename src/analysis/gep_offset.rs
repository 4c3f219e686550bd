//! The bytes that a `getelementptr` adds to its pointer.

use super::points_to::Offset;
use crate::llvm::{Module, TypeKind, Value};

/// The number of bytes that a `getelementptr` instruction or expression adds to its pointer.
pub(crate) fn gep_offset<'c>(module: &Module<'c>, gep: Value<'c>) -> Offset {
    let mut ty = gep.gep_source_type();
    let mut offset = Offset::exact(0);
    for (n, index) in gep.operands().into_iter().skip(1).enumerate() {
        if n > 0 && ty.kind() == TypeKind::Struct {
            let Some(field) = index.as_u64() else { return Offset::ANY };
            offset = offset.plus(Offset::exact(ty.field_offset(module, field as u32) as i64));
            ty = ty.parts()[field as usize];
            continue;
        }
        if n > 0 {
            let Some(element) = ty.parts().first().copied() else { return Offset::ANY };
            ty = element;
        }
        let size = ty.alloc_size(module);
        offset = offset.plus(match signed(index) {
            Some(count) => Offset::exact(count.wrapping_mul(size as i64)),
            None => Offset::multiple(size),
        });
    }
    offset
}

/// The value of an integer constant, sign-extended.
fn signed(value: Value<'_>) -> Option<i64> {
    let width = value.ty().int_width()?;
    let shift = 64_u32.checked_sub(width)?;
    value.as_u64().map(|bits| ((bits << shift) as i64) >> shift)
}
