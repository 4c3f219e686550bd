//! Integers of 16 bits.

use super::Kind::{B16, B32};
use super::Rule::{And, Carried, Each, Moved, Or, Whole};
use super::integer::middle;
use super::{Compute, Rule, VectorOp};

const fn op2(names: &'static [&'static str], rule: Rule, compute: Compute) -> VectorOp {
    VectorOp::new(names, B16, &[B16, B16], rule, compute)
}

const fn op3(names: &'static [&'static str], rule: Rule, compute: Compute) -> VectorOp {
    VectorOp::new(names, B16, &[B16, B16, B16], rule, compute)
}

fn signed(value: u64) -> i64 {
    i64::from(value as u16 as i16)
}

fn saturate_unsigned(value: i64) -> u64 {
    value.clamp(0, 0xffff) as u64
}

fn saturate_signed(value: i64) -> u64 {
    value.clamp(i16::MIN.into(), i16::MAX.into()) as u64
}

/// All of them.
pub(crate) static OPS: &[VectorOp] = &[
    VectorOp::new(&["v_mov_b16"], B16, &[B16], Each, |_, [a, ..]| a),
    VectorOp::new(&["v_not_b16"], B16, &[B16], Each, |_, [a, ..]| !a),
    op2(&["v_and_b16"], And, |_, [a, b, ..]| a & b),
    op2(&["v_or_b16"], Or, |_, [a, b, ..]| a | b),
    op2(&["v_xor_b16"], Each, |_, [a, b, ..]| a ^ b),
    op2(&["v_add_nc_u16", "v_add_u16"], Carried, |_, [a, b, ..]| a.wrapping_add(b))
        .saturating(|_, [a, b, ..]| saturate_unsigned(a as i64 + b as i64)),
    op2(&["v_sub_nc_u16", "v_sub_u16"], Carried, |_, [a, b, ..]| a.wrapping_sub(b))
        .saturating(|_, [a, b, ..]| saturate_unsigned(a as i64 - b as i64)),
    op2(&["v_subrev_u16"], Carried, |_, [a, b, ..]| b.wrapping_sub(a))
        .saturating(|_, [a, b, ..]| saturate_unsigned(b as i64 - a as i64)),
    op2(&["v_add_nc_i16", "v_add_i16"], Carried, |_, [a, b, ..]| a.wrapping_add(b))
        .saturating(|_, [a, b, ..]| saturate_signed(signed(a) + signed(b))),
    op2(&["v_sub_nc_i16", "v_sub_i16"], Carried, |_, [a, b, ..]| a.wrapping_sub(b))
        .saturating(|_, [a, b, ..]| saturate_signed(signed(a) - signed(b))),
    op2(&["v_mul_lo_u16"], Carried, |_, [a, b, ..]| a.wrapping_mul(b)),
    op3(&["v_mad_u16"], Carried, |_, [a, b, c, _]| a.wrapping_mul(b).wrapping_add(c))
        .saturating(|_, [a, b, c, _]| saturate_unsigned((a * b + c) as i64))
        .keeping_half(),
    op3(&["v_mad_legacy_u16", "v_mad_legacy_i16"], Carried, |_, [a, b, c, _]| a.wrapping_mul(b).wrapping_add(c)),
    op3(&["v_mad_i16"], Carried, |_, [a, b, c, _]| a.wrapping_mul(b).wrapping_add(c))
        .saturating(|_, [a, b, c, _]| saturate_signed(signed(a) * signed(b) + signed(c)))
        .keeping_half(),
    op2(&["v_min_u16"], Whole, |_, [a, b, ..]| a.min(b)),
    op2(&["v_max_u16"], Whole, |_, [a, b, ..]| a.max(b)),
    op2(&["v_min_i16"], Whole, |_, [a, b, ..]| signed(a).min(signed(b)) as u64),
    op2(&["v_max_i16"], Whole, |_, [a, b, ..]| signed(a).max(signed(b)) as u64),
    op3(&["v_min3_u16"], Whole, |_, [a, b, c, _]| a.min(b).min(c)),
    op3(&["v_max3_u16"], Whole, |_, [a, b, c, _]| a.max(b).max(c)),
    op3(&["v_med3_u16"], Whole, |_, [a, b, c, _]| middle(a, b, c)),
    op3(&["v_min3_i16"], Whole, |_, [a, b, c, _]| signed(a).min(signed(b)).min(signed(c)) as u64),
    op3(&["v_max3_i16"], Whole, |_, [a, b, c, _]| signed(a).max(signed(b)).max(signed(c)) as u64),
    op3(&["v_med3_i16"], Whole, |_, [a, b, c, _]| middle(signed(a), signed(b), signed(c)) as u64),
    op2(&["v_lshlrev_b16"], Moved(0b10), |_, [a, b, ..]| b << (a & 15)),
    op2(&["v_lshrrev_b16"], Moved(0b10), |_, [a, b, ..]| (b & 0xffff) >> (a & 15)),
    op2(&["v_ashrrev_i16"], Moved(0b10), |_, [a, b, ..]| (signed(b) >> (a & 15)) as u64),
    VectorOp::new(&["v_cvt_u32_u16"], B32, &[B16], Each, |_, [a, ..]| a),
    VectorOp::new(&["v_cvt_i32_i16"], B32, &[B16], Moved(1), |_, [a, ..]| signed(a) as u64),
    VectorOp::new(&["v_sat_pk_u8_i16"], B16, &[B32], Whole, |_, [a, ..]| {
        let byte = |value: u64| signed(value).clamp(0, 255) as u64;
        byte(a) | byte(a >> 16) << 8
    }),
];
