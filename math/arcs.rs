//! `atan` and `atan2` with the bits of the `libm` crate's, in a form that has one branch.
//!
//! As in `straight.rs`: the crate has another quotient and other terms for each of five ranges. Here the terms of the
//! quotient are chosen, and there is one division. Arguments that are zero, huge or not finite take the branch.

use super::math;
use super::straight::choose;

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
