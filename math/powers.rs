//! `exp2`, `log2`, `log10`, `tanh` and `pow` with the bits of the `libm` crate's, in a form that has one branch.
//!
//! As in `straight.rs`: the operations of all ranges are computed, and one of the results is chosen. Arguments of
//! special values take the branch, to the crate's own function.

use super::math;
use super::straight::{Reduced, choose, reduced, reducedf};

macro_rules! rare {
    ($($name:ident is $crates:ident($($x:ident: $float:ident),*) -> $result:ident;)*) => {$(
        /// The crate's function, for arguments that are rare.
        #[cold]
        #[inline(never)]
        fn $name($($x: $float),*) -> $result {
            math::$crates($($x),*)
        }
    )*};
}

rare! {
    rare_exp2f is exp2f(x: f32) -> f32;
    rare_log2f is log2f(x: f32) -> f32;
    rare_log10f is log10f(x: f32) -> f32;
    rare_tanhf is tanhf(x: f32) -> f32;
    rare_powf is powf(x: f32, y: f32) -> f32;
    rare_log2 is log2(x: f64) -> f64;
    rare_log10 is log10(x: f64) -> f64;
    rare_tanh is tanh(x: f64) -> f64;
    rare_pow is pow(x: f64, y: f64) -> f64;
}

/// 2^x.
pub(crate) fn exp2f(x: f32) -> f32 {
    /// 2^(1/16) to the powers of -8 to 7.
    static POWERS: [u64; 16] = [
        0x3fe6_a09e_667f_3bcd,
        0x3fe7_a114_73eb_0187,
        0x3fe8_ace5_422a_a0db,
        0x3fe9_c491_82a3_f090,
        0x3fea_e89f_995a_d3ad,
        0x3fec_199b_dd85_529c,
        0x3fed_5818_dcfb_a487,
        0x3fee_a4af_a2a4_90da,
        0x3ff0_0000_0000_0000,
        0x3ff0_b558_6cf9_890f,
        0x3ff1_72b8_3c7d_517b,
        0x3ff2_387a_6e75_6238,
        0x3ff3_06fe_0a31_b715,
        0x3ff3_dea6_4c12_3422,
        0x3ff4_bfda_d536_2a27,
        0x3ff5_ab07_dd48_5429,
    ];
    const REDUX: f32 = f32::from_bits(0x4b40_0000) / 16.0;
    const P: [f32; 4] = [
        f32::from_bits(0x3f31_7218),
        f32::from_bits(0x3e75_fdf0),
        f32::from_bits(0x3d63_59a4),
        f32::from_bits(0x3c1d_964e),
    ];
    // For the smallest arguments, the sum below gives 1 + x, too.
    if !(x.abs() <= 126.0) {
        return rare_exp2f(x);
    }
    let sum = x + REDUX;
    let bits = sum.to_bits().wrapping_add(8);
    let scale = f64::from_bits(u64::from(0x3ff_u32.wrapping_add(bits / 16)) << 52);
    let z = f64::from(x - (sum - REDUX));
    let r = f64::from_bits(POWERS[(bits % 16) as usize]);
    let t = r * z;
    let r = r + t * (f64::from(P[0]) + z * f64::from(P[1])) + t * (z * z) * (f64::from(P[2]) + z * f64::from(P[3]));
    (r * scale) as f32
}

/// The arguments of logarithms that are not special. See `straight.rs`.
#[inline(always)]
fn is_normalf(x: f32) -> bool {
    (x >= f32::MIN_POSITIVE * 2.0) & (x < f32::MAX / 2.0)
}

#[inline(always)]
fn is_normal(x: f64) -> bool {
    (x >= f64::MIN_POSITIVE * 2.0) & (x < f64::MAX / 2.0)
}

