//! Runs work in child processes, for code with global state that must be fresh each time.
//!
//! LLVM 22's SPIR-V back end stores its module analysis in a static without a lock. If a function of a later module in
//! the same process has the same address as one of an earlier module, it gets the numbers of the other one's labels.
//! Each module is therefore compiled by a new fork of a process that has never compiled one, the *generator*, which is
//! itself a fork of this process.
//!
//! [`start`] must fork the generator while this process has a single thread: if another thread were inside LLVM or the
//! C++ library, the fork would contain its locks, which would never be released. The generator waits on a socket, and
//! ends with this process in all cases.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::crash;
use crate::error::{Error, ExitCode, Result, in_words};

/// Computes a result from the parts of a request, in a process that has done nothing else.
pub(super) type Work = fn(&[Vec<u8>]) -> Result<Vec<u8>>;

/// The stack size of the working thread in bytes. It is large because LLVM recurses over expressions and types.
const STACK: usize = 64 << 20;

/// The first byte of an answer: how the work ended. It is followed by:
mod answer {
    /// The result.
    pub(super) const DONE: u8 = 0;
    /// The message of an error.
    pub(super) const FAILED: u8 = 1;
    /// The message of an internal error.
    pub(super) const INTERNAL: u8 = 2;
    /// The exit status of a process that has printed the reason to standard error.
    pub(super) const ENDED: u8 = 3;
    /// The signal that killed it.
    pub(super) const KILLED: u8 = 4;
}

/// The generator, from the point of view of this process.
struct Generator {
    socket: UnixStream,
    process: libc::pid_t,
}

/// Only one request is active at a time.
static GENERATOR: Mutex<Option<Generator>> = Mutex::new(None);

fn generator() -> MutexGuard<'static, Option<Generator>> {
    // If a thread panicked, either the process has ended, or its request is finished.
    GENERATOR.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the generator if there is none. An error is reported by the first request.
pub(super) fn start(work: Work) {
    let mut generator = generator();
    if generator.is_none() {
        *generator = Generator::start(work).ok();
    }
}

/// Ends the generator, if there is one.
pub fn finish() {
    drop(generator().take());
}

/// The result of `work` for the parts of a request.
pub(super) fn run_in_child(work: Work, request: &[&[u8]]) -> Result<Vec<u8>> {
    let mut generator = generator();
    let socket = match &mut *generator {
        Some(generator) => &mut generator.socket,
        none => &mut none.insert(Generator::start(work)?).socket,
    };
    let (doing, intrinsics) = (crash::current().text, [u8::from(crash::names_intrinsics())]);
    let parts = [&[doing.as_bytes(), &intrinsics], request].concat();
    let answer = write_parts(socket, &parts).and_then(|()| read_parts(socket));
    let Some([kind, bytes]) = answer.ok().and_then(|parts| <[Vec<u8>; 2]>::try_from(parts).ok()) else {
        *generator = None;
        return Err(Error::new("the process that generates code is gone"));
    };
    let text = || String::from_utf8_lossy(&bytes).into_owned();
    match kind.first() {
        Some(&answer::DONE) => Ok(bytes),
        Some(&answer::FAILED) => Err(Error::new(text())),
        Some(&answer::ENDED) => crash::end_as(if bytes == [1] { ExitCode::Failed } else { ExitCode::Internal }),
        Some(&answer::KILLED) => {
            let signal = bytes.first().copied().unwrap_or(0);
            Err(Error::new(format!("the process that generates code was killed by signal {signal}")))
        }
        _ => Err(Error::internal(text())),
    }
}

impl Generator {
    fn start(work: Work) -> Result<Self> {
        super::initialize();
        let cannot = |error: io::Error| Error::new(format!("cannot start a process: {}", in_words(&error)));
        let (near, far) = UnixStream::pair().map_err(cannot)?;
        // SAFETY: the child never returns from `serve`, and no thread of this process is inside LLVM.
        match unsafe { libc::fork() } {
            -1 => Err(cannot(io::Error::last_os_error())),
            0 => {
                drop(near);
                serve(far, work)
            }
            process => Ok(Generator { socket: near, process }),
        }
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        // The generator ends when its socket is closed.
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        wait_for(self.process);
    }
}

/// Waits for a child that has ended or is about to end. Returns its status.
fn wait_for(child: libc::pid_t) -> libc::c_int {
    let mut status = 0;
    // SAFETY: `status` outlives the call; the child is ours and waited for once.
    while unsafe { libc::waitpid(child, &mut status, 0) } == -1 {
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            break;
        }
    }
    status
}

/// The generator: answers requests until the socket is closed.
fn serve(mut socket: UnixStream, work: Work) -> ! {
    leave_files(&socket);
    while let Ok(request) = read_parts(&mut socket) {
        let (kind, bytes) = attempt(&socket, work, &request);
        if write_parts(&mut socket, &[&[kind], &bytes]).is_err() {
            break;
        }
    }
    // SAFETY: ends this process immediately; nothing of the other process is flushed, removed or dropped.
    unsafe { libc::_exit(0) }
}

