//! The contract's approximate functions of `f32`: `__offload_fast_sin` and others.
//!
//! A target has instructions for some of them. The others are made of these, or are the exact functions.

use super::builtin::{Builtin, BuiltinId, HostMeaning, Scalar};

/// An approximate function. `rust/offload/src/fast.rs` documents the accuracy of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastFunction {
    /// The cosine.
    Cos,
    /// The quotient.
    Div,
    /// The power of e.
    Exp,
    /// The power of 10.
    Exp10,
    /// The power of 2.
    Exp2,
    /// The natural logarithm.
    Log,
    /// The logarithm to the base 10.
    Log10,
    /// The logarithm to the base 2.
    Log2,
    /// A power of a number that is not negative.
    Pow,
    /// The reciprocal.
    Rcp,
    /// The reciprocal of the square root.
    Rsqrt,
    /// The sine.
    Sin,
    /// The square root.
    Sqrt,
    /// The tangent.
    Tan,
    /// The hyperbolic tangent.
    Tanh,
}

impl FastFunction {
    /// Its row in the table of builtins.
    pub(super) const fn row(self) -> Builtin {
        let parameters: &[Scalar] = match self {
            FastFunction::Div | FastFunction::Pow => &[Scalar::F32, Scalar::F32],
            _ => &[Scalar::F32],
        };
        Builtin {
            id: BuiltinId::Fast(self),
            name: self.symbol(),
            result: Scalar::F32,
            parameters,
            convergent: false,
            barrier: false,
            divergent: false,
            host: HostMeaning::Exact(self),
        }
    }

    /// Its symbol.
    pub const fn symbol(self) -> &'static str {
        match self {
            FastFunction::Cos => "__offload_fast_cos",
            FastFunction::Div => "__offload_fast_div",
            FastFunction::Exp => "__offload_fast_exp",
            FastFunction::Exp10 => "__offload_fast_exp10",
            FastFunction::Exp2 => "__offload_fast_exp2",
            FastFunction::Log => "__offload_fast_log",
            FastFunction::Log10 => "__offload_fast_log10",
            FastFunction::Log2 => "__offload_fast_log2",
            FastFunction::Pow => "__offload_fast_pow",
            FastFunction::Rcp => "__offload_fast_rcp",
            FastFunction::Rsqrt => "__offload_fast_rsqrt",
            FastFunction::Sin => "__offload_fast_sin",
            FastFunction::Sqrt => "__offload_fast_sqrt",
            FastFunction::Tan => "__offload_fast_tan",
            FastFunction::Tanh => "__offload_fast_tanh",
        }
    }

    /// C's name of the exact function; none if it is arithmetic.
    pub fn c_name(self) -> Option<&'static str> {
        match self {
            FastFunction::Div | FastFunction::Rcp | FastFunction::Rsqrt | FastFunction::Sqrt => None,
            FastFunction::Cos => Some("cosf"),
            FastFunction::Exp => Some("expf"),
            FastFunction::Exp10 => Some("exp10f"),
            FastFunction::Exp2 => Some("exp2f"),
            FastFunction::Log => Some("logf"),
            FastFunction::Log10 => Some("log10f"),
            FastFunction::Log2 => Some("log2f"),
            FastFunction::Pow => Some("powf"),
            FastFunction::Sin => Some("sinf"),
            FastFunction::Tan => Some("tanf"),
            FastFunction::Tanh => Some("tanhf"),
        }
    }

    /// The function that replaces an exact one, with this name in C, in code with the rules of `--fast-math`. There is
    /// none for powers, because a negative number has some.
    pub fn instead_of(c_name: &str) -> Option<Self> {
        let all = [
            FastFunction::Cos,
            FastFunction::Exp,
            FastFunction::Exp10,
            FastFunction::Exp2,
            FastFunction::Log,
            FastFunction::Log10,
            FastFunction::Log2,
            FastFunction::Sin,
            FastFunction::Tan,
            FastFunction::Tanh,
        ];
        all.into_iter().find(|function| function.c_name() == Some(c_name))
    }
}
