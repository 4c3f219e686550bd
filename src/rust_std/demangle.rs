//! Function names as Rust programs write them.

/// The Rust name of a symbol without hash and disambiguators, or the symbol itself if it is not mangled.
pub fn demangle(symbol: &str) -> String {
    match rustc_demangle::try_demangle(symbol) {
        Ok(name) => format!("{name:#}"),
        Err(_) => symbol.to_owned(),
    }
}

/// The function that rustc makes for `catch_unwind` in each crate. It has no path.
const RUST_TRY: &str = "__rust_try";

/// Whether a path belongs to `core`, `alloc` or `std`, including their implementations for primitive types.
pub fn of_rusts_library(path: &str) -> bool {
    of_crate(path, &["core", "alloc", "std", "__rustc"]) || path.split('.').next() == Some(RUST_TRY)
}

/// Whether a path belongs to one of these crates.
pub fn of_crate(path: &str, crates: &[&str]) -> bool {
    let Some((owner, _)) = path.trim_start_matches('<').split_once("::") else { return false };
    // In `<u32 as core::fmt::Display>::fmt` the owner is `u32 as core`.
    crates.iter().any(|krate| owner == *krate || owner.ends_with(&format!(" as {krate}")))
}
