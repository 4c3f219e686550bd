//! The device contract and the functions of the runtime, as in the examples.

#[path = "../../../../examples/contract/common/offload.rs"]
pub mod offload;
