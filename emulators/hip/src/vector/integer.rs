//! Integers of 32 and 64 bits.

use emulator_core::bits;

use super::Kind::{B16, B32, B64, F16, F32, I64, Lane, Mask};
use super::Rule::{And, Carried, Each, Moved, Or, Own, Whole};
use super::{Known, VectorOp};
use crate::registers::Bits;

const fn op2(names: &'static [&'static str], rule: super::Rule, compute: super::Compute) -> VectorOp {
    VectorOp::new(names, B32, &[B32, B32], rule, compute)
}

const fn op3(names: &'static [&'static str], rule: super::Rule, compute: super::Compute) -> VectorOp {
    VectorOp::new(names, B32, &[B32, B32, B32], rule, compute)
}

/// 24 bits, the upper ones of which are the sign's.
fn i24(value: u64) -> i64 {
    bits::sign_extended(value & 0xff_ffff, 24)
}

fn u24(value: u64) -> u64 {
    value & 0xff_ffff
}

fn i32_of(value: u64) -> i64 {
    i64::from(value as u32 as i32)
}

fn saturate_u32(value: i64) -> u64 {
    value.clamp(0, i64::from(u32::MAX)) as u64
}

fn saturate_i32(value: i64) -> u64 {
    u64::from(value.clamp(i32::MIN.into(), i32::MAX.into()) as u32)
}

/// A product of the lower 24 bits, and a sum with the third source.
fn product_24(known: &Known) -> u64 {
    bits::carried(u24(known[0].undefined | known[1].undefined), known[2].undefined, 64)
}

/// The upper half of such a product.
fn high_product_24(known: &Known) -> u64 {
    bits::whole(u24(known[0].undefined | known[1].undefined), 64)
}

/// `(a << b) + c`.
fn shift_and_add(known: &Known) -> u64 {
    if known[1].undefined != 0 {
        return u64::MAX;
    }
    bits::carried(known[0].undefined << (known[1].value & 31), known[2].undefined, 64)
}

/// `(a + b) << c`.
fn add_and_shift(known: &Known) -> u64 {
    if known[2].undefined != 0 {
        return u64::MAX;
    }
    bits::carried(known[0].undefined, known[1].undefined, 64) << (known[2].value & 31)
}

/// `(a & b) | c`.
fn and_then_or(known: &Known) -> u64 {
    let [a, b, c, _] = *known;
    let both = bits::and(a.value, a.undefined, b.value, b.undefined);
    bits::or(a.value & b.value, both, c.value, c.undefined)
}

/// `a | b | c`.
fn or_of_three(known: &Known) -> u64 {
    let [a, b, c, _] = *known;
    let two = bits::or(a.value, a.undefined, b.value, b.undefined);
    bits::or(a.value | b.value, two, c.value, c.undefined)
}

/// `(a & b) | (!a & c)`.
fn insert_rule(known: &Known) -> u64 {
    let [a, b, c, _] = *known;
    let differ = (b.value ^ c.value) | b.undefined | c.undefined;
    (a.undefined & differ) | (!a.undefined & ((a.value & b.undefined) | (!a.value & c.undefined)))
}

/// `c ? b : a`.
fn choose_rule(known: &Known) -> u64 {
    let [a, b, c, _] = *known;
    let chosen = if c.value != 0 { b.undefined } else { a.undefined };
    bits::select(c.undefined != 0, chosen, (a.value, a.undefined), (b.value, b.undefined))
}

/// `base + popcount(value & lanes below)`; only the bits below the lane count.
fn count_below(base: u64, value: u64, lane: u64, first: u64) -> u64 {
    base + (value & below(lane, first)).count_ones() as u64
}

fn below(lane: u64, first: u64) -> u64 {
    bits::ones(lane.saturating_sub(first).min(32) as u32)
}

fn count_below_rule(known: &Known, first: u64) -> u64 {
    let matters = known[0].undefined & below(known[2].value, first);
    if matters != 0 { u64::MAX } else { bits::carried(known[1].undefined, 0, 64) }
}

/// The number of zeros before the first 1: bits after a written 1 do not matter.
pub(crate) fn leading_rule(source: Bits, width: u32) -> u64 {
    let first = (source.value & !source.undefined & bits::ones(width)).leading_zeros();
    bits::whole(source.undefined & bits::ones(width) & !bits::ones(64 - first.min(64)), 64)
}

/// The number of zeros after the last 1: bits before a written 1 do not matter.
pub(crate) fn trailing_rule(source: Bits) -> u64 {
    let last = (source.value & !source.undefined).trailing_zeros();
    bits::whole(source.undefined & bits::ones(last), 64)
}

