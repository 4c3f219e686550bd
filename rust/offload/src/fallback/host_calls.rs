//! Closures of `host_call!` in kernels of a program that offloadc has not compiled: they run at once, on the thread
//! that runs the block.

use core::any::Any;
use core::cell::Cell;
use std::format;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::string::String;

use super::failure::{Failure, drop_payload, text_of};
use crate::abi::status;

std::thread_local! {
    /// Whether this thread runs such a closure.
    static IS_RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// The message of a panic in a closure.
pub(crate) fn message_of(payload: &(dyn Any + Send)) -> &str {
    text_of(payload).unwrap_or("with a value that is not a text")
}

/// Runs a closure. Its panic becomes one of the kernel, with the words of a kernel that offloadc has compiled.
#[track_caller]
pub(crate) fn run(closure: impl FnOnce()) {
    let outer = IS_RUNNING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(closure));
    IS_RUNNING.set(outer);
    if let Err(payload) = result {
        let text = String::from(message_of(&*payload));
        drop_payload(payload);
        panic!("a function of the host panicked: {text}");
    }
}

/// Refuses an operation of the device while its kernel waits for the calling thread, with the words of
/// `runtime-c/launch/host_calls.c`.
pub(super) fn check_caller() -> Result<(), Failure> {
    if !IS_RUNNING.get() {
        return Ok(());
    }
    let text = format!(
        "this host function was called by a kernel on `{}`, which waits for it, so it cannot use that device: the two \
         could wait for each other forever; help: return to the kernel first, or use another device",
        "cpu"
    );
    Err(Failure::new(status::INVALID, text))
}
