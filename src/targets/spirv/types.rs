//! The types that SPIR-V has, in memory and in signatures.

use crate::llvm::{Function, Type};
use crate::passes::expand::split_integers::holds_split;

/// The numbers of elements of SPIR-V's vectors.
pub(super) const LENGTHS: [u32; 5] = [2, 3, 4, 8, 16];

/// The largest number of parameters of a SPIR-V function.
pub(super) const MOST_PARAMETERS: usize = 255;
/// The number of parameters that passes may append to a function: the address of a result, the launch state, shared
/// memory, a stack and the number of its bytes in use, and whether the thread has left.
pub(super) const ADDED_PARAMETERS: usize = 6;

/// Whether a type is a vector that bit casts do not support: of single bits, or of a length that SPIR-V lacks.
pub(super) fn is_unknown_vector(ty: Type<'_>) -> bool {
    ty.vector_length().is_some_and(|n| !LENGTHS.contains(&n) || ty.parts().iter().any(|e| e.int_width() == Some(1)))
}

/// Whether SPIR-V does not support a type, or a part of it, in memory: empty arrays, and vectors of single bits, of
/// pointers or of other lengths.
pub(super) fn lacks_in_memory(ty: Type<'_>) -> bool {
    let lacks = ty.array_length() == Some(0) || is_unknown_vector(ty) || is_vector_of_pointers(ty);
    lacks || ty.parts().into_iter().any(lacks_in_memory)
}

fn is_vector_of_pointers(ty: Type<'_>) -> bool {
    ty.vector_length().is_some() && ty.parts().iter().any(|element| element.is_pointer())
}

/// Whether SPIR-V functions can have the parameters and results of this function.
pub(super) fn has_legal_signature(function: Function<'_>) -> bool {
    let ty = function.function_type();
    has_few_parameters(function) && [ty.result()].into_iter().chain(ty.parameters()).all(is_legal_in_signature)
}

/// Whether a function has few enough parameters for SPIR-V, including those that passes append.
pub(super) fn has_few_parameters(function: Function<'_>) -> bool {
    function.parameters().len() + ADDED_PARAMETERS <= MOST_PARAMETERS
}

/// Whether SPIR-V functions can have parameters and results of this type. The back end confuses the types of pointers
/// within structs.
pub(super) fn is_legal_in_signature(ty: Type<'_>) -> bool {
    let known = ty.vector_length().map(|length| LENGTHS.contains(&length) && !is_vector_of_pointers(ty));
    !holds_split(ty) && known.unwrap_or(ty.parts().is_empty())
}
