//! The functions of C's math library for device code: `build.rs` compiles this file to bitcode, with the source of the
//! `libm` crate as `crate::math`.
//!
//! It is not a part of offloadc itself. All features of the `libm` crate are off, so that no result depends on the
//! processor that builds or runs it. The names of the exported functions differ from C's, so that no optimiser mistakes
//! them for the C library's.

use crate::{angles, arcs, differences, error_functions, exp2, math, powers, rounds, straight};

/// Exports functions whose form in the `libm` crate, or in another module, is C's.
macro_rules! export {
    ($($name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {
        export! { of math, $($name($($argument: $ty),*) -> $result;)* }
    };
    (of $module:ident, $($name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {$(
        #[unsafe(export_name = concat!("__offload_math.", stringify!($name)))]
        pub extern "C" fn $name($($argument: $ty),*) -> $result {
            $module::$name($($argument),*)
        }
    )*};
}

macro_rules! unary {
    ($($wide:ident $narrow:ident),* $(,)?) => { export! { $($wide(x: f64) -> f64; $narrow(x: f32) -> f32;)* } };
}

macro_rules! binary {
    ($($wide:ident $narrow:ident),* $(,)?) => {
        export! { $($wide(x: f64, y: f64) -> f64; $narrow(x: f32, y: f32) -> f32;)* }
    };
}

unary! {
    asinh asinhf, atanh atanhf, exp10 exp10f, fabs fabsf,
    j0 j0f, j1 j1f, lgamma lgammaf, sqrt sqrtf, tgamma tgammaf, y0 y0f, y1 y1f,
}

export! {
    of rounds,
    ceil(x: f64) -> f64;
    ceilf(x: f32) -> f32;
    floor(x: f64) -> f64;
    floorf(x: f32) -> f32;
    rint(x: f64) -> f64;
    rintf(x: f32) -> f32;
    round(x: f64) -> f64;
    roundf(x: f32) -> f32;
    roundeven(x: f64) -> f64;
    roundevenf(x: f32) -> f32;
    trunc(x: f64) -> f64;
    truncf(x: f32) -> f32;
}

export! {
    of arcs,
    acos(x: f64) -> f64;
    acosf(x: f32) -> f32;
    asin(x: f64) -> f64;
    asinf(x: f32) -> f32;
    atan(x: f64) -> f64;
    atanf(x: f32) -> f32;
    atan2(y: f64, x: f64) -> f64;
    atan2f(y: f32, x: f32) -> f32;
}

export! {
    of differences,
    cbrt(x: f64) -> f64;
    cbrtf(x: f32) -> f32;
    cosh(x: f64) -> f64;
    coshf(x: f32) -> f32;
    expm1(x: f64) -> f64;
    expm1f(x: f32) -> f32;
    log1p(x: f64) -> f64;
    log1pf(x: f32) -> f32;
    sinh(x: f64) -> f64;
    sinhf(x: f32) -> f32;
}

export! {
    of error_functions,
    erf(x: f64) -> f64;
    erff(x: f32) -> f32;
    erfc(x: f64) -> f64;
    erfcf(x: f32) -> f32;
}

export! {
    of straight,
    exp(x: f64) -> f64;
    expf(x: f32) -> f32;
    log(x: f64) -> f64;
    logf(x: f32) -> f32;
}

export! {
    of angles,
    cos(x: f64) -> f64;
    cosf(x: f32) -> f32;
    sin(x: f64) -> f64;
    sinf(x: f32) -> f32;
    tan(x: f64) -> f64;
    tanf(x: f32) -> f32;
}

export! {
    of exp2,
    exp2(x: f64) -> f64;
}

export! {
    of powers,
    exp2f(x: f32) -> f32;
    log2(x: f64) -> f64;
    log2f(x: f32) -> f32;
    log10(x: f64) -> f64;
    log10f(x: f32) -> f32;
    pow(x: f64, y: f64) -> f64;
    powf(x: f32, y: f32) -> f32;
    tanh(x: f64) -> f64;
    tanhf(x: f32) -> f32;
}

binary! {
    copysign copysignf, fdim fdimf, fmaximum fmaximumf, fmaximum_num fmaximum_numf, fminimum fminimumf,
    fminimum_num fminimum_numf, fmod fmodf, hypot hypotf, nextafter nextafterf, remainder remainderf,
}

export! {
    fma(x: f64, y: f64, z: f64) -> f64;
    fmaf(x: f32, y: f32, z: f32) -> f32;
    ilogb(x: f64) -> i32;
    ilogbf(x: f32) -> i32;
    jn(n: i32, x: f64) -> f64;
    jnf(n: i32, x: f32) -> f32;
    yn(n: i32, x: f64) -> f64;
    ynf(n: i32, x: f32) -> f32;
    ldexp(x: f64, n: i32) -> f64;
    ldexpf(x: f32, n: i32) -> f32;
    scalbn(x: f64, n: i32) -> f64;
    scalbnf(x: f32, n: i32) -> f32;
}

/// Functions that the `libm` crate has in another form, or not at all, for each width.
macro_rules! width {
    ($module:ident, $float:ident, $($name:ident is $own:ident),* $(,)?) => { mod $module {
        use crate::straight::choose;

        $( width!(@ $name $own $float); )*
    } };
    // The crate's function is recursive for subnormal numbers, which some devices do not support.
    (@ frexp $own:ident $float:ident) => {
        #[unsafe(export_name = concat!("__offload_math.", stringify!($own)))]
        unsafe extern "C" fn $own(x: $float, exponent: *mut i32) -> $float {
            const SHIFT: u32 = $float::MANTISSA_DIGITS;
            const ONES: i32 = $float::MAX_EXP * 2 - 1;
            let exponent_of = |x: $float| (x.to_bits() >> (SHIFT - 1)) as i32 & ONES;
            let (mut scaled, mut e) = (x, exponent_of(x));
            if e == ONES || x == 0.0 {
                unsafe { exponent.write(0) };
                return x;
            }
            if e == 0 {
                scaled = x * (1u64 << SHIFT) as $float;
                e = exponent_of(scaled) - SHIFT as i32;
            }
            unsafe { exponent.write(e - (ONES / 2 - 1)) };
            // All bits of an infinity's exponent are set.
            let fraction = scaled.to_bits() & !$float::INFINITY.to_bits();
            $float::from_bits(fraction | (0.5 as $float).to_bits())
        }
    };
    (@ modf $own:ident $float:ident) => {
        #[unsafe(export_name = concat!("__offload_math.", stringify!($own)))]
        unsafe extern "C" fn $own(x: $float, whole: *mut $float) -> $float {
            let (fraction, w) = crate::math::$own(x);
            unsafe { whole.write(w) };
            fraction
        }
    };
    (@ remquo $own:ident $float:ident) => {
        #[unsafe(export_name = concat!("__offload_math.", stringify!($own)))]
        unsafe extern "C" fn $own(x: $float, y: $float, quotient: *mut i32) -> $float {
            let (remainder, q) = crate::math::$own(x, y);
            unsafe { quotient.write(q) };
            remainder
        }
    };
    (@ lgamma_r $own:ident $float:ident) => {
        #[unsafe(export_name = concat!("__offload_math.", stringify!($own)))]
        unsafe extern "C" fn $own(x: $float, sign: *mut i32) -> $float {
            let (value, s) = crate::math::$own(x);
            unsafe { sign.write(s) };
            value
        }
    };
    (@ sincos $own:ident $float:ident) => {
        #[unsafe(export_name = concat!("__offload_math.", stringify!($own)))]
        unsafe extern "C" fn $own(x: $float, sin: *mut $float, cos: *mut $float) {
            let (s, c) = crate::angles::$own(x);
            unsafe { sin.write(s) };
            unsafe { cos.write(c) };
        }
    };
    // The crate's function returns infinity for some negative numbers.
    (@ acosh $own:ident $float:ident) => {
        #[unsafe(export_name = concat!("__offload_math.", stringify!($own)))]
        extern "C" fn $own(x: $float) -> $float {
            if x < 1.0 { $float::NAN } else { crate::math::$own(x) }
        }
    };
    // The same result for both zeros in either order, which C does not specify, and no branch.
    (@ fmin $own:ident $float:ident) => {
        #[unsafe(export_name = concat!("__offload_math.", stringify!($own)))]
        extern "C" fn $own(x: $float, y: $float) -> $float {
            // Equal numbers are the same bits, or zeros.
            let other = choose(x == y, $float::from_bits(x.to_bits() | y.to_bits()), y);
            choose((x < y) | y.is_nan(), x, other)
        }
    };
    (@ fmax $own:ident $float:ident) => {
        #[unsafe(export_name = concat!("__offload_math.", stringify!($own)))]
        extern "C" fn $own(x: $float, y: $float) -> $float {
            let other = choose(x == y, $float::from_bits(x.to_bits() & y.to_bits()), y);
            choose((x > y) | y.is_nan(), x, other)
        }
    };
    (@ logb $own:ident $float:ident) => {
        #[unsafe(export_name = concat!("__offload_math.", stringify!($own)))]
        extern "C" fn $own(x: $float) -> $float {
            // Digits below the last one of the smallest subnormal number.
            const SHIFT: i32 = $float::MANTISSA_DIGITS as i32;
            const ONES: i32 = $float::MAX_EXP * 2 - 1;
            let exponent = |x: $float| (x.to_bits() >> (SHIFT - 1)) as i32 & ONES;
            match exponent(x) {
                ONES => x * x,
                0 if x == 0.0 => -1.0 / (x * x),
                0 => {
                    let scaled = x * (1u64 << SHIFT) as $float;
                    (exponent(scaled) - SHIFT - ONES / 2) as $float
                }
                e => (e - ONES / 2) as $float,
            }
        }
    };
    (@ scalbln $own:ident $float:ident) => {
        #[unsafe(export_name = concat!("__offload_math.", stringify!($own)))]
        extern "C" fn $own(x: $float, n: i64) -> $float {
            width!(@ scale $float)(x, n.clamp(i32::MIN.into(), i32::MAX.into()) as i32)
        }
    };
    (@ scale f64) => { crate::math::scalbn };
    (@ scale f32) => { crate::math::scalbnf };
    (@ to_even f64) => { crate::math::rint };
    (@ to_even f32) => { crate::math::rintf };
    (@ away f64) => { crate::math::round };
    (@ away f32) => { crate::math::roundf };
    (@ lrint $own:ident $float:ident) => {
        #[unsafe(export_name = concat!("__offload_math.", stringify!($own)))]
        extern "C" fn $own(x: $float) -> i64 {
            width!(@ to_even $float)(x) as i64
        }
    };
    (@ lround $own:ident $float:ident) => {
        #[unsafe(export_name = concat!("__offload_math.", stringify!($own)))]
        extern "C" fn $own(x: $float) -> i64 {
            width!(@ away $float)(x) as i64
        }
    };
    (@ nan $own:ident $float:ident) => {
        #[unsafe(export_name = concat!("__offload_math.", stringify!($own)))]
        extern "C" fn $own(_tag: *const u8) -> $float {
            $float::NAN
        }
    };
    // `__powidf2` of compilers' runtime libraries: computes powers of `x` by squaring, with one division at the end.
    (@ powi $own:ident $float:ident) => {
        #[unsafe(export_name = concat!("__offload_math.", stringify!($own)))]
        extern "C" fn $own(x: $float, n: i32) -> $float {
            let (mut square, mut left, mut power) = (x, n.unsigned_abs(), 1.0);
            loop {
                if left & 1 != 0 {
                    power *= square;
                }
                left >>= 1;
                if left == 0 {
                    break;
                }
                square *= square;
            }
            if n < 0 { 1.0 / power } else { power }
        }
    };
}

width! {
    wide, f64, acosh is acosh, frexp is frexp, modf is modf, remquo is remquo, lgamma_r is lgamma_r, sincos is sincos, fmin is fmin,
    fmax is fmax, logb is logb, scalbln is scalbln, lrint is lrint, lround is lround, nan is nan, powi is powi,
}
width! {
    narrow, f32, acosh is acoshf, frexp is frexpf, modf is modff, remquo is remquof, lgamma_r is lgammaf_r, sincos is sincosf,
    fmin is fminf, fmax is fmaxf, logb is logbf, scalbln is scalblnf, lrint is lrintf, lround is lroundf, nan is nanf,
    powi is powif,
}