/// x = 2^k * (1 + f), and the logarithm of 1 + f as a sum of two numbers.
#[inline(always)]
fn log_partsf(x: f32) -> (f32, f32, f32) {
    let Reduced { exponent, f, hfsq, rest } = reducedf(x);
    let high = f32::from_bits((f - hfsq).to_bits() & 0xffff_f000);
    (exponent as f32, high, f - high - hfsq + rest)
}

/// The logarithm to base 2.
pub(crate) fn log2f(x: f32) -> f32 {
    const IVLN2HI: f32 = 1.4428710938e+00;
    const IVLN2LO: f32 = -1.7605285393e-04;
    if !is_normalf(x) {
        return rare_log2f(x);
    }
    let (k, high, low) = log_partsf(x);
    (low + high) * IVLN2LO + low * IVLN2HI + high * IVLN2HI + k
}

/// The logarithm to base 10.
pub(crate) fn log10f(x: f32) -> f32 {
    const IVLN10HI: f32 = 4.3432617188e-01;
    const IVLN10LO: f32 = -3.1689971365e-05;
    const LOG10_2HI: f32 = 3.0102920532e-01;
    const LOG10_2LO: f32 = 7.9034151668e-07;
    if !is_normalf(x) {
        return rare_log10f(x);
    }
    let (k, high, low) = log_partsf(x);
    k * LOG10_2LO + (low + high) * IVLN10LO + low * IVLN10HI + high * IVLN10HI + k * LOG10_2HI
}

#[inline(always)]
fn log_parts(x: f64) -> (f64, f64, f64) {
    let Reduced { exponent, f, hfsq, rest } = reduced(x);
    let high = f64::from_bits((f - hfsq).to_bits() & (u64::MAX << 32));
    (f64::from(exponent), high, f - high - hfsq + rest)
}

/// The logarithm to base 2.
pub(crate) fn log2(x: f64) -> f64 {
    const IVLN2HI: f64 = 1.44269504072144627571e+00;
    const IVLN2LO: f64 = 1.67517131648865118353e-10;
    if !is_normal(x) {
        return rare_log2(x);
    }
    let (k, high, low) = log_parts(x);
    let val_hi = high * IVLN2HI;
    let val_lo = (low + high) * IVLN2LO + low * IVLN2HI;
    let w = k + val_hi;
    (val_lo + ((k - w) + val_hi)) + w
}

/// The logarithm to base 10.
pub(crate) fn log10(x: f64) -> f64 {
    const IVLN10HI: f64 = 4.34294481878168880939e-01;
    const IVLN10LO: f64 = 2.50829467116452752298e-11;
    const LOG10_2HI: f64 = 3.01029995663611771306e-01;
    const LOG10_2LO: f64 = 3.69423907715893078616e-13;
    if !is_normal(x) {
        return rare_log10(x);
    }
    let (k, high, low) = log_parts(x);
    let val_hi = high * IVLN10HI;
    let y = k * LOG10_2HI;
    let val_lo = k * LOG10_2LO + (low + high) * IVLN10LO + low * IVLN10HI;
    let w = y + val_hi;
    (val_lo + ((y - w) + val_hi)) + w
}

/// The hyperbolic tangent.
pub(crate) fn tanhf(x: f32) -> f32 {
    const MIDDLE: f32 = f32::from_bits(0x3e82_c578);
    const LARGE: f32 = f32::from_bits(0x3f0c_9f54);
    let size = x.abs();
    // Not those around the smallest normal number, and not NaN. See `LOG_FROM` in `straight.rs`.
    if !((size >= f32::MIN_POSITIVE * 2.0) | (size == 0.0)) {
        return rare_tanhf(x);
    }
    let is_far = size > 10.0;
    let bounded = choose(is_far, 10.0, size);
    let t = reduced_expm1f(choose(size > MIDDLE, 2.0 * bounded, -2.0 * bounded));
    // -t / (t + 2) is (-t) / (t + 2), and 1 - 2 / (t + 2) has the same divisor.
    let above = choose(size > LARGE, 2.0, t);
    let quotient = choose(size > MIDDLE, above, -t) / (t + 2.0);
    let complement = 1.0 - quotient;
    let y = choose(size > LARGE, complement, quotient);
    choose(is_far, 1.0, y).copysign(x)
}

