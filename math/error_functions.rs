//! `erf` and `erfc` with the bits of the `libm` crate's, in a form that has one branch.
//!
//! As in `straight.rs`: the crate has another quotient of polynomials for each of four ranges. Here all of them are
//! computed, and one division divides those of the range. The branch is for arguments that are not finite, and for
//! those of `erfc` that are so large that its result is tiny or 2.

use super::math;
use super::straight::{choose, near_exp, near_expf};

/// A polynomial, from the coefficient of the highest power on.
macro_rules! polynomial {
    ($x:ident, $first:expr) => { $first };
    ($x:ident, $first:expr, $($more:expr),+) => { $first + $x * (polynomial!($x, $($more),+)) };
}

macro_rules! error_functions {
    (
        $float:ident: $erf:ident, $erfc:ident, $rare_erf:ident, $rare_erfc:ident, $parts:ident, $exp:ident,
        tiny $tiny:expr, $tiny_of_complement:expr, third $third:expr, most $most:expr, upper $upper:expr,
        erx $erx:expr, efx8 $efx8:expr,
        near [$($pp:expr),*] / [$($qq:expr),*], middle [$($pa:expr),*] / [$($qa:expr),*],
        far [$($ra:expr),*] / [$($sa:expr),*], farthest [$($rb:expr),*] / [$($sb:expr),*]
    ) => {
        #[cold]
        #[inline(never)]
        fn $rare_erf(x: $float) -> $float {
            math::$erf(x)
        }

        #[cold]
        #[inline(never)]
        fn $rare_erfc(x: $float) -> $float {
            math::$erfc(x)
        }

        /// The error function.
        pub(crate) fn $erf(x: $float) -> $float {
            let size = x.abs();
            if !(size < $float::INFINITY) {
                return $rare_erf(x);
            }
            // The result is 1 from there on.
            let (quotient, complement) = $parts(choose(size < 6.0, size, 6.0));
            let far = choose(size < 6.0, 1.0 - complement, 1.0).copysign(x);
            let near = choose(size < $tiny, 0.125 * (8.0 * x + $efx8 * x), x + x * quotient);
            choose(size < 0.84375, near, far)
        }

        /// 1 less the error function.
        pub(crate) fn $erfc(x: $float) -> $float {
            if !(x.abs() < $most) {
                return $rare_erfc(x);
            }
            let (quotient, complement) = $parts(x.abs());
            let far = choose(x < 0.0, 2.0 - complement, complement);
            let near = choose(x < 0.25, 1.0 - (x + x * quotient), 0.5 - (x - 0.5 + x * quotient));
            let near = choose(x.abs() < $tiny_of_complement, 1.0 - x, near);
            choose(x.abs() < 0.84375, near, far)
        }

        /// The quotient for the |x| near 0, and erfc(|x|) for others.
        #[inline(always)]
        fn $parts(size: $float) -> ($float, $float) {
            let (is_near, is_middle, is_far) = (size < 0.84375, size < 1.25, size < $third);
            let square = size * size;
            let (s, t) = (size - 1.0, 1.0 / square);
            let above = (polynomial!(t, $($ra),*), polynomial!(t, $($rb),*));
            let below = (polynomial!(t, 1.0, $($sa),*), polynomial!(t, 1.0, $($sb),*));
            let (above, below) = (choose(is_far, above.0, above.1), choose(is_far, below.0, below.1));
            let (middle, under) = (polynomial!(s, $($pa),*), polynomial!(s, 1.0, $($qa),*));
            let (above, below) = (choose(is_middle, middle, above), choose(is_middle, under, below));
            let (near, under) = (polynomial!(square, $($pp),*), polynomial!(square, 1.0, $($qq),*));
            let quotient = choose(is_near, near, above) / choose(is_near, under, below);
            let z = $float::from_bits(size.to_bits() & $upper);
            let tail = $exp(-z * z - 0.5625) * $exp((z - size) * (z + size) + choose(is_middle, 0.0, quotient)) / size;
            (quotient, choose(is_middle, 1.0 - $erx - quotient, tail))
        }
    };
}

error_functions! {
    f32: erff, erfcf, rare_erff, rare_erfcf, partsf, near_expf,
    tiny f32::from_bits(0x3180_0000), f32::from_bits(0x2380_0000),
    third f32::from_bits(0x4036_db6d), most 9.0, upper 0xffff_e000,
    erx 8.4506291151e-01, efx8 1.0270333290e+00,
    near [
        1.2837916613e-01, -3.2504209876e-01, -2.8481749818e-02, -5.7702702470e-03, -2.3763017452e-05
    ] / [
        3.9791721106e-01, 6.5022252500e-02, 5.0813062117e-03, 1.3249473704e-04, -3.9602282413e-06
    ],
    middle [
        -2.3621185683e-03, 4.1485610604e-01, -3.7220788002e-01, 3.1834661961e-01, -1.1089469492e-01, 3.5478305072e-02,
        -2.1663755178e-03
    ] / [
        1.0642088205e-01, 5.4039794207e-01, 7.1828655899e-02, 1.2617121637e-01, 1.3637083583e-02, 1.1984500103e-02
    ],
    far [
        -9.8649440333e-03, -6.9385856390e-01, -1.0558626175e+01, -6.2375331879e+01, -1.6239666748e+02,
        -1.8460508728e+02, -8.1287437439e+01, -9.8143291473e+00
    ] / [
        1.9651271820e+01, 1.3765776062e+02, 4.3456588745e+02, 6.4538726807e+02, 4.2900814819e+02, 1.0863500214e+02,
        6.5702495575e+00, -6.0424413532e-02
    ],
    farthest [
        -9.8649431020e-03, -7.9928326607e-01, -1.7757955551e+01, -1.6063638306e+02, -6.3756646729e+02,
        -1.0250950928e+03, -4.8351919556e+02
    ] / [
        3.0338060379e+01, 3.2579251099e+02, 1.5367296143e+03, 3.1998581543e+03, 2.5530502930e+03, 4.7452853394e+02,
        -2.2440952301e+01
    ]
}

error_functions! {
    f64: erf, erfc, rare_erf, rare_erfc, parts, near_exp,
    tiny f64::from_bits(0x3e30_0000 << 32), f64::from_bits(0x3c70_0000 << 32),
    third f64::from_bits(0x4006_db6d << 32), most 26.0, upper (u64::MAX << 32),
    erx 8.45062911510467529297e-01, efx8 1.02703333676410069053e+00,
    near [
        1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02,
        -5.77027029648944159157e-03, -2.37630166566501626084e-05
    ] / [
        3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
        1.32494738004321644526e-04, -3.96022827877536812320e-06
    ],
    middle [
        -2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01,
        3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02,
        -2.16637559486879084300e-03
    ] / [
        1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
        1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02
    ],
    far [
        -9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01,
        -6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02,
        -8.12874355063065934246e+01, -9.81432934416914548592e+00
    ] / [
        1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02,
        6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02,
        6.57024977031928170135e+00, -6.04244152148580987438e-02
    ],
    farthest [
        -9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01,
        -1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03,
        -4.83519191608651397019e+02
    ] / [
        3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03,
        3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02,
        -2.24409524465858183362e+01
    ]
}
