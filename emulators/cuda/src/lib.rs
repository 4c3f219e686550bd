//! An emulated NVIDIA GPU behind the CUDA driver API: PTX, executed by an interpreter. `emulators/README.md` says what
//! is modelled.

mod api;
mod exec;
mod float;
mod lanes;
mod parser;
mod program;

pub use api::*;
