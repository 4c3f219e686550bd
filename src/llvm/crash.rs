//! The crash guard: an error in LLVM, or a bug of ours, ends in one sentence and exit status 70, and leaves no
//! temporary file.
//!
//! LLVM reports some errors through its fatal-error callback, aborts on others, and crashes on a few bitcode files. All
//! three are handled here, and Rust panics, too. Signals that request the end of the program only remove temporaries.
//!
//! While LLVM works on a user's file that offloadc has not changed, its failure is an error of the input, with exit
//! status 1. LLVM's reader and verifier do not check everything, so a damaged file may crash them or the back end. If a
//! back end reports that it has no code for a construct in kernels, this is such an error, too.
//!
//! Code in a signal handler only uses fixed memory, and only calls async-signal-safe functions. It runs on the
//! alternate stack that Rust's standard library creates for the main thread and every thread that it starts (including
//! rayon's workers), so that a stack overflow is reported as well; `tests/crash.rs` tests both.

mod message;

use std::cell::{Cell, UnsafeCell};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt::{self, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering, compiler_fence};

pub use self::message::speak_json;
use self::message::write;
use super::{job_server, reproducer, temporaries};
use crate::error::ExitCode;

/// Signals that report an error, and their names for users.
const FAULTS: [(c_int, &str); 7] = [
    (libc::SIGSEGV, "a segmentation fault"),
    (libc::SIGBUS, "a bus error"),
    (libc::SIGILL, "an illegal instruction"),
    (libc::SIGFPE, "an arithmetic fault"),
    (libc::SIGTRAP, "a trap"),
    (libc::SIGSYS, "a system call that is not there"),
    (libc::SIGABRT, "an abort"),
];

/// Signals that request the end of the program, and the message for those that no user has sent.
const ENDINGS: [(c_int, &str); 12] = [
    (libc::SIGINT, ""),
    (libc::SIGTERM, ""),
    (libc::SIGHUP, ""),
    (libc::SIGQUIT, ""),
    (libc::SIGUSR1, ""),
    (libc::SIGUSR2, ""),
    (libc::SIGIO, ""),
    (libc::SIGPWR, ""),
    (libc::SIGALRM, "the time is over"),
    (libc::SIGVTALRM, "the time is over"),
    (libc::SIGPROF, "the time is over"),
    (libc::SIGXCPU, "the limit on processor time is reached (`ulimit -t`)"),
];

fn ending_signals() -> impl Iterator<Item = c_int> {
    ENDINGS.iter().map(|(signal, _)| *signal)
}

unsafe extern "C" {
    /// `std::set_terminate`: LLVM is built without exceptions, but the C++ library may throw, and would print its own
    /// message before it aborts.
    #[link_name = "_ZSt13set_terminatePFvvE"]
    fn set_terminate(callback: extern "C" fn()) -> *mut c_void;
}

/// Installs the crash guard for the rest of the process. Later calls have no effect.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the callbacks live as long as the process and end it.
        unsafe {
            inkwell::llvm_sys::error_handling::LLVMInstallFatalErrorHandler(Some(on_fatal_error));
            let _ = set_terminate(on_terminate);
            super::shim::ofc_on_no_memory(on_no_memory);
        }
        for (signal, _) in FAULTS {
            on_signal(signal, on_fault);
        }
        for signal in ending_signals() {
            on_signal(signal, on_ending);
        }
        // If the signal is ignored, writing beyond the limit on file sizes is an ordinary error.
        on_signal(libc::SIGXFSZ, on_nothing);
        let _ = temporaries::file_mode();
        std::panic::set_hook(Box::new(on_panic));
        set_reader();
    });
}

/// By default, LLVM's reader runs the verifier over debug information, prints its findings, removes all debug
/// information, and aborts if the rest of the module is invalid, too. Where it reads only the metadata that is needed,
/// it makes declarations of types.
fn set_reader() {
    let arguments = [c"offloadc", c"-disable-auto-upgrade-debug-info", c"-import-full-type-definitions"];
    let arguments = arguments.map(std::ffi::CStr::as_ptr);
    let count = arguments.len() as i32;
    // SAFETY: an array of C strings of that length.
    unsafe { inkwell::llvm_sys::support::LLVMParseCommandLineOptions(count, arguments.as_ptr(), std::ptr::null()) };
}

/// Whether standard output was closed when the program was started.
static OUTPUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Runs before Rust's standard library replaces closed descriptors by `/dev/null`, to which all writes succeed.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK_AT_OUTPUT: extern "C" fn() = {
    extern "C" fn look() {
        // SAFETY: asks for the flags of a descriptor, open or not.
        let closed = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } == -1;
        OUTPUT_WAS_CLOSED.store(closed, Ordering::SeqCst);
    }
    look
};

