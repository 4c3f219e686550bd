//! For the row "compaction by ballot": operations on vectors of 64 bits whose results are known to be small.
//!
//! Vectors of 32 bits take half of the instructions, and the lowest level of x86-64 has no comparison of 64 bits. The
//! place of a lane's element in a compaction is such a number: a uniform one, plus the number of lanes before it.

use super::wide::Wide;
use super::widening::Widening;
use crate::llvm::{Builder, Function, IntPredicate, Module, Opcode, Value};
use crate::spmd::facts::shape::Shape;
use crate::spmd::tuning::NARROW_MOST;

/// Counts the lanes below one in 32 bits: `ctpop(mask & ((1 << lane) - 1))`, where `lane` is less than 32.
pub(crate) fn narrow_counts<'c>(module: &Module<'c>, function: Function<'c>) {
    let is_count = |i: &Value<'c>| i.called_intrinsic().is_some_and(|callee| callee.name() == "llvm.ctpop.i64");
    for count in function.instructions().filter(|i| i.is_call() && is_count(i)).collect::<Vec<_>>() {
        let both = count.operand(0);
        let operands = if both.is(Opcode::And) { both.operands() } else { continue };
        let Some((at, bit)) = operands.iter().enumerate().find_map(|(at, v)| Some((at, first_bit_above(*v)?))) else {
            continue;
        };
        let (builder, i32) = (Builder::before(count), module.types().i32());
        builder.locate_as(count);
        let narrow = |v: Value<'c>| if v.ty() == i32 { v } else { builder.cast(Opcode::Trunc, v, i32, "") };
        let above = builder.binary(Opcode::Shl, i32.all_ones(), narrow(bit), "");
        let below = builder.binary(Opcode::Xor, above, i32.all_ones(), "");
        let lanes = builder.binary(Opcode::And, narrow(operands[1 - at]), below, "");
        let sum = builder.call(module.intrinsic("llvm.ctpop", &[i32]), &[lanes], "");
        count.replace_all_uses_with(builder.cast(Opcode::ZExt, sum, count.ty(), ""));
        count.erase();
    }
}

/// The number of a mask's lowest bit that is not set, if only those below it are: `~(-1 << n)` or `(1 << n) - 1`. It is
/// less than 32.
fn first_bit_above(mask: Value<'_>) -> Option<Value<'_>> {
    let is_ones = |v: Value<'_>| v.as_u64() == Some(u64::MAX);
    let from = match opcode(mask)? {
        Opcode::Xor => u64::MAX,
        Opcode::Add => 1,
        _ => return None,
    };
    let shifted = mask.operand(0);
    let is_mask = is_ones(mask.operand(1)) && shifted.is(Opcode::Shl) && shifted.operand(0).as_u64() == Some(from);
    if !is_mask {
        return None;
    }
    let bit = shifted.operand(1);
    let bit = if bit.is(Opcode::ZExt) { bit.operand(0) } else { bit };
    let fits = bit.ty().int_width().is_some_and(|width| width >= 32);
    (fits && most(bit).is_some_and(|most| most < 32)).then_some(bit)
}

fn opcode(value: Value<'_>) -> Option<Opcode> {
    value.is_instruction().then(|| value.opcode())
}

/// The greatest number that a value can be, if it is small.
fn most(mut value: Value<'_>) -> Option<u64> {
    while value.is_instruction() && value.is(Opcode::ZExt) {
        value = value.operand(0);
    }
    value.known_bits().map(|known| known.greatest).filter(|most| *most <= NARROW_MOST)
}

/// `base + extended(number) < bound`, or its contrary.
struct Comparison<'c> {
    base: Option<Value<'c>>,
    number: Value<'c>,
    most: u64,
    bound: Value<'c>,
    is_below: bool,
}

