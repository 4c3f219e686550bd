//! Command lines of `cargo offloadc` in unit tests.

use std::ffi::OsString;

use crate::job::UsageError;

/// The words of a line without quotes.
pub(super) fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

/// The message with which a command refuses a line.
pub(super) fn refusal(line: &str, run: impl FnOnce(&[OsString]) -> Result<(), UsageError>) -> String {
    run(&words(line)).expect_err("the line is refused").message
}