/// Whether standard output was closed, so that writes to it are lost without an error.
pub fn standard_output_was_closed() -> bool {
    OUTPUT_WAS_CLOSED.load(Ordering::SeqCst)
}

fn on_signal(signal: c_int, action: extern "C" fn(c_int)) {
    // SAFETY: an all-zero `sigaction` is valid, and every field that matters is set below.
    unsafe {
        let mut old: libc::sigaction = std::mem::zeroed();
        let ignored = libc::sigaction(signal, std::ptr::null(), &mut old) == 0 && old.sa_sigaction == libc::SIG_IGN;
        // Under nohup, the hang-up signal must remain ignored.
        if ignored && ending_signals().any(|ending| ending == signal) {
            return;
        }
        let mut new: libc::sigaction = std::mem::zeroed();
        new.sa_sigaction = action as *const () as usize;
        new.sa_flags = libc::SA_ONSTACK | libc::SA_RESTART;
        libc::sigemptyset(&mut new.sa_mask);
        for ending in ending_signals() {
            libc::sigaddset(&mut new.sa_mask, ending);
        }
        libc::sigaction(signal, &new, std::ptr::null_mut());
    }
}

extern "C" fn on_fault(signal: c_int) {
    let what = FAULTS.iter().find(|(number, _)| *number == signal).map_or("a fault", |(_, what)| what);
    end_in_llvm(what, "");
}

extern "C" fn on_terminate() {
    end_in_llvm("LLVM raised an exception", "");
}

/// `std::get_new_handler`, which the allocator calls if there is no memory for C++'s `new`. It has a weak definition of
/// its own that returns no handler, and would abort.
// SAFETY: no other code defines the name, except weakly.
#[unsafe(export_name = "_ZSt15get_new_handlerv")]
extern "C" fn new_handler() -> Option<extern "C" fn()> {
    Some(on_no_memory)
}

extern "C" fn on_no_memory() {
    end_in_llvm("LLVM ran out of memory", "");
}

extern "C" fn on_fatal_error(reason: *const c_char) {
    // SAFETY: LLVM passes a C string that lives until this returns, which it does not.
    let reason = unsafe { CStr::from_ptr(reason) }.to_bytes();
    let line = reason.split(|byte| *byte == b'\n').next().unwrap_or(reason);
    let valid = line.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    // The arch lacks an instruction, which only instruction selection detects.
    if let Some(name) = intrinsic_without_code(valid).filter(|_| INPUT_NAMES_INTRINSICS.load(Ordering::SeqCst)) {
        end_with(ExitCode::Failed, &["error: no code for `", name, "`"], "");
    }
    if SUBJECT.with(Cell::get) == Subject::Kernels {
        end_with(ExitCode::Failed, &["error: LLVM has no code for the kernels"], valid);
    }
    end_in_llvm("LLVM gave up", valid);
}

/// The name of the intrinsic in an error of one of LLVM's two instruction selectors.
fn intrinsic_without_code(reason: &str) -> Option<&str> {
    let (_, by_operation) = reason.split_once("select")?;
    let name = by_operation.split_once("intrinsic(@").or_else(|| by_operation.split_once(": intrinsic %"))?.1;
    name.split([')', ' ', ',']).next()
}

/// Whether the input may be the reason for an intrinsic without code.
static INPUT_NAMES_INTRINSICS: AtomicBool = AtomicBool::new(false);

/// Records that the input itself names intrinsics, so that one without code is not an internal error.
pub fn input_names_intrinsics() {
    INPUT_NAMES_INTRINSICS.store(true, Ordering::SeqCst);
}

/// Whether the input names intrinsics.
pub(super) fn names_intrinsics() -> bool {
    INPUT_NAMES_INTRINSICS.load(Ordering::SeqCst)
}

extern "C" fn on_ending(signal: c_int) {
    if temporaries::defer(signal) {
        return;
    }
    if !is_first() {
        temporaries::wait_for_the_end();
    }
    let words = ENDINGS.iter().find(|(number, _)| *number == signal).map_or("", |(_, words)| words);
    if !words.is_empty() {
        write(&["error: ", words, "\n"]);
    }
    temporaries::remove_all();
    job_server::return_all();
    // SAFETY: async-signal-safe; the default action ends the process once the signal is unblocked.
    unsafe {
        let mut only: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut only);
        libc::sigaddset(&mut only, signal);
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &only, std::ptr::null_mut());
    }
}

