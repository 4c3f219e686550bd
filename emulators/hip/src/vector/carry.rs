//! Instructions with two results: a value and a bit for each lane.

use emulator_core::bits;

use super::Kind::{B32, B64, F32, F64, I64, Mask};
use super::{Kind, Known, Sources, division};
use crate::mode::Mode;

/// An instruction with a value and a bit for each lane.
pub(crate) struct CarryOp {
    /// The mnemonics, of both generations.
    pub(crate) names: &'static [&'static str],
    pub(crate) result: Kind,
    pub(crate) sources: &'static [Kind],
    pub(crate) compute: fn(&Mode, Sources) -> (u64, bool),
    /// Undefined bits of the value, and whether the bit is undefined; asked where a source has any.
    pub(crate) rule: fn(&Known) -> (u64, bool),
    /// The result of `clamp` where the bit is set.
    pub(crate) saturated: u64,
}

fn sums(known: &Known) -> (u64, bool) {
    let all = known.iter().fold(0, |all, one| all | one.undefined);
    (bits::carried(all, 0, 64), all != 0)
}

/// Everything is undefined.
fn whole(_: &Known) -> (u64, bool) {
    (u64::MAX, true)
}

const fn op(
    names: &'static [&'static str],
    result: Kind,
    sources: &'static [Kind],
    rule: fn(&Known) -> (u64, bool),
    compute: fn(&Mode, Sources) -> (u64, bool),
) -> CarryOp {
    CarryOp { names, result, sources, compute, rule, saturated: u64::MAX }
}

const fn difference(op: CarryOp) -> CarryOp {
    CarryOp { saturated: 0, ..op }
}

fn sum(a: u64, b: u64, carry: u64) -> (u64, bool) {
    let sum = a + b + carry;
    (sum, sum >> 32 != 0)
}

fn subtract(a: u64, b: u64, borrow: u64) -> (u64, bool) {
    (a.wrapping_sub(b).wrapping_sub(borrow), a < b + borrow)
}

/// All of them.
pub(crate) static OPS: &[CarryOp] = &[
    op(&["v_add_co_u32"], B32, &[B32, B32], sums, |_, [a, b, ..]| sum(a, b, 0)),
    difference(op(&["v_sub_co_u32"], B32, &[B32, B32], sums, |_, [a, b, ..]| subtract(a, b, 0))),
    difference(op(&["v_subrev_co_u32"], B32, &[B32, B32], sums, |_, [a, b, ..]| subtract(b, a, 0))),
    op(&["v_add_co_ci_u32", "v_addc_co_u32"], B32, &[B32, B32, Mask], sums, |_, [a, b, c, _]| sum(a, b, c)),
    difference(op(&["v_sub_co_ci_u32", "v_subb_co_u32"], B32, &[B32, B32, Mask], sums, |_, [a, b, c, _]| {
        subtract(a, b, c)
    })),
    difference(op(&["v_subrev_co_ci_u32", "v_subbrev_co_u32"], B32, &[B32, B32, Mask], sums, |_, [a, b, c, _]| {
        subtract(b, a, c)
    })),
    op(&["v_mad_u64_u32"], B64, &[B32, B32, B64], sums, |_, [a, b, c, _]| (a * b).overflowing_add(c)),
    op(&["v_mad_i64_i32"], B64, &[B32, B32, I64], sums, |_, [a, b, c, _]| {
        let product = i64::from(a as i32) * i64::from(b as i32);
        let (sum, overflow) = product.overflowing_add(c as i64);
        (sum as u64, overflow)
    }),
    op(&["v_div_scale_f32"], F32, &[F32, F32, F32], whole, |m, [a, b, c, _]| division::scale_32(m, a, b, c)),
    op(&["v_div_scale_f64"], F64, &[F64, F64, F64], whole, |m, [a, b, c, _]| division::scale_64(m, a, b, c)),
];
