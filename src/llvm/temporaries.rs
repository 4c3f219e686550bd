//! Resources that must be removed when the process ends early: temporary files and folders, and running tools.
//!
//! A temporary is added to a list before it is created. Threads that are creating a temporary or starting a tool are
//! counted. The thread that ends the process waits until the count is zero, then ends the tools, then removes the
//! temporaries on the list. This may happen in a signal handler, so it only uses fixed memory and async-signal-safe
//! functions.

use std::cell::{Cell, UnsafeCell};
use std::ffi::{CStr, c_char, c_int};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicUsize, Ordering};

/// The largest number of temporaries at a time. Further ones are not removed if the process ends early.
const SLOTS: usize = 256;
/// The size of a temporary's path with its terminator in bytes: the system's limit.
const PATH_BYTES: usize = libc::PATH_MAX as usize;
/// The largest number of tools at a time. Further ones do not end with the process.
const TOOLS: usize = 256;
/// The depth to which folders in a temporary folder are removed; tools create some.
const DEPTH: usize = 8;
/// The number of seconds after which a tool that was asked to end is killed, and after which the wait for creations
/// ends.
const PATIENCE: i64 = 2;

const FREE: u8 = 0;
const CLAIMED: u8 = 1;
const READY: u8 = 2;

/// The path of a temporary, which signal handlers read.
struct Slot {
    state: AtomicU8,
    path: UnsafeCell<[u8; PATH_BYTES]>,
}

// SAFETY: the path is written only by the thread that moved the state from FREE to CLAIMED, and read only at READY.
unsafe impl Sync for Slot {}

static TEMPORARIES: [Slot; SLOTS] =
    [const { Slot { state: AtomicU8::new(FREE), path: UnsafeCell::new([0; PATH_BYTES]) } }; SLOTS];

/// The running tools: 0, or a process that leads its own process group.
static CHILDREN: [AtomicI32; TOOLS] = [const { AtomicI32::new(0) }; TOOLS];

/// The number of threads that are creating a temporary or starting a tool.
static CREATING: AtomicUsize = AtomicUsize::new(0);
/// Whether the process is ending, so that nothing may be created.
static ENDING: AtomicBool = AtomicBool::new(false);

/// A signal that must end this process, but arrived in a thread that was creating something.
static DEFERRED: AtomicI32 = AtomicI32::new(0);

thread_local! {
    // Constant and without a destructor: a signal handler that reads it does not allocate memory.
    static CREATING_HERE: Cell<bool> = const { Cell::new(false) };
}

/// Exists while a thread creates something that must be removed if the process ends.
struct CreationGuard;

impl CreationGuard {
    /// Does not return if the process is ending.
    fn begin() -> Self {
        CREATING_HERE.set(true);
        CREATING.fetch_add(1, Ordering::SeqCst);
        if ENDING.load(Ordering::SeqCst) {
            drop(CreationGuard);
            wait_for_the_end();
        }
        CreationGuard
    }
}

impl Drop for CreationGuard {
    fn drop(&mut self) {
        CREATING.fetch_sub(1, Ordering::SeqCst);
        CREATING_HERE.set(false);
        let deferred = DEFERRED.load(Ordering::SeqCst);
        if deferred != 0 {
            // SAFETY: sends this thread a signal.
            unsafe { libc::raise(deferred) };
        }
    }
}

/// Called by the signal handler that waits for creations. If this thread is creating something, the signal is raised
/// again when that is finished.
pub(super) fn defer(signal: c_int) -> bool {
    let here = CREATING_HERE.get();
    if here {
        DEFERRED.store(signal, Ordering::SeqCst);
    }
    here
}

/// Waits while another thread ends the process.
pub(super) fn wait_for_the_end() -> ! {
    loop {
        // SAFETY: async-signal-safe.
        unsafe { libc::pause() };
    }
}

// Files and folders ------------------------------------------------------------------------------

/// A temporary file or folder on the list of those that are removed with the process.
#[must_use = "the file is forgotten when this is dropped"]
#[derive(Debug)]
pub struct Temporary {
    slot: Option<usize>,
}

