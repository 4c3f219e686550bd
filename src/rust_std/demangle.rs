//! Names of functions as Rust programs write them.

/// A symbol's Rust name without hash and disambiguators; the symbol itself when it is not mangled.
pub fn demangle(symbol: &str) -> String {
    match rustc_demangle::try_demangle(symbol) {
        Ok(name) => format!("{name:#}"),
        Err(_) => symbol.to_owned(),
    }
}

/// Whether a path is `core`'s, `alloc`'s or `std`'s own, a primitive type's traits among them.
pub fn of_rusts_library(path: &str) -> bool {
    let Some((owner, _)) = path.trim_start_matches('<').split_once("::") else { return false };
    // In `<u32 as core::fmt::Display>::fmt` the owner reads `u32 as core`.
    ["core", "alloc", "std", "__rustc"].iter().any(|krate| owner == *krate || owner.ends_with(&format!(" as {krate}")))
}
