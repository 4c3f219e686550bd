//! Approximate functions of `f32`: the instructions of the hardware, which are less accurate.
//!
//! NVIDIA and AMD GPUs have instructions for some functions, and the others are made of these. On OpenCL devices they
//! are the `native_` functions, whose errors the device chooses. On the CPU and on the host they are the exact
//! functions, and cost as much. The results therefore differ between devices. `f32::sin` and the like have the same
//! bits everywhere, and [`#[kernel(fast_math)]`](macro@crate::kernel) replaces them by these.
//!
//! The errors in the documentation of each function are those of the vendors for NVIDIA and AMD GPUs. AMD GPUs treat
//! subnormal arguments and results as zero.
//!
//! ```
//! use offload::{DisjointSlice, fast, kernel, thread};
//!
//! #[kernel]
//! fn normalize(mut values: DisjointSlice<[f32; 3]>) {
//!     if let Some(v) = values.get_mut(thread::index_1d()) {
//!         let factor = fast::rsqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
//!         *v = v.map(|x| x * factor);
//!     }
//! }
//! ```

use crate::contract;
use crate::thread::is_compiled;

/// The cosine of an angle in radians. The absolute error is 2⁻²⁰ in [-2π, 2π], and it grows with the angle.
///
/// ```
/// assert!((offload::fast::cos(0.0) - 1.0).abs() < 1e-3);
/// ```
#[doc(alias = "__cosf")]
#[inline]
pub fn cos(x: f32) -> f32 {
    if is_compiled() { contract::__offload_fast_cos(x) } else { x.cos() }
}

/// The power of e. The error is 2 + 1.2 · &#124;x&#124; units in the last place.
///
/// ```
/// assert!((offload::fast::exp(1.0) - core::f32::consts::E).abs() < 1e-3);
/// ```
#[doc(alias = "__expf")]
#[inline]
pub fn exp(x: f32) -> f32 {
    if is_compiled() { contract::__offload_fast_exp(x) } else { x.exp() }
}

/// The power of 10. The error is 2 + 3 · &#124;x&#124; units in the last place.
///
/// ```
/// assert!((offload::fast::exp10(2.0) - 100.0).abs() < 1e-3);
/// ```
#[doc(alias = "__exp10f")]
#[inline]
pub fn exp10(x: f32) -> f32 {
    if is_compiled() { contract::__offload_fast_exp10(x) } else { 10f32.powf(x) }
}

/// The power of 2. The error is 2 units in the last place.
///
/// ```
/// assert!((offload::fast::exp2(3.0) - 8.0).abs() < 1e-3);
/// ```
#[inline]
pub fn exp2(x: f32) -> f32 {
    if is_compiled() { contract::__offload_fast_exp2(x) } else { x.exp2() }
}

/// The natural logarithm. The absolute error is 2⁻²¹ in [0.5, 2]. Elsewhere, the error is 3 units in the last place.
///
/// ```
/// assert!((offload::fast::log(1.0) - 0.0).abs() < 1e-3);
/// ```
#[doc(alias = "__logf")]
#[inline]
pub fn log(x: f32) -> f32 {
    if is_compiled() { contract::__offload_fast_log(x) } else { x.ln() }
}

/// The logarithm to the base 10. The absolute error is 2⁻²² in [0.5, 2]. Elsewhere, the error is 3 units in the last
/// place.
///
/// ```
/// assert!((offload::fast::log10(100.0) - 2.0).abs() < 1e-3);
/// ```
#[doc(alias = "__log10f")]
#[inline]
pub fn log10(x: f32) -> f32 {
    if is_compiled() { contract::__offload_fast_log10(x) } else { x.log10() }
}

/// The logarithm to the base 2. The absolute error is 2⁻²² in [0.5, 2]. Elsewhere, the error is 2 units in the last
/// place.
///
/// ```
/// assert!((offload::fast::log2(8.0) - 3.0).abs() < 1e-3);
/// ```
#[doc(alias = "__log2f")]
#[inline]
pub fn log2(x: f32) -> f32 {
    if is_compiled() { contract::__offload_fast_log2(x) } else { x.log2() }
}

/// The reciprocal. The error is 1 unit in the last place.
///
/// ```
/// assert!((offload::fast::rcp(4.0) - 0.25).abs() < 1e-3);
/// ```
#[doc(alias = "__frcp_rn")]
#[inline]
pub fn rcp(x: f32) -> f32 {
    if is_compiled() { contract::__offload_fast_rcp(x) } else { 1.0 / x }
}

/// The reciprocal of the square root. The error is 2 units in the last place.
///
/// ```
/// assert!((offload::fast::rsqrt(4.0) - 0.5).abs() < 1e-3);
/// ```
#[doc(alias = "rsqrtf")]
#[inline]
pub fn rsqrt(x: f32) -> f32 {
    if is_compiled() { contract::__offload_fast_rsqrt(x) } else { 1.0 / x.sqrt() }
}

/// The sine of an angle in radians. The absolute error is 2⁻²⁰ in [-2π, 2π], and it grows with the angle.
///
/// ```
/// assert!((offload::fast::sin(0.0) - 0.0).abs() < 1e-3);
/// ```
#[doc(alias = "__sinf")]
#[inline]
pub fn sin(x: f32) -> f32 {
    if is_compiled() { contract::__offload_fast_sin(x) } else { x.sin() }
}

/// The square root. The error is 2 units in the last place.
///
/// ```
/// assert!((offload::fast::sqrt(9.0) - 3.0).abs() < 1e-3);
/// ```
#[doc(alias = "__fsqrt_rn")]
#[inline]
pub fn sqrt(x: f32) -> f32 {
    if is_compiled() { contract::__offload_fast_sqrt(x) } else { x.sqrt() }
}

/// The tangent of an angle in radians. The error is that of [`sin`] divided by [`cos`].
///
/// ```
/// assert!((offload::fast::tan(0.0) - 0.0).abs() < 1e-3);
/// ```
#[doc(alias = "__tanf")]
#[inline]
pub fn tan(x: f32) -> f32 {
    if is_compiled() { contract::__offload_fast_tan(x) } else { x.tan() }
}

/// The hyperbolic tangent. The relative error is 2⁻¹¹ on NVIDIA GPUs from `sm_80` on. On all other GPUs, the absolute
/// error is 2⁻²².
///
/// ```
/// assert!((offload::fast::tanh(0.0) - 0.0).abs() < 1e-3);
/// ```
#[inline]
pub fn tanh(x: f32) -> f32 {
    if is_compiled() { contract::__offload_fast_tanh(x) } else { x.tanh() }
}

/// The quotient of `x` and `y`. The error is 2 units in the last place if `y` is between 2⁻¹²⁶ and 2¹²⁶. The result may
/// be 0 for a larger `y`.
///
/// ```
/// assert_eq!(offload::fast::div(6.0, 2.0), 3.0);
/// ```
#[doc(alias("__fdividef", "fdividef"))]
#[inline]
pub fn div(x: f32, y: f32) -> f32 {
    if is_compiled() { contract::__offload_fast_div(x, y) } else { x / y }
}

/// `x` to the power of `y`, for an `x` that is not negative: [`exp2`] of `y` times [`log2`] of `x`, with the errors of
/// both. The result for a negative `x` is arbitrary.
///
/// ```
/// assert!((offload::fast::pow(2.0, 0.5) - 1.4142).abs() < 1e-3);
/// ```
#[doc(alias = "__powf")]
#[inline]
pub fn pow(x: f32, y: f32) -> f32 {
    if is_compiled() { contract::__offload_fast_pow(x, y) } else { x.powf(y) }
}