/// Bytes of two words, chosen by the bytes of a third (RDNA3 ISA, V_PERM_B32).
fn permute(a: u64, b: u64, selector: u64) -> u64 {
    let both = a << 32 | b;
    let byte = |choice: u64| match choice {
        0..=7 => both >> (8 * choice) & 0xff,
        // The signs of the odd bytes' 16 bits: 8 and 9 of the second source, 10 and 11 of the first.
        8..=11 => (both >> (16 * (choice - 8) + 15) & 1) * 0xff,
        12 => 0,
        _ => 0xff,
    };
    (0..4).fold(0, |all, i| all | byte(selector >> (8 * i) & 0xff) << (8 * i))
}

fn permute_rule(known: &Known) -> u64 {
    if known[2].undefined != 0 {
        return u64::MAX;
    }
    // A constant byte is defined.
    let selector = known[2].value;
    let constant =
        (0..4).fold(0u64, |all, i| if selector >> (8 * i) & 0xff >= 12 { all | 0xff << (8 * i) } else { all });
    permute(known[0].undefined, known[1].undefined, selector) & !constant
}

/// The middle one of three.
pub(super) fn middle<T: Ord>(a: T, b: T, c: T) -> T {
    let mut three = [a, b, c];
    three.sort();
    let [_, middle, _] = three;
    middle
}

fn field(value: u64, offset: u64, width: u64) -> u64 {
    (value & 0xffff_ffff) >> (offset & 31) & bits::ones((width & 31) as u32)
}

fn signed_field(value: u64, offset: u64, width: u64) -> u64 {
    let width = (width & 31) as u32;
    if width == 0 {
        return 0;
    }
    let shifted = i32_of(value) >> (offset & 31);
    bits::sign_extended(shifted as u64, width) as u32 as u64
}

/// The sum of the absolute differences of four bytes.
fn byte_differences(a: u64, b: u64) -> u64 {
    (0..4).map(|i| (a >> (8 * i) & 0xff).abs_diff(b >> (8 * i) & 0xff)).sum()
}

