//! The layout of frames, and accesses to them.
//!
//! ```c
//! struct frame {
//!   uint32_t back;     // the step that follows this call; 0 ends the loop
//!   P0 p0; P1 p1; ...  // parameters; after the call, the result, aligned, from here on
//!   L0 l0; ...         // locals, and values that are used after calls
//! };
//! ```

use crate::llvm::{Builder, Module, Opcode, Type, TypeKind, Value};

/// The size of `back` in bytes.
const BACK: u64 = 4;

/// The layout of a frame; it grows.
pub(super) struct Layout {
    /// The size so far, in bytes.
    pub(super) bytes: u64,
    /// The largest alignment of a field.
    pub(super) align: u64,
}

impl Layout {
    /// A frame that contains only `back`.
    pub(super) fn new() -> Self {
        Layout { bytes: BACK, align: BACK }
    }

    /// Adds a field of `bytes` bytes. Returns its offset.
    pub(super) fn place(&mut self, bytes: u64, align: u64) -> u64 {
        let offset = self.bytes.next_multiple_of(align.max(1));
        self.bytes = offset + bytes;
        self.align = self.align.max(align);
        offset
    }

    /// Adds a field for a value.
    pub(super) fn place_value<'c>(&mut self, module: &Module<'c>, ty: Type<'c>) -> u64 {
        let ty = stored(ty);
        self.place(ty.alloc_size(module), ty.alignment(module).into())
    }

    /// Makes the frame large enough for a result, which overwrites the parameters.
    pub(super) fn place_result<'c>(&mut self, module: &Module<'c>, ty: Type<'c>) {
        if !ty.is_void() {
            let end = result_offset(module, ty) + stored(ty).alloc_size(module);
            self.bytes = self.bytes.max(end);
            self.align = self.align.max(stored(ty).alignment(module).into());
        }
    }
}

/// The offset of a result of this type.
pub(super) fn result_offset<'c>(module: &Module<'c>, ty: Type<'c>) -> u64 {
    BACK.next_multiple_of(stored(ty).alignment(module).into())
}

/// The type in which a value is stored: integers are widened to a power of two of whole bytes, also within aggregates.
pub(super) fn stored<'c>(ty: Type<'c>) -> Type<'c> {
    let parts = || ty.parts().into_iter().map(stored).collect::<Vec<_>>();
    match ty.kind() {
        TypeKind::Integer => ty.types().int(ty.int_width().map_or(8, |width| width.next_power_of_two().max(8))),
        TypeKind::Struct => ty.types().structure(&parts()),
        TypeKind::Array => parts()[0].array(ty.array_length().unwrap_or(0)),
        TypeKind::Vector if parts() != ty.parts() => parts()[0].array(ty.vector_length().unwrap_or(0).into()),
        _ => ty,
    }
}

/// The offsets of the elements of a struct or array.
fn element_offsets<'c>(module: &Module<'c>, ty: Type<'c>) -> Vec<u64> {
    match ty.array_length() {
        Some(length) => (0..length).map(|index| index * ty.parts()[0].alloc_size(module)).collect(),
        None => (0..ty.parts().len() as u32).map(|index| ty.field_offset(module, index)).collect(),
    }
}

fn is_split(ty: Type<'_>) -> bool {
    matches!(ty.kind(), TypeKind::Struct | TypeKind::Array)
}

/// Stores a value, one element after another.
pub(super) fn put<'c>(module: &Module<'c>, builder: &Builder<'c>, value: Value<'c>, at: Value<'c>) {
    let (ty, own) = (value.ty(), stored(value.ty()));
    if is_split(own) {
        for (index, offset) in (0..).zip(element_offsets(module, own)) {
            let part = match ty.vector_length() {
                Some(_) => builder.extract_element(value, ty.types().i32().constant(u64::from(index)), ""),
                None => builder.extract_value(value, index, ""),
            };
            put(module, builder, part, builder.byte_offset(at, offset, ""));
        }
        return;
    }
    let value = if own == ty { value } else { builder.cast(Opcode::ZExt, value, own, "") };
    builder.store(value, at, 0);
}

/// Loads a value that [`put`] stored.
pub(super) fn get<'c>(module: &Module<'c>, builder: &Builder<'c>, ty: Type<'c>, at: Value<'c>) -> Value<'c> {
    let own = stored(ty);
    if !is_split(own) {
        let value = builder.load(own, at, 0, "");
        return if own == ty { value } else { builder.cast(Opcode::Trunc, value, ty, "") };
    }
    let parts = ty.parts();
    let mut whole = ty.poison();
    for (index, offset) in (0..).zip(element_offsets(module, own)) {
        let part_type = parts.get(index as usize).copied().unwrap_or(parts[0]);
        let part = get(module, builder, part_type, builder.byte_offset(at, offset, ""));
        whole = match ty.vector_length() {
            Some(_) => builder.insert_element(whole, part, ty.types().i32().constant(u64::from(index)), ""),
            None => builder.insert_value(whole, part, index, ""),
        };
    }
    whole
}

/// Redirects the loads and stores of a whole alloca to `at`, so that the alloca is unused.
pub(super) fn move_slot<'c>(module: &Module<'c>, slot: Value<'c>, at: Value<'c>) {
    for user in slot.users() {
        let builder = Builder::before(user);
        if user.is(Opcode::Load) {
            user.replace_all_uses_with(get(module, &builder, user.ty(), at));
        } else {
            put(module, &builder, user.operand(0), at);
        }
        user.erase();
    }
}
