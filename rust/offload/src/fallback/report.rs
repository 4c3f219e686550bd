//! The texts of errors, and the log.

use core::cell::{Cell, RefCell};
use core::ffi::{c_char, c_int};
use std::ffi::CString;
use std::string::String;
use std::sync::OnceLock;
use std::time::Instant;
use std::{env, eprintln};

use super::failure::Failure;
use crate::abi::status;

std::thread_local! {
    static ERROR: RefCell<CString> = RefCell::default();
    /// The last error's text as the crate sees it, which lives until the next error of this thread.
    static TEXT: Cell<*const c_char> = const { Cell::new(c"".as_ptr()) };
}

/// Sets the text of an error.
pub(super) fn fail(status: c_int, text: &str) -> c_int {
    let bytes = text.bytes().filter(|byte| *byte != 0).collect::<std::vec::Vec<u8>>();
    let text = CString::new(bytes).unwrap_or_default();
    TEXT.set(text.as_ptr());
    ERROR.set(text);
    status
}

pub(crate) fn error_text() -> *const c_char {
    TEXT.get()
}

/// Writes a line if `OFFLOADRT_LOG` asks for it, with the time since the first line.
pub(super) fn log(text: impl FnOnce() -> String) {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    if env::var_os("OFFLOADRT_LOG").is_some_and(|wanted| !wanted.is_empty() && wanted != "0") {
        let since = FIRST.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3;
        eprintln!("offloadrt: {since:.3} ms: {}", text());
    }
}

/// The status of a call, and its text for `offloadrt_error_text`.
pub(super) fn report(result: Result<(), Failure>) -> c_int {
    match result {
        Ok(()) => status::SUCCESS,
        Err(Failure { status, text }) => fail(status, String::as_str(&text)),
    }
}
