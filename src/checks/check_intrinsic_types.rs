//! Finds intrinsics with types for which they have no meaning. LLVM's verifier accepts them if each type alone is one
//! that the intrinsic may have, and its passes and back ends then crash or misread them.

use super::check_support::is_one_of;
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Function, Module, Type, TypeKind};

/// The elements that an intrinsic's result or first operand must have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Integers,
    Floats,
}

/// Intrinsics, without `llvm.` and their types, that convert each element: the elements of the result and of the
/// operand.
const CONVERSIONS: &[(&str, Of, Of)] = &[
    ("fptosi.sat", Of::Integers, Of::Floats),
    ("fptoui.sat", Of::Integers, Of::Floats),
    ("llrint", Of::Integers, Of::Floats),
    ("llround", Of::Integers, Of::Floats),
    ("lrint", Of::Integers, Of::Floats),
    ("lround", Of::Integers, Of::Floats),
    ("ldexp", Of::Floats, Of::Floats),
];

/// Intrinsics for numbers that are no vectors.
const OF_SCALARS: &[&str] = &["convert.from.fp16", "convert.to.fp16", "get.fpmode", "set.fpmode"];

/// Intrinsics for vectors of integers.
const OF_INTEGERS: &[&str] = &[
    "vector.partial.reduce.add",
    "vector.reduce.add",
    "vector.reduce.and",
    "vector.reduce.mul",
    "vector.reduce.or",
    "vector.reduce.smax",
    "vector.reduce.smin",
    "vector.reduce.umax",
    "vector.reduce.umin",
    "vector.reduce.xor",
];

/// Intrinsics for vectors of floats.
const OF_FLOATS: &[&str] = &[
    "vector.reduce.fadd",
    "vector.reduce.fmax",
    "vector.reduce.fmaximum",
    "vector.reduce.fmin",
    "vector.reduce.fminimum",
    "vector.reduce.fmul",
];

/// Intrinsics with a number that is no vector as an operand, and its index.
const SCALAR_OPERAND: &[(&str, usize)] = &[("memcpy", 2), ("memmove", 2), ("memset", 2), ("powi", 1)];

/// Reports the first such intrinsic that a module of the file `input` declares.
pub fn check_intrinsic_types(module: &Module<'_>, input: &str) -> Option<Diagnostic> {
    let found = module.functions().into_iter().find(|function| function.is_intrinsic() && !has_meaning(*function))?;
    let (name, ty) = (found.name(), found.function_type().text());
    let what = format!("{input} contains an invalid module: `{name}` has the type `{ty}`, for which it has no meaning");
    Some(Diagnostic::coded(Code::InvalidModule, what))
}

fn has_meaning(intrinsic: Function<'_>) -> bool {
    let (full, ty) = (intrinsic.name(), intrinsic.function_type());
    let Some(name) = full.strip_prefix("llvm.") else { return true };
    let is = |family: &&str| is_one_of(name, &[*family]);
    let (result, operands) = (ty.result(), ty.parameters());
    let same_length = |with: Type<'_>| operands.iter().all(|operand| length(*operand) == length(with));
    let all = |of: Of| operands.iter().all(|operand| consists(*operand, of));
    if let Some((_, to, from)) = CONVERSIONS.iter().find(|(family, ..)| is(family)) {
        return consists(result, *to) && operands.first().is_none_or(|o| consists(*o, *from)) && same_length(result);
    }
    if let Some((_, index)) = SCALAR_OPERAND.iter().find(|(family, _)| is(family)) {
        return operands.get(*index).is_none_or(|operand| operand.int_width().is_some());
    }
    match name {
        _ if is(&"frexp") => result.parts().into_iter().all(same_length),
        _ if is(&"experimental.cttz.elts") => {
            result.int_width().is_some() && operands.first().is_none_or(|vector| consists(*vector, Of::Integers))
        }
        _ if OF_INTEGERS.iter().any(is) => all(Of::Integers),
        _ if OF_FLOATS.iter().any(is) => all(Of::Floats),
        _ if OF_SCALARS.iter().any(is) => length(result).is_none() && same_length(result),
        _ => true,
    }
}

/// The number of elements of a vector; none for other types, and for vectors whose length is not known.
fn length(ty: Type<'_>) -> Option<u32> {
    if ty.kind() == TypeKind::Vector { ty.vector_length() } else { None }
}

/// Whether a type, or each element of a vector, is of this kind.
fn consists(ty: Type<'_>, of: Of) -> bool {
    let scalar = match ty.kind() {
        TypeKind::Vector | TypeKind::ScalableVector => ty.parts().first().copied().unwrap_or(ty),
        _ => ty,
    };
    (scalar.int_width().is_some() == (of == Of::Integers)) && !scalar.is_pointer()
}
