//! Errors of failed operations, and the exit statuses of the program.
//!
//! An [`Error`] is a failed operation: a file cannot be read, or a tool did not run. An error in the *input* is a
//! [`crate::diagnostics::Diagnostic`]. Nothing is printed here.

use std::fmt;
use std::io;

/// The result of an operation that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The exit statuses of `offloadc`. No other place numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// The program did everything that the command line requests.
    Done = 0,
    /// The work failed; diagnostics or an error explain why.
    Failed = 1,
    /// The command line is wrong.
    Usage = 2,
    /// `cargo offloadc sanitize`: the program succeeded, and the checker reported errors in its kernels. The number is
    /// the one of ThreadSanitizer.
    Reported = 66,
    /// An internal error of offloadc or LLVM.
    Internal = 70,
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code as u8)
    }
}

/// A failed operation: its cause, and the operations that it was part of, outermost first.
///
/// Displayed as `outer: inner: cause`, lower case, without a final period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    message: String,
    /// The operations, innermost first, in the order in which they were added.
    context: Vec<String>,
    internal: bool,
    of_output: bool,
    of_code: bool,
}

impl Error {
    /// An error with the cause `message`.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), context: Vec::new(), internal: false, of_output: false, of_code: false }
    }

    /// An internal error: the message starts with `internal error:` and the exit status is 70.
    pub fn internal(message: impl Into<String>) -> Self {
        Self { internal: true, ..Self::new(message) }
    }

    /// Marks this error as a failure to write an output, which does not depend on the output's contents.
    pub fn of_output(self) -> Self {
        Self { of_output: true, ..self }
    }

    /// Whether this error is a failure to write an output.
    pub fn is_of_output(&self) -> bool {
        self.of_output
    }

    /// Marks this error as wrong code of a back end, which an arch that may be left out need not have.
    pub fn of_code(self) -> Self {
        Self { of_code: true, ..self }
    }

    /// Whether this error is wrong code of a back end.
    pub fn is_of_code(&self) -> bool {
        self.of_code
    }

    /// Adds the operation that contains all operations added so far.
    pub fn context(mut self, doing: impl Into<String>) -> Self {
        self.context.push(doing.into());
        self
    }

    /// The cause, without the operations.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The exit status for this error.
    pub fn exit_code(&self) -> ExitCode {
        if self.internal { ExitCode::Internal } else { ExitCode::Failed }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.internal {
            f.write_str("internal error: ")?;
        }
        for doing in self.context.iter().rev() {
            write!(f, "{doing}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Why there is no result: for a reason that the caller deals with, or because an operation failed.
#[derive(Debug)]
pub enum Failure<Reason> {
    /// The reason.
    Reason(Reason),
    /// The operation.
    Operation(Error),
}

impl<Reason> From<Error> for Failure<Reason> {
    fn from(error: Error) -> Self {
        Self::Operation(error)
    }
}

/// A type of error that an operation can return.
pub trait Failing: From<Error> {
    /// Adds a description of the operation that failed.
    fn in_context(self, doing: String) -> Self;
}

impl Failing for Error {
    fn in_context(self, doing: String) -> Self {
        self.context(doing)
    }
}

impl<Reason> Failing for Failure<Reason> {
    fn in_context(self, doing: String) -> Self {
        match self {
            Self::Operation(error) => Self::Operation(error.context(doing)),
            reason => reason,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::new(in_words(&error))
    }
}

impl From<String> for Error {
    fn from(message: String) -> Self {
        Self::new(message)
    }
}

impl From<&str> for Error {
    fn from(message: &str) -> Self {
        Self::new(message)
    }
}

/// The error of the operating system as a phrase in lower case, without its number and the text after it.
pub fn in_words(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    match chars.next() {
        // Only ordinary words are converted to lower case; the text may start with a path.
        Some(first) if chars.clone().next().is_some_and(char::is_lowercase) => {
            first.to_lowercase().chain(chars).collect()
        }
        _ => text.to_string(),
    }
}

/// Adds the failed operation to the error of a result.
pub trait Context<T> {
    /// `doing` names the operation and its subject: "cannot link the image", "cannot write `out.o`".
    fn context(self, doing: impl Into<String>) -> Result<T>;

    /// Like `context`, but `doing` is called only on failure.
    fn with_context<S: Into<String>>(self, doing: impl FnOnce() -> S) -> Result<T>;
}

impl<T, E: Into<Error>> Context<T> for std::result::Result<T, E> {
    fn context(self, doing: impl Into<String>) -> Result<T> {
        self.map_err(|error| error.into().context(doing))
    }

    fn with_context<S: Into<String>>(self, doing: impl FnOnce() -> S) -> Result<T> {
        self.map_err(|error| error.into().context(doing()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_statuses_are_the_documented_numbers() {
        let all = [ExitCode::Done, ExitCode::Failed, ExitCode::Usage, ExitCode::Internal];
        assert_eq!(all.map(|code| code as u8), [0, 1, 2, 70]);
    }

    #[test]
    fn the_chain_reads_from_the_outside_in() {
        let missing = std::fs::read("/no/such/file");
        let error = missing.context("cannot read `x`").context("cannot link the program").unwrap_err();
        assert_eq!(error.to_string(), "cannot link the program: cannot read `x`: no such file or directory");
        assert_eq!(error.exit_code(), ExitCode::Failed);
    }

    #[test]
    fn an_internal_error_says_so_and_exits_70() {
        let error = Error::internal("the verifier found a fault").context("cannot generate code for gfx90a");
        assert_eq!(error.to_string(), "internal error: cannot generate code for gfx90a: the verifier found a fault");
        assert_eq!(error.exit_code(), ExitCode::Internal);
    }
}
