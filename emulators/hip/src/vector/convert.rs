//! Conversions between formats.

use super::Kind::{B16, B32, F16, F32, F64};
use super::Rule::{Own, Whole};
use super::rounding::{self, from_half, to_half, to_single};
use super::{Compute, Kind, Known, VectorOp};
use crate::mode::{Mode, Round};

const fn row(names: &'static [&'static str], result: Kind, source: &'static [Kind], compute: Compute) -> VectorOp {
    VectorOp::new(names, result, source, Whole, compute)
}

/// A conversion of one byte, whose other bytes do not matter.
const fn byte_row(names: &'static [&'static str], rule: fn(&Known) -> u64, compute: Compute) -> VectorOp {
    VectorOp::new(names, F32, &[B32], Own(rule), compute)
}

fn byte_rule(known: &Known, byte: u32) -> u64 {
    emulator_core::bits::whole(known[0].undefined >> (8 * byte) & 0xff, 64)
}

fn single(mode: &Mode, value: u64) -> f32 {
    f32::from_bits(rounding::F32.source(mode, value) as u32)
}

fn bits_of(value: f32) -> u64 {
    value.to_bits().into()
}

fn byte_to_float(value: u64, byte: u32) -> u64 {
    bits_of((value >> (8 * byte) & 0xff) as f32)
}

/// An integer as 32 bits, rounded as the mode says. A number of 64 bits holds any integer of 32 bits exactly.
fn integer_to_single(mode: &Mode, value: f64) -> u64 {
    to_single(mode.round_32(), value)
}

fn widen(mode: &Mode, value: u64) -> u64 {
    if rounding::F32.is_nan(value) {
        let quiet = rounding::F32.quieted(value);
        return (quiet & 0x8000_0000) << 32 | 0x7ff << 52 | (quiet & 0x7f_ffff) << 29;
    }
    f64::from(single(mode, value)).to_bits()
}

fn narrow(mode: &Mode, value: u64) -> u64 {
    if rounding::F64.is_nan(value) {
        return value >> 32 & 0x8000_0000 | 0x7fc0_0000 | value >> 29 & 0x3f_ffff;
    }
    let value = f64::from_bits(rounding::F64.source(mode, value));
    rounding::F32.result(mode, to_single(mode.round_32(), value))
}

fn half_of_single(mode: &Mode, round: Round, value: u64) -> u64 {
    if rounding::F32.is_nan(value) {
        return value >> 16 & 0x8000 | 0x7e00 | value >> 13 & 0x1ff;
    }
    rounding::F16.result(mode, to_half(round, single(mode, value).into()))
}

fn single_of_half(mode: &Mode, value: u64) -> u64 {
    if rounding::F16.is_nan(value) {
        return (value & 0x8000) << 16 | 0x7fc0_0000 | (value & 0x1ff) << 13;
    }
    bits_of(from_half(rounding::F16.source(mode, value)) as f32)
}

fn two_halves(mode: &Mode, round: Round, a: u64, b: u64) -> u64 {
    half_of_single(mode, round, a) | half_of_single(mode, round, b) << 16
}

/// A fraction of -1 to 1 as 16 bits.
fn normalized(value: u64, most: f64, least: f64) -> u64 {
    let value = f64::from(f32::from_bits(value as u32));
    if value.is_nan() { 0 } else { ((value * most).round_ties_even().clamp(least, most) as i64 as u64) & 0xffff }
}

fn insert_byte(value: f32, byte: u64, into: u64) -> u64 {
    let shift = 8 * (byte & 3);
    (into & !(0xff << shift)) | u64::from(value.round_ties_even() as u8) << shift
}

