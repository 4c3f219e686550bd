//! Addresses as sums.

use crate::llvm::{Module, Opcode, Value};
use crate::spmd::tuning::SUM_TERMS;

/// An address as a sum of values with factors, and a constant. Each value is extended to 64 bits first or not.
#[derive(Clone, Default)]
pub(crate) struct Sum<'c> {
    pub(crate) terms: Vec<(Value<'c>, bool, i64)>,
    pub(crate) constant: i64,
}

impl<'c> Sum<'c> {
    /// Whether they differ by a constant.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.terms.len() == other.terms.len() && self.terms.iter().all(|term| other.terms.contains(term))
    }

    /// Adds a value of 64 bits this many times; none if the sum becomes too long.
    pub(crate) fn add(&mut self, module: &Module<'c>, value: Value<'c>, factor: i64) -> Option<()> {
        if let Some(constant) = value.as_u64() {
            self.constant = self.constant.wrapping_add((constant as i64).wrapping_mul(factor));
            return Some(());
        }
        let by_constant = |number: u32| value.operand(number).as_u64();
        match if value.is_instruction() { value.opcode() } else { return self.term(value, false, factor) } {
            Opcode::GetElementPtr => self.add_address(module, value, factor),
            Opcode::Add => self.add_both(module, value, [factor, factor]),
            Opcode::Or if value.is_disjoint() => self.add_both(module, value, [factor, factor]),
            Opcode::Sub => self.add_both(module, value, [factor, factor.wrapping_neg()]),
            Opcode::Mul if by_constant(1).is_some() => {
                self.add(module, value.operand(0), factor.wrapping_mul(by_constant(1)? as i64))
            }
            Opcode::Shl if by_constant(1).is_some_and(|bits| bits < 63) => {
                self.add(module, value.operand(0), factor.wrapping_mul(1 << by_constant(1)?))
            }
            Opcode::ZExt => self.add_extended(value.operand(0), factor),
            _ => self.term(value, false, factor),
        }
    }

    fn add_both(&mut self, module: &Module<'c>, value: Value<'c>, factors: [i64; 2]) -> Option<()> {
        (0..).zip(factors).try_for_each(|(number, factor)| self.add(module, value.operand(number), factor))
    }

    /// Adds a `zext` of a value.
    fn add_extended(&mut self, value: Value<'c>, factor: i64) -> Option<()> {
        let is_sum = value.is_instruction()
            && (value.is_disjoint() || value.is(Opcode::Add) && value.never_wraps())
            && value.operand(1).as_u64().is_some();
        if !is_sum {
            return self.term(value, true, factor);
        }
        let constant = value.operand(1).as_u64()? as i64;
        self.constant = self.constant.wrapping_add(constant.wrapping_mul(factor));
        self.add_extended(value.operand(0), factor)
    }

    /// Adds the address that a `getelementptr` computes.
    fn add_address(&mut self, module: &Module<'c>, gep: Value<'c>, factor: i64) -> Option<()> {
        let operands = gep.operands();
        let is_index = |index: &Value<'c>| index.ty().int_width() == Some(64);
        if !operands[1..].iter().all(is_index) {
            return self.term(gep, false, factor);
        }
        self.add(module, operands[0], factor)?;
        let mut indices = array_indices(module, gep)?.into_iter();
        indices.try_for_each(|(index, size)| self.add(module, index, factor.wrapping_mul(size as i64)))
    }

    fn term(&mut self, value: Value<'c>, extended: bool, factor: i64) -> Option<()> {
        match self.terms.iter_mut().find(|(other, is_extended, _)| *other == value && *is_extended == extended) {
            Some((_, _, sum)) => *sum = sum.wrapping_add(factor),
            None => self.terms.push((value, extended, factor)),
        }
        (self.terms.len() <= SUM_TERMS).then_some(())
    }
}

/// The indices of a `getelementptr`, each with the size of its elements; none if one of them is a field of a struct.
pub(crate) fn array_indices<'c>(module: &Module<'c>, gep: Value<'c>) -> Option<Vec<(Value<'c>, u64)>> {
    let mut ty = gep.gep_source_type();
    let indices = gep.operands().into_iter().skip(1).enumerate().map(|(number, index)| {
        if number > 0 {
            ty.array_length()?;
            ty = ty.parts().into_iter().next()?;
        }
        Some((index, ty.alloc_size(module)))
    });
    indices.collect()
}