/// Closes all files, because readers of this process's output, and children of other threads, must not wait for the
/// generator. Standard error remains open for error messages.
fn leave_files(socket: &UnixStream) {
    if let Ok(null) = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null") {
        for stream in [libc::STDIN_FILENO, libc::STDOUT_FILENO] {
            // SAFETY: both are open descriptors, or it fails and nothing is lost.
            let _ = unsafe { libc::dup2(null.as_raw_fd(), stream) };
        }
    }
    let kept = socket.as_raw_fd();
    for (first, last) in [(libc::STDERR_FILENO + 1, kept - 1), (kept + 1, libc::c_int::MAX)] {
        if first <= last {
            // SAFETY: nothing in this process uses the closed files. A kernel without this call leaves them open.
            let _ = unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
        }
    }
}

/// Runs one request in a fork of the generator.
fn attempt(socket: &UnixStream, work: Work, request: &[Vec<u8>]) -> (u8, Vec<u8>) {
    let cannot = |error| (answer::FAILED, format!("cannot start a process: {}", in_words(&error)).into_bytes());
    let (from, to) = match io::pipe() {
        Ok(ends) => ends,
        Err(error) => return cannot(error),
    };
    // SAFETY: the child never returns from `run_request`, and this process has one thread.
    match unsafe { libc::fork() } {
        -1 => cannot(io::Error::last_os_error()),
        0 => {
            drop(from);
            // SAFETY: asks for a signal when the generator ends, and can only fail.
            let _ = unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
            run_request(to, work, request)
        }
        child => {
            drop(to);
            read_answer(from, socket, child)
        }
    }
}

/// The code of that fork.
fn run_request(mut to: PipeWriter, work: Work, request: &[Vec<u8>]) -> ! {
    let (kind, bytes) = match with_large_stack(work, request) {
        Ok(bytes) => (answer::DONE, bytes),
        Err(error) if error.exit_code() == ExitCode::Internal => (answer::INTERNAL, error.message().into()),
        Err(error) => (answer::FAILED, error.to_string().into_bytes()),
    };
    let written = to.write_all(&[kind]).and_then(|()| to.write_all(&bytes));
    // SAFETY: as above.
    unsafe { libc::_exit(if written.is_ok() { 0 } else { ExitCode::Usage as i32 }) }
}

fn with_large_stack(work: Work, request: &[Vec<u8>]) -> Result<Vec<u8>> {
    let [doing, intrinsics, parts @ ..] = request else {
        return Err(Error::internal("the request is incomplete"));
    };
    let run = || {
        let _activity = crash::activity_on_kernels(String::from_utf8_lossy(doing));
        if intrinsics == &[1] {
            crash::input_names_intrinsics();
        }
        work(parts)
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run);
        let thread = thread.map_err(|error| Error::from(error).context("cannot start a thread"))?;
        thread.join().unwrap_or_else(|_| Err(Error::internal("a panic while generating code")))
    })
}

fn read_answer(mut from: PipeReader, socket: &UnixStream, child: libc::pid_t) -> (u8, Vec<u8>) {
    wait_for_either(&from, socket);
    let mut bytes = Vec::new();
    let read = from.read_to_end(&mut bytes);
    let status = wait_for(child);
    if libc::WIFSIGNALED(status) {
        return (answer::KILLED, vec![libc::WTERMSIG(status) as u8]);
    }
    match libc::WEXITSTATUS(status) as u8 {
        0 if read.is_ok() && !bytes.is_empty() => (bytes.remove(0), bytes),
        status if [ExitCode::Failed as u8, ExitCode::Internal as u8].contains(&status) => (answer::ENDED, vec![status]),
        _ => (answer::INTERNAL, b"the process that generates code ended without a result".to_vec()),
    }
}

/// Waits until there is input, and ends this process if its parent has ended.
fn wait_for_either(from: &PipeReader, socket: &UnixStream) {
    let end = |descriptor, events| libc::pollfd { fd: descriptor, events, revents: 0 };
    let mut ends = [end(from.as_raw_fd(), libc::POLLIN), end(socket.as_raw_fd(), 0)];
    // SAFETY: an array of that length. Interrupted, it waits again.
    while unsafe { libc::poll(ends.as_mut_ptr(), 2, -1) } == -1 {}
    if ends[0].revents == 0 {
        // SAFETY: as above; the copy is killed by this process's end.
        unsafe { libc::_exit(0) }
    }
}

/// ```c
/// struct { uint64_t count; struct { uint64_t bytes; char text[bytes]; } parts[count]; }
/// ```
fn write_parts(to: &mut impl Write, parts: &[&[u8]]) -> io::Result<()> {
    to.write_all(&(parts.len() as u64).to_ne_bytes())?;
    for part in parts {
        to.write_all(&(part.len() as u64).to_ne_bytes())?;
        to.write_all(part)?;
    }
    Ok(())
}

fn read_parts(from: &mut impl Read) -> io::Result<Vec<Vec<u8>>> {
    let number = |from: &mut dyn Read| {
        let mut bytes = [0; 8];
        from.read_exact(&mut bytes).map(|()| u64::from_ne_bytes(bytes))
    };
    let part = |from: &mut dyn Read| {
        let mut bytes = vec![0; number(from)? as usize];
        from.read_exact(&mut bytes).map(|()| bytes)
    };
    (0..number(from)?).map(|_| part(from)).collect()
}
