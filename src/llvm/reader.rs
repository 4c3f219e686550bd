//! Prepares LLVM's reader for unchecked files: the verifier reports invalid debug information, whose messages can be
//! collected, and reading has a time limit.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::crash;

/// Must be called once, before anything is parsed.
///
/// By default, the reader runs the verifier over debug information, prints its findings, removes all debug information,
/// and aborts if the rest of the module is invalid, too.
pub(super) fn prepare() {
    let arguments = [c"offloadc".as_ptr(), c"-disable-auto-upgrade-debug-info".as_ptr()];
    // SAFETY: an array of C strings of that length.
    unsafe { inkwell::llvm_sys::support::LLVMParseCommandLineOptions(2, arguments.as_ptr(), std::ptr::null()) };
}

/// The limit of processor time for reading and verifying a module with this number of bytes. It is a thousand times
/// what is needed, so that only endless loops exceed it.
pub fn reading_limit(bytes: usize) -> Duration {
    Duration::from_secs(15) + Duration::from_millis(100) * u32::try_from(bytes >> 10).unwrap_or(u32::MAX)
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
