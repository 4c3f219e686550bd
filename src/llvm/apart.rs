//! Work in a process of its own, for what keeps state where no second run may find it.
//!
//! LLVM 22's SPIR-V back end has its module analysis in a static without a lock. A later module in the same process gets
//! numbers of labels from an earlier one when a function of it lies at the same address. A child that makes one module
//! and ends has neither problem. It is a copy of this process with one thread, so the work may use what is in memory,
//! and its result comes back through a pipe.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;

use crate::error::{Error, Result};

/// First byte of what comes through the pipe.
const DONE: u8 = 0;
const FAILED: u8 = 1;

/// The bytes that `work` gives in a child process, or its error.
pub(super) fn apart(work: impl FnOnce() -> Result<Vec<u8>>) -> Result<Vec<u8>> {
    let mut ends = [0; 2];
    // SAFETY: `ends` has room for two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(system("make a pipe"));
    }
    // SAFETY: the descriptors are open and nobody else's.
    let (from, to) = unsafe { (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])) };
    // SAFETY: the child does not return from `tell`, and takes no lock that another thread of this process can hold but
    // malloc's, which the C library keeps usable.
    match unsafe { libc::fork() } {
        -1 => Err(system("start a process")),
        0 => {
            drop(from);
            tell(to, work())
        }
        child => {
            drop(to);
            hear(from, child)
        }
    }
}

/// The child's end: nothing of the parent's is flushed, removed or dropped.
fn tell(mut to: File, result: Result<Vec<u8>>) -> ! {
    let (kind, bytes) = match result {
        Ok(bytes) => (DONE, bytes),
        Err(error) => (FAILED, error.to_string().into_bytes()),
    };
    let written = to.write_all(&[kind]).and_then(|()| to.write_all(&bytes));
    // SAFETY: ends this process at once.
    unsafe { libc::_exit(i32::from(written.is_err())) }
}

fn hear(mut from: File, child: libc::pid_t) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = from.read_to_end(&mut bytes);
    let mut status = 0;
    // SAFETY: `status` outlives the call; the child is ours and waited for once.
    while unsafe { libc::waitpid(child, &mut status, 0) } == -1 {
        if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
            break;
        }
    }
    let kind = if bytes.is_empty() { None } else { Some(bytes.remove(0)) };
    match (kind, read) {
        (Some(DONE), Ok(_)) if status == 0 => Ok(bytes),
        (Some(FAILED), Ok(_)) => Err(Error::new(String::from_utf8_lossy(&bytes).into_owned())),
        _ => Err(Error::internal("the process that generates code ended without a result")),
    }
}

fn system(what: &str) -> Error {
    Error::new(format!("cannot {what} for code generation: {}", std::io::Error::last_os_error()))
}
