//! `expm1`, `log1p`, `sinh`, `cosh` and `cbrt` with the bits of the `libm` crate's, in a form that has one branch.
//!
//! As in `straight.rs`: the operations of all ranges are computed, and one of the results is chosen. Arguments of
//! special values and subnormal ones take the branch, to the crate's own function.

use super::math;
use super::straight::{EXP_LIMIT, EXPF_LIMIT, choose, near_exp, near_expf};

macro_rules! rare {
    ($($name:ident is $crates:ident: $float:ident;)*) => {$(
        /// The crate's function, for arguments that are rare.
        #[cold]
        #[inline(never)]
        fn $name(x: $float) -> $float {
            math::$crates(x)
        }
    )*};
}

rare! {
    rare_expm1f is expm1f: f32;
    rare_log1pf is log1pf: f32;
    rare_sinhf is sinhf: f32;
    rare_coshf is coshf: f32;
    rare_cbrtf is cbrtf: f32;
    rare_expm1 is expm1: f64;
    rare_log1p is log1p: f64;
    rare_sinh is sinh: f64;
    rare_cosh is cosh: f64;
    rare_cbrt is cbrt: f64;
}

const LN2_HI: f32 = 6.9313812256e-01;
const LN2_LO: f32 = 9.0580006145e-06;

/// From this |x| on, e^x - 1 is e^x or -1: 27 * ln(2).
const EXPM1_LIMIT: f32 = f32::from_bits(0x4195_b844);

/// e^x - 1.
pub(crate) fn expm1f(x: f32) -> f32 {
    if !(x.abs() < EXPM1_LIMIT) { rare_expm1f(x) } else { near_expm1f(x) }
}

/// Up to this |x|, about ln(2) / 2, nothing is subtracted.
const REDUCED: f32 = f32::from_bits(0x3eb1_7218);

/// The same for an |x| below the limit.
#[inline(always)]
fn near_expm1f(x: f32) -> f32 {
    const INV_LN2: f32 = 1.4426950216e+00;
    /// Below this |x|, ln(2) is subtracted once: about 3/2 ln(2).
    const ONCE: f32 = f32::from_bits(0x3f85_1592);
    /// Below this |x|, the result is x.
    const TINY: f32 = f32::from_bits(0x3300_0000);
    let size = x.abs();
    let many = choose(size < ONCE, 1.0_f32.copysign(x), INV_LN2 * x + 0.5_f32.copysign(x));
    let quotient = choose(size > REDUCED, many, 0.0);
    // SAFETY: it is less than 28.
    let k = unsafe { quotient.to_int_unchecked::<i32>() };
    let (rest, e) = sumf(x, k as f32);
    let d = rest - e;
    let power = f32::from_bits(((0x7f + k) as u32) << 23);
    let inverse = f32::from_bits(((0x7f - k) as u32) << 23);
    let more = choose(k < 23, d + (1.0 - inverse), rest - (e + inverse) + 1.0) * power;
    let less = (d + 1.0) * power - 1.0;
    let positive = choose(k == 1, twicef(rest, e), more);
    let other = choose(k == -1, 0.5 * d - 0.5, choose(k < 0, less, positive));
    choose(size < TINY, x, choose(k == 0, d, other))
}

/// The same for an x between about 2^-25 and ln(2).
#[inline(always)]
fn small_expm1f(x: f32) -> f32 {
    let is_reduced = x > REDUCED;
    let (rest, e) = sumf(x, choose(is_reduced, 1.0, 0.0));
    choose(is_reduced, twicef(rest, e), rest - e)
}

/// The rest of x after the subtraction of `multiple` times ln(2), and the error of e^rest - 1 as a sum with it.
#[inline(always)]
fn sumf(x: f32, multiple: f32) -> (f32, f32) {
    const Q: [f32; 2] = [-3.3333212137e-2, 1.5807170421e-3];
    let (high, low) = (x - multiple * LN2_HI, multiple * LN2_LO);
    let rest = high - low;
    let c = (high - rest) - low;
    let half = 0.5 * rest;
    let square = rest * half;
    let r = 1.0 + square * (Q[0] + square * Q[1]);
    let t = 3.0 - r * half;
    let e = square * ((r - t) / (6.0 - rest * t));
    (rest, (rest * (e - c) - c) - square)
}

/// 2 * e^rest - 1.
#[inline(always)]
fn twicef(rest: f32, e: f32) -> f32 {
    choose(rest < -0.25, -2.0 * (e - (rest + 0.5)), 1.0 + 2.0 * (rest - e))
}

