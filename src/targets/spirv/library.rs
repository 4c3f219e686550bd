//! OpenCL's math functions: which of them implement C's functions. LLVM's back end turns calls with these mangled names
//! into instructions of the set `OpenCL.std`.

use crate::contract::math::{MathFunction, Width};
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
