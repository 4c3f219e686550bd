//! Writes archives of objects.

use inkwell::llvm_sys::core::{LLVMDisposeMemoryBuffer, LLVMGetBufferSize, LLVMGetBufferStart};
use std::ffi::CString;

use super::shim;
use super::value::{c_name, take_message};
use crate::error::{Error, Result};

/// An archive of the members, each a file name and contents, in the format of GNU's `ar`: with an index of symbols,
/// without times and owners.
pub fn write_archive(members: &[(String, impl AsRef<[u8]>)]) -> Result<Vec<u8>> {
    let names: Vec<CString> = members.iter().map(|(name, _)| c_name(name)).collect();
    let contents = members.iter().map(|(_, contents)| contents.as_ref());
    let member = |(name, bytes): (&CString, &[u8])| shim::Member {
        name: name.as_ptr(),
        bytes: bytes.as_ptr().cast(),
        length: bytes.len(),
    };
    let raw: Vec<shim::Member> = names.iter().zip(contents).map(member).collect();
    let mut message = std::ptr::null_mut();
    // SAFETY: names and contents outlive the call; the buffer is ours, and its bytes are copied before it is disposed
    // of.
    unsafe {
        let buffer = shim::ofc_write_archive(raw.as_ptr(), raw.len(), &mut message);
        if buffer.is_null() {
            return Err(Error::new(take_message(message)).context("writing an archive"));
        }
        let (start, size) = (LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
        let bytes = std::slice::from_raw_parts(start.cast::<u8>(), size).to_vec();
        LLVMDisposeMemoryBuffer(buffer);
        Ok(bytes)
    }
}