/// The natural logarithm of 1 + x.
pub(crate) fn log1pf(x: f32) -> f32 {
    const LG: [f32; 4] = [0.66666662693, 0.40000972152, 0.28498786688, 0.24279078841];
    /// The bits of the square root of 1/2.
    const ROOT: u32 = 0x3f35_04f3;
    /// Between these, 1 + x is near 1: the square roots of 1/2 and of 2, less 1.
    const NEAR: [f32; 2] = [f32::from_bits(0xbe95_f619), f32::from_bits(0x3ed4_13d0)];
    /// Below this |x|, the result is x.
    const TINY: f32 = f32::from_bits(0x3380_0000);
    if !((x > -1.0) & (x < f32::MAX)) {
        return rare_log1pf(x);
    }
    let is_near = (x >= NEAR[0]) & (x < NEAR[1]);
    let u = 1.0 + x;
    let bits = u.to_bits().wrapping_add(0x3f80_0000 - ROOT);
    let exponent = (bits >> 23) as i32 - 0x7f;
    let lost = choose(exponent >= 2, 1.0 - (u - x), x - (u - 1.0));
    let c = choose(is_near | (exponent >= 25), 0.0, lost / u);
    let f = choose(is_near, x, f32::from_bits((bits & 0x007f_ffff) + ROOT) - 1.0);
    let dk = choose(is_near, 0, exponent) as f32;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let r = z * (LG[0] + w * LG[2]) + w * (LG[1] + w * LG[3]);
    let hfsq = 0.5 * f * f;
    let y = s * (hfsq + r) + (dk * LN2_LO + c) - hfsq + f + dk * LN2_HI;
    choose(x.abs() < TINY, x, y)
}

/// The hyperbolic sine.
pub(crate) fn sinhf(x: f32) -> f32 {
    /// Below this |x|, the result is x.
    const TINY: f32 = f32::from_bits(0x3f80_0000 - (12 << 23));
    let size = x.abs();
    if !(size < EXPM1_LIMIT) {
        return rare_sinhf(x);
    }
    let t = near_expm1f(size);
    let quotient = choose(size < 1.0, t * t, t) / (t + 1.0);
    let y = 0.5_f32.copysign(x) * choose(size < 1.0, 2.0 * t - quotient, t + quotient);
    choose(size < TINY, x, y)
}

/// The cube root.
pub(crate) fn cbrtf(x: f32) -> f32 {
    /// About a third of the bits of 1 that are left.
    const THIRD: u32 = 709_958_130;
    let size = x.abs();
    if !((size >= f32::MIN_POSITIVE * 2.0) & (size < f32::MAX)) {
        return rare_cbrtf(x);
    }
    let (wide, start) = (f64::from(x), f32::from_bits(size.to_bits() / 3 + THIRD).copysign(x));
    let nearer = |t: f64| {
        let r = t * t * t;
        t * (wide + wide + r) / (wide + r + r)
    };
    nearer(nearer(f64::from(start))) as f32
}

/// The parts of ln(2), for `f64`.
const LN2: [f64; 2] = [6.93147180369123816490e-01, 1.90821492927058770002e-10];

/// From this |x| on, e^x - 1 is e^x or -1: 56 * ln(2).
const WIDE_EXPM1_LIMIT: f64 = f64::from_bits(0x4043_687a << 32);

/// e^x - 1.
pub(crate) fn expm1(x: f64) -> f64 {
    if !(x.abs() < WIDE_EXPM1_LIMIT) { rare_expm1(x) } else { near_expm1(x) }
}

// As for `f32`; the crate compares the upper halves.
const WIDE_REDUCED: f64 = f64::from_bits(0x3fd6_2e43 << 32);

/// The same for an |x| below the limit.
#[inline(always)]
fn near_expm1(x: f64) -> f64 {
    const ONCE: f64 = f64::from_bits(0x3ff0_a2b2 << 32);
    const TINY: f64 = f64::from_bits(0x3c90_0000 << 32);
    let size = x.abs();
    let nearest = core::f64::consts::LOG2_E * x + 0.5_f64.copysign(x);
    let many = choose(size < ONCE, 1.0_f64.copysign(x), nearest);
    let quotient = choose(size >= WIDE_REDUCED, many, 0.0);
    // SAFETY: it is less than 57.
    let k = unsafe { quotient.to_int_unchecked::<i32>() };
    let Sum { rest, e, whole } = sum(x, f64::from(k));
    let d = rest - e;
    let power = f64::from_bits(((0x3ff + k) as u64) << 52);
    let inverse = f64::from_bits(((0x3ff - k) as u64) << 52);
    let more = choose(k < 20, d + (1.0 - inverse), rest - (e + inverse) + 1.0) * power;
    let less = (d + 1.0) * power - 1.0;
    let positive = choose(k == 1, twice(rest, e), more);
    let other = choose(k == -1, 0.5 * d - 0.5, choose(k < 0, less, positive));
    choose(size < TINY, x, choose(k == 0, whole, other))
}

