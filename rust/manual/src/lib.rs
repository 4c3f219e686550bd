//! The examples of the README and of the manual, as tests. They are not in the package of the crate.

#[doc = include_str!("../../../README.md")]
mod readme {}
#[doc = include_str!("../../../docs/kernels.md")]
mod kernels {}
#[doc = include_str!("../../../docs/cuda.md")]
mod cuda {}
#[doc = include_str!("../../../docs/options.md")]
mod options {}
#[doc = include_str!("../../../docs/contract.md")]
mod contract {}
#[doc = include_str!("../../../docs/atomics.md")]
mod atomics {}
#[doc = include_str!("../../../docs/intrinsics.md")]
mod intrinsics {}
#[doc = include_str!("../../../rust/offload/README.md")]
mod crate_readme {}
