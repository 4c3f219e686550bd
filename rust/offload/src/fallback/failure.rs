//! Why a launch failed.

use core::any::Any;
use core::ffi::c_int;
use core::mem;
use core::panic::Location;
use std::boxed::Box;
use std::format;
use std::panic::{self, AssertUnwindSafe};
use std::string::{String, ToString as _};

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

/// Drops the payload of a panic. The panic of its destructor ends here, and the payload of that is never dropped.
pub(super) fn drop_payload(payload: Box<dyn Any + Send>) {
    if let Err(other) = panic::catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        mem::forget(other);
    }
}

pub(super) fn text_of(payload: &(dyn Any + Send)) -> Option<&str> {
    payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied())
}