/// e^x - 1 for -0.6 < x <= 20.
#[inline(always)]
fn reduced_expm1f(x: f32) -> f32 {
    const LN2_HI: f32 = 6.9313812256e-01;
    const LN2_LO: f32 = 9.0580006145e-06;
    const INV_LN2: f32 = 1.4426950216e+00;
    const Q1: f32 = -3.3333212137e-2;
    const Q2: f32 = 1.5807170421e-3;
    let size = x.abs();
    let nearest = INV_LN2 * x + 0.5_f32.copysign(x);
    let one = 1.0_f32.copysign(x);
    let is_reduced = size > f32::from_bits(0x3eb1_7218);
    let counted = choose(size < f32::from_bits(0x3f85_1592), one, nearest);
    // SAFETY: it is less than 40.
    let k = unsafe { choose(is_reduced, counted, 0.0).to_int_unchecked::<i32>() };
    let (hi, lo) = (x - k as f32 * LN2_HI, k as f32 * LN2_LO);
    let r = hi - lo;
    let c = (hi - r) - lo;
    let hfx = 0.5 * r;
    let hxs = r * hfx;
    let r1 = 1.0 + hxs * (Q1 + hxs * Q2);
    let t = 3.0 - r1 * hfx;
    let e0 = hxs * ((r1 - t) / (6.0 - r * t));
    let e = r * (e0 - c) - c - hxs;
    let scale = f32::from_bits(((0x7f + k) as u32) << 23);
    let inverse = f32::from_bits(((0x7f - k) as u32) << 23);
    let low = r - e + (1.0 - inverse);
    let high = r - (e + inverse) + 1.0;
    let y = choose(k < 23, low, high) * scale;
    let (below, above) = (-2.0 * (e - (r + 0.5)), 1.0 + 2.0 * (r - e));
    let (half, whole) = (0.5 * (r - e) - 0.5, x - (x * e0 - hxs));
    let double = choose(r < -0.25, below, above);
    let y = choose(k == 1, double, y);
    let y = choose(k == -1, half, y);
    let y = choose(is_reduced, y, whole);
    choose(size < f32::from_bits(0x3300_0000), x, y)
}

/// The hyperbolic tangent.
pub(crate) fn tanh(x: f64) -> f64 {
    // The crate compares the upper halves.
    const MIDDLE: f64 = f64::from_bits(0x3fd0_58af << 32);
    const LARGE: f64 = f64::from_bits(0x3fe1_93eb << 32);
    const FAR: f64 = f64::from_bits(0x4034_0001 << 32);
    let size = x.abs();
    if !((size >= f64::MIN_POSITIVE * 2.0) | (size == 0.0)) {
        return rare_tanh(x);
    }
    let is_far = size >= FAR;
    let bounded = choose(is_far, 10.0, size);
    let t = reduced_expm1(choose(size >= MIDDLE, 2.0 * bounded, -2.0 * bounded));
    let above = choose(size >= LARGE, 2.0, t);
    let quotient = choose(size >= MIDDLE, above, -t) / (t + 2.0);
    let complement = 1.0 - quotient;
    let y = choose(size >= LARGE, complement, quotient);
    choose(is_far, 1.0, y).copysign(x)
}