/// Sums, products, minima and maxima.
pub(crate) static OPS: &[VectorOp] = &[
    op2(&["v_add_nc_u32", "v_add_u32"], Carried, |_, [a, b, ..]| a.wrapping_add(b))
        .saturating(|_, [a, b, ..]| saturate_u32(a as i64 + b as i64)),
    op2(&["v_sub_nc_u32", "v_sub_u32"], Carried, |_, [a, b, ..]| a.wrapping_sub(b))
        .saturating(|_, [a, b, ..]| saturate_u32(a as i64 - b as i64)),
    op2(&["v_subrev_nc_u32", "v_subrev_u32"], Carried, |_, [a, b, ..]| b.wrapping_sub(a))
        .saturating(|_, [a, b, ..]| saturate_u32(b as i64 - a as i64)),
    op2(&["v_add_nc_i32", "v_add_i32"], Carried, |_, [a, b, ..]| a.wrapping_add(b))
        .saturating(|_, [a, b, ..]| saturate_i32(i32_of(a) + i32_of(b))),
    op2(&["v_sub_nc_i32", "v_sub_i32"], Carried, |_, [a, b, ..]| a.wrapping_sub(b))
        .saturating(|_, [a, b, ..]| saturate_i32(i32_of(a) - i32_of(b))),
    op3(&["v_add3_u32"], Carried, |_, [a, b, c, _]| a.wrapping_add(b).wrapping_add(c)),
    op3(&["v_lshl_add_u32"], Own(shift_and_add), |_, [a, b, c, _]| (a << (b & 31)).wrapping_add(c)),
    VectorOp::new(&["v_lshl_add_u64"], B64, &[B64, B32, B64], Own(shift_and_add), |_, [a, b, c, _]| {
        (a << (b & 7)).wrapping_add(c)
    }),
    op3(&["v_add_lshl_u32"], Own(add_and_shift), |_, [a, b, c, _]| a.wrapping_add(b) << (c & 31)),
    op3(&["v_xad_u32"], Carried, |_, [a, b, c, _]| (a ^ b).wrapping_add(c)),
    op2(&["v_mul_lo_u32"], Carried, |_, [a, b, ..]| a.wrapping_mul(b)),
    op2(&["v_mul_hi_u32"], Whole, |_, [a, b, ..]| (a * b) >> 32),
    op2(&["v_mul_hi_i32"], Whole, |_, [a, b, ..]| ((i32_of(a) * i32_of(b)) >> 32) as u64),
    op2(&["v_mul_u32_u24"], Own(product_24), |_, [a, b, ..]| u24(a) * u24(b)),
    op2(&["v_mul_hi_u32_u24"], Own(high_product_24), |_, [a, b, ..]| (u24(a) * u24(b)) >> 32),
    op2(&["v_mul_i32_i24"], Own(product_24), |_, [a, b, ..]| (i24(a) * i24(b)) as u64),
    op2(&["v_mul_hi_i32_i24"], Own(high_product_24), |_, [a, b, ..]| ((i24(a) * i24(b)) >> 32) as u64),
    op3(&["v_mad_u32_u24"], Own(product_24), |_, [a, b, c, _]| (u24(a) * u24(b)).wrapping_add(c))
        .saturating(|_, [a, b, c, _]| saturate_u32((u24(a) * u24(b) + c) as i64)),
    op3(&["v_mad_i32_i24"], Own(product_24), |_, [a, b, c, _]| (i24(a) * i24(b)).wrapping_add(c as i64) as u64)
        .saturating(|_, [a, b, c, _]| saturate_i32(i24(a) * i24(b) + i32_of(c))),
    VectorOp::new(&["v_mad_u32_u16"], B32, &[B16, B16, B32], Carried, |_, [a, b, c, _]| (a * b).wrapping_add(c)),
    VectorOp::new(&["v_mad_i32_i16"], B32, &[B16, B16, B32], Carried, |_, [a, b, c, _]| {
        (i64::from(a as i16) * i64::from(b as i16)).wrapping_add(c as i64) as u64
    }),
    op2(&["v_min_u32"], Whole, |_, [a, b, ..]| a.min(b)),
    op2(&["v_max_u32"], Whole, |_, [a, b, ..]| a.max(b)),
    op2(&["v_min_i32"], Whole, |_, [a, b, ..]| i32_of(a).min(i32_of(b)) as u64),
    op2(&["v_max_i32"], Whole, |_, [a, b, ..]| i32_of(a).max(i32_of(b)) as u64),
    op3(&["v_min3_u32"], Whole, |_, [a, b, c, _]| a.min(b).min(c)),
    op3(&["v_max3_u32"], Whole, |_, [a, b, c, _]| a.max(b).max(c)),
    op3(&["v_min3_i32"], Whole, |_, [a, b, c, _]| i32_of(a).min(i32_of(b)).min(i32_of(c)) as u64),
    op3(&["v_max3_i32"], Whole, |_, [a, b, c, _]| i32_of(a).max(i32_of(b)).max(i32_of(c)) as u64),
    op3(&["v_med3_u32"], Whole, |_, [a, b, c, _]| middle(a, b, c)),
    op3(&["v_med3_i32"], Whole, |_, [a, b, c, _]| middle(i32_of(a), i32_of(b), i32_of(c)) as u64),
    op3(&["v_maxmin_u32"], Whole, |_, [a, b, c, _]| a.max(b).min(c)),
    op3(&["v_minmax_u32"], Whole, |_, [a, b, c, _]| a.min(b).max(c)),
    op3(&["v_maxmin_i32"], Whole, |_, [a, b, c, _]| i32_of(a).max(i32_of(b)).min(i32_of(c)) as u64),
    op3(&["v_minmax_i32"], Whole, |_, [a, b, c, _]| i32_of(a).min(i32_of(b)).max(i32_of(c)) as u64),
    op3(&["v_sad_u8"], Whole, |_, [a, b, c, _]| byte_differences(a, b).wrapping_add(c)),
    op3(&["v_sad_u16"], Whole, |_, [a, b, c, _]| (a & 0xffff).abs_diff(b & 0xffff) + (a >> 16).abs_diff(b >> 16) + c),
    op3(&["v_sad_u32"], Whole, |_, [a, b, c, _]| a.abs_diff(b) + c),
];

