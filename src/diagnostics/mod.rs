//! Diagnostics about the input: collected without duplicates, and printed as text or as JSON lines.
//!
//! The table of codes is in `diagnostics/code.rs`, the form of explanations in `explain.rs`, and the two printed forms
//! in `render.rs`, with the spans of JSON in `spans.rs`. Failed operations are [`crate::error::Error`]s; they become
//! diagnostics without a code only for printing.

mod call_path;
mod code;
mod explain;
mod location;
pub mod nearest;
mod remark;
mod render;
mod spans;

pub use call_path::{CallPath, Owner, Step};
pub use code::Code;
pub use explain::document;
pub use location::Location;
pub use remark::{Remark, Topic};
pub use render::{ColorChoice, Renderer};

use crate::error::Error;

/// The severity, from worst to harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// There is no output.
    Error,
    /// There is output, but perhaps not the intended one.
    Warning,
    /// Information.
    Note,
    /// How code is executed, which `--remarks` asks for.
    Remark,
}

impl Severity {
    /// The word in text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
            Self::Remark => "remark",
        }
    }

    /// The level in JSON, where rustc has no remarks.
    fn level(self) -> &'static str {
        if self == Self::Remark { Self::Note.name() } else { self.name() }
    }
}

/// One finding about the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The cause; `None` for a failed operation.
    pub code: Option<Code>,
    /// Its severity.
    pub severity: Severity,
    /// In lower case, without a final period; names are demangled and in backquotes.
    pub message: String,
    /// The source location, if debug information has one.
    pub location: Option<Location>,
    /// The call paths from kernels, shortest first.
    pub call_paths: Vec<CallPath>,
    /// Explanations.
    pub notes: Vec<String>,
    /// The reader's options.
    pub help: Vec<String>,
    /// The archs that it was found for, in the order of the command line; empty if it concerns no particular arch.
    pub targets: Vec<String>,
    /// The facts of a remark; none for all others.
    pub remark: Option<Remark>,
}

impl Diagnostic {
    /// A diagnostic without a code.
    pub fn new(severity: Severity, message: impl Into<String>) -> Self {
        Self {
            code: None,
            severity,
            message: message.into(),
            location: None,
            call_paths: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            targets: Vec::new(),
            remark: None,
        }
    }

    /// A remark.
    pub fn remark(remark: Remark, message: impl Into<String>) -> Self {
        Self { remark: Some(remark), ..Self::new(Severity::Remark, message) }
    }

    /// A diagnostic with the severity in the table of codes.
    pub fn coded(code: Code, message: impl Into<String>) -> Self {
        Self { code: Some(code), ..Self::new(code.severity(), message) }
    }

    /// Adds a code to a diagnostic without one.
    pub fn with_code(self, code: Code) -> Self {
        Self { code: Some(code), ..self }
    }

    /// Adds a location.
    pub fn at(mut self, location: Option<Location>) -> Self {
        self.location = location;
        self
    }

    /// Adds an explanation.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds notes.
    pub fn notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// Adds a suggestion.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Adds an arch that it was found for.
    pub fn target(mut self, arch: impl Into<String>) -> Self {
        self.targets.push(arch.into());
        self
    }

    /// The message and its notes in one line, for an [`Error`].
    pub fn in_one_line(&self) -> String {
        [&self.message].into_iter().chain(&self.notes).map(String::as_str).collect::<Vec<_>>().join("; ")
    }

    /// Whether it is an error about particular archs, and not a warning that `-Werror` raised.
    fn is_refusal(&self) -> bool {
        let by_nature = self.code.is_none_or(|code| code.severity() == Severity::Error);
        self.severity == Severity::Error && by_nature && !self.targets.is_empty()
    }

    /// Whether both are equal except for their archs.
    fn says_the_same(&self, other: &Self) -> bool {
        let rest = |d: &Self| (d.code, d.severity, d.location.clone());
        self.message == other.message
            && rest(self) == rest(other)
            && self.call_paths == other.call_paths
            && self.notes == other.notes
            && self.help == other.help
            && self.remark == other.remark
    }
}

