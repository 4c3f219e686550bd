//! The device contract and the runtime's calls, as the examples have them.

#[path = "../../../../examples/contract/common/offload.rs"]
pub mod offload;
