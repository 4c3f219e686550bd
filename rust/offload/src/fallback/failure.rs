//! Why a launch failed, and the panics of kernels.

use core::any::Any;
use core::cell::RefCell;
use core::ffi::c_int;
use core::mem;
use core::panic::Location;
use std::boxed::Box;
use std::format;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::string::{String, ToString as _};
use std::sync::Once;

use crate::abi::status;

/// A status of the runtime other than success, with its text.
pub(super) struct Failure {
    pub(super) status: c_int,
    pub(super) text: String,
}

impl Failure {
    pub(super) fn new(status: c_int, text: String) -> Self {
        Failure { status, text }
    }

    /// The panic of a thread, in the words of `runtime-c/launch/panics.c`.
    pub(super) fn panicked(kernel: &str, panic: &Panic, block: [u32; 3], thread: [u32; 3]) -> Self {
        let place = panic.place.as_ref().map(|place| format!(" at {place}")).unwrap_or_default();
        let (block, thread) = (position("block", block), position("thread", thread));
        let text = format!("kernel `{kernel}` panicked{place}: {} ({block}, {thread})", panic.message);
        Failure::new(status::PANICKED, text)
    }
}

/// `block 3`, or `block (3, 1, 0)` if the position along another axis than x is not 0.
pub(super) fn position(what: &str, [x, y, z]: [u32; 3]) -> String {
    if y != 0 || z != 0 { format!("{what} ({x}, {y}, {z})") } else { format!("{what} {x}") }
}

/// A panic: its file, line and column, and its message.
pub(super) struct Panic {
    pub(super) place: Option<String>,
    pub(super) message: String,
}

impl Panic {
    pub(super) fn new(place: &Location<'_>, message: String) -> Self {
        Panic { place: Some(place.to_string()), message }
    }
}

std::thread_local! {
    /// The panic that `catch` will return, from the hook.
    static LAST: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// Calls `run` and returns its panic. The text of a panic in a kernel belongs to the error of the launch, so that the
/// hook prints nothing.
pub(super) fn catch(run: impl FnOnce()) -> Result<(), Panic> {
    LAST.set(None);
    panic::catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        let message = || text_of(&*payload).unwrap_or("with a value that is not a text").into();
        // If the program has replaced the hook, the place is unknown.
        let panic = LAST.take().unwrap_or_else(|| Panic { place: None, message: message() });
        drop_payload(payload);
        panic
    })
}

/// Drops the payload of a panic. The panic of its destructor ends here, and the payload of that is never dropped.
pub(super) fn drop_payload(payload: Box<dyn Any + Send>) {
    if let Err(other) = panic::catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        mem::forget(other);
    }
}

pub(super) fn text_of(payload: &(dyn Any + Send)) -> Option<&str> {
    payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied())
}

/// Adds the hook that reads the places of panics in kernels. All other panics reach the program's own hook, and so do
/// those that end the program.
pub(super) fn install_hook() {
    static INSTALLED: Once = Once::new();
    // The hook of a thread that panics cannot be replaced.
    if std::thread::panicking() {
        return;
    }
    INSTALLED.call_once(|| {
        let other = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let is_caught = cfg!(panic = "unwind") && super::block::is_running();
            if is_caught { note(info) } else { other(info) }
        }));
    });
}

fn note(info: &PanicHookInfo<'_>) {
    let message = text_of(info.payload()).unwrap_or("with a value that is not a text").into();
    LAST.set(Some(Panic { place: info.location().map(Location::to_string), message }));
}