/// e^x - 1 for -0.6 < x < 41.
#[inline(always)]
fn reduced_expm1(x: f64) -> f64 {
    const LN2_HI: f64 = 6.93147180369123816490e-01;
    const LN2_LO: f64 = 1.90821492927058770002e-10;
    const INV_LN2: f64 = core::f64::consts::LOG2_E;
    const Q: [f64; 5] = [
        -3.33333333333331316428e-02,
        1.58730158725481460165e-03,
        -7.93650757867487942473e-05,
        4.00821782732936239552e-06,
        -2.01099218183624371326e-07,
    ];
    let size = x.abs();
    let nearest = INV_LN2 * x + 0.5_f64.copysign(x);
    let one = 1.0_f64.copysign(x);
    let is_reduced = size >= f64::from_bits(0x3fd6_2e43 << 32);
    let counted = choose(size < f64::from_bits(0x3ff0_a2b2 << 32), one, nearest);
    // SAFETY: it is less than 60.
    let k = unsafe { choose(is_reduced, counted, 0.0).to_int_unchecked::<i32>() };
    let (hi, lo) = (x - f64::from(k) * LN2_HI, f64::from(k) * LN2_LO);
    let r = hi - lo;
    let c = (hi - r) - lo;
    let hfx = 0.5 * r;
    let hxs = r * hfx;
    let r1 = 1.0 + hxs * (Q[0] + hxs * (Q[1] + hxs * (Q[2] + hxs * (Q[3] + hxs * Q[4]))));
    let t = 3.0 - r1 * hfx;
    let e0 = hxs * ((r1 - t) / (6.0 - r * t));
    let e = r * (e0 - c) - c - hxs;
    let scale = f64::from_bits(((0x3ff + k) as u64) << 52);
    let inverse = f64::from_bits(((0x3ff - k) as u64) << 52);
    let low = r - e + (1.0 - inverse);
    let high = r - (e + inverse) + 1.0;
    let y = choose(k < 20, low, high) * scale;
    let (below, above) = (-2.0 * (e - (r + 0.5)), 1.0 + 2.0 * (r - e));
    let (half, whole) = (0.5 * (r - e) - 0.5, x - (x * e0 - hxs));
    let double = choose(r < -0.25, below, above);
    let y = choose(k == 1, double, y);
    let y = choose(k == -1, half, y);
    let y = choose(is_reduced, y, whole);
    choose(size < f64::from_bits(0x3c90_0000 << 32), x, y)
}

/// The logarithm to base 2 of 2^n * ax times the exponent, as a sum of two numbers: the low and the high one. The
/// logarithm is computed from (ax - near) / (ax + near), in two parts. `sum` is the upper part of ax + near, and
/// `near_log` the logarithm of `near` in two parts.
macro_rules! times_logarithm {
    ($exponent:ident, $n:ident, $ax:ident, $near:ident, $sum:expr, $near_log:expr, $upper:ident) => {{
        let (dp_h, dp_l) = $near_log;
        let u = $ax - $near;
        let v = 1.0 / ($ax + $near);
        let s = u * v;
        let s_h = $upper(s);
        let t_h = $sum;
        let t_l = $ax - (t_h - $near);
        let s_l = v * ((u - s_h * t_h) - s_h * t_l);
        let s2 = s * s;
        let r = s2 * s2 * (L[0] + s2 * (L[1] + s2 * (L[2] + s2 * (L[3] + s2 * (L[4] + s2 * L[5])))));
        let r = r + s_l * (s_h + s);
        let s2 = s_h * s_h;
        let t_h = $upper(3.0 + s2 + r);
        let t_l = r - ((t_h - 3.0) - s2);
        let u = s_h * t_h;
        let v = s_l * t_h + t_l * s;
        let p_h = $upper(u + v);
        let p_l = v - (p_h - u);
        let z_h = CP_H * p_h;
        let z_l = CP_L * p_h + p_l * CP + dp_l;
        let t1 = $upper(((z_h + z_l) + dp_h) + $n);
        let t2 = z_l - (((t1 - $n) - dp_h) - z_h);
        // The product with the exponent, in two parts.
        let y1 = $upper($exponent);
        (($exponent - y1) * t1 + $exponent * t2, y1 * t1)
    }};
}

