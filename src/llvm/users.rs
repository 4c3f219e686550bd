//! Facts about users and open files for which Rust's standard library has no function.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The user whose rights this process has.
pub fn effective_user() -> u32 {
    // SAFETY: it always succeeds.
    unsafe { libc::geteuid() }
}

/// Whether an access control list gives others rights to a file, in addition to those of its mode.
pub fn has_access_list(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return true };
    // SAFETY: both strings end with a null, and nothing is written for a size of 0.
    let size = unsafe { libc::getxattr(path.as_ptr(), c"system.posix_acl_access".as_ptr(), std::ptr::null_mut(), 0) };
    size > 0
}

/// Makes all writes to standard error go to the end of its file, also those of other processes with this file.
pub fn append_to_stderr() {
    // SAFETY: neither call reads or writes memory. Where they fail, nothing has changed.
    let flags = unsafe { libc::fcntl(libc::STDERR_FILENO, libc::F_GETFL) };
    if flags >= 0 && flags & libc::O_APPEND == 0 {
        // SAFETY: as above.
        let _ = unsafe { libc::fcntl(libc::STDERR_FILENO, libc::F_SETFL, flags | libc::O_APPEND) };
    }
}
