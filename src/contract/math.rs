//! Math: the functions of C's library, LLVM's intrinsics for them, and the portable library with their bodies.
//!
//! One table lists each function, its type, its intrinsic, and the targets that compute it exactly themselves.
//! Functions that a target lacks come from the `libm` crate, which `build.rs` compiles to bitcode. A name is the name
//! for `f64`; the name for `f32` has the suffix `f`.

use crate::llvm::{Module, Type};

/// The portable library: bitcode with a function for each row of [`FUNCTIONS`] and each width. [`symbol`] returns their
/// names.
pub static PORTABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/math.bc"));

/// The prefix of a function's name in device code, so that LLVM does not mistake it for the host's.
const PREFIX: &str = "__offload_math.";

/// The functions with a form that has no branch, or one that is rarely taken: those of `math/straight.rs`,
/// `math/angles.rs`, `math/arcs.rs`, `math/differences.rs`, `math/error_functions.rs`, `math/exp2.rs`,
/// `math/powers.rs` and `math/rounds.rs`, and minima and maxima.
const STRAIGHT: &[&str] = &[
    "acos",
    "acosf",
    "asin",
    "asinf",
    "atan",
    "atan2",
    "atan2f",
    "atanf",
    "cbrt",
    "cbrtf",
    "ceil",
    "ceilf",
    "cos",
    "cosf",
    "cosh",
    "coshf",
    "erf",
    "erfc",
    "erfcf",
    "erff",
    "exp",
    "exp2",
    "exp2f",
    "expf",
    "expm1",
    "expm1f",
    "floor",
    "floorf",
    "fmax",
    "fmaxf",
    "fmin",
    "fminf",
    "log",
    "log10",
    "log10f",
    "log1p",
    "log1pf",
    "log2",
    "log2f",
    "logf",
    "pow",
    "powf",
    "rint",
    "rintf",
    "round",
    "roundeven",
    "roundevenf",
    "roundf",
    "sin",
    "sincos",
    "sincosf",
    "sinf",
    "sinh",
    "sinhf",
    "tan",
    "tanf",
    "tanh",
    "tanhf",
    "trunc",
    "truncf",
];

/// A function, in both widths.
#[derive(Debug, PartialEq, Eq)]
pub struct MathFunction {
    /// C's name of the function for `f64`; LLVM's for `powi`.
    pub name: &'static str,
    /// The types of the result and of the parameters: `f` is the width's float, `i` an `i32`, `l` an `i64`, `p` a
    /// pointer, `v` void.
    pub shape: &'static str,
    /// LLVM's intrinsic without `llvm.` and types; "" if there is none. The intrinsic of a function that writes through
    /// pointers returns a struct with the result, if there is one, and the values that the function writes.
    pub intrinsic: &'static str,
    /// The targets on which the intrinsic has exact results.
    pub native: Native,
}

/// The targets with an intrinsic in hardware, or with exact code for it in LLVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Native {
    /// None.
    Nowhere,
    /// All.
    Everywhere,
    /// All except x86-64 processors before SSE4.1.
    Rounding,
    /// All except x86-64 processors without fused multiplication.
    Fused,
    /// Those whose instruction orders zeros: -0 is less than +0.
    OrderedZeros,
    /// Those whose LLVM back end expands it into comparisons.
    Compared,
}

const fn row(name: &'static str, shape: &'static str, intrinsic: &'static str, native: Native) -> MathFunction {
    MathFunction { name, shape, intrinsic, native }
}

const fn plain(name: &'static str, shape: &'static str) -> MathFunction {
    row(name, shape, "", Native::Nowhere)
}

const fn named(name: &'static str, shape: &'static str) -> MathFunction {
    row(name, shape, name, Native::Nowhere)
}

