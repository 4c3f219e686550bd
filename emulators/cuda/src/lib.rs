//! An emulated NVIDIA GPU with the CUDA driver API: PTX, executed by an interpreter. `emulators/README.md` describes
//! the model.

mod api;
mod exec;
mod float;
mod lanes;
mod parser;
mod program;

pub use api::*;

/// Translates a PTX text as launches of its kernels do, but executes nothing; whether it is PTX. For tests with damaged
/// texts.
pub fn translate(text: &str) -> bool {
    program::translate(text)
}
