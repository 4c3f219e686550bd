//! The output of rustc, without errors that repeat others, and with the diagnostics of links in place of rustc's error
//! about the linker: that error has the linker's command line, and no place in the source.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use super::kernel_crates::{REPORT, SHOWN};
use super::kernel_errors::KernelErrors;
use super::rustc_command::RustcCommand;

/// The diagnostics of the links of one rustc, or of a check of its output.
pub(super) struct LinkReport {
    file: NamedTempFile,
    form: String,
    speaks_json: bool,
    /// How many bytes of the file have been printed.
    printed: usize,
    /// Whether an error was among them, and whether one was printed.
    has_errors: bool,
    has_printed_errors: bool,
}

impl LinkReport {
    pub(super) fn new(rustc: &RustcCommand) -> Result<Self, String> {
        let file = NamedTempFile::new().map_err(|error| format!("cannot make a temporary file: {error}"))?;
        let (form, speaks_json) = (rustc.form(), rustc.speaks_json());
        Ok(Self { file, form, speaks_json, printed: 0, has_errors: false, has_printed_errors: false })
    }

    /// Makes links of this command write their diagnostics into the file.
    pub(super) fn receive_from(&self, command: &mut Command) {
        let mut value = OsString::from(format!("{}:", self.form));
        value.push(self.file.path());
        let _ = command.env(REPORT, value);
    }

    /// Runs rustc, whose standard error is passed on.
    pub(super) fn run(&mut self, command: &mut Command) -> std::io::Result<ExitStatus> {
        self.receive_from(command);
        let mut child = command.stderr(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(child.stderr.take().expect("it is a pipe"));
        let (mut line, mut errors) = (Vec::new(), KernelErrors::default());
        while lines.read_until(b'\n', &mut line)? > 0 {
            // Other lines are no diagnostics.
            let diagnostic = serde_json::from_slice::<Value>(&line).unwrap_or_default();
            if is_about_linker(&diagnostic) {
                self.print();
            }
            let is_of_link = self.has_errors && (is_about_linker(&diagnostic) || is_summary(&diagnostic));
            if !is_of_link && !errors.is_echo(&diagnostic) {
                // If standard error is closed, the error cannot be shown.
                let _ = std::io::stderr().write_all(&with_our_advice(&line));
            }
            line.clear();
        }
        let status = child.wait();
        self.finish();
        status
    }

    /// Prints the remaining diagnostics. If all errors have been shown by other crates, cargo would print the command
    /// of this one.
    pub(super) fn finish(&mut self) {
        self.print();
        if self.has_errors && !self.has_printed_errors {
            let message = "the kernels have errors that are shown for another crate";
            let line = json!({
                "$message_type": "diagnostic",
                "message": message,
                "code": null,
                "level": "error",
                "spans": [],
                "children": [],
                "rendered": format!("error: {message}\n"),
            });
            let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
        }
    }

    /// Prints the diagnostics that were reported since the last call.
    fn print(&mut self) {
        let bytes = std::fs::read(self.file.path()).unwrap_or_default();
        let new = bytes.get(self.printed..).unwrap_or_default();
        self.printed = bytes.len();
        for line in new.split_inclusive(|byte| *byte == b'\n') {
            let Ok(diagnostic) = serde_json::from_slice::<Value>(line) else { continue };
            let is_error = diagnostic["level"] == "error";
            self.has_errors |= is_error;
            if is_error && !is_first(&diagnostic, std::env::var_os(SHOWN).as_deref().map(Path::new)) {
                continue;
            }
            self.has_printed_errors |= is_error;
            let text = match self.speaks_json {
                true => line,
                false => diagnostic["rendered"].as_str().unwrap_or_default().as_bytes(),
            };
            let _ = std::io::stderr().write_all(text);
        }
    }
}

/// The line, in which rustc does not advise to add another crate that has the name of ours. The words need no escape in
/// JSON.
fn with_our_advice(line: &[u8]) -> Cow<'_, [u8]> {
    const THEIRS: &str = "use `cargo add offload` to add it to your `Cargo.toml`";
    const OURS: &str = "add `offload-kernels` to the dependencies in `Cargo.toml`, and run `cargo offloadc setup`";
    match std::str::from_utf8(line) {
        Ok(text) if text.contains(THEIRS) => Cow::Owned(text.replace(THEIRS, OURS).into_bytes()),
        _ => Cow::Borrowed(line),
    }
}

/// Whether no other crate has shown this error in this run of cargo: a library and its tests have the same kernels.
fn is_first(diagnostic: &Value, shown: Option<&Path>) -> bool {
    let Some(folder) = shown.filter(|folder| !folder.as_os_str().is_empty()) else { return true };
    let name = blake3::hash(format!("{}\n{}", diagnostic["message"], diagnostic["spans"]).as_bytes()).to_hex();
    let made = std::fs::OpenOptions::new().write(true).create_new(true).open(folder.join(name.as_str()));
    !made.is_err_and(|error| error.kind() == std::io::ErrorKind::AlreadyExists)
}

/// Whether this is rustc's error about a linker that failed: "linking with `…` failed: exit status: 1".
fn is_about_linker(diagnostic: &Value) -> bool {
    let message = diagnostic["message"].as_str().unwrap_or_default();
    message.starts_with("linking with `") && message.contains("` failed: ")
}

/// Whether this counts errors, among them the one about the linker.
fn is_summary(diagnostic: &Value) -> bool {
    diagnostic["message"].as_str().is_some_and(|message| message.starts_with("aborting due to "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rustcs_lines_about_the_linker_are_known() {
        let of = |message: &str| json!({"$message_type": "diagnostic", "message": message});
        let failed = of("linking with `/a/offloadc-ld` failed: exit status: 1");
        assert!(is_about_linker(&failed) && !is_summary(&failed));
        assert!(is_summary(&of("aborting due to 2 previous errors; 1 warning emitted")));
        assert!(!is_about_linker(&of("unused: linking with `a` failed: b")) && !is_about_linker(&Value::Null));
    }

    #[test]
    fn a_package_without_the_crate_is_told_its_name() {
        let of = |name: &str| format!("help: use `cargo add {name}` to add it to your `Cargo.toml`\\n\"}}\n");
        let shown = |text: &str| String::from_utf8(with_our_advice(text.as_bytes()).into_owned()).unwrap();
        let text = shown(&of("offload"));
        assert!(text.contains("add `offload-kernels`") && text.ends_with("setup`\\n\"}\n"), "{text}");
        assert_eq!(shown(&of("offloading")), of("offloading"));
        assert!(matches!(with_our_advice(b"\xff"), Cow::Borrowed(_)));
    }

    #[test]
    fn an_error_is_shown_by_the_first_crate_that_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let error = |message: &str| json!({"message": message, "spans": []});
        assert!(is_first(&error("a"), Some(folder.path())) && is_first(&error("b"), Some(folder.path())));
        assert!(!is_first(&error("a"), Some(folder.path())));
        assert!(is_first(&error("a"), None) && is_first(&error("a"), Some(Path::new("/none/such"))));
    }
}