/// The same for an x between about 2^-54 and ln(2).
#[inline(always)]
fn small_expm1(x: f64) -> f64 {
    let is_reduced = x >= WIDE_REDUCED;
    let Sum { rest, e, whole } = sum(x, choose(is_reduced, 1.0, 0.0));
    choose(is_reduced, twice(rest, e), whole)
}

/// The rest of x, the error of e^rest - 1 as a sum with it, and that sum if nothing has been subtracted.
struct Sum {
    rest: f64,
    e: f64,
    whole: f64,
}

#[inline(always)]
fn sum(x: f64, multiple: f64) -> Sum {
    const Q: [f64; 5] = [
        -3.33333333333331316428e-02,
        1.58730158725481460165e-03,
        -7.93650757867487942473e-05,
        4.00821782732936239552e-06,
        -2.01099218183624371326e-07,
    ];
    let (high, low) = (x - multiple * LN2[0], multiple * LN2[1]);
    let rest = high - low;
    let c = (high - rest) - low;
    let half = 0.5 * rest;
    let square = rest * half;
    let r = 1.0 + square * (Q[0] + square * (Q[1] + square * (Q[2] + square * (Q[3] + square * Q[4]))));
    let t = 3.0 - r * half;
    let e = square * ((r - t) / (6.0 - rest * t));
    Sum { rest, e: (rest * (e - c) - c) - square, whole: rest - (rest * e - square) }
}

/// 2 * e^rest - 1.
#[inline(always)]
fn twice(rest: f64, e: f64) -> f64 {
    choose(rest < -0.25, -2.0 * (e - (rest + 0.5)), 1.0 + 2.0 * (rest - e))
}

/// The natural logarithm of 1 + x.
pub(crate) fn log1p(x: f64) -> f64 {
    const LG: [f64; 7] = [
        6.666666666666735130e-01,
        3.999999999940941908e-01,
        2.857142874366239149e-01,
        2.222219843214978396e-01,
        1.818357216161805012e-01,
        1.531383769920937332e-01,
        1.479819860511658591e-01,
    ];
    /// The bits of the square root of 1/2, without the lower half.
    const ROOT: u64 = 0x3fe6_a09e << 32;
    /// As for `f32`; the crate compares the upper halves.
    const NEAR: [f64; 2] = [f64::from_bits(0xbfd2_bec5 << 32), f64::from_bits(0x3fda_827a << 32)];
    const TINY: f64 = f64::from_bits(0x3ca0_0000 << 32);
    if !((x > -1.0) & (x < f64::MAX)) {
        return rare_log1p(x);
    }
    let is_near = (x > NEAR[0]) & (x < NEAR[1]);
    let u = 1.0 + x;
    let bits = u.to_bits().wrapping_add((0x3ff0_0000 << 32) - ROOT);
    let exponent = (bits >> 52) as i32 - 0x3ff;
    let lost = choose(exponent >= 2, 1.0 - (u - x), x - (u - 1.0));
    let c = choose(is_near | (exponent >= 54), 0.0, lost / u);
    let f = choose(is_near, x, f64::from_bits((bits & ((1 << 52) - 1)) + ROOT) - 1.0);
    let dk = f64::from(choose(is_near, 0, exponent));
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (LG[1] + w * (LG[3] + w * LG[5]));
    let r = z * (LG[0] + w * (LG[2] + w * (LG[4] + w * LG[6]))) + even;
    let hfsq = 0.5 * f * f;
    let y = s * (hfsq + r) + (dk * LN2[1] + c) - hfsq + f + dk * LN2[0];
    choose(x.abs() < TINY, x, y)
}

/// The hyperbolic sine.
pub(crate) fn sinh(x: f64) -> f64 {
    /// Below this |x|, the result is x.
    const TINY: f64 = f64::from_bits((0x3ff0_0000 - (26 << 20)) << 32);
    let size = x.abs();
    if !(size < WIDE_EXPM1_LIMIT) {
        return rare_sinh(x);
    }
    let t = near_expm1(size);
    let quotient = choose(size < 1.0, t * t, t) / (t + 1.0);
    let y = 0.5_f64.copysign(x) * choose(size < 1.0, 2.0 * t - quotient, t + quotient);
    choose(size < TINY, x, y)
}

