//! VOP3P: two operations in one register, or in a pair of them.

use super::float32::extreme;
use super::rounding::{F16 as HALF, F32 as SINGLE, add_16, add_32, fma_16, fma_32, from_half, mul_16, mul_32};
use super::{Kind, Rule, Sources};
use crate::mode::Mode;

/// An instruction that does the same to the lower and the upper halves of its sources.
pub(crate) struct PackedOp {
    pub(crate) name: &'static str,
    /// The type of a half.
    pub(crate) half: Kind,
    /// How many sources there are.
    pub(crate) sources: usize,
    pub(crate) compute: super::Compute,
    pub(crate) rule: Rule,
    pub(crate) saturated: Option<super::Compute>,
}

const fn op(name: &'static str, half: Kind, sources: usize, rule: Rule, compute: super::Compute) -> PackedOp {
    PackedOp { name, half, sources, compute, rule, saturated: None }
}

const fn saturating(op: PackedOp, saturated: super::Compute) -> PackedOp {
    PackedOp { saturated: Some(saturated), ..op }
}

fn signed(value: u64) -> i64 {
    i64::from(value as u16 as i16)
}

fn i16_range(value: i64) -> u64 {
    value.clamp(i16::MIN.into(), i16::MAX.into()) as u64
}

/// All of them.
pub(crate) static OPS: &[PackedOp] = &[
    saturating(op("v_pk_add_u16", Kind::B16, 2, Rule::Carried, |_, [a, b, ..]| a.wrapping_add(b)), |_, [a, b, ..]| {
        (a + b).min(0xffff)
    }),
    saturating(op("v_pk_sub_u16", Kind::B16, 2, Rule::Carried, |_, [a, b, ..]| a.wrapping_sub(b)), |_, [a, b, ..]| {
        a.saturating_sub(b)
    }),
    saturating(op("v_pk_add_i16", Kind::B16, 2, Rule::Carried, |_, [a, b, ..]| a.wrapping_add(b)), |_, [a, b, ..]| {
        i16_range(signed(a) + signed(b))
    }),
    saturating(op("v_pk_sub_i16", Kind::B16, 2, Rule::Carried, |_, [a, b, ..]| a.wrapping_sub(b)), |_, [a, b, ..]| {
        i16_range(signed(a) - signed(b))
    }),
    op("v_pk_mul_lo_u16", Kind::B16, 2, Rule::Carried, |_, [a, b, ..]| a.wrapping_mul(b)),
    saturating(
        op("v_pk_mad_u16", Kind::B16, 3, Rule::Carried, |_, [a, b, c, _]| a.wrapping_mul(b).wrapping_add(c)),
        |_, [a, b, c, _]| (a * b + c).min(0xffff),
    ),
    saturating(
        op("v_pk_mad_i16", Kind::B16, 3, Rule::Carried, |_, [a, b, c, _]| a.wrapping_mul(b).wrapping_add(c)),
        |_, [a, b, c, _]| i16_range(signed(a) * signed(b) + signed(c)),
    ),
    op("v_pk_min_u16", Kind::B16, 2, Rule::Whole, |_, [a, b, ..]| a.min(b)),
    op("v_pk_max_u16", Kind::B16, 2, Rule::Whole, |_, [a, b, ..]| a.max(b)),
    op("v_pk_min_i16", Kind::B16, 2, Rule::Whole, |_, [a, b, ..]| signed(a).min(signed(b)) as u64),
    op("v_pk_max_i16", Kind::B16, 2, Rule::Whole, |_, [a, b, ..]| signed(a).max(signed(b)) as u64),
    op("v_pk_lshlrev_b16", Kind::B16, 2, Rule::Moved(0b10), |_, [a, b, ..]| b << (a & 15)),
    op("v_pk_lshrrev_b16", Kind::B16, 2, Rule::Moved(0b10), |_, [a, b, ..]| (b & 0xffff) >> (a & 15)),
    op("v_pk_ashrrev_i16", Kind::B16, 2, Rule::Moved(0b10), |_, [a, b, ..]| (signed(b) >> (a & 15)) as u64),
    op("v_pk_add_f16", Kind::F16, 2, Rule::Whole, |m, [a, b, ..]| add_16(m, a, b)),
    op("v_pk_mul_f16", Kind::F16, 2, Rule::Whole, |m, [a, b, ..]| mul_16(m, a, b)),
    op("v_pk_fma_f16", Kind::F16, 3, Rule::Whole, |m, [a, b, c, _]| fma_16(m, a, b, c)),
    op("v_pk_min_f16", Kind::F16, 2, Rule::Whole, |m, [a, b, ..]| extreme(&HALF, m, a, b, false)),
    op("v_pk_max_f16", Kind::F16, 2, Rule::Whole, |m, [a, b, ..]| extreme(&HALF, m, a, b, true)),
    // Pairs of registers, of CDNA2.
    op("v_pk_mov_b32", Kind::B32, 2, Rule::Each, |_, [a, ..]| a),
    op("v_pk_add_f32", Kind::F32, 2, Rule::Whole, |m, [a, b, ..]| add_32(m, a, b)),
    op("v_pk_mul_f32", Kind::F32, 2, Rule::Whole, |m, [a, b, ..]| mul_32(m, a, b)),
    op("v_pk_fma_f32", Kind::F32, 3, Rule::Whole, |m, [a, b, c, _]| fma_32(m, a, b, c)),
];

/// Which type the source of a mixed instruction has.
fn mixed(value: u64, is_half: bool, high: bool) -> u64 {
    if !is_half {
        return value & 0xffff_ffff;
    }
    let half = if high { value >> 16 } else { value } & 0xffff;
    let wide = from_half(half) as f32;
    if HALF.is_nan(half) { SINGLE.default_nan() } else { wide.to_bits().into() }
}

/// V_FMA_MIX_F32: sources of 32 bits, or halves where `op_sel_hi` says so, of which `op_sel` names one.
pub(crate) fn fma_mix(mode: &Mode, sources: Sources, op_sel: u8, op_sel_hi: u8, abs: u8, neg: u8) -> u64 {
    let source = |i: usize| {
        let value = mixed(sources[i], op_sel_hi >> i & 1 != 0, op_sel >> i & 1 != 0);
        let value = if abs >> i & 1 != 0 { value & 0x7fff_ffff } else { value };
        if neg >> i & 1 != 0 { value ^ 0x8000_0000 } else { value }
    };
    fma_32(mode, source(0), source(1), source(2))
}
