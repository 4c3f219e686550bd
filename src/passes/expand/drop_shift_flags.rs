//! Drops the promise that a signed result fits from shifts into the sign.
//!
//! LLVM 22 writes a shift to the left as a product with a power of two. The power for the last bit is negative, so that
//! `shl nsw -1, 31`, which is right, becomes `-1 * -2147483648`, which does not fit: NVIDIA's back end writes a product
//! that is extended before the overflow (LLVM's pull request 200924), and the vectorisers keep the promise for the
//! product (207280, 210152). A product with that power is such a shift; it fits for 0 and 1 only.

use crate::llvm::{Module, Opcode, Value};

/// Drops `nsw` from all such shifts and products of `module`, and from shifts whose amount is not known.
pub fn drop_shift_flags(module: &Module<'_>) {
    for function in module.definitions() {
        function.instructions().filter(|i| reaches_sign(*i)).for_each(Value::drop_no_signed_wrap);
    }
}

/// Whether an operation promises that its signed result fits, although it may move the first bit to the last place.
fn reaches_sign(operation: Value<'_>) -> bool {
    let is_shift = operation.is(Opcode::Shl);
    if !(is_shift || operation.is(Opcode::Mul)) || !operation.has_no_signed_wrap() {
        return false;
    }
    let by = operation.operand(1);
    let lanes = match operation.ty().vector_length() {
        Some(length) if by.is_constant() => (0..length).map(|lane| by.lane(lane)).collect(),
        _ => vec![by],
    };
    let last = u64::from(lanes[0].ty().int_width().unwrap_or(1) - 1);
    lanes.iter().any(|lane| match lane.as_u64() {
        Some(by) if is_shift => by >= last,
        Some(by) => last < u64::from(u64::BITS) && by == 1 << last,
        None => is_shift,
    })
}
