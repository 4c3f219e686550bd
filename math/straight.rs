//! `exp` and `log` with the bits of the `libm` crate's, in a form that has one branch.
//!
//! The crate's functions have a branch for each range of arguments, and neighbouring threads are in different ranges.
//! Here the same operations serve all ranges but those of special values, so that threads can be executed in vectors,
//! and a GPU's lanes stay together. The functions of special values are cold, by which the CPU's vectoriser knows that
//! the branch is rarely taken. `tests/compiler/straight_math.rs` compares both forms. `angles.rs` and `powers.rs` have
//! other functions in such a form, and `contract/math.rs` a list of all.

/// One of two values without a branch: LLVM would make branches of several comparisons of one value.
#[inline(always)]
pub(crate) fn choose<T>(condition: bool, one: T, other: T) -> T {
    core::hint::select_unpredictable(condition, one, other)
}

unsafe extern "C" {
    /// The square root. In the library for devices, `build.rs` makes LLVM's intrinsics of these.
    pub(super) safe fn sqrt(x: f64) -> f64;
    pub(super) safe fn sqrtf(x: f32) -> f32;
}

/// From this |x| on, the result may be subnormal or infinite.
pub(super) const EXP_LIMIT: f64 = f64::from_bits(0x4086_232b_0000_0000);
pub(super) const EXPF_LIMIT: f32 = f32::from_bits(0x42ae_ac50);

/// From this |x| on, e^x is 2^k * e^r with another k than 0: about ln(2) / 2.
const EXP_REDUCED: f64 = f64::from_bits(0x3fd6_2e43_0000_0000);
const EXPF_REDUCED: f32 = f32::from_bits(0x3eb1_7219);

/// Below this |x|, the result is that of 1 + x.
const EXP_TINY: f64 = f64::from_bits(0x3e30_0001_0000_0000);
const EXPF_TINY: f32 = f32::from_bits(0x3900_0001);

/// The arguments that are not special. LLVM would take comparisons with the smallest normal number and with infinity
/// for a test of the class of a number, which takes more instructions.
const LOG_FROM: f64 = f64::MIN_POSITIVE * 2.0;
const LOG_TO: f64 = f64::MAX / 2.0;
const LOGF_FROM: f32 = f32::MIN_POSITIVE * 2.0;
const LOGF_TO: f32 = f32::MAX / 2.0;

/// e^x.
pub(crate) fn exp(x: f64) -> f64 {
    if !(x.abs() < EXP_LIMIT) { special_exp(x) } else { near_exp(x) }
}

/// e^x for an |x| below the limit.
#[inline(always)]
pub(super) fn near_exp(x: f64) -> f64 {
    let size = x.abs();
    let (y, k) = reduced_exp(if size < EXP_REDUCED { 0.0 } else { nearest(x) }, x);
    let scaled = y * power(k);
    if size < EXP_TINY { 1.0 + x } else { scaled }
}

/// For arguments that are not less than the limit, and for NaN.
#[cold]
fn special_exp(x: f64) -> f64 {
    if !(x <= 709.782_712_893_383_973_096) {
        return x * power(1023);
    }
    if x < -745.133_219_101_941_108_42 {
        return 0.0;
    }
    let (y, k) = reduced_exp(nearest(x), x);
    // In two steps, the first of which has a normal result.
    let first = if k > 0 { 1023 } else { -969 };
    y * power(first) * power(k - first)
}

/// x / ln(2), and 1/2 to round it by.
#[inline(always)]
fn nearest(x: f64) -> f64 {
    const INV_LN2: f64 = f64::from_bits(0x3ff7_1547_652b_82fe);
    INV_LN2 * x + 0.5_f64.copysign(x)
}

/// y and k, where e^x is y * 2^k. `quotient` is k without its fraction removed.
#[inline(always)]
fn reduced_exp(quotient: f64, x: f64) -> (f64, i32) {
    const LN2_HI: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
    const LN2_LO: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
    const P: [f64; 5] = [
        1.666_666_666_666_660_190_37e-01,
        -2.777_777_777_701_559_338_42e-03,
        6.613_756_321_437_934_361_17e-05,
        -1.653_390_220_546_525_153_90e-06,
        4.138_136_797_057_238_460_39e-08,
    ];
    // SAFETY: it is less than 2000.
    let k = unsafe { quotient.to_int_unchecked::<i32>() };
    let (hi, lo) = (x - f64::from(k) * LN2_HI, f64::from(k) * LN2_LO);
    let r = hi - lo;
    let rr = r * r;
    let c = r - rr * (P[0] + rr * (P[1] + rr * (P[2] + rr * (P[3] + rr * P[4]))));
    (1.0 + (r * c / (2.0 - c) - lo + hi), k)
}

/// 2^k, which is normal.
#[inline(always)]
fn power(k: i32) -> f64 {
    f64::from_bits(((0x3ff + k) as u64) << 52)
}

/// e^x.
pub(crate) fn expf(x: f32) -> f32 {
    if !(x.abs() < EXPF_LIMIT) { special_expf(x) } else { near_expf(x) }
}

/// e^x for an |x| below the limit.
#[inline(always)]
pub(super) fn near_expf(x: f32) -> f32 {
    let size = x.abs();
    let (y, k) = reduced_expf(if size < EXPF_REDUCED { 0.0 } else { nearestf(x) }, x);
    let scaled = y * powerf(k);
    if size < EXPF_TINY { 1.0 + x } else { scaled }
}