/// 2^(high + low), for a sum of at most 1/2. `t` is the upper part of the sum.
macro_rules! power_of_fraction {
    ($high:ident, $low:ident, $t:ident) => {{
        let u = $t * LG2_H;
        let v = ($low - ($t - $high)) * LG2 + $t * LG2_L;
        let z = u + v;
        let w = v - (z - u);
        let t = z * z;
        let t1 = z - t * (P[0] + t * (P[1] + t * (P[2] + t * (P[3] + t * P[4]))));
        let r = (z * t1) / (t1 - 2.0) - (w + z * w);
        1.0 - (r - z)
    }};
}

/// x^y.
pub(crate) fn powf(x: f32, y: f32) -> f32 {
    const CP: f32 = 9.6179670095e-01;
    const CP_H: f32 = 9.6191406250e-01;
    const CP_L: f32 = -1.1736857402e-04;
    const L: [f32; 6] =
        [6.0000002384e-01, 4.2857143283e-01, 3.3333334327e-01, 2.7272811532e-01, 2.3066075146e-01, 2.0697501302e-01];
    let upper = |x: f32| f32::from_bits(x.to_bits() & 0xffff_f000);
    let is_zero = (x.to_bits() == 0) & (y > 0.0);
    let is_positive = is_normalf(x);
    // The square root has a separate function.
    let is_moderate = (y.abs() <= 134_217_728.0) & (y != 0.5);
    let base = choose(is_positive, x, 1.0);
    let exponent = choose(is_moderate, y, 0.0);
    // The base is 2^n * ax, and ax is near 1, or near 1.5.
    let mantissa = f32::from_bits(base.to_bits() & 0x007f_ffff | 0x3f80_0000);
    let is_one = mantissa < f32::from_bits(0x3f9c_c472);
    let is_two = mantissa >= f32::from_bits(0x3fdd_b3d7);
    let is_middle = !is_one & !is_two;
    let ax = choose(is_two, mantissa * 0.5, mantissa);
    let n = ((base.to_bits() >> 23) as i32 - 0x7f + i32::from(is_two)) as f32;
    let (near, more) = (choose(is_middle, 1.5, 1.0), choose(is_middle, 1 << 21, 0));
    let near_log = (choose(is_middle, 5.84960938e-01, 0.0), choose(is_middle, 1.56322085e-06, 0.0));
    let sum = f32::from_bits(((ax.to_bits() >> 1) & 0xffff_f000 | 0x2000_0000) + 0x0040_0000 + more);
    let (p_l, p_h) = times_logarithm!(exponent, n, ax, near, sum, near_log, upper);
    let is_normal = (p_l + p_h).abs() < 126.0;
    if !((is_positive & is_moderate & is_normal) | is_zero) {
        return rare_powf(x, y);
    }
    let z = power_of_twof(p_h, p_l, is_normal);
    let (inverse, square) = (1.0 / x, x * x);
    let z = choose(y == 1.0, x, z);
    let z = choose(y == -1.0, inverse, z);
    let z = choose(y == 2.0, square, z);
    choose(is_zero, 0.0, z)
}

/// 2^(high + low), if that is a normal number.
#[inline(always)]
fn power_of_twof(high: f32, low: f32, is_normal: bool) -> f32 {
    const LG2: f32 = 6.9314718246e-01;
    const LG2_H: f32 = 6.93145752e-01;
    const LG2_L: f32 = 1.42860654e-06;
    const P: [f32; 5] = [1.6666667163e-01, -2.7777778450e-03, 6.6137559770e-05, -1.6533901999e-06, 4.1381369442e-08];
    let z = choose(is_normal, high + low, 0.0);
    let nearest = z + 0.5_f32.copysign(z);
    let rounded = choose(z.abs() > 0.5, nearest, 0.0);
    // SAFETY: it is less than 127.
    let n = unsafe { rounded.to_int_unchecked::<i32>() };
    let high = high - n as f32;
    let t = f32::from_bits((low + high).to_bits() & 0xffff_8000);
    f32::from_bits(power_of_fraction!(high, low, t).to_bits().wrapping_add((n as u32) << 23))
}