/// All of them. Rust's `as` saturates and makes zero of NaN, as AMD's conversions do.
pub(crate) static OPS: &[VectorOp] = &[
    byte_row(&["v_cvt_f32_ubyte0"], |known| byte_rule(known, 0), |_, [a, ..]| byte_to_float(a, 0)),
    byte_row(&["v_cvt_f32_ubyte1"], |known| byte_rule(known, 1), |_, [a, ..]| byte_to_float(a, 1)),
    byte_row(&["v_cvt_f32_ubyte2"], |known| byte_rule(known, 2), |_, [a, ..]| byte_to_float(a, 2)),
    byte_row(&["v_cvt_f32_ubyte3"], |known| byte_rule(known, 3), |_, [a, ..]| byte_to_float(a, 3)),
    row(&["v_cvt_f32_u32"], F32, &[B32], |m, [a, ..]| integer_to_single(m, f64::from(a as u32))),
    row(&["v_cvt_f32_i32"], F32, &[B32], |m, [a, ..]| integer_to_single(m, f64::from(a as i32))),
    row(&["v_cvt_u32_f32"], B32, &[F32], |m, [a, ..]| (single(m, a) as u32).into()),
    row(&["v_cvt_i32_f32"], B32, &[F32], |m, [a, ..]| single(m, a) as i32 as u64),
    row(&["v_cvt_rpi_i32_f32", "v_cvt_nearest_i32_f32"], B32, &[F32], |m, [a, ..]| {
        (f64::from(single(m, a)) + 0.5).floor() as i32 as u64
    }),
    row(&["v_cvt_flr_i32_f32", "v_cvt_floor_i32_f32"], B32, &[F32], |m, [a, ..]| single(m, a).floor() as i32 as u64),
    row(&["v_cvt_f64_u32"], F64, &[B32], |_, [a, ..]| f64::from(a as u32).to_bits()),
    row(&["v_cvt_f64_i32"], F64, &[B32], |_, [a, ..]| f64::from(a as i32).to_bits()),
    row(&["v_cvt_u32_f64"], B32, &[F64], |_, [a, ..]| (f64::from_bits(a) as u32).into()),
    row(&["v_cvt_i32_f64"], B32, &[F64], |_, [a, ..]| f64::from_bits(a) as i32 as u64),
    row(&["v_cvt_f64_f32"], F64, &[F32], |m, [a, ..]| widen(m, a)),
    row(&["v_cvt_f32_f64"], F32, &[F64], |m, [a, ..]| narrow(m, a)),
    row(&["v_cvt_f32_f16"], F32, &[F16], |m, [a, ..]| single_of_half(m, a)),
    row(&["v_cvt_f16_f32"], F16, &[F32], |m, [a, ..]| half_of_single(m, m.round_16_64(), a)),
    row(&["v_cvt_f16_u16"], F16, &[B16], |m, [a, ..]| to_half(m.round_16_64(), f64::from(a as u16))),
    row(&["v_cvt_f16_i16"], F16, &[B16], |m, [a, ..]| to_half(m.round_16_64(), f64::from(a as i16))),
    row(&["v_cvt_u16_f16"], B16, &[F16], |_, [a, ..]| u64::from(from_half(a) as u16)),
    row(&["v_cvt_i16_f16"], B16, &[F16], |_, [a, ..]| from_half(a) as i16 as u64),
    row(&["v_cvt_pkrtz_f16_f32", "v_cvt_pk_rtz_f16_f32"], B32, &[F32, F32], |m, [a, b, ..]| {
        two_halves(m, Round::Zero, a, b)
    }),
    row(&["v_cvt_pk_u8_f32"], B32, &[F32, B32, B32], |m, [a, b, c, _]| insert_byte(single(m, a), b, c)),
    row(&["v_cvt_pknorm_i16_f32", "v_cvt_pk_norm_i16_f32"], B32, &[F32, F32], |_, [a, b, ..]| {
        normalized(a, 32767.0, -32767.0) | normalized(b, 32767.0, -32767.0) << 16
    }),
    row(&["v_cvt_pknorm_u16_f32", "v_cvt_pk_norm_u16_f32"], B32, &[F32, F32], |_, [a, b, ..]| {
        normalized(a, 65535.0, 0.0) | normalized(b, 65535.0, 0.0) << 16
    }),
    row(&["v_cvt_pk_u16_u32"], B32, &[B32, B32], |_, [a, b, ..]| a.min(0xffff) | b.min(0xffff) << 16),
    row(&["v_cvt_pk_i16_i32"], B32, &[B32, B32], |_, [a, b, ..]| {
        let narrow = |value: u64| (value as i32).clamp(i16::MIN.into(), i16::MAX.into()) as u16 as u64;
        narrow(a) | narrow(b) << 16
    }),
];
