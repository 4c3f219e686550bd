//! Kernels that need more stack than there is. Below each stack is a page that nothing may access; the fault of such an
//! access ends the program, after a message.
//!
//! The handler runs on the stack that Rust gives each thread for signals. A thread that another language has started
//! has none, and ends the program without the message.

use core::ffi::{c_int, c_void};

use super::block;

#[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
pub(super) use linux::{install, watch};

/// The message, before the name of the kernel and after it.
const MESSAGE: [&str; 2] = [
    "\nthe stack of kernel `",
    "` is full: without offloadc, a thread has the bytes of the variable `RUST_MIN_STACK`, or 2 MiB; help: set the variable \
     to more\n",
];

/// Writes a text to the standard error. It is called in a handler of signals, where no lock may be taken.
fn write(text: &str) {
    unsafe extern "C" {
        #[link_name = "write"]
        fn write_bytes(file: c_int, bytes: *const c_void, count: usize) -> isize;
    }
    // SAFETY: the bytes are there. Nothing can be done if they are not written.
    let _ = unsafe { write_bytes(2, text.as_ptr().cast(), text.len()) };
}

/// Ends the program.
fn end() -> ! {
    write(MESSAGE[0]);
    block::with(|block| write(block.launch.name));
    write(MESSAGE[1]);
    std::process::abort()
}

#[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
mod linux {
    use core::cell::Cell;
    use core::ffi::{c_int, c_void};
    use core::mem::MaybeUninit;
    use std::sync::OnceLock;

    /// glibc's and musl's `struct sigaction` on the architectures with pointers of 64 bits.
    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Action {
        handler: usize,
        mask: [u64; 16],
        flags: c_int,
        restorer: usize,
    }

    /// The beginning of `siginfo_t` for a fault.
    #[repr(C)]
    struct Fault {
        signal: c_int,
        error: c_int,
        code: c_int,
        address: usize,
    }

    unsafe extern "C" {
        fn sigaction(signal: c_int, action: *const Action, previous: *mut Action) -> c_int;
    }

    const SIGSEGV: c_int = 11;
    /// `SA_SIGINFO`, `SA_ONSTACK`.
    const FLAGS: c_int = 4 | 0x0800_0000;
    const WITH_FAULT: c_int = 4;
    /// `SIG_DFL`, `SIG_IGN`.
    const DEFAULTS: [usize; 2] = [0, 1];
    /// The most bytes of the guard page at the end of a stack: the largest pages of Linux have 64 KiB.
    const GUARD: usize = 64 << 10;

    /// The handler that was there before.
    static PREVIOUS: OnceLock<Action> = OnceLock::new();

    std::thread_local! {
        /// The lowest address of the stack that a kernel's thread runs on; 0 if none does.
        static LIMIT: Cell<usize> = const { Cell::new(0) };
    }

    /// Sets the lowest address of the stack on which this thread of the system goes on, and returns the one before.
    pub(in super::super) fn watch(limit: usize) -> usize {
        LIMIT.replace(limit)
    }

    /// Installs the handler, once in a process.
    pub(in super::super) fn install() {
        PREVIOUS.get_or_init(|| {
            let ours = Action { handler: on_fault as *const () as usize, mask: [0; 16], flags: FLAGS, restorer: 0 };
            let mut previous = MaybeUninit::<Action>::zeroed();
            // SAFETY: both structures are those of the C library, and the handler calls only functions that a handler
            // may call.
            unsafe {
                let _ = sigaction(SIGSEGV, &ours, previous.as_mut_ptr());
                previous.assume_init()
            }
        });
    }

    unsafe extern "C" fn on_fault(signal: c_int, fault: *const Fault, context: *mut c_void) {
        let limit = LIMIT.get();
        // SAFETY: the system gives the address of a fault.
        let address = unsafe { (*fault).address };
        if limit != 0 && address.wrapping_sub(limit) < GUARD {
            super::end();
        }
        // SAFETY: as above, and it is the handler that the system would call without this one.
        unsafe { pass_on(signal, fault, context) }
    }

    /// Handles the signal as the system would without this handler.
    ///
    /// # Safety
    ///
    /// As a handler of signals.
    unsafe fn pass_on(signal: c_int, fault: *const Fault, context: *mut c_void) {
        match PREVIOUS.get() {
            Some(previous) if !DEFAULTS.contains(&previous.handler) && previous.flags & WITH_FAULT != 0 => {
                // SAFETY: a handler with this flag has this type.
                let handler: unsafe extern "C" fn(c_int, *const Fault, *mut c_void) =
                    unsafe { core::mem::transmute(previous.handler) };
                // SAFETY: the arguments are those of this handler.
                unsafe { handler(signal, fault, context) }
            }
            Some(previous) if !DEFAULTS.contains(&previous.handler) => {
                // SAFETY: a handler without that flag has this type.
                let handler: unsafe extern "C" fn(c_int) = unsafe { core::mem::transmute(previous.handler) };
                // SAFETY: as above.
                unsafe { handler(signal) }
            }
            _ => {
                // The fault occurs again when this handler returns, and ends the program.
                let none = Action { handler: DEFAULTS[0], mask: [0; 16], flags: 0, restorer: 0 };
                // SAFETY: the structure is that of the C library.
                let _ = unsafe { sigaction(signal, &none, core::ptr::null_mut()) };
            }
        }
    }
}

/// Other systems end the program without a message.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64", not(miri))))]
pub(super) fn install() {}

/// See [`install`].
#[cfg(not(all(target_os = "linux", target_pointer_width = "64", not(miri))))]
pub(super) fn watch(limit: usize) -> usize {
    limit
}
