//! Atomics, their scopes, and fences.

pub mod drop_compiler_fences;
pub mod lower_atomics;
pub mod lower_private_atomics;
pub mod order_with_fences;