/// Creates a file or a folder, which is on the list before it exists. A folder is removed with its contents.
pub fn create<T>(path: &Path, make: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<(Temporary, T)> {
    let _making = CreationGuard::begin();
    // Paths are relative to the working folder, which never changes.
    let temporary = claim(path);
    make(path).map(|made| (temporary, made))
}

fn claim(path: &Path) -> Temporary {
    let bytes = path.as_os_str().as_bytes();
    if bytes.len() >= PATH_BYTES {
        return Temporary { slot: None };
    }
    let claim = |slot: &Slot| slot.state.compare_exchange(FREE, CLAIMED, Ordering::SeqCst, Ordering::SeqCst).is_ok();
    let slot = TEMPORARIES.iter().position(claim);
    if let Some(slot) = slot.map(|number| &TEMPORARIES[number]) {
        // SAFETY: the slot is this thread's until it is READY.
        let path = unsafe { &mut *slot.path.get() };
        path[..bytes.len()].copy_from_slice(bytes);
        path[bytes.len()] = 0;
        slot.state.store(READY, Ordering::SeqCst);
    }
    Temporary { slot }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(slot) = self.slot {
            TEMPORARIES[slot].state.store(FREE, Ordering::SeqCst);
        }
    }
}

/// The mode of files for other users: reading and writing, as far as the user's mask permits.
pub fn file_mode() -> u32 {
    static MODE: OnceLock<u32> = OnceLock::new();
    *MODE.get_or_init(|| {
        // SAFETY: both always succeed. No other thread makes files: `crash::install` is called before there is one.
        let mask = unsafe {
            let mask = libc::umask(0o077);
            libc::umask(mask);
            mask
        };
        0o666 & !mask
    })
}

// Tools --------------------------------------------------------------------------------------------

/// A tool that ends with this process.
#[derive(Debug)]
pub struct Tool {
    child: Child,
    slot: Option<usize>,
}

/// Starts a tool in its own process group, so that its child processes end with it.
pub fn start(command: &mut Command) -> io::Result<Tool> {
    use std::os::unix::process::CommandExt;
    let _making = CreationGuard::begin();
    let _ = command.process_group(0);
    let child = command.spawn()?;
    let process = child.id() as i32;
    let claim = |slot: &AtomicI32| slot.compare_exchange(0, process, Ordering::SeqCst, Ordering::SeqCst).is_ok();
    Ok(Tool { slot: CHILDREN.iter().position(claim), child })
}

impl Tool {
    /// Waits for its end. Returns its output, as far as it is collected.
    pub fn output(self) -> io::Result<std::process::Output> {
        let Tool { child, slot } = self;
        let output = child.wait_with_output();
        forget(slot);
        output
    }

    /// Its standard input, if it is a pipe.
    pub fn stdin(&mut self) -> Option<std::process::ChildStdin> {
        self.child.stdin.take()
    }
}

fn forget(slot: Option<usize>) {
    if let Some(slot) = slot {
        CHILDREN[slot].store(0, Ordering::SeqCst);
    }
}

// The end ------------------------------------------------------------------------------------------

/// Ends all tools and removes all temporaries. Called once.
pub(super) fn remove_all() {
    ENDING.store(true, Ordering::SeqCst);
    // If creating something caused the error, it will never be finished.
    let _ = wait_until(|| CREATING.load(Ordering::SeqCst) == 0);
    end_tools();
    for slot in TEMPORARIES.iter().filter(|slot| slot.state.load(Ordering::SeqCst) == READY) {
        remove(libc::AT_FDCWD, slot.path.get().cast(), 0);
    }
}

/// Waits for a condition; async-signal-safe. Returns whether it became true in time.
fn wait_until(is_true: impl Fn() -> bool) -> bool {
    let begin = seconds();
    while !is_true() {
        if seconds() > begin + PATIENCE {
            return false;
        }
        let millisecond = libc::timespec { tv_sec: 0, tv_nsec: 1_000_000 };
        // SAFETY: async-signal-safe; the time lives as long as the call.
        unsafe { libc::nanosleep(&millisecond, std::ptr::null_mut()) };
    }
    true
}

fn seconds() -> i64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: async-signal-safe; the time lives as long as the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec
}

