//! Atomics, their scopes, and fences.

pub mod lower_atomics;
pub mod lower_fences;