/// x^y.
pub(crate) fn pow(x: f64, y: f64) -> f64 {
    const CP: f64 = 9.61796693925975554329e-01;
    const CP_H: f64 = 9.61796700954437255859e-01;
    const CP_L: f64 = -7.02846165095275826516e-09;
    const L: [f64; 6] = [
        5.99999999999994648725e-01,
        4.28571428578550184252e-01,
        3.33333329818377432918e-01,
        2.72728123808534006489e-01,
        2.30660745775561754067e-01,
        2.06975017800338417784e-01,
    ];
    let upper = |x: f64| f64::from_bits(x.to_bits() & (u64::MAX << 32));
    let is_zero = (x.to_bits() == 0) & (y > 0.0);
    let is_positive = is_normal(x);
    let is_moderate = (y.abs() < 2_147_483_648.0) & (y != 0.5);
    let base = choose(is_positive, x, 1.0);
    let exponent = choose(is_moderate, y, 0.0);
    let mantissa = f64::from_bits(base.to_bits() & ((1 << 52) - 1) | 0x3ff0_0000 << 32);
    let is_one = mantissa < f64::from_bits(0x3ff3_988f << 32);
    let is_two = mantissa >= f64::from_bits(0x3ffb_b67a << 32);
    let is_middle = !is_one & !is_two;
    let ax = choose(is_two, mantissa * 0.5, mantissa);
    let n = f64::from((base.to_bits() >> 52) as i32 - 0x3ff + i32::from(is_two));
    let (near, more) = (choose(is_middle, 1.5, 1.0), choose(is_middle, 1 << 50, 0));
    let near_log =
        (choose(is_middle, 5.84962487220764160156e-01, 0.0), choose(is_middle, 1.35003920212974897128e-08, 0.0));
    let sum = f64::from_bits(((ax.to_bits() >> 1) & (u64::MAX << 32) | 0x2000_0000 << 32) + (0x0008_0000 << 32) + more);
    let (p_l, p_h) = times_logarithm!(exponent, n, ax, near, sum, near_log, upper);
    let is_normal = (p_l + p_h).abs() < 1022.0;
    if !((is_positive & is_moderate & is_normal) | is_zero) {
        return rare_pow(x, y);
    }
    let z = power_of_two(p_h, p_l, is_normal);
    let (inverse, square) = (1.0 / x, x * x);
    let z = choose(y == 1.0, x, z);
    let z = choose(y == -1.0, inverse, z);
    let z = choose(y == 2.0, square, z);
    choose(is_zero, 0.0, z)
}

/// 2^(high + low), if that is a normal number.
#[inline(always)]
fn power_of_two(high: f64, low: f64, is_normal: bool) -> f64 {
    const LG2: f64 = core::f64::consts::LN_2;
    const LG2_H: f64 = 6.93147182464599609375e-01;
    const LG2_L: f64 = -1.90465429995776804525e-09;
    const P: [f64; 5] = [
        1.66666666666666019037e-01,
        -2.77777777770155933842e-03,
        6.61375632143793436117e-05,
        -1.65339022054652515390e-06,
        4.13813679705723846039e-08,
    ];
    let z = choose(is_normal, high + low, 0.0);
    // The crate compares the upper half.
    let is_rounded = z.abs() >= f64::from_bits(0x3fe0_0001 << 32);
    let nearest = z + 0.5_f64.copysign(z);
    let rounded = choose(is_rounded, nearest, 0.0);
    // SAFETY: it is less than 1023.
    let n = unsafe { rounded.to_int_unchecked::<i32>() };
    let high = high - f64::from(n);
    let t = f64::from_bits((low + high).to_bits() & (u64::MAX << 32));
    f64::from_bits(power_of_fraction!(high, low, t).to_bits().wrapping_add((n as u64) << 52))
}
