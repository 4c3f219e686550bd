//! `atan`, `atan2`, `asin` and `acos` with the bits of the `libm` crate's, in a form that has one branch.
//!
//! As in `straight.rs`: the crate has another quotient and other terms for each of five ranges. Here the terms of the
//! quotient are chosen, and there is one division. Arguments that are zero, huge or not finite take the branch.

use super::math;
use super::straight::{choose, sqrt, sqrtf};

macro_rules! arcs {
    (
        $float:ident: $atan:ident, $atan2:ident, $rare_atan:ident, $rare_atan2:ident, $arc:ident, $sum:ident,
        tiny $tiny:expr, huge $huge:expr, pi $pi:expr, $pi_low:expr, high $high:expr, low $low:expr
    ) => {
        #[cold]
        #[inline(never)]
        fn $rare_atan(x: $float) -> $float {
            math::$atan(x)
        }

        #[cold]
        #[inline(never)]
        fn $rare_atan2(y: $float, x: $float) -> $float {
            math::$atan2(y, x)
        }

        /// The arc tangent.
        pub(crate) fn $atan(x: $float) -> $float {
            if !(x.abs() < $huge) {
                return $rare_atan(x);
            }
            $arc(x.abs()).copysign(x)
        }

        /// The angle of a point.
        pub(crate) fn $atan2(y: $float, x: $float) -> $float {
            let (a, b, quotient) = (y.abs(), x.abs(), (y / x).abs());
            let are_ordinary = (a > 0.0) & (b > 0.0) & (a < $float::INFINITY) & (b < $float::INFINITY);
            // Near the axes, the crate looks at the exponents only.
            if !(are_ordinary & (quotient < $huge / 4.0) & ((quotient > 4.0 / $huge) | (x > 0.0))) {
                return $rare_atan2(y, x);
            }
            let angle = $arc(quotient);
            choose(x < 0.0, $pi - (angle - $pi_low), angle).copysign(y)
        }

        /// The arc tangent of a number that is neither negative nor huge.
        #[inline(always)]
        fn $arc(x: $float) -> $float {
            const HIGH: [$float; 4] = $high;
            const LOW: [$float; 4] = $low;
            let (second, third, fourth) = (x >= 0.6875, x >= 1.1875, x >= 2.4375);
            let of_range = |none: $float, first: $float, second_: $float, third_: $float, fourth_: $float| {
                let low = choose(x >= 0.4375, first, none);
                choose(fourth, fourth_, choose(third, third_, choose(second, second_, low)))
            };
            let above = of_range(x, 2.0 * x - 1.0, x - 1.0, x - 1.5, -1.0);
            let below = of_range(1.0, 2.0 + x, x + 1.0, 1.0 + 1.5 * x, x);
            let high = of_range(0.0, HIGH[0], HIGH[1], HIGH[2], HIGH[3]);
            let low = of_range(0.0, LOW[0], LOW[1], LOW[2], LOW[3]);
            let t = above / below;
            let y = high - ((t * $sum(t * t) - low) - t);
            choose(x < $tiny, x, y)
        }
    };
}

arcs! {
    f32: atanf, atan2f, rare_atanf, rare_atan2f, arcf, sumf,
    tiny f32::from_bits(0x3980_0000), huge 67_108_864.0,
    pi 3.1415927410e+00, -8.7422776573e-08,
    high [4.6364760399e-01, 7.8539812565e-01, 9.8279368877e-01, 1.5707962513e+00],
    low [5.0121582440e-09, 3.7748947079e-08, 3.4473217170e-08, 7.5497894159e-08]
}

#[inline(always)]
fn sumf(z: f32) -> f32 {
    const T: [f32; 5] = [3.3333328366e-01, -1.9999158382e-01, 1.4253635705e-01, -1.0648017377e-01, 6.1687607318e-02];
    let w = z * z;
    z * (T[0] + w * (T[2] + w * T[4])) + w * (T[1] + w * T[3])
}

arcs! {
    f64: atan, atan2, rare_atan, rare_atan2, arc, sum,
    tiny f64::from_bits(0x3e40_0000 << 32), huge 73_786_976_294_838_206_464.0,
    pi core::f64::consts::PI, 1.2246467991473531772E-16,
    high [
        4.63647609000806093515e-01,
        core::f64::consts::FRAC_PI_4,
        9.82793723247329054082e-01,
        core::f64::consts::FRAC_PI_2,
    ],
    low [
        2.26987774529616870924e-17,
        3.06161699786838301793e-17,
        1.39033110312309984516e-17,
        6.12323399573676603587e-17,
    ]
}

#[inline(always)]
fn sum(z: f64) -> f64 {
    const T: [f64; 11] = [
        3.33333333333329318027e-01,
        -1.99999999998764832476e-01,
        1.42857142725034663711e-01,
        -1.11111104054623557880e-01,
        9.09088713343650656196e-02,
        -7.69187620504482999495e-02,
        6.66107313738753120669e-02,
        -5.83357013379057348645e-02,
        4.97687799461593236017e-02,
        -3.65315727442169155270e-02,
        1.62858201153657823623e-02,
    ];
    let w = z * z;
    let odd = z * (T[0] + w * (T[2] + w * (T[4] + w * (T[6] + w * (T[8] + w * T[10])))));
    odd + w * (T[1] + w * (T[3] + w * (T[5] + w * (T[7] + w * T[9]))))
}

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
    rare_asinf is asinf: f32;
    rare_acosf is acosf: f32;
    rare_asin is asin: f64;
    rare_acos is acos: f64;
}

