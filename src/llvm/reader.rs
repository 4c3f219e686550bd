//! Prepares LLVM's reader for unchecked files: the verifier reports invalid debug information, whose messages can be
//! collected, and reading has limits of time and memory.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::crash;

/// The limit of processor time for reading and verifying a module with this number of bytes. It is a thousand times the
/// usual need, so that only endless loops exceed it.
pub fn reading_limit(bytes: usize) -> Duration {
    Duration::from_secs(15) + Duration::from_millis(100) * u32::try_from(bytes >> 10).unwrap_or(u32::MAX)
}

/// Ends the process like a crash if LLVM needs far more time or memory than a file of this number of bytes can be
/// worth, until the result is dropped. This is for stages that run alone.
pub fn limit_reading(bytes: usize) -> ReadingLimits {
    ReadingLimits { _memory: MemoryLimit::new(reading_memory(bytes)), _time: limit(reading_limit(bytes)) }
}

/// See [`limit_reading`].
#[must_use = "the limits end when this is dropped"]
#[derive(Debug)]
pub struct ReadingLimits {
    _memory: MemoryLimit,
    _time: Limit,
}

/// The most bytes that reading may add to the address space. Debug information needs some 30 times the file.
///
/// LLVM's reader takes some numbers of a file as sizes before it compares them with the file: with an attribute for
/// parameter 4,294,967,290, it asks for 32 GiB, and the system would end this process or another one.
pub fn reading_memory(bytes: usize) -> u64 {
    (4 << 30) + 256 * bytes as u64
}

/// A limit on the growth of the address space of the process.
#[derive(Debug)]
struct MemoryLimit;

/// The number of limits that are in force, and the limit of the process before them.
static MEMORY_LIMITS: Mutex<(usize, Option<libc::rlimit>)> = Mutex::new((0, None));

impl MemoryLimit {
    fn new(most: u64) -> Self {
        let mut limits = MEMORY_LIMITS.lock().unwrap_or_else(PoisonError::into_inner);
        limits.0 += 1;
        let now = address_space_limit();
        let before = *limits.1.get_or_insert(now);
        let lowest = if limits.0 == 1 { 0 } else { now.rlim_cur };
        if let Some(used) = address_space() {
            let wanted = used.saturating_add(most).max(lowest).min(before.rlim_cur);
            set_address_space_limit(libc::rlimit { rlim_cur: wanted, ..before });
        }
        Self
    }
}

impl Drop for MemoryLimit {
    fn drop(&mut self) {
        let mut limits = MEMORY_LIMITS.lock().unwrap_or_else(PoisonError::into_inner);
        limits.0 -= 1;
        if limits.0 == 0 {
            let _ = limits.1.take().map(set_address_space_limit);
        }
    }
}

/// The bytes of the process's address space.
fn address_space() -> Option<u64> {
    let pages: u64 = std::fs::read_to_string("/proc/self/statm").ok()?.split(' ').next()?.parse().ok()?;
    // SAFETY: a system call with a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    pages.checked_mul(u64::try_from(page).ok()?)
}

fn address_space_limit() -> libc::rlimit {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the pointer is to a live struct, which stays as it is on failure.
    let _ = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) };
    limit
}

fn set_address_space_limit(limit: libc::rlimit) {
    // SAFETY: a live struct. Where it fails there is no limit.
    let _ = unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) };
}

/// Ends the process like a crash if the code until the drop of the result needs more processor time than `limit`. This
/// is for stages that run alone.
///
/// LLVM's verifier does not end if a few flipped bits have made a scope its own parent.
pub fn limit(limit: Duration) -> Limit {
    let (done, wait) = channel::<()>();
    let doing = crash::current();
    let start = processor_time();
    let watch = move || {
        let _activity = doing.begin();
        // A stopped process needs no processor time, so the elapsed time is not sufficient.
        while wait.recv_timeout(Duration::from_secs(1).min(limit)) == Err(RecvTimeoutError::Timeout) {
            if processor_time().saturating_sub(start) > limit {
                crash::give_up("LLVM does not terminate");
            }
        }
    };
    // If the thread cannot be started, there is no limit.
    let thread = std::thread::Builder::new().name("limit".to_string()).spawn(watch).ok();
    Limit { done: Some(done), thread }
}

/// See [`limit`].
#[must_use = "the limit ends when this is dropped"]
#[derive(Debug)]
pub struct Limit {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Limit {
    fn drop(&mut self) {
        drop(self.done.take());
        // It has no result: it ends the process or returns.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// The processor time of all threads of the process.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live `timespec`; on failure it stays zero, which is no limit.
    let _ = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or(0))
}
