//! Tables that all parts of the compiler share: the device contract, C's math library, kernels.
//!
//! No table depends on a pass, a stage or a target.

pub mod abi;
pub mod address_space;
pub mod atomic;
pub mod builtin;
pub mod checker;
pub mod fast;
pub mod kernel;
pub mod lanes;
pub mod math;
pub mod memory_functions;
pub mod panic_table;
pub mod platform;
pub mod profile;
pub mod queries;
pub mod specialization;
pub mod symbols;
pub mod triples;
pub mod variable;
