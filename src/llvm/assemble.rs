//! LLVM's assembler.

use inkwell::llvm_sys::core::{LLVMDisposeMemoryBuffer, LLVMGetBufferSize, LLVMGetBufferStart};
use std::ffi::c_char;

use super::value::take_message;
use super::{Machine, shim};
use crate::error::{Error, Result};

impl Machine {
    /// The object of an assembly text that is for this machine.
    pub fn assemble(&self, text: &[u8]) -> Result<Vec<u8>> {
        let mut message: *mut c_char = std::ptr::null_mut();
        // SAFETY: the machine and the text outlive the call; the buffer is ours, and its bytes are copied before it is
        // disposed of.
        unsafe {
            let machine = self.inner().as_mut_ptr();
            let buffer = shim::ofc_assemble(machine, text.as_ptr().cast(), text.len(), &mut message);
            if buffer.is_null() {
                return Err(Error::new(take_message(message)));
            }
            let (start, size) = (LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
            let bytes = std::slice::from_raw_parts(start.cast::<u8>(), size).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            Ok(bytes)
        }
    }
}
