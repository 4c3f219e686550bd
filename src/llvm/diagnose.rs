//! Collects LLVM's errors while it works on a module. Otherwise they would end the program.

use inkwell::llvm_sys::LLVMDiagnosticSeverity;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMDiagnosticInfoRef;
use std::ffi::c_void;

use super::Module;
use super::value::take_message;
use crate::error::{Error, Result};

/// Runs `work` on `module`. If LLVM reports errors meanwhile, the result contains their texts without duplicates.
/// LLVM's warnings and remarks are about generated code, and are ignored.
pub(super) fn collecting<T>(module: &Module<'_>, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let mut errors: Vec<String> = Vec::new();
    // SAFETY: the context outlives the call, and the handler that was there is back before `errors` goes.
    let result = unsafe {
        let context = LLVMGetModuleContext(module.raw());
        let (handler, state) = (LLVMContextGetDiagnosticHandler(context), LLVMContextGetDiagnosticContext(context));
        LLVMContextSetDiagnosticHandler(context, Some(collect), (&raw mut errors).cast());
        let result = work();
        LLVMContextSetDiagnosticHandler(context, handler, state);
        result
    };
    match (errors.is_empty(), result) {
        (true, result) => result,
        (false, Err(error)) if error.exit_code() == crate::error::ExitCode::Internal => Err(error),
        (false, _) => Err(Error::new(errors.join("; "))),
    }
}

extern "C" fn collect(diagnostic: LLVMDiagnosticInfoRef, errors: *mut c_void) {
    // SAFETY: LLVM hands over a live diagnostic; `errors` is the vector that `collecting` keeps until LLVM is done.
    unsafe {
        if LLVMGetDiagInfoSeverity(diagnostic) != LLVMDiagnosticSeverity::LLVMDSError {
            return;
        }
        let text = take_message(LLVMGetDiagInfoDescription(diagnostic));
        let errors = &mut *errors.cast::<Vec<String>>();
        let text = text.trim_start_matches("<unknown>:0:0: ").trim().to_owned();
        if !errors.contains(&text) {
            errors.push(text);
        }
    }
}
