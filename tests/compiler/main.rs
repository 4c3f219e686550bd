//! `offloadc` and what it writes: its command line, its input, the objects and images it makes, and what other tools
//! and the kernels' own results say of them.

mod abi;
mod bad_input;
mod cli;
mod convergence;
mod errors;
mod generator;
mod host_object;
mod images;
mod input;
mod link;
mod math;
mod math_options;
mod memory_functions;
mod mutations;
mod newer_llvm;
mod reproducible;
mod targets;