/// For arguments that are not less than the limit, and for NaN.
#[cold]
fn special_expf(x: f32) -> f32 {
    if !(x < f32::from_bits(0x42b1_7218)) {
        return x * powerf(127);
    }
    if x <= f32::from_bits(0xc2cf_f1b5) {
        return 0.0;
    }
    let (y, k) = reduced_expf(nearestf(x), x);
    let first = if k > 0 { 127 } else { -102 };
    y * powerf(first) * powerf(k - first)
}

/// x / ln(2), and 1/2 to round it by.
#[inline(always)]
fn nearestf(x: f32) -> f32 {
    const INV_LN2: f32 = f32::from_bits(0x3fb8_aa3b);
    INV_LN2 * x + 0.5_f32.copysign(x)
}

/// y and k, where e^x is y * 2^k. `quotient` is k without its fraction removed.
#[inline(always)]
fn reduced_expf(quotient: f32, x: f32) -> (f32, i32) {
    const LN2_HI: f32 = f32::from_bits(0x3f31_7200);
    const LN2_LO: f32 = f32::from_bits(0x35bf_be8e);
    const P: [f32; 2] = [1.666_662_544_0e-1, -2.766_733_290_6e-3];
    // SAFETY: it is less than 200.
    let k = unsafe { quotient.to_int_unchecked::<i32>() };
    let (hi, lo) = (x - k as f32 * LN2_HI, k as f32 * LN2_LO);
    let r = hi - lo;
    let rr = r * r;
    let c = r - rr * (P[0] + rr * P[1]);
    (1.0 + (r * c / (2.0 - c) - lo + hi), k)
}

/// 2^k, which is normal.
#[inline(always)]
fn powerf(k: i32) -> f32 {
    f32::from_bits(((0x7f + k) as u32) << 23)
}

/// The natural logarithm.
pub(crate) fn log(x: f64) -> f64 {
    if (x >= LOG_FROM) & (x < LOG_TO) { normal_log(x, 0) } else { special_log(x) }
}

#[cold]
fn special_log(x: f64) -> f64 {
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if !(x > 0.0) {
        return f64::NAN;
    }
    if x == f64::INFINITY {
        return x;
    }
    // No product is infinite, and none is subnormal.
    if x < 1.0 { normal_log(x * 18_014_398_509_481_984.0, -54) } else { normal_log(x, 0) }
}

/// The logarithm of x * 2^k.
#[inline(always)]
fn normal_log(x: f64, k: i32) -> f64 {
    const LN2_HI: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
    const LN2_LO: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
    let Reduced { exponent, f, hfsq, rest } = reduced(x);
    let dk = f64::from(k + exponent);
    rest + dk * LN2_LO - hfsq + f + dk * LN2_HI
}

/// x = 2^exponent * (1 + f), where the logarithm of 1 + f is f - hfsq + rest.
pub(super) struct Reduced<T> {
    pub(super) exponent: i32,
    pub(super) f: T,
    pub(super) hfsq: T,
    pub(super) rest: T,
}

#[inline(always)]
pub(super) fn reduced(x: f64) -> Reduced<f64> {
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
    let bits = x.to_bits() + ((0x3ff0_0000 << 32) - ROOT);
    let exponent = (bits >> 52) as i32 - 0x3ff;
    let f = f64::from_bits((bits & ((1 << 52) - 1)) + ROOT) - 1.0;
    let hfsq = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (LG[1] + w * (LG[3] + w * LG[5]));
    let odd = z * (LG[0] + w * (LG[2] + w * (LG[4] + w * LG[6])));
    Reduced { exponent, f, hfsq, rest: s * (hfsq + (odd + even)) }
}

/// The natural logarithm.
pub(crate) fn logf(x: f32) -> f32 {
    if (x >= LOGF_FROM) & (x < LOGF_TO) { normal_logf(x, 0) } else { special_logf(x) }
}

#[cold]
fn special_logf(x: f32) -> f32 {
    if x == 0.0 {
        return f32::NEG_INFINITY;
    }
    if !(x > 0.0) {
        return f32::NAN;
    }
    if x == f32::INFINITY {
        return x;
    }
    if x < 1.0 { normal_logf(x * 33_554_432.0, -25) } else { normal_logf(x, 0) }
}

/// The logarithm of x * 2^k.
#[inline(always)]
fn normal_logf(x: f32, k: i32) -> f32 {
    const LN2_HI: f32 = f32::from_bits(0x3f31_7180);
    const LN2_LO: f32 = f32::from_bits(0x3717_f7d1);
    let Reduced { exponent, f, hfsq, rest } = reducedf(x);
    let dk = (k + exponent) as f32;
    rest + dk * LN2_LO - hfsq + f + dk * LN2_HI
}

#[inline(always)]
pub(super) fn reducedf(x: f32) -> Reduced<f32> {
    const LG: [f32; 4] = [0.666_666_626_93, 0.400_009_721_52, 0.284_987_866_88, 0.242_790_788_41];
    /// The bits of the square root of 1/2.
    const ROOT: u32 = 0x3f35_04f3;
    let bits = x.to_bits() + (0x3f80_0000 - ROOT);
    let exponent = (bits >> 23) as i32 - 0x7f;
    let f = f32::from_bits((bits & ((1 << 23) - 1)) + ROOT) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (LG[1] + w * LG[3]);
    let odd = z * (LG[0] + w * LG[2]);
    let hfsq = 0.5 * f * f;
    Reduced { exponent, f, hfsq, rest: s * (hfsq + (odd + even)) }
}