/// Operations on single bits, and moves of bits.
pub(crate) static BIT_OPS: &[VectorOp] = &[
    VectorOp::new(
        &["v_mov_b32", "v_accvgpr_read_b32", "v_accvgpr_write_b32", "v_accvgpr_mov_b32"],
        B32,
        &[B32],
        Each,
        |_, [a, ..]| a,
    ),
    VectorOp::new(&["v_mov_b64"], B64, &[B64], Each, |_, [a, ..]| a),
    VectorOp::new(&["v_not_b32"], B32, &[B32], Each, |_, [a, ..]| !a),
    VectorOp::new(&["v_bfrev_b32"], B32, &[B32], Moved(1), |_, [a, ..]| (a as u32).reverse_bits().into()),
    op2(&["v_and_b32"], And, |_, [a, b, ..]| a & b),
    op2(&["v_or_b32"], Or, |_, [a, b, ..]| a | b),
    op2(&["v_xor_b32"], Each, |_, [a, b, ..]| a ^ b),
    op2(&["v_xnor_b32"], Each, |_, [a, b, ..]| !(a ^ b)),
    op3(&["v_and_or_b32"], Own(and_then_or), |_, [a, b, c, _]| a & b | c),
    op3(&["v_or3_b32"], Own(or_of_three), |_, [a, b, c, _]| a | b | c),
    op3(&["v_xor3_b32"], Each, |_, [a, b, c, _]| a ^ b ^ c),
    op3(&["v_lshl_or_b32"], Moved(0b101), |_, [a, b, c, _]| a << (b & 31) | c),
    op3(&["v_bfi_b32"], Own(insert_rule), |_, [a, b, c, _]| (a & b) | (!a & c)),
    op3(&["v_bfe_u32"], Moved(1), |_, [a, b, c, _]| field(a, b, c)),
    op3(&["v_bfe_i32"], Moved(1), |_, [a, b, c, _]| signed_field(a, b, c)),
    op2(&["v_bfm_b32"], Whole, |_, [a, b, ..]| bits::ones((a & 31) as u32) << (b & 31)),
    VectorOp::new(&["v_alignbit_b32"], B32, &[B32, B32, B16], Moved(0b011), |_, [a, b, c, _]| {
        (a << 32 | b) >> (c & 31)
    }),
    VectorOp::new(&["v_alignbyte_b32"], B32, &[B32, B32, B16], Moved(0b011), |_, [a, b, c, _]| {
        (a << 32 | b) >> (8 * (c & 3))
    }),
    op3(&["v_perm_b32"], Own(permute_rule), |_, [a, b, c, _]| permute(a, b, c)),
    op2(&["v_lshlrev_b32"], Moved(0b10), |_, [a, b, ..]| b << (a & 31)),
    op2(&["v_lshrrev_b32"], Moved(0b10), |_, [a, b, ..]| (b & 0xffff_ffff) >> (a & 31)),
    op2(&["v_ashrrev_i32"], Moved(0b10), |_, [a, b, ..]| (i32_of(b) >> (a & 31)) as u64),
    VectorOp::new(&["v_lshlrev_b64"], B64, &[B32, B64], Moved(0b10), |_, [a, b, ..]| b << (a & 63)),
    VectorOp::new(&["v_lshrrev_b64"], B64, &[B32, B64], Moved(0b10), |_, [a, b, ..]| b >> (a & 63)),
    VectorOp::new(&["v_ashrrev_i64"], B64, &[B32, I64], Moved(0b10), |_, [a, b, ..]| ((b as i64) >> (a & 63)) as u64),
    VectorOp::new(
        // `neg` and `abs` change signs here as well.
        &["v_cndmask_b32"],
        B32,
        &[F32, F32, Mask],
        Own(choose_rule),
        |_, [a, b, c, _]| if c != 0 { b } else { a },
    ),
    VectorOp::new(
        &["v_cndmask_b16"],
        B16,
        &[F16, F16, Mask],
        Own(choose_rule),
        |_, [a, b, c, _]| if c != 0 { b } else { a },
    ),
    op2(&["v_bcnt_u32_b32"], Whole, |_, [a, b, ..]| u64::from((a as u32).count_ones()).wrapping_add(b)),
    VectorOp::new(
        &["v_mbcnt_lo_u32_b32"],
        B32,
        &[B32, B32, Lane],
        Own(|known| count_below_rule(known, 0)),
        |_, [a, b, lane, _]| count_below(b, a, lane, 0),
    ),
    VectorOp::new(
        &["v_mbcnt_hi_u32_b32"],
        B32,
        &[B32, B32, Lane],
        Own(|known| count_below_rule(known, 32)),
        |_, [a, b, lane, _]| count_below(b, a, lane, 32),
    ),
    // The number of leading zeros; all ones where there is no bit at all.
    VectorOp::new(
        &["v_clz_i32_u32", "v_ffbh_u32"],
        B32,
        &[B32],
        Own(|known| leading_rule(known[0], 32)),
        |_, [a, ..]| {
            if a == 0 { u64::MAX } else { (a as u32).leading_zeros().into() }
        },
    ),
    VectorOp::new(&["v_ctz_i32_b32", "v_ffbl_b32"], B32, &[B32], Own(|known| trailing_rule(known[0])), |_, [a, ..]| {
        if a == 0 { u64::MAX } else { (a as u32).trailing_zeros().into() }
    }),
    VectorOp::new(&["v_cls_i32", "v_ffbh_i32"], B32, &[B32], Whole, |_, [a, ..]| match a as u32 {
        0 | u32::MAX => u64::MAX,
        value => (if value >> 31 == 0 { value } else { !value }).leading_zeros().into(),
    }),
    // The low half of the result is the first source's low half, the high half that of the second.
    VectorOp::new(&["v_pack_b32_f16"], B32, &[F16, F16], Moved(0b11), |_, [a, b, ..]| {
        (a & 0xffff) | (b & 0xffff) << 16
    }),
];