impl<'c> Widening<'_, '_, 'c> {
    /// A comparison of 64 bits of such a number with a uniform one, in 32 bits.
    ///
    /// A number fits if it is in an interval that begins at 0. If the sum wraps, it is one that begins where the sum is
    /// 0, and may go on at 0. So one comparison of a difference of 32 bits, which wraps, decides in all cases.
    pub(crate) fn narrow_comparison(&mut self, compare: Value<'c>) -> Option<Wide<'c>> {
        let Comparison { base, number, most, bound, is_below } = self.comparison(compare)?;
        let i32 = self.wide.module.types().i32();
        let (number, bound) = (self.get(number), self.get(bound));
        let (mut numbers, bound) = (self.wide.vector(&number), self.wide.of_thread(&bound, 0));
        let base = base.map(|base| self.get(base)).map_or(bound.ty().zero(), |base| self.wide.of_thread(&base, 0));
        let (builder, i64) = (self.builder(), bound.ty());
        if numbers.ty() != i32.vector(self.wide.width) {
            numbers = builder.cast(Opcode::ZExt, numbers, i32.vector(self.wide.width), "");
        }
        let call = |name: &str, a: Value<'c>, b: Value<'c>| {
            builder.call(self.wide.module.intrinsic(name, &[i64]), &[a, b], "")
        };
        let all = i64.constant(most + 1);
        let wraps = builder.icmp(IntPredicate::Ugt, base, i64.constant(u64::MAX - most), "");
        let left = call("llvm.umin", call("llvm.usub.sat", bound, base), all);
        let both = builder.icmp(IntPredicate::Ugt, bound, base, "");
        let around = builder.select(both, bound, call("llvm.umin", bound, all), "");
        let count = builder.select(wraps, around, left, "");
        let to_zero = builder.binary(Opcode::Sub, i64.zero(), base, "");
        let first = builder.select(wraps, to_zero, i64.zero(), "");
        // The lowest level of x86-64 compares with signs only.
        let sign = i32.constant(1 << 31);
        let [first, count] = [first, count].map(|v| builder.cast(Opcode::Trunc, v, i32, ""));
        let shift = builder.splat(builder.binary(Opcode::Sub, sign, first, ""), self.wide.width);
        let end = builder.splat(builder.binary(Opcode::Xor, count, sign, ""), self.wide.width);
        let places = builder.add(numbers, shift, "");
        let predicate = if is_below { IntPredicate::Slt } else { IntPredicate::Sge };
        Some(Wide::Vector(builder.icmp(predicate, places, end, "")))
    }

    fn comparison(&self, compare: Value<'c>) -> Option<Comparison<'c>> {
        let shape = |v: Value<'c>| self.plan.shapes.of(v);
        let [left, right] = [compare.operand(0), compare.operand(1)];
        let (value, bound, predicate) = match [left, right].map(shape) {
            [Shape::Varying, Shape::Uniform] => (left, right, compare.icmp_predicate()),
            [Shape::Uniform, Shape::Varying] => (right, left, compare.icmp_predicate().swapped()),
            _ => return None,
        };
        let is_below = match predicate {
            IntPredicate::Ult => true,
            IntPredicate::Uge => false,
            _ => return None,
        };
        let (base, extended) = match value.operands()[..] {
            [a, b] if value.is(Opcode::Add) && shape(a) == Shape::Uniform => (Some(a), b),
            [a, b] if value.is(Opcode::Add) && shape(b) == Shape::Uniform => (Some(b), a),
            _ => (None, value),
        };
        if value.ty().int_width() != Some(64) || !extended.is(Opcode::ZExt) || shape(extended) != Shape::Varying {
            return None;
        }
        let (number, most) = (extended.operand(0), most(extended)?);
        let fits = number.ty().int_width().is_some_and(|width| [8, 16, 32].contains(&width));
        let is_there = |v: Value<'c>| !v.is_instruction() || v.block() == compare.block() || self.kept.contains_key(&v);
        let all_there = [Some(number), base, Some(bound)].into_iter().flatten().all(is_there);
        (fits && all_there).then_some(Comparison { base, number, most, bound, is_below })
    }
}
