//! The functions behind `Box`, `Vec` and `String`.
//!
//! They are undefined until rustc links a program (`library/alloc/src/alloc.rs`). The names are those of 1.95, and of
//! earlier versions that have the same.

use super::demangle::demangle;
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

/// Whether a function belongs to Rust's allocator, which offloadc defines.
pub fn is_allocator(symbol: &str) -> bool {
    if !symbol.contains("__rust_") {
        return false;
    }
    let name = last_name(symbol);
    name.starts_with(VERSION) || FUNCTIONS.iter().any(|(function, _)| name == *function)
}

/// The last component of a path: `__rust_alloc` for `__rustc::__rust_alloc`.
pub fn last_name(symbol: &str) -> String {
    let path = demangle(symbol);
    path.rsplit("::").next().unwrap_or(&path).to_owned()
}

/// The type of a function of Rust's allocator, if the module declares it with another type.
pub fn mistaken_allocator<'c>(function: Function<'c>) -> Option<Type<'c>> {
    let symbol = function.name();
    if !is_allocator(&symbol) {
        return None;
    }
    let ty = function.function_type();
    let types = ty.types();
    let (nothing, pointer, size) = (types.void(), types.ptr(0), types.i64());
    let own = match last_name(&symbol).as_str() {
        "__rust_dealloc" => nothing.function(&[pointer, size, size]),
        "__rust_realloc" => pointer.function(&[pointer, size, size, size]),
        "__rust_alloc" | "__rust_alloc_zeroed" => pointer.function(&[size, size]),
        _ => nothing.function(&[]),
    };
    (ty != own).then_some(own)
}
