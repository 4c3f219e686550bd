//! LLVM's disassembler, which gives instructions as text. Its C API is all that is used of LLVM.

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::Once;

#[allow(non_snake_case)]
unsafe extern "C" {
    fn LLVMInitializeAMDGPUTargetInfo();
    fn LLVMInitializeAMDGPUTargetMC();
    fn LLVMInitializeAMDGPUDisassembler();
    fn LLVMCreateDisasmCPUFeatures(
        triple: *const c_char,
        cpu: *const c_char,
        features: *const c_char,
        info: *mut c_void,
        tag: c_int,
        operand_info: *const c_void,
        symbol_lookup: *const c_void,
    ) -> *mut c_void;
    fn LLVMDisasmInstruction(
        context: *mut c_void,
        bytes: *mut u8,
        size: u64,
        pc: u64,
        text: *mut c_char,
        capacity: usize,
    ) -> usize;
    fn LLVMDisasmDispose(context: *mut c_void);
}

/// A disassembler for one processor.
pub(crate) struct Disassembler {
    context: *mut c_void,
}

// SAFETY: the context is this value's alone, and LLVM ties it to no thread.
unsafe impl Send for Disassembler {}

impl Disassembler {
    /// None where LLVM does not support the processor.
    pub(crate) fn new(processor: &str, features: &str) -> Option<Disassembler> {
        static ONCE: Once = Once::new();
        // SAFETY: these functions may be called at any time, once.
        ONCE.call_once(|| unsafe {
            LLVMInitializeAMDGPUTargetInfo();
            LLVMInitializeAMDGPUTargetMC();
            LLVMInitializeAMDGPUDisassembler();
        });
        let (processor, features) = (CString::new(processor).ok()?, CString::new(features).ok()?);
        let none = std::ptr::null_mut();
        // SAFETY: the strings live through the call, and LLVM accepts null for callbacks.
        let context = unsafe {
            let (cpu, features) = (processor.as_ptr(), features.as_ptr());
            let triple = c"amdgcn-amd-amdhsa".as_ptr();
            LLVMCreateDisasmCPUFeatures(triple, cpu, features, none, 0, none.cast(), none.cast())
        };
        (!context.is_null()).then_some(Disassembler { context })
    }

    /// The first instruction of `code`: its text, and its size in bytes. None where there is no instruction.
    pub(crate) fn decode(&mut self, code: &[u8]) -> Option<(String, usize)> {
        // No instruction is longer than 20 bytes.
        let mut bytes = [0; 32];
        let length = code.len().min(bytes.len());
        bytes[..length].copy_from_slice(&code[..length]);
        let mut text = [0u8; 512];
        // SAFETY: both buffers have the lengths that are passed, and the context is open.
        let size = unsafe {
            let out = text.as_mut_ptr().cast();
            LLVMDisasmInstruction(self.context, bytes.as_mut_ptr(), length as u64, 0, out, text.len())
        };
        let end = text.iter().position(|byte| *byte == 0).unwrap_or(0);
        let text = std::str::from_utf8(&text[..end]).ok()?.trim().to_owned();
        (size != 0).then_some((text, size))
    }
}

impl Drop for Disassembler {
    fn drop(&mut self) {
        // SAFETY: `new` has made the context, and nobody uses it any more.
        unsafe { LLVMDisasmDispose(self.context) };
    }
}
