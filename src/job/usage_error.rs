//! Errors of a command line that its parser does not see.

use crate::diagnostics::{Diagnostic, Severity};

/// A request that the command line cannot make; exit status 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageError {
    /// The error.
    pub message: String,
    /// How to correct the command line.
    pub help: Vec<String>,
}

impl UsageError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: Vec::new() }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }
}

impl From<&UsageError> for Diagnostic {
    fn from(error: &UsageError) -> Self {
        let start = Diagnostic::new(Severity::Error, &error.message);
        error.help.iter().fold(start, |diagnostic, help| diagnostic.help(help))
    }
}