/// All functions, by name.
pub static FUNCTIONS: &[MathFunction] = &[
    named("acos", "ff"),
    plain("acosh", "ff"),
    named("asin", "ff"),
    plain("asinh", "ff"),
    named("atan", "ff"),
    named("atan2", "fff"),
    plain("atanh", "ff"),
    plain("cbrt", "ff"),
    row("ceil", "ff", "ceil", Native::Rounding),
    row("copysign", "fff", "copysign", Native::Everywhere),
    named("cos", "ff"),
    named("cosh", "ff"),
    plain("erf", "ff"),
    plain("erfc", "ff"),
    named("exp", "ff"),
    named("exp10", "ff"),
    named("exp2", "ff"),
    plain("expm1", "ff"),
    row("fabs", "ff", "fabs", Native::Everywhere),
    plain("fdim", "fff"),
    row("floor", "ff", "floor", Native::Rounding),
    row("fma", "ffff", "fma", Native::Fused),
    row("fmax", "fff", "maxnum", Native::OrderedZeros),
    row("fmaximum", "fff", "maximum", Native::Compared),
    row("fmaximum_num", "fff", "maximumnum", Native::Compared),
    row("fmin", "fff", "minnum", Native::OrderedZeros),
    row("fminimum", "fff", "minimum", Native::Compared),
    row("fminimum_num", "fff", "minimumnum", Native::Compared),
    plain("fmod", "fff"),
    named("frexp", "ffp"),
    plain("hypot", "fff"),
    plain("ilogb", "if"),
    plain("j0", "ff"),
    plain("j1", "ff"),
    plain("jn", "fif"),
    named("ldexp", "ffi"),
    plain("lgamma", "ff"),
    plain("lgamma_r", "ffp"),
    named("log", "ff"),
    named("log10", "ff"),
    plain("log1p", "ff"),
    named("log2", "ff"),
    plain("logb", "ff"),
    named("lrint", "lf"),
    named("lround", "lf"),
    named("modf", "ffp"),
    plain("nan", "fp"),
    plain("nextafter", "fff"),
    named("pow", "fff"),
    named("powi", "ffi"),
    plain("remainder", "fff"),
    plain("remquo", "fffp"),
    row("rint", "ff", "rint", Native::Rounding),
    row("round", "ff", "round", Native::Rounding),
    row("roundeven", "ff", "roundeven", Native::Rounding),
    plain("scalbln", "ffl"),
    plain("scalbn", "ffi"),
    named("sin", "ff"),
    named("sincos", "vfpp"),
    named("sinh", "ff"),
    row("sqrt", "ff", "sqrt", Native::Everywhere),
    named("tan", "ff"),
    named("tanh", "ff"),
    plain("tgamma", "ff"),
    row("trunc", "ff", "trunc", Native::Rounding),
    plain("y0", "ff"),
    plain("y1", "ff"),
    plain("yn", "fif"),
];

/// Other names of the same functions: C's if `long` has 64 bits, C23's, GNU's, LLVM's.
const ALIASES: &[(&str, &str)] = &[
    ("drem", "remainder"),
    ("gamma", "lgamma"),
    ("llrint", "lrint"),
    ("llround", "lround"),
    ("nearbyint", "rint"),
    ("pow10", "exp10"),
];

/// The width of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// `f32`.
    Single,
    /// `f64`.
    Double,
}

impl Width {
    /// Both widths.
    pub const ALL: [Width; 2] = [Width::Single, Width::Double];

    /// The float type of this width.
    pub fn float<'c>(self, module: &Module<'c>) -> Type<'c> {
        match self {
            Width::Single => module.types().float(),
            Width::Double => module.types().double(),
        }
    }
}

impl MathFunction {
    /// The function with this name in C, and its width.
    pub fn of_c(name: &str) -> Option<(&'static MathFunction, Width)> {
        let named = |name: &str| {
            let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
            FUNCTIONS.iter().find(|function| function.name == name && name != "powi")
        };
        let single = || named(name.strip_suffix('f')?).filter(|function| function.name != "lgamma_r");
        match name {
            "lgammaf_r" => Some((named("lgamma_r")?, Width::Single)),
            "__powidf2" => Some((function("powi")?, Width::Double)),
            "__powisf2" => Some((function("powi")?, Width::Single)),
            _ => named(name).map(|f| (f, Width::Double)).or_else(|| single().map(|f| (f, Width::Single))),
        }
    }

    /// The function of an intrinsic family, such as `sin` for `llvm.sin.f32`.
    pub fn of_intrinsic(family: &str) -> Option<&'static MathFunction> {
        let family = match family {
            "llrint" => "lrint",
            "llround" => "lround",
            "nearbyint" => "rint",
            _ => family,
        };
        FUNCTIONS.iter().find(|function| function.intrinsic == family && !family.is_empty())
    }

    /// Its name in C for a width.
    pub fn c_name(&self, width: Width) -> String {
        match (width, self.name) {
            (Width::Double, name) => name.to_owned(),
            (Width::Single, "lgamma_r") => "lgammaf_r".to_owned(),
            (Width::Single, name) => format!("{name}f"),
        }
    }

    /// Its symbol in device code.
    pub fn symbol(&self, width: Width) -> String {
        format!("{PREFIX}{}", self.c_name(width))
    }

    /// Its type.
    pub fn function_type<'c>(&self, module: &Module<'c>, width: Width) -> Type<'c> {
        let types = module.types();
        let types: Vec<Type<'c>> = self
            .shape
            .bytes()
            .map(|letter| match letter {
                b'f' => width.float(module),
                b'i' => types.i32(),
                b'l' => types.i64(),
                b'p' => types.ptr(0),
                _ => types.void(),
            })
            .collect();
        types[0].function(&types[1..])
    }
}

fn function(name: &str) -> Option<&'static MathFunction> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

/// The function with this symbol in device code.
pub fn of_symbol(symbol: &str) -> Option<(&'static MathFunction, Width)> {
    match symbol.strip_prefix(PREFIX)? {
        "powi" => Some((function("powi")?, Width::Double)),
        "powif" => Some((function("powi")?, Width::Single)),
        name => MathFunction::of_c(name),
    }
}

/// Whether a symbol is that of a function whose threads can be executed together.
pub fn is_straight(symbol: &str) -> bool {
    symbol.strip_prefix(PREFIX).is_some_and(|name| STRAIGHT.contains(&name))
}

/// Whether a symbol is that of a math function in device code.
pub fn is_symbol(symbol: &str) -> bool {
    symbol.starts_with(PREFIX)
}
