//! offloadc: an ahead-of-time compiler for GPU offload.

pub mod bundle;
pub mod diagnostics;
pub mod error;
pub mod kernel;
pub mod stage;
