//! For the row "Keccak": choices between two elements of an array of the thread.
//!
//! LLVM writes `array[(i + 2) % 5]` as a choice between the addresses of `array[i + 2]` and `array[i - 3]`. An address
//! that is computed from a selected index is that of an element, whatever the index, so that `soa_arrays.rs` can move
//! it.

use crate::llvm::{Builder, Function, Module, Opcode, Value};

/// Chooses the index where a function chooses between two addresses in the same array of the thread.
pub(crate) fn choose_indices<'c>(module: &Module<'c>, function: Function<'c>) {
    let is_choice = |i: &Value<'c>| i.is(Opcode::Select) && i.ty().is_pointer();
    for choice in function.instructions().filter(is_choice).collect::<Vec<_>>() {
        if let Some(address) = selected_address(module, choice) {
            choice.replace_all_uses_with(address);
            choice.erase();
        }
    }
}

/// The address that a `select` chooses, from a selected index.
fn selected_address<'c>(module: &Module<'c>, choice: Value<'c>) -> Option<Value<'c>> {
    let sides = [choice.operand(1), choice.operand(2)];
    let has_index = |side: &Value<'c>| {
        let is_gep = side.is_instruction() && side.is(Opcode::GetElementPtr);
        is_gep && side.operand_count() == 2 && side.operand(1).ty().int_width() == Some(64)
    };
    if !sides.iter().all(has_index) || sides[0].operand(0) != sides[1].operand(0) || !is_own(sides[0]) {
        return None;
    }
    let builder = Builder::before(choice);
    builder.locate_as(choice);
    let i8 = module.types().i8();
    let bytes = |side: Value<'c>| {
        let size = side.gep_source_type().alloc_size(module);
        side.operand(1).as_u64().map(|index| (index as i64).wrapping_mul(size as i64))
    };
    let (ty, indices) = match [bytes(sides[0]), bytes(sides[1])] {
        // The step is the size of an element, as far as the two offsets show it.
        [Some(a), Some(b)] => {
            let step = 1 << (a | b | LARGEST).trailing_zeros();
            (i8.array(step as u64), [a, b].map(|at| module.types().i64().constant((at / step) as u64)))
        }
        _ if sides[0].gep_source_type() == sides[1].gep_source_type() => {
            (sides[0].gep_source_type(), sides.map(|side| side.operand(1)))
        }
        _ => return None,
    };
    let index = builder.select(choice.operand(0), indices[0], indices[1], "");
    // No promise of a side is one of the other.
    Some(builder.gep(ty, sides[0].operand(0), &[index], ""))
}

/// The largest element of a vector, in bytes.
const LARGEST: i64 = 8;

/// Whether an address is in an array of the thread.
fn is_own(address: Value<'_>) -> bool {
    let base = address.base();
    base.is_instruction() && base.is_fixed_alloca()
}
