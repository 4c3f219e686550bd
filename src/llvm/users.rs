//! What the system says of users and files, for which Rust's standard library has no function.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The user whose rights this process has.
pub fn effective_user() -> u32 {
    // SAFETY: it always succeeds.
    unsafe { libc::geteuid() }
}

/// Whether an access control list gives others rights to a file, beside those of its mode.
pub fn has_access_list(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return true };
    // SAFETY: both strings end with a null, and nothing is written for a size of 0.
    let size = unsafe { libc::getxattr(path.as_ptr(), c"system.posix_acl_access".as_ptr(), std::ptr::null_mut(), 0) };
    size > 0
}