impl From<&Error> for Diagnostic {
    fn from(error: &Error) -> Self {
        let text = error.to_string();
        let (message, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let diagnostic = Self::new(Severity::Error, message.trim_end());
        match rest.trim_end().lines().collect::<Vec<_>>().as_slice() {
            [] => diagnostic,
            lines => diagnostic.note(said(lines)),
        }
    }
}

/// The largest number of lines that are shown of a tool's or LLVM's output; a verifier can report thousands of errors.
const MOST_LINES: usize = 12;

/// The lines of a tool's or LLVM's output after the first one. They keep their alignment, because some contain carets.
fn said(lines: &[&str]) -> String {
    let shown = &lines[..lines.len().min(MOST_LINES)];
    let more = match lines.len() - shown.len() {
        0 => String::new(),
        more => format!("\n({more} more lines)"),
    };
    format!("it goes on:\n{}{more}", shown.join("\n"))
}

/// The warnings and notes that are shown, and the warnings that are errors: `-W<name>`, `-Wno-<name>`,
/// `-Werror[=<name>]`, `-w`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings {
    /// The values of `-W` in order; the last one that names a warning wins.
    settings: Vec<String>,
    /// `-w`.
    none: bool,
}

impl Warnings {
    /// `settings` are the values of `-W`. Returns the first one that is not the name of a warning as an error.
    pub fn new(settings: &[String], none: bool) -> std::result::Result<Self, String> {
        for setting in settings {
            let name = setting.strip_prefix("error=").or(setting.strip_prefix("no-error=")).unwrap_or(setting);
            let whole = ["error", "no-error"].contains(&setting.as_str());
            let known = |n: &str| Code::warning_names().any(|w| w == n);
            if !whole && !known(name) && !name.strip_prefix("no-").is_some_and(known) {
                return Err(name.to_string());
            }
        }
        Ok(Self { settings: settings.to_vec(), none })
    }

    /// The severity with these settings; `None` if it is not shown.
    fn severity(&self, diagnostic: &Diagnostic) -> Option<Severity> {
        if [Severity::Error, Severity::Remark].contains(&diagnostic.severity) {
            return Some(diagnostic.severity);
        }
        let name = diagnostic.code.map_or("", Code::name);
        let (mut shown, mut error) = (!self.none, false);
        for setting in &self.settings {
            match setting.as_str() {
                "error" => error = true,
                "no-error" => error = false,
                s if s == name => shown = true,
                s if s.strip_prefix("no-") == Some(name) => shown = false,
                s if s.strip_prefix("error=") == Some(name) => (shown, error) = (true, true),
                s if s.strip_prefix("no-error=") == Some(name) => error = false,
                _ => {}
            }
        }
        let raised = error && diagnostic.severity == Severity::Warning;
        shown.then_some(if raised { Severity::Error } else { diagnostic.severity })
    }
}

/// Diagnostics in the order in which they were found. One that was found for several archs is listed once, with all
/// archs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    all: Vec<Diagnostic>,
    warnings: Warnings,
    /// How many were added, and perhaps not shown.
    added: usize,
}

impl Diagnostics {
    /// An empty collection that shows every warning.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty collection that shows the warnings selected by `warnings`.
    pub fn with_warnings(warnings: Warnings) -> Self {
        Self { warnings, ..Self::default() }
    }

    /// Adds a diagnostic, or its archs to an equal one.
    pub fn push(&mut self, mut diagnostic: Diagnostic) {
        self.added += 1;
        let Some(severity) = self.warnings.severity(&diagnostic) else {
            return;
        };
        diagnostic.severity = severity;
        match self.all.iter_mut().find(|d| d.says_the_same(&diagnostic)) {
            Some(same) => {
                let new = diagnostic.targets.into_iter().filter(|t| !same.targets.contains(t)).collect::<Vec<_>>();
                same.targets.extend(new);
            }
            None => self.all.push(diagnostic),
        }
    }