extern "C" fn on_nothing(_signal: c_int) {}

fn on_panic(panic: &std::panic::PanicHookInfo<'_>) {
    let payload = panic.payload();
    let message = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    let place = panic.location().map_or(String::new(), |place| format!(" ({place})"));
    let backtrace = std::backtrace::Backtrace::capture();
    if backtrace.status() == std::backtrace::BacktraceStatus::Captured {
        write(&[&backtrace.to_string()]);
    }
    // `exit` would run LLVM's destructors while other threads are inside LLVM.
    end(&[message.unwrap_or("panic"), &place], "");
}

/// Ends the process like a crash, for example if something never ends.
pub(super) fn give_up(what: &str) -> ! {
    end_in_llvm(what, "")
}

/// Ends the process because LLVM failed. The file that LLVM works on is the reason, if there is one.
fn end_in_llvm(what: &str, reason: &str) -> ! {
    if SUBJECT.with(Cell::get) == Subject::Input {
        end_with(ExitCode::Failed, &["error: LLVM cannot process the input: ", what], reason);
    }
    end(&[what], reason)
}

/// Ends the process with an internal error.
fn end(what: &[&str], reason: &str) -> ! {
    let mut words = [""; 4];
    words[0] = "error: internal error: ";
    words.iter_mut().skip(1).zip(what).for_each(|(word, what)| *word = what);
    end_with(ExitCode::Internal, &words, reason)
}

/// Reports the failure, removes temporaries, and ends the process.
fn end_with(code: ExitCode, what: &[&str], reason: &str) -> ! {
    end_once(code, || report(code, what, reason))
}

/// Ends the process with the exit status of a child process that has ended and has already reported the reason.
pub(super) fn end_as(code: ExitCode) -> ! {
    end_once(code, temporaries::remove_all)
}

/// Only the first thread that calls this ends the process.
fn end_once(code: ExitCode, last: impl FnOnce()) -> ! {
    // If a thread fails while it reports an error, nothing more can be reported.
    if is_first() {
        last();
        job_server::return_all();
    }
    // SAFETY: async-signal-safe, and ends the process.
    unsafe { libc::_exit(code as c_int) }
}

/// Whether this thread is the first one that ends the process. It does not return in other threads, and returns false
/// if this thread has called it before.
fn is_first() -> bool {
    static FIRST: AtomicI32 = AtomicI32::new(0);
    // SAFETY: a system call without arguments.
    let this = unsafe { libc::gettid() };
    match FIRST.compare_exchange(0, this, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(_) => true,
        Err(first) if first == this => false,
        Err(_) => temporaries::wait_for_the_end(),
    }
}

fn report(code: ExitCode, what: &[&str], reason: &str) {
    let folder = if code == ExitCode::Internal { reproducer::write() } else { None };
    ACTIVITY.with(|activity| {
        let text = activity.text();
        let mut words = [""; 8];
        words.iter_mut().zip(what).for_each(|(word, what)| *word = what);
        let tail =
            [if text.is_empty() { "" } else { " while " }, text, if reason.is_empty() { "" } else { ": " }, reason];
        words[4..].copy_from_slice(&tail);
        message::print(&words, folder);
    });
    temporaries::remove_all();
}

/// The number of bytes that are stored of a thread's activity; longer texts are truncated.
const ACTIVITY_BYTES: usize = 1024;

/// The activity of a thread, in memory that a signal handler on the same thread can read at any time.
struct Text {
    bytes: UnsafeCell<[u8; ACTIVITY_BYTES]>,
    /// Whole characters only, and always below [`ACTIVITY_BYTES`].
    length: UnsafeCell<usize>,
}

thread_local! {
    // Constant and without a destructor: a signal handler that reads it does not allocate memory or register anything.
    static ACTIVITY: Text = const { Text { bytes: UnsafeCell::new([0; ACTIVITY_BYTES]), length: UnsafeCell::new(0) } };
}

impl Text {
    fn length(&self) -> usize {
        // SAFETY: only this thread and its signals come here, and a signal writes nothing.
        unsafe { *self.length.get() }
    }

    fn set_length(&self, length: usize) {
        compiler_fence(Ordering::SeqCst);
        // SAFETY: as above.
        unsafe { *self.length.get() = length };
    }

    fn text(&self) -> &str {
        // SAFETY: the bytes below the length are not written while they are below it, and are whole characters.
        unsafe {
            let bytes = &*self.bytes.get().cast::<[u8; ACTIVITY_BYTES]>();
            std::str::from_utf8_unchecked(&bytes[..self.length()])
        }
    }

