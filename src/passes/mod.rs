//! Passes: one file, one verb; the folder says what it is about. The order is that of the stages and targets.
//!
//! A pass takes a module and what it needs, and changes the module. It knows no target, no check and no stage.

pub mod address_space;
pub mod atomics;
pub mod builtins;
pub mod calls;
pub mod convergence;
pub mod expand;
pub mod host;
pub mod launch;
pub mod legalize;
pub mod library;
pub mod panic;
pub mod region_graph;
