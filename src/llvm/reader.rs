//! What makes LLVM's reader fit for files that nobody has looked at: a broken module's debug information is told by the
//! verifier, whose words can be kept, and reading comes to an end.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::crash;

/// Called once, before anything is parsed.
///
/// By itself the reader runs the verifier over debug information, prints what it finds, drops it all, and aborts where
/// the rest of the module is broken too.
pub(super) fn prepare() {
    let arguments = [c"offloadc".as_ptr(), c"-disable-auto-upgrade-debug-info".as_ptr()];
    // SAFETY: an array of C strings of that length.
    unsafe { inkwell::llvm_sys::support::LLVMParseCommandLineOptions(2, arguments.as_ptr(), std::ptr::null()) };
}

/// How much time reading and verifying a module of that many bytes may take the processor: a thousand times of what it
/// does, so that only what never ends is ended.
pub fn reading_limit(bytes: usize) -> Duration {
    Duration::from_secs(15) + Duration::from_millis(100) * u32::try_from(bytes >> 10).unwrap_or(u32::MAX)
}

/// Ends the process when what follows takes the processor longer than `limit`, with the sentence of a crash. For stages
/// that run alone; dropped, it ends.
///
/// LLVM's verifier goes round for ever where a few flipped bits made a scope its own parent.
pub fn limit(limit: Duration) -> Limit {
    let (done, wait) = channel::<()>();
    let doing = crash::current();
    let start = processor_time();
    let watch = move || {
        let _activity = crash::activity(doing);
        // A stopped process takes no time, so the clock on the wall says little.
        while wait.recv_timeout(Duration::from_secs(1).min(limit)) == Err(RecvTimeoutError::Timeout) {
            if processor_time().saturating_sub(start) > limit {
                crash::give_up("LLVM does not terminate");
            }
        }
    };
    // Without a thread there is no limit, and nothing else is lost.
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
        // It has nothing to say: it ends the process or returns.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Of all threads of the process.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live `timespec`; on failure it stays zero, which is no limit.
    let _ = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or(0))
}
