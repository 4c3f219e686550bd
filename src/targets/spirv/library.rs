//! OpenCL's math functions: which of them implement C's functions. LLVM's back end turns calls with these mangled names
//! into instructions of the set `OpenCL.std`.

use crate::contract::fast::FastFunction;
use crate::contract::math::{MathFunction, Width};
use crate::passes::library::lower_fast_functions::FastBody;
use crate::passes::library::lower_math::MathBody;

/// Functions with the same name in OpenCL and in C.
#[rustfmt::skip]
const FUNCTIONS: &[&str] = &[
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp10",
    "exp2", "expm1", "fdim", "fmax", "fmin", "fmod", "hypot", "ilogb", "ldexp", "lgamma", "log", "log10", "log1p",
    "log2", "logb", "nextafter", "pow", "remainder", "sin", "sinh", "tan", "tanh", "tgamma",
];

/// The implementation of a function.
pub(super) fn body(function: &MathFunction, width: Width) -> MathBody {
    let name = match function.name {
        "powi" => "pown",
        "scalbn" => "ldexp",
        name if FUNCTIONS.contains(&name) => name,
        _ => return MathBody::Portable,
    };
    let letter = |shape| match shape {
        'i' => 'i',
        _ if width == Width::Single => 'f',
        _ => 'd',
    };
    let parameters: String = function.shape.chars().skip(1).map(letter).collect();
    MathBody::Library(format!("_Z{}{name}{parameters}", name.len()))
}

/// The implementation of an approximate function.
pub(super) fn fast_body(function: FastFunction) -> FastBody {
    FastBody::Library(match function {
        FastFunction::Cos => "_Z10native_cosf",
        FastFunction::Div => "_Z13native_divideff",
        FastFunction::Exp => "_Z10native_expf",
        FastFunction::Exp10 => "_Z12native_exp10f",
        FastFunction::Exp2 => "_Z11native_exp2f",
        FastFunction::Log => "_Z10native_logf",
        FastFunction::Log10 => "_Z12native_log10f",
        FastFunction::Log2 => "_Z11native_log2f",
        FastFunction::Pow => "_Z11native_powrff",
        FastFunction::Rcp => "_Z12native_recipf",
        FastFunction::Rsqrt => "_Z12native_rsqrtf",
        FastFunction::Sin => "_Z10native_sinf",
        FastFunction::Sqrt => "_Z11native_sqrtf",
        FastFunction::Tan => "_Z10native_tanf",
        FastFunction::Tanh => return FastBody::Made,
    })
}
