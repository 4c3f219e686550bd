//! The functions that allocate for `Box`, `Vec` and `String`.
//!
//! They are undefined until rustc links a program (`library/alloc/src/alloc.rs`). The names are those of 1.95, and of
//! earlier versions that have the same.

use super::owner::path_in_rusts_library;
use crate::llvm::{Function, Type};

/// The functions of the allocator, and the names of their implementations; callers come before callees.
pub const FUNCTIONS: [(&str, &str); 4] = [
    ("__rust_dealloc", "__offload_heap_dealloc"),
    ("__rust_realloc", "__offload_heap_realloc"),
    ("__rust_alloc_zeroed", "__offload_heap_alloc_zeroed"),
    ("__rust_alloc", "__offload_heap_alloc"),
];
/// An empty function, whose name prevents linking objects of different versions.
pub const VERSION: &str = "__rust_no_alloc_shim_is_unstable";

/// The versions of that name.
const VERSIONS: [&str; 2] = [VERSION, "__rust_no_alloc_shim_is_unstable_v2"];

/// Whether a function belongs to Rust's allocator, which offloadc defines.
pub fn is_allocator(symbol: &str) -> bool {
    allocator_name(symbol).is_some()
}

/// The name of a function of Rust's allocator: `__rust_alloc` for the symbol of `__rustc::__rust_alloc`, a crate that
/// only rustc has, and for the name alone. A function in a module of a program may have the same name, and is not
/// meant.
pub fn allocator_name(symbol: &str) -> Option<&'static str> {
    if !symbol.contains("__rust_") {
        return None;
    }
    let path = path_in_rusts_library(symbol);
    let name = path.as_deref().map_or(Some(symbol), |path| path.strip_prefix("__rustc::"))?;
    let names = FUNCTIONS.iter().map(|(function, _)| *function).chain(VERSIONS);
    names.into_iter().find(|known| name == *known)
}

/// The type of a function of Rust's allocator, if the module declares it with another type.
pub fn mistaken_allocator<'c>(function: Function<'c>) -> Option<Type<'c>> {
    let name = allocator_name(&function.name())?;
    let ty = function.function_type();
    let types = ty.types();
    let (nothing, pointer, size) = (types.void(), types.ptr(0), types.i64());
    let own = match name {
        "__rust_dealloc" => nothing.function(&[pointer, size, size]),
        "__rust_realloc" => pointer.function(&[pointer, size, size, size]),
        "__rust_alloc" | "__rust_alloc_zeroed" => pointer.function(&[size, size]),
        _ => nothing.function(&[]),
    };
    (ty != own).then_some(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rusts_own_functions_are_the_allocator() {
        for name in ["__rust_alloc", "_RNvCs2_7___rustc12___rust_alloc"] {
            assert_eq!(allocator_name(name), Some("__rust_alloc"), "{name}");
        }
        assert!(is_allocator("_RNvCs2_7___rustc35___rust_no_alloc_shim_is_unstable_v2"));
        for name in [
            "_RNvNtCs2_3app3own12___rust_alloc",
            "_RNvCs2_3app12___rust_alloc",
            "_RNvNtCs2_3app7___rustc12___rust_alloc",
            "_ZN3app3own12__rust_alloc17h0123456789abcdefE",
            "_ZN3app7__rustc12__rust_alloc17h0123456789abcdefE",
            "__rust_alloc_error_handler",
            "my__rust_alloc",
        ] {
            assert!(!is_allocator(name), "{name}");
        }
    }
}
