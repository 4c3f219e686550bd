//! `exp` and `log` of the `libm` crate, with the same bits, in a form that has one branch.
//!
//! The crate's functions have a branch for each range of arguments, and neighbouring threads are in different ranges.
//! Here one operation serves all ranges but those of special values, so that threads can be executed in vectors, and a
//! GPU's lanes stay together. `tests/programs/` compares both forms.

use crate::math;

/// Where the crate's function is called: from this |x| on, the result may be subnormal or infinite.
const EXP_LIMIT: f64 = f64::from_bits(0x4086_232b_0000_0000);
const EXPF_LIMIT: f32 = f32::from_bits(0x42ae_ac50);

/// From this |x| on, e^x is 2^k * e^r with another k than 0: about ln(2) / 2.
const EXP_REDUCED: f64 = f64::from_bits(0x3fd6_2e43_0000_0000);
const EXPF_REDUCED: f32 = f32::from_bits(0x3eb1_7219);

/// Below this |x|, the result is that of 1 + x.
const EXP_TINY: f64 = f64::from_bits(0x3e30_0001_0000_0000);
const EXPF_TINY: f32 = f32::from_bits(0x3900_0001);

/// The arguments for which the crate's function is not called. LLVM would take the comparisons with the smallest normal
/// number and with infinity for a test of the class of a number, which takes more instructions.
const LOG_FROM: f64 = f64::MIN_POSITIVE * 2.0;
const LOG_TO: f64 = f64::MAX / 2.0;
const LOGF_FROM: f32 = f32::MIN_POSITIVE * 2.0;
const LOGF_TO: f32 = f32::MAX / 2.0;

pub(crate) fn exp(x: f64) -> f64 {
    const LN2_HI: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
    const LN2_LO: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
    const INV_LN2: f64 = f64::from_bits(0x3ff7_1547_652b_82fe);
    const P: [f64; 5] = [
        1.666_666_666_666_660_190_37e-01,
        -2.777_777_777_701_559_338_42e-03,
        6.613_756_321_437_934_361_17e-05,
        -1.653_390_220_546_525_153_90e-06,
        4.138_136_797_057_238_460_39e-08,
    ];
    let size = x.abs();
    if !(size < EXP_LIMIT) {
        return math::exp(x);
    }
    let quotient = if size < EXP_REDUCED { 0.0 } else { INV_LN2 * x + 0.5_f64.copysign(x) };
    // SAFETY: it is less than 1024.
    let k = unsafe { quotient.to_int_unchecked::<i32>() };
    let (hi, lo) = (x - f64::from(k) * LN2_HI, f64::from(k) * LN2_LO);
    let r = hi - lo;
    let rr = r * r;
    let c = r - rr * (P[0] + rr * (P[1] + rr * (P[2] + rr * (P[3] + rr * P[4]))));
    let y = 1.0 + (r * c / (2.0 - c) - lo + hi);
    let scaled = y * f64::from_bits(((0x3ff + k) as u64) << 52);
    if size < EXP_TINY { 1.0 + x } else { scaled }
}

pub(crate) fn expf(x: f32) -> f32 {
    const LN2_HI: f32 = f32::from_bits(0x3f31_7200);
    const LN2_LO: f32 = f32::from_bits(0x35bf_be8e);
    const INV_LN2: f32 = f32::from_bits(0x3fb8_aa3b);
    const P: [f32; 2] = [1.666_662_544_0e-1, -2.766_733_290_6e-3];
    let size = x.abs();
    if !(size < EXPF_LIMIT) {
        return math::expf(x);
    }
    let quotient = if size < EXPF_REDUCED { 0.0 } else { INV_LN2 * x + 0.5_f32.copysign(x) };
    // SAFETY: it is less than 128.
    let k = unsafe { quotient.to_int_unchecked::<i32>() };
    let (hi, lo) = (x - k as f32 * LN2_HI, k as f32 * LN2_LO);
    let r = hi - lo;
    let rr = r * r;
    let c = r - rr * (P[0] + rr * P[1]);
    let y = 1.0 + (r * c / (2.0 - c) - lo + hi);
    let scaled = y * f32::from_bits(((0x7f + k) as u32) << 23);
    if size < EXPF_TINY { 1.0 + x } else { scaled }
}

pub(crate) fn log(x: f64) -> f64 {
    const LN2_HI: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
    const LN2_LO: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
    const LG: [f64; 7] = [
        6.666_666_666_666_735_130e-01,
        3.999_999_999_940_941_908e-01,
        2.857_142_874_366_239_149e-01,
        2.222_219_843_214_978_396e-01,
        1.818_357_216_161_805_012e-01,
        1.531_383_769_920_937_332e-01,
        1.479_819_860_511_658_591e-01,
    ];
    /// The bits of the square root of 1/2, without the lower half.
    const ROOT: u64 = 0x3fe6_a09e << 32;
    if !((x >= LOG_FROM) & (x < LOG_TO)) {
        return math::log(x);
    }
    let bits = x.to_bits() + ((0x3ff0_0000 << 32) - ROOT);
    let k = (bits >> 52) as i32 - 0x3ff;
    let f = f64::from_bits((bits & ((1 << 52) - 1)) + ROOT) - 1.0;
    let hfsq = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (LG[1] + w * (LG[3] + w * LG[5]));
    let odd = z * (LG[0] + w * (LG[2] + w * (LG[4] + w * LG[6])));
    let dk = f64::from(k);
    s * (hfsq + (odd + even)) + dk * LN2_LO - hfsq + f + dk * LN2_HI
}

pub(crate) fn logf(x: f32) -> f32 {
    const LN2_HI: f32 = f32::from_bits(0x3f31_7180);
    const LN2_LO: f32 = f32::from_bits(0x3717_f7d1);
    const LG: [f32; 4] = [0.666_666_626_93, 0.400_009_721_52, 0.284_987_866_88, 0.242_790_788_41];
    /// The bits of the square root of 1/2.
    const ROOT: u32 = 0x3f35_04f3;
    if !((x >= LOGF_FROM) & (x < LOGF_TO)) {
        return math::logf(x);
    }
    let bits = x.to_bits() + (0x3f80_0000 - ROOT);
    let k = (bits >> 23) as i32 - 0x7f;
    let f = f32::from_bits((bits & ((1 << 23) - 1)) + ROOT) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (LG[1] + w * LG[3]);
    let odd = z * (LG[0] + w * LG[2]);
    let hfsq = 0.5 * f * f;
    let dk = k as f32;
    s * (hfsq + (odd + even)) + dk * LN2_LO - hfsq + f + dk * LN2_HI
}
