//! `expm1f`, `log1pf`, `sinhf` and `cbrtf` with the bits of the `libm` crate's, in a form that has one branch.
//!
//! As in `straight.rs`: the operations of all ranges are computed, and one of the results is chosen. Arguments of
//! special values and subnormal ones take the branch, to the crate's own function.

use super::math;
use super::straight::choose;

macro_rules! rare {
    ($($name:ident is $crates:ident;)*) => {$(
        /// The crate's function, for arguments that are rare.
        #[cold]
        #[inline(never)]
        fn $name(x: f32) -> f32 {
            math::$crates(x)
        }
    )*};
}

rare! {
    rare_expm1f is expm1f;
    rare_log1pf is log1pf;
    rare_sinhf is sinhf;
    rare_cbrtf is cbrtf;
}

const LN2_HI: f32 = 6.9313812256e-01;
const LN2_LO: f32 = 9.0580006145e-06;

/// From this |x| on, e^x - 1 is e^x or -1: 27 * ln(2).
const EXPM1_LIMIT: f32 = f32::from_bits(0x4195_b844);

/// e^x - 1.
pub(crate) fn expm1f(x: f32) -> f32 {
    if !(x.abs() < EXPM1_LIMIT) { rare_expm1f(x) } else { near_expm1f(x) }
}

/// The same for an |x| below the limit.
#[inline(always)]
fn near_expm1f(x: f32) -> f32 {
    const INV_LN2: f32 = 1.4426950216e+00;
    const Q: [f32; 2] = [-3.3333212137e-2, 1.5807170421e-3];
    /// Up to this |x|, about ln(2) / 2, nothing is subtracted.
    const REDUCED: f32 = f32::from_bits(0x3eb1_7218);
    /// Below this |x|, ln(2) is subtracted once: about 3/2 ln(2).
    const ONCE: f32 = f32::from_bits(0x3f85_1592);
    /// Below this |x|, the result is x.
    const TINY: f32 = f32::from_bits(0x3300_0000);
    let size = x.abs();
    let many = choose(size < ONCE, 1.0_f32.copysign(x), INV_LN2 * x + 0.5_f32.copysign(x));
    let quotient = choose(size > REDUCED, many, 0.0);
    // SAFETY: it is less than 28.
    let k = unsafe { quotient.to_int_unchecked::<i32>() };
    let multiple = k as f32;
    let (high, low) = (x - multiple * LN2_HI, multiple * LN2_LO);
    let rest = high - low;
    let c = (high - rest) - low;
    let half = 0.5 * rest;
    let square = rest * half;
    let r = 1.0 + square * (Q[0] + square * Q[1]);
    let t = 3.0 - r * half;
    let e = square * ((r - t) / (6.0 - rest * t));
    let e = (rest * (e - c) - c) - square;
    let d = rest - e;
    let power = f32::from_bits(((0x7f + k) as u32) << 23);
    let inverse = f32::from_bits(((0x7f - k) as u32) << 23);
    let first = choose(rest < -0.25, -2.0 * (e - (rest + 0.5)), 1.0 + 2.0 * d);
    let more = choose(k < 23, d + (1.0 - inverse), rest - (e + inverse) + 1.0) * power;
    let less = (d + 1.0) * power - 1.0;
    let positive = choose(k == 1, first, more);
    let other = choose(k == -1, 0.5 * d - 0.5, choose(k < 0, less, positive));
    choose(size < TINY, x, choose(k == 0, d, other))
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
