//! The trip count of a loop with a step, as LLVM writes it before the loop.

use super::shape::{Shape, is_small};
use crate::llvm::{IntPredicate, Opcode, Value};
use crate::spmd::tuning::SHIFTED_STEP_BITS;

/// `(end - begin) / step`, rounded up; 0 if `end` is less than `begin`. None of the three has more bits than this
/// number.
pub(crate) struct Count<'c> {
    pub(crate) end: Value<'c>,
    pub(crate) begin: Value<'c>,
    pub(crate) step: Value<'c>,
}

impl<'c> Count<'c> {
    /// Its end or its begin, and by how much that is more in each thread, if nothing else differs between threads: the
    /// count never rises from one thread to the next, or never falls.
    pub(crate) fn differs(&self, shape: impl Fn(Value<'c>) -> Shape) -> Option<(Value<'c>, i64)> {
        use Shape::{Affine, Uniform};
        match [self.end, self.begin, self.step].map(shape) {
            [Affine(by), Uniform, Uniform] => Some((self.end, by)),
            [Uniform, Affine(by), Uniform] => Some((self.begin, by)),
            _ => None,
        }
    }

    /// Whether the first and the last thread of a group decide whether all have the same count.
    pub(crate) fn is_monotone(&self, shape: impl Fn(Value<'c>) -> Shape) -> bool {
        self.differs(shape).is_some_and(|(value, by)| is_small(by, value.ty()))
    }

    /// Which of the end and the begin differs between the threads of a whole block, and whether it rises; none if the
    /// first and the last thread do not decide whether the count is the same in all of them. A block has fewer than
    /// 2^32 threads, so it wraps around once at most.
    pub(crate) fn differs_in_block(&self, shape: impl Fn(Value<'c>) -> Shape) -> Option<(Value<'c>, bool)> {
        let (differs, by) = self.differs(shape)?;
        let most = if differs.ty().int_width() == Some(64) { 1 << 31 } else { 1 };
        (by.unsigned_abs() <= most).then_some((differs, by > 0))
    }

    /// None if it is none, as LLVM writes it.
    pub(crate) fn of(number: Value<'c>) -> Option<Self> {
        if ![Some(32), Some(64)].contains(&number.ty().int_width()) {
            return None;
        }
        let (n, step) = Self::by_quotient(number).or_else(|| Self::by_shift(number))?;
        // LLVM divides numbers that it knows to be small in fewer bits.
        let is_narrowed = n.is_instruction() && n.drops_zeros() && n.operand(0).ty() == number.ty();
        let n = if is_narrowed { n.operand(0) } else { n };
        let difference = n.is_instruction().then(|| n.called_intrinsic()).flatten();
        let (end, begin) = match difference.is_some_and(|i| i.name().starts_with("llvm.usub.sat.")) {
            true => (n.operand(0), n.operand(1)),
            false => (n, n.ty().zero()),
        };
        Some(Count { end, begin, step })
    }

    /// n and the step of `n / step + (n % step != 0)`.
    fn by_quotient(sum: Value<'c>) -> Option<(Value<'c>, Value<'c>)> {
        if !sum.is(Opcode::Add) {
            return None;
        }
        let [a, b] = [sum.operand(0), sum.operand(1)];
        Self::rounded_up(a, b).or_else(|| Self::rounded_up(b, a))
    }

    /// The same of the two parts, which may be computed in fewer bits.
    fn rounded_up(quotient: Value<'c>, more: Value<'c>) -> Option<(Value<'c>, Value<'c>)> {
        let narrow = |v: Value<'c>| if is_operation(v, Opcode::ZExt) { v.operand(0) } else { v };
        let quotient = narrow(quotient);
        let compare = Some(narrow(more)).filter(|c| *c != more && is_operation(*c, Opcode::ICmp))?;
        let remainder = compare.operand(0);
        let is_some = compare.icmp_predicate() == IntPredicate::Ne && compare.operand(1).is_null();
        let divides = is_operation(quotient, Opcode::UDiv) && is_operation(remainder, Opcode::URem);
        if !is_some || !divides || quotient.operands() != remainder.operands() {
            return None;
        }
        Some((quotient.operand(0), quotient.operand(1)))
    }

    /// The same of `(n + step - 1) >> k`, which LLVM makes of it if the step is `1 << k`. The sum does not wrap.
    fn by_shift(shift: Value<'c>) -> Option<(Value<'c>, Value<'c>)> {
        let sum =
            Some(shift.operand(0)).filter(|_| shift.is(Opcode::LShr)).filter(|v| is_operation(*v, Opcode::Add))?;
        let bits = shift.operand(1).as_u64().filter(|bits| (1..=SHIFTED_STEP_BITS).contains(bits))?;
        let rounds_up = sum.never_wraps() && sum.operand(1).as_u64() == Some((1 << bits) - 1);
        rounds_up.then(|| (sum.operand(0), shift.ty().constant(1 << bits)))
    }
}

fn is_operation(value: Value<'_>, opcode: Opcode) -> bool {
    value.is_instruction() && value.is(opcode)
}
