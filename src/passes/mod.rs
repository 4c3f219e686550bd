//! Passes. Each file has one pass with a public function of the same name; the folders are topics. The stages and the
//! targets decide the order.
//!
//! A pass receives a module with its options, and changes the module. Passes do not depend on targets, checks or
//! stages.

pub mod address_space;
pub mod atomics;
pub mod builtins;
pub mod calls;
pub mod convergence;
pub mod debug;
pub mod expand;
pub mod host;
pub mod launch;
pub mod legalize;
pub mod library;
pub mod loops;
pub mod panic;
pub mod pass;
pub mod region_graph;
pub mod sanitize;
pub mod table;
