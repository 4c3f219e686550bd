//! The C library's functions that code for devices may call.

/// Functions of the C library that every target has a body for.
pub const MEMORY_FUNCTIONS: [&str; 6] = ["memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen"];