macro_rules! cosines {
    (
        $float:ident: $cosh:ident, $rare:ident, $expm1:ident, $exp:ident, $limit:expr,
        near $near:expr, tiny $tiny:expr
    ) => {
        /// The hyperbolic cosine.
        pub(crate) fn $cosh(x: $float) -> $float {
            let size = x.abs();
            if !(size < $limit) {
                return $rare(x);
            }
            let is_near = size < $near;
            let (t, power) = ($expm1(size), $exp(size));
            let quotient = choose(is_near, t * t, 1.0) / choose(is_near, 2.0 * (1.0 + t), power);
            let y = choose(is_near, 1.0 + quotient, 0.5 * (power + quotient));
            choose(size < $tiny, 1.0, y)
        }
    };
}

cosines! {
    f32: coshf, rare_coshf, small_expm1f, near_expf, EXPF_LIMIT,
    near f32::from_bits(0x3f31_7217), tiny f32::from_bits(0x3f80_0000 - (12 << 23))
}

cosines! {
    f64: cosh, rare_cosh, small_expm1, near_exp, EXP_LIMIT,
    near f64::from_bits(0x3fe6_2e42 << 32), tiny f64::from_bits((0x3ff0_0000 - (26 << 20)) << 32)
}

/// The cube root.
pub(crate) fn cbrt(x: f64) -> f64 {
    const THIRD: f64 = f64::from_bits(0x3fd5_5555_5555_5555);
    const TWO_NINTHS: f64 = f64::from_bits(0x3fcc_71c7_1c71_c71c);
    /// The cube roots of 2 and of 4.
    const ROOTS: [f64; 2] = [f64::from_bits(0x3ff4_28a2_f98d_728b), f64::from_bits(0x3ff9_65fe_a53d_6e3d)];
    const C: [f64; 4] = [
        f64::from_bits(0x3fe1_b0ba_bccf_ef9c),
        f64::from_bits(0x3fe2_c9a3_e94d_1da5),
        f64::from_bits(0xbfc4_dc30_b1a1_ddba),
        f64::from_bits(0x3f97_a8d3_e4ec_9b07),
    ];
    /// So near to a half of the last digit, the crate computes more digits.
    const CLOSE: f64 = f64::from_bits((0x3ff - 75) << 52);
    let bits = x.to_bits();
    // x is 2^(3 * (third - 1365) + rest) * z, and z is between 1 and 2.
    let exponent = ((bits >> 52) as u32 & 0x7ff) + 3072;
    let third = (exponent * 21846) >> 16;
    let rest = exponent - 3 * third;
    let one = 0x3ff << 52 | bits & ((1 << 52) - 1);
    let z = f64::from_bits(one);
    let scaled = f64::from_bits(one + (u64::from(rest) << 52)).copysign(x);
    let scale = choose(rest == 0, 1.0, choose(rest == 1, ROOTS[0], ROOTS[1])).copysign(x);
    let r = 1.0 / z;
    let scaled_inverse = r * f64::from_bits((0x3ff - u64::from(rest)) << 52).copysign(x);
    let y = (C[0] + z * C[1]) + z * z * (C[2] + z * C[3]);
    let h = y * y * (y * r) - 1.0;
    let y = (y - (h * y) * (THIRD - TWO_NINTHS * h)) * scale;
    let square = y * y;
    let square_rest = rest_of_product(y, y, square);
    let cube = square * y;
    let cube_rest = rest_of_product(y, square, cube) + y * square_rest;
    let step = ((cube - scaled) + cube_rest) * scaled_inverse * (y * THIRD);
    let root = y - step;
    let lost = ((y - root) - step).abs();
    let result = root.to_bits().wrapping_add(u64::from(third.wrapping_sub(342 + 1023)) << 52);
    // Whole numbers and the like, which the crate finds by the last 34 bits.
    let ends = (result << 30) ^ (result << 30 >> 63);
    let is_normal = (x.abs() >= f64::MIN_POSITIVE) & (x.abs() < f64::INFINITY);
    let is_apart = |halves: f64| (lost - halves * (0.5 * f64::EPSILON)).abs() >= CLOSE;
    let is_certain = is_apart(1.0) & is_apart(3.0) & (ends > 1 << 30);
    if !(is_normal & is_certain) {
        return rare_cbrt(x);
    }
    f64::from_bits(result)
}

/// The rounding error of a product of numbers of ordinary sizes. It is exact, like that of a fused operation.
#[inline(always)]
fn rest_of_product(x: f64, y: f64, product: f64) -> f64 {
    let upper = |x: f64| {
        let large = 134_217_729.0 * x;
        large - (large - x)
    };
    let (x_high, y_high) = (upper(x), upper(y));
    let (x_low, y_low) = (x - x_high, y - y_high);
    x_low * y_low - (((product - x_high * y_high) - x_low * y_high) - x_high * y_low)
}