/// Below this |x|, asin(x) is x; up to the second one, acos(x) is pi/2.
const TINYF: [f32; 2] = [f32::from_bits(0x3980_0000), f32::from_bits(0x3280_0000)];
const TINY: [f64; 2] = [f64::from_bits(0x3e50_0000 << 32), f64::from_bits(0x3c60_0001 << 32)];

/// The arc sine.
pub(crate) fn asinf(x: f32) -> f32 {
    let size = x.abs();
    if !(size < 1.0) {
        return rare_asinf(x);
    }
    let is_near = size < 0.5;
    let z = choose(is_near, x * x, (1.0 - size) * 0.5);
    let (r, s) = (ratiof(z), sqrt(f64::from(z)));
    let far = (core::f64::consts::FRAC_PI_2 - 2.0 * (s + s * f64::from(r))) as f32;
    let y = choose(is_near, x + x * r, far.copysign(x));
    choose(size < TINYF[0], x, y)
}

/// The arc cosine.
pub(crate) fn acosf(x: f32) -> f32 {
    const PIO2_HI: f32 = 1.5707962513e+00;
    const PIO2_LO: f32 = 7.5497894159e-08;
    let size = x.abs();
    if !(size < 1.0) {
        return rare_acosf(x);
    }
    let is_near = size < 0.5;
    let z = choose(is_near, x * x, (1.0 - size) * 0.5);
    let (r, s) = (ratiof(z), sqrtf(z));
    let near = PIO2_HI - (x - (PIO2_LO - x * r));
    let negative = 2.0 * (PIO2_HI - (s + (r * s - PIO2_LO)));
    let upper = f32::from_bits(s.to_bits() & 0xffff_f000);
    let positive = 2.0 * (upper + (r * s + (z - upper * upper) / (s + upper)));
    let y = choose(is_near, near, choose(x < 0.0, negative, positive));
    choose(size <= TINYF[1], PIO2_HI, y)
}

#[inline(always)]
fn ratiof(z: f32) -> f32 {
    const P: [f32; 3] = [1.6666586697e-01, -4.2743422091e-02, -8.6563630030e-03];
    z * (P[0] + z * (P[1] + z * P[2])) / (1.0 + z * -7.0662963390e-01)
}

/// pi/2 in two parts.
const PIO2_HI: f64 = core::f64::consts::FRAC_PI_2;
const PIO2_LO: f64 = 6.12323399573676603587e-17;

/// The arc sine.
pub(crate) fn asin(x: f64) -> f64 {
    const NEAR_ONE: f64 = f64::from_bits(0x3fef_3333 << 32);
    let size = x.abs();
    if !(size < 1.0) {
        return rare_asin(x);
    }
    let is_near = size < 0.5;
    let z = choose(is_near, x * x, (1.0 - size) * 0.5);
    let (r, s) = (ratio(z), sqrt(z));
    let upper = f64::from_bits(s.to_bits() & (u64::MAX << 32));
    let c = (z - upper * upper) / (s + upper);
    let middle = 0.5 * PIO2_HI - (2.0 * s * r - (PIO2_LO - 2.0 * c) - (0.5 * PIO2_HI - 2.0 * upper));
    let far = choose(size >= NEAR_ONE, PIO2_HI - (2.0 * (s + s * r) - PIO2_LO), middle);
    let y = choose(is_near, x + x * r, far.copysign(x));
    choose(size < TINY[0], x, y)
}

/// The arc cosine.
pub(crate) fn acos(x: f64) -> f64 {
    let size = x.abs();
    if !(size < 1.0) {
        return rare_acos(x);
    }
    let is_near = size < 0.5;
    let z = choose(is_near, x * x, (1.0 - size) * 0.5);
    let (r, s) = (ratio(z), sqrt(z));
    let near = PIO2_HI - (x - (PIO2_LO - x * r));
    let negative = 2.0 * (PIO2_HI - (s + (r * s - PIO2_LO)));
    let upper = f64::from_bits(s.to_bits() & (u64::MAX << 32));
    let positive = 2.0 * (upper + (r * s + (z - upper * upper) / (s + upper)));
    let y = choose(is_near, near, choose(x < 0.0, negative, positive));
    choose(size < TINY[1], PIO2_HI, y)
}

#[inline(always)]
fn ratio(z: f64) -> f64 {
    const P: [f64; 6] = [
        1.66666666666666657415e-01,
        -3.25565818622400915405e-01,
        2.01212532134862925881e-01,
        -4.00555345006794114027e-02,
        7.91534994289814532176e-04,
        3.47933107596021167570e-05,
    ];
    const Q: [f64; 4] = [
        -2.40339491173441421878e+00,
        2.02094576023350569471e+00,
        -6.88283971605453293030e-01,
        7.70381505559019352791e-02,
    ];
    let above = z * (P[0] + z * (P[1] + z * (P[2] + z * (P[3] + z * (P[4] + z * P[5])))));
    above / (1.0 + z * (Q[0] + z * (Q[1] + z * (Q[2] + z * Q[3]))))
}
