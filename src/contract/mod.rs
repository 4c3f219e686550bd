//! The tables that every part of the compiler shares: what the device contract, C's math library and a kernel are.
//!
//! No table knows a pass, a stage or a target.

pub mod abi;
pub mod address_space;
pub mod atomic;
pub mod builtin;
pub mod kernel;
pub mod math;
pub mod memory_functions;
pub mod panic_table;
pub mod symbols;
