//! The cache of `std_detect`, the part of Rust's standard library that asks the processor for its features.

use super::demangle::demangle;
use super::owner::is_of;

/// The path of the cache: words that are zero until `std_detect` has executed `cpuid`.
const CACHE: &str = "std_detect::detect::cache::CACHE";

/// A word of the cache after a detection that found no feature. The highest bit means that there was a detection.
pub const NO_FEATURES: u64 = 1 << 63;

/// Whether a static is a part of the cache.
pub fn is_feature_cache(symbol: &str) -> bool {
    is_of(symbol, &["std_detect"]) && demangle(symbol).starts_with(CACHE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_found_by_its_mangled_name() {
        assert!(is_feature_cache("_RNvNtNtCs1_10std_detect6detect5cache5CACHE"));
        assert!(!is_feature_cache("_RNvNtCs1_10std_detect6detect5CACHE"));
        assert!(!is_feature_cache("CACHE") && !is_feature_cache("std_detect::detect::cache::CACHE"));
        assert!(!is_feature_cache("_RNvNtNtNtCs1_3app10std_detect6detect5cache5CACHE"));
    }
}
