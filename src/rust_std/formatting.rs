//! Recognises formatting: implementations of `Display`, `Debug` and the other traits of `core::fmt`, and their callers.

use super::panics::makes_arguments;

/// Whether a path is that of a type's implementation of a formatting trait, which `{}` calls.
pub fn is_format(path: &str) -> bool {
    path.contains(" as core::fmt::") && path.ends_with(">::fmt")
}

/// Whether a function with this path may call a type's implementation of a formatting trait: it has a `Formatter`.
/// Functions that create `fmt::Arguments` have none.
pub fn formats(path: &str) -> bool {
    let path = path.trim_start_matches('<');
    is_format(path) || (path.starts_with("core::fmt::") && !makes_arguments(path))
}
