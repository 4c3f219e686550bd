//! offloadc: an ahead-of-time compiler for GPU offload.
//!
//! `driver.rs` has the order of the stages. ARCHITECTURE.md describes the other modules.

pub mod analysis;
pub mod bundle;
pub mod cache;
pub mod cargo;
pub mod checks;
pub mod cli;
pub mod contract;
pub mod diagnostics;
pub mod distribution;
pub mod driver;
pub mod error;
pub mod finish;
pub mod input;
pub mod job;
pub mod linker;
pub mod llvm;
pub mod passes;
pub mod rust_std;
mod spmd;
pub mod stage;
pub mod stages;
pub mod system;
pub mod targets;