    /// Appends the characters that fit.
    fn push(&self, text: &str) {
        let mut length = self.length();
        for c in text.chars() {
            let mut utf8 = [0; 4];
            let utf8 = c.encode_utf8(&mut utf8).as_bytes();
            if length + utf8.len() > ACTIVITY_BYTES {
                break;
            }
            for byte in utf8 {
                // SAFETY: in bounds, and above the length that a signal reads to.
                unsafe { (*self.bytes.get())[length] = *byte };
                length += 1;
            }
        }
        self.set_length(length);
    }
}

/// The code that LLVM processes in a thread's activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    /// Code that offloadc has changed.
    Ours,
    /// An unchanged file of the user.
    Input,
    /// The code of kernels, in a back end.
    Kernels,
}

thread_local! {
    /// The subject of this thread's activity. Constant for the same reason.
    static SUBJECT: Cell<Subject> = const { Cell::new(Subject::Ours) };
}

/// The previous activity of this thread; it is restored when this is dropped.
#[must_use = "the activity ends when this is dropped"]
#[derive(Debug)]
pub struct Activity {
    before: usize,
    subject_before: Subject,
    /// The text belongs to one thread.
    _thread: std::marker::PhantomData<*const ()>,
}

/// Sets the activity of this thread for crash reports: "reading `app.bc`". Within another activity, it is appended:
/// "compiling for sm_80, optimize".
pub fn activity(doing: impl fmt::Display) -> Activity {
    struct Writer<'a>(&'a Text);
    impl fmt::Write for Writer<'_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.push(text);
            Ok(())
        }
    }
    ACTIVITY.with(|activity| {
        let before = activity.length();
        if before > 0 {
            activity.push(", ");
        }
        // Writing into the fixed buffer cannot fail.
        let _ = write!(Writer(activity), "{doing}");
        Activity { before, subject_before: SUBJECT.with(Cell::get), _thread: std::marker::PhantomData }
    })
}

/// Like [`activity`], for LLVM's work on a file of the user that is unchanged: a failure of LLVM is an error of this
/// file.
pub fn activity_on_input(doing: impl fmt::Display) -> Activity {
    let activity = activity(doing);
    SUBJECT.with(|subject| subject.set(Subject::Input));
    activity
}

/// Like [`activity`], for a back end's work on kernels: a construct that it has no code for is an error of the input.
pub fn activity_on_kernels(doing: impl fmt::Display) -> Activity {
    let activity = activity(doing);
    SUBJECT.with(|subject| subject.set(Subject::Kernels));
    activity
}

/// The activity of a thread, for a thread that works for it.
pub(super) struct Doing {
    pub(super) text: String,
    subject: Subject,
}

impl Doing {
    /// Sets the activity of this thread.
    pub(super) fn begin(&self) -> Activity {
        let activity = activity(&self.text);
        SUBJECT.with(|subject| subject.set(self.subject));
        activity
    }
}

/// The activity of this thread.
pub(super) fn current() -> Doing {
    let text = ACTIVITY.with(|activity| activity.text().to_string());
    Doing { text, subject: SUBJECT.with(Cell::get) }
}

impl Drop for Activity {
    fn drop(&mut self) {
        SUBJECT.with(|subject| subject.set(self.subject_before));
        ACTIVITY.with(|activity| activity.set_length(self.before));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> String {
        ACTIVITY.with(|activity| activity.text().to_string())
    }

    #[test]
    fn intrinsics_without_code_are_recognised() {
        let name = |reason| intrinsic_without_code(reason);
        assert_eq!(name("Cannot select: intrinsic %llvm.amdgcn.x"), Some("llvm.amdgcn.x"));
        assert_eq!(
            name("Intrinsic selection not implemented: %9 = G_INTRINSIC intrinsic(@llvm.spv.x)"),
            Some("llvm.spv.x")
        );
        assert_eq!(name("Cannot select: 0x1: i32 = add 0x2, 0x3"), None);
        assert_eq!(name("out of registers"), None);
    }

    #[test]
    fn activities_nest_and_end() {
        let outer = activity("compiling for sm_80");
        let inner = activity(format_args!("optimize {}", 1));
        assert_eq!(text(), "compiling for sm_80, optimize 1");
        drop(inner);
        assert_eq!(text(), "compiling for sm_80");
        drop(outer);
        assert_eq!(text(), "");
    }

    #[test]
    fn a_long_activity_is_cut_between_characters() {
        let _long = activity("ä→".repeat(ACTIVITY_BYTES));
        assert!(text().len() > ACTIVITY_BYTES - 4 && text().starts_with("ä→ä"));
        let _more = activity("more");
    }
}
