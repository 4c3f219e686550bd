//! offloadc: an ahead-of-time compiler for GPU offload.

pub mod bundle;
pub mod kernel;