    /// The errors for an arch, without warnings that `-Werror` raised.
    pub fn refusals(&self, arch: &str) -> impl Iterator<Item = &Diagnostic> {
        self.all.iter().filter(move |d| d.is_refusal() && d.targets.iter().any(|target| target == arch))
    }

    /// Turns the errors for particular archs into warnings. `-Werror` does not raise them again, and `-w` hides them.
    pub fn demote_refusals(&mut self) {
        let none = self.warnings.none;
        self.all.retain(|d| !(none && d.is_refusal()));
        self.all.iter_mut().filter(|d| d.is_refusal()).for_each(|d| d.severity = Severity::Warning);
    }

    /// In the order in which they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.all.iter()
    }

    /// How many were added, with those that are not shown.
    pub fn added(&self) -> usize {
        self.added
    }

    /// Whether there are no diagnostics.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The number of errors.
    pub fn error_count(&self) -> usize {
        self.all.iter().filter(|d| d.severity == Severity::Error).count()
    }

    /// Whether there is an error.
    pub fn has_errors(&self) -> bool {
        self.error_count() > 0
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, new: I) {
        new.into_iter().for_each(|d| self.push(d));
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.into_iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs_os(arch: &str) -> Diagnostic {
        Diagnostic::coded(Code::NeedsOperatingSystem, "kernel `k` reaches `std::fs::read`").target(arch)
    }

    #[test]
    fn the_same_fault_on_several_archs_stands_once() {
        let mut all = Diagnostics::new();
        all.extend([needs_os("sm_80"), needs_os("gfx90a"), needs_os("sm_80"), needs_os("cpu").note("elsewhere")]);
        let targets: Vec<_> = all.iter().map(|d| d.targets.join(",")).collect();
        assert_eq!(targets, ["sm_80,gfx90a", "cpu"]);
        assert_eq!(all.error_count(), 2);
    }

    #[test]
    fn the_last_setting_that_names_a_warning_wins() {
        let shown = |settings: &[&str], none| {
            let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
            let mut all = Diagnostics::with_warnings(Warnings::new(&settings, none).unwrap());
            all.push(Diagnostic::coded(Code::NoKernel, "no kernel found"));
            all.push(Diagnostic::coded(Code::NoArch, "no arch given"));
            all.push(needs_os("cpu"));
            all.iter().map(|d| d.severity.name()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(&[], false), "warning note error");
        assert_eq!(shown(&[], true), "error");
        assert_eq!(shown(&["no-no-kernel"], false), "note error");
        assert_eq!(shown(&["no-no-kernel", "no-kernel"], false), "warning note error");
        assert_eq!(shown(&["error"], false), "error note error");
        assert_eq!(shown(&["error=no-kernel"], true), "error error");
        assert_eq!(shown(&["error", "no-error=no-kernel"], false), "warning note error");
        assert_eq!(shown(&["no-default-arch"], false), "warning error");
    }

    #[test]
    fn what_a_tool_said_is_a_note_of_some_lines() {
        let short = Diagnostic::from(&Error::new("bad\n  ret\n    ^\n").context("a"));
        assert_eq!((short.message.as_str(), short.notes), ("a: bad", vec!["it goes on:\n  ret\n    ^".to_string()]));
        let long = Diagnostic::from(&Error::new("x\n".repeat(100)));
        assert!(long.notes[0].ends_with("x\nx\n(87 more lines)"), "{long:?}");
        assert!(Diagnostic::from(&Error::new("one line\n")).notes.is_empty());
    }

    #[test]
    fn an_unknown_warning_is_named() {
        assert_eq!(Warnings::new(&["no-such".to_string()], false), Err("no-such".to_string()));
    }
}
