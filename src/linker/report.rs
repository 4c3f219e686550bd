//! Where the diagnostics of a link go: to standard error, or into the file that `offloadc-rustc` names when it starts
//! rustc. rustc would print them below the command line of the linker, and as one error without places.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use crate::diagnostics::{Diagnostic, Renderer};

/// The variable with the form of the text in each line, a colon, and the file.
pub const VARIABLE: &str = "OFFLOADC_REPORT";
/// The variable that asks for all steps of call chains.
pub const VERBOSE: &str = "OFFLOADC_VERBOSE";

/// The place for diagnostics.
pub struct Report {
    renderer: Renderer,
    file: Option<PathBuf>,
}

impl Report {
    /// The place that the environment names. `renderer` is for standard error.
    pub fn from_environment(renderer: Renderer) -> Self {
        let verbose = renderer.verbose || std::env::var_os(VERBOSE).is_some_and(|value| !value.is_empty());
        Self::new(std::env::var_os(VARIABLE), Renderer { verbose, ..renderer })
    }

    fn new(value: Option<OsString>, renderer: Renderer) -> Self {
        let parts = value.as_ref().and_then(|value| {
            let bytes = value.as_bytes();
            let colon = bytes.iter().position(|byte| *byte == b':')?;
            Some((&bytes[..colon], PathBuf::from(std::ffi::OsStr::from_bytes(&bytes[colon + 1..]))))
        });
        let Some((form, file)) = parts else { return Self { renderer, file: None } };
        let has = |word: &[u8]| form.split(|byte| *byte == b'-').any(|part| part == word);
        let renderer = Renderer { json: true, color: has(b"ansi"), short: has(b"short"), ..renderer };
        Self { renderer, file: Some(file) }
    }

    /// Writes diagnostics.
    pub fn print<'a>(&self, diagnostics: impl IntoIterator<Item = &'a Diagnostic>) {
        let text: String = diagnostics.into_iter().map(|diagnostic| self.renderer.render(diagnostic)).collect();
        let append = |path: &PathBuf| OpenOptions::new().append(true).open(path)?.write_all(text.as_bytes());
        let written = self.file.as_ref().is_some_and(|path| append(path).is_ok());
        if !written {
            // If standard error is closed, the error cannot be shown.
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Severity;

    #[test]
    fn diagnostics_are_lines_of_the_file_in_the_form_that_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut value = OsString::from("ansi-short:");
        value.push(file.path());
        let report = Report::new(Some(value), Renderer::default());
        report.print(&[Diagnostic::new(Severity::Error, "one"), Diagnostic::new(Severity::Warning, "two")]);
        let text = std::fs::read_to_string(file.path()).unwrap();
        let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((lines[0]["message"].as_str(), lines[1]["level"].as_str()), (Some("one"), Some("warning")));
        assert_eq!(lines[0]["rendered"], "\u{1b}[1;31merror\u{1b}[0m\u{1b}[1m: one\u{1b}[0m\n");
        assert!(Report::new(None, Renderer::default()).file.is_none());
    }
}
