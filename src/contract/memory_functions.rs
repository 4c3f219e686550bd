//! Functions of the C library that device code may call.

/// Functions of the C library that are defined on every target.
pub const MEMORY_FUNCTIONS: [&str; 6] = ["memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen"];