/// Tools are asked to end first, because a linker has its own temporaries in the user's folders.
fn end_tools() {
    let running = || CHILDREN.iter().map(|slot| slot.load(Ordering::SeqCst)).filter(|process| is_running(*process));
    for signal in [libc::SIGTERM, libc::SIGKILL] {
        for process in running() {
            // SAFETY: async-signal-safe. The process is a child of ours that was not waited for, so the number is still
            // its own.
            unsafe { libc::kill(-process, signal) };
        }
        if wait_until(|| running().next().is_none()) {
            break;
        }
    }
}

/// Whether it is a child that has not ended.
fn is_running(process: i32) -> bool {
    if process == 0 {
        return false;
    }
    // SAFETY: async-signal-safe; the all-zero structure is valid memory for the call, which leaves it unchanged when
    // there is no result.
    unsafe {
        let mut told: libc::siginfo_t = std::mem::zeroed();
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        libc::waitid(libc::P_PID, process as libc::id_t, &mut told, options) == 0 && told.si_pid() == 0
    }
}

/// Removes a file, or a folder with its contents.
fn remove(folder: c_int, name: *const c_char, depth: usize) {
    // SAFETY: async-signal-safe; `name` is a C string.
    unsafe {
        if libc::unlinkat(folder, name, 0) == 0 || depth == DEPTH {
            return;
        }
        let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_CLOEXEC;
        let inner = libc::openat(folder, name, flags);
        if inner >= 0 {
            // If a folder changes while it is read, entries may be skipped.
            for _ in 0..3 {
                empty(inner, depth);
            }
            libc::close(inner);
            libc::unlinkat(folder, name, libc::AT_REMOVEDIR);
        }
    }
}

/// A buffer for a part of a folder's list, which only the thread that ends the process reads.
#[repr(align(8))]
struct List(UnsafeCell<[u8; 2048]>);

// SAFETY: used by one thread, the one that ends the process.
unsafe impl Sync for List {}

static LISTS: [List; DEPTH] = [const { List(UnsafeCell::new([0; 2048])) }; DEPTH];

fn empty(folder: c_int, depth: usize) {
    /// `struct linux_dirent64`: the entry's length is after two 8-byte numbers, and the name after the kind.
    const LENGTH: usize = 16;
    const NAME: usize = 19;
    // SAFETY: the list is this call's, as there is one for each depth; the system writes whole rows into it.
    unsafe {
        let list = LISTS[depth].0.get().cast::<u8>();
        libc::lseek(folder, 0, libc::SEEK_SET);
        loop {
            let bytes = libc::syscall(libc::SYS_getdents64, folder, list, 2048);
            let Some(bytes) = usize::try_from(bytes).ok().filter(|bytes| *bytes > 0) else { break };
            let mut at = 0;
            while at < bytes {
                let row = list.add(at);
                let name = row.add(NAME).cast::<c_char>();
                if !matches!(CStr::from_ptr(name).to_bytes(), b"." | b"..") {
                    remove(folder, name, depth + 1);
                }
                at += usize::from(row.add(LENGTH).cast::<u16>().read());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_list_and_a_long_path_are_no_fault() {
        let many: Vec<_> = (0..SLOTS + 3).map(|n| claim(Path::new(&format!("/nowhere/{n}")))).collect();
        assert!(many.iter().any(|t| t.slot.is_none()));
        drop(many);
        assert!(claim(Path::new("/nowhere")).slot.is_some());
        assert!(claim(Path::new(&"x".repeat(PATH_BYTES))).slot.is_none());
    }

    #[test]
    fn a_folder_goes_with_all_that_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        std::fs::create_dir_all(inner.join("a/b/c")).unwrap();
        for number in 0..200 {
            std::fs::write(inner.join(format!("a/a-rather-long-name-{number}")), "x").unwrap();
        }
        std::os::unix::fs::symlink("/", inner.join("a/b/root")).unwrap();
        let name = std::ffi::CString::new(inner.as_os_str().as_bytes()).unwrap();
        remove(libc::AT_FDCWD, name.as_ptr(), 0);
        assert!(!inner.exists());
    }
}
