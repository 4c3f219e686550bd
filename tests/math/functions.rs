//! The functions that are compared, by their form: `$each` receives all of them. C's names are first, then Rust's own
//! methods, each with the function of the `libm` crate that must have the same results.

macro_rules! functions {
    ($each:ident) => {
        $each! {
            unary {
                acos acosf, asin asinf, asinh asinhf, atan atanf, atanh atanhf, cbrt cbrtf, ceil ceilf,
                cos cosf, cosh coshf, erf erff, erfc erfcf, exp expf, exp10 exp10f, exp2 exp2f, expm1 expm1f,
                fabs fabsf, floor floorf, j0 j0f, j1 j1f, lgamma lgammaf, log logf, log10 log10f, log1p log1pf,
                log2 log2f, rint rintf, round roundf, roundeven roundevenf, sin sinf, sinh sinhf, sqrt sqrtf, tan tanf,
                tanh tanhf, tgamma tgammaf, trunc truncf, y0 y0f, y1 y1f,
            }
            binary {
                atan2 atan2f, copysign copysignf, fdim fdimf, fmod fmodf, hypot hypotf, nextafter nextafterf, pow powf,
                remainder remainderf,
            }
            // The `libm` crate has these under another name, in another form, or not at all.
            one { acosh acoshf, logb logbf, nearbyint nearbyintf, }
            two { fmax fmaxf, fmin fminf, }
            three { fma fmaf, }
            power { ldexp ldexpf i32, scalbn scalbnf i32, scalbln scalblnf i64, }
            order { jn jnf, yn ynf, }
            integer { ilogb ilogbf i32, lrint lrintf i64, lround lroundf i64, llrint llrintf i64, llround llroundf i64, }
            exponent { frexp frexpf, lgamma_r lgammaf_r, }
            whole { modf modff, }
            quotient { remquo remquof, }
            both { sincos sincosf, }
            methods {
                sin, cos, tan, exp, exp2, ln, log2, log10, exp_m1, ln_1p, sqrt, cbrt, floor, ceil, round, trunc,
                round_ties_even, abs,
            }
            methods2 { powf, min, max, hypot, atan2, rem_euclid, copysign, }
        }
    };
}
