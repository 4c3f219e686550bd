//! The allocator of the programs that use LLVM: mimalloc, whose functions take the place of `malloc` and `free` in the
//! whole process, its shared libraries included.

use std::ffi::c_void;

/// Links the functions. Nothing calls this one.
#[used]
static LINKED: unsafe extern "C" fn(usize) -> *mut c_void = libmimalloc_sys::mi_malloc;
