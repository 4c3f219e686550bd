//! The connection to the job server of make or cargo, which limits the number of busy threads of all its children.
//!
//! A process that make starts may have one busy thread. For each further one it takes a token out of a pipe, and puts
//! it back. A token that is not put back is lost for the whole build, so the crash guard returns those that are taken
//! when the process ends early. It is here because it must run in signal handlers.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

use jobserver::{Acquired, Client, FromEnvErrorKind};

/// The job server of this process.
static SERVER: OnceLock<Client> = OnceLock::new();

/// The number of tokens that this process has taken.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// The process that has taken them. A fork of it has none.
static OWNER: AtomicI32 = AtomicI32::new(0);

/// A token. It is returned when this is dropped.
#[derive(Debug)]
pub struct Token {
    _acquired: Acquired,
}

impl Drop for Token {
    /// The token is returned after this. An end of the process in between loses it, which is better than returning it
    /// twice: make would start too many jobs.
    fn drop(&mut self) {
        TAKEN.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Connects to the job server that the environment names. Returns whether there is one. The error explains why the
/// named one cannot be used.
pub fn connect() -> Result<bool, String> {
    if SERVER.get().is_some() {
        return Ok(true);
    }
    // SAFETY: the descriptors are those that make's protocol names. They are checked to be pipes, and opened again.
    let found = unsafe { Client::from_env_ext(true) };
    let error = match found.client {
        Ok(client) => {
            OWNER.store(std::process::id() as i32, Ordering::SeqCst);
            let _ = SERVER.set(client);
            return Ok(true);
        }
        Err(error) => error,
    };
    match error.kind() {
        // Without a server, or with one that is switched off for this process.
        FromEnvErrorKind::NoEnvVar | FromEnvErrorKind::NoJobserver | FromEnvErrorKind::NegativeFd => Ok(false),
        _ => {
            let variable = found.var.map_or("MAKEFLAGS", |(name, _)| name);
            Err(format!("`{variable}` names a job server that cannot be used: {}", reason(error.kind())))
        }
    }
}

fn reason(kind: FromEnvErrorKind) -> &'static str {
    match kind {
        FromEnvErrorKind::CannotParse => "its form is unknown",
        FromEnvErrorKind::CannotOpenPath => "its pipe cannot be opened",
        FromEnvErrorKind::CannotOpenFd => "its file descriptors are closed",
        FromEnvErrorKind::NotAPipe => "its file descriptors are no pipe",
        _ => "it is not supported",
    }
}

/// Takes a token if there is one.
pub fn try_take() -> io::Result<Option<Token>> {
    let Some(server) = SERVER.get() else { return Ok(None) };
    let acquired = server.try_acquire()?;
    Ok(acquired.map(|acquired| {
        TAKEN.fetch_add(1, Ordering::SeqCst);
        Token { _acquired: acquired }
    }))
}

/// Returns all tokens because the process is ending. Async-signal-safe: it only writes to a pipe.
pub(super) fn return_all() {
    // SAFETY: a system call without arguments.
    if unsafe { libc::getpid() } != OWNER.load(Ordering::SeqCst) {
        return;
    }
    let taken = TAKEN.swap(0, Ordering::SeqCst);
    if let Some(server) = SERVER.get() {
        (0..taken).for_each(|_| drop(server.release_raw()));
    }
}
