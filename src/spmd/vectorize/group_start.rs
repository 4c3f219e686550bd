//! Whether the first thread of a group has a number that is a multiple of the size of the group, see
//! `facts/low_bits.rs`.

use super::widening::Widening;
use crate::llvm::{IntPredicate, Opcode, Value};
use crate::spmd::facts::low_bits::{is_multiple_of_8, is_treated, treated};
use crate::spmd::facts::shape::Shape;
use crate::spmd::facts::shapes::Shapes;

/// Whether the number of the first thread of a group is likely to be a multiple of the size of the group.
pub(crate) fn may_be_aligned<'c>(value: Value<'c>, shapes: &Shapes<'_, 'c>) -> bool {
    let shape = shapes.of(value);
    if is_multiple_of_8(value) || !value.is_instruction() {
        return is_multiple_of_8(value) || shape == Shape::Affine(1);
    }
    let is = |at: u32| may_be_aligned(value.operand(at), shapes);
    match value.opcode() {
        Opcode::ZExt | Opcode::SExt | Opcode::Trunc | Opcode::Freeze => is(0),
        Opcode::Add | Opcode::Sub | Opcode::Or => is(0) && is(1),
        Opcode::Shl => is(0),
        // The number of a block times its size.
        Opcode::Mul => shape == Shape::Uniform || is(0) || is(1),
        Opcode::Select => match shapes.assumed_condition(value.operand(0)) {
            Some(holds) => is(if holds { 1 } else { 2 }),
            None => false,
        },
        opcode if is_treated(opcode) => shape != Shape::Varying && treated(value).is_some() && is(0),
        _ => false,
    }
}

impl<'c> Widening<'_, '_, 'c> {
    /// Such an operation. Continues if the number of the first thread is a multiple of the number of threads.
    pub(crate) fn aligned_operation(&mut self, operation: Value<'c>) {
        if self.plan.shapes.is_multiple(operation.operand(0)) {
            return;
        }
        let number = self.get(operation.operand(0));
        let first = self.wide.of_thread(&number, 0);
        let builder = self.builder();
        let mask = first.ty().constant(u64::from(self.wide.width) - 1);
        let low = builder.binary(Opcode::And, first, mask, "");
        let holds = builder.icmp(IntPredicate::Eq, low, low.ty().zero(), "");
        self.check(holds);
    }
}
