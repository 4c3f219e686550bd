//! offloadc: an ahead-of-time compiler for GPU offload.
//!
//! `driver.rs` tells the order of the stages; everything else is one stage's room.

pub mod archive;
pub mod atomic;
pub mod bitcode;
pub mod bodies;
pub mod builtin;
pub mod bundle;
pub mod cargo;
pub mod depfile;
pub mod device;
pub mod diagnostics;
pub mod driver;
pub mod error;
pub mod exe;
pub mod host;
pub mod input;
pub mod job;
pub mod kernel;
pub mod linker;
pub mod llvm;
pub mod math;
pub mod newer_llvm;
pub mod options;
pub mod output;
pub mod panic_table;
pub mod passes;
pub mod program;
pub mod response_file;
pub mod resume;
pub mod scratch;
pub mod stage;
pub mod sysroot;
pub mod targets;
pub mod time_trace;
pub mod tool;
pub mod version;
pub mod work;
