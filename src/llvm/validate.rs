//! Khronos' validator of SPIR-V, the library of SPIRV-Tools that is linked into offloadc.

use std::ffi::c_int;

use super::shim;
use super::value::take_message;

/// By which rules SPIR-V is validated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WordRules {
    /// Those of OpenCL, if a version of OpenCL is known for the module's version of SPIR-V.
    OpenCl,
    /// Those of SPIR-V alone.
    Any,
}

/// Why SPIR-V is not valid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidWords {
    /// The number of the instruction at fault, from 1; 0 is unknown.
    pub instruction: usize,
    /// The validator's message.
    pub message: String,
}

/// Validates a module.
pub fn validate_words(words: &[u32], rules: WordRules) -> Result<(), InvalidWords> {
    let (is_opencl, mut instruction): (c_int, usize) = ((rules == WordRules::OpenCl).into(), 0);
    // SAFETY: pointer and length describe the words, which the library only reads; the message is disposed of once.
    let message = unsafe {
        let why = shim::ofc_validate_words(words.as_ptr(), words.len(), is_opencl, &mut instruction);
        if why.is_null() {
            return Ok(());
        }
        take_message(why)
    };
    Err(InvalidWords { instruction, message: message.trim().to_owned() })
}
