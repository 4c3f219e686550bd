//! What is wrong with the input: collected, each distinct fault once, printed for people or as JSON lines.
//!
//! The table of codes is in `diagnostics/code.rs`, its long texts' form in `explain.rs`, the two printed forms in `render.rs`. Failed operations
//! are [`crate::error::Error`]s; they become a diagnostic without a code only to be printed.

mod code;
mod explain;
mod render;

pub use code::Code;
pub use explain::document;
pub use render::{ColorChoice, Renderer};

use crate::error::Error;

/// How bad it is. The order is from bad to harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The work cannot be done.
    Error,
    /// The work is done, perhaps not as meant.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word that is printed, in both forms.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A place in a source file. Line and column count from 1; 0 is not known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// As the debug information or the command line spells it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.line, self.column) {
            (0, _) => f.write_str(&self.file),
            (line, 0) => write!(f, "{}:{line}", self.file),
            (line, column) => write!(f, "{}:{line}:{column}", self.file),
        }
    }
}

/// A function, or at the end anything else, on the way from a kernel to a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its path.
    pub name: String,
    /// Where the step before calls or names it.
    pub at: Option<Location>,
    /// Whether it is Rust's own, and no place in the user's source.
    pub of_rust: bool,
}

/// How a kernel reaches a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPath {
    /// The kernel first; never empty.
    pub steps: Vec<Step>,
    /// The fault's own place, where it is inside the last step.
    pub fault: Option<Location>,
    /// Whether the last step is a function.
    pub to_function: bool,
}

impl CallPath {
    /// The kernel's name.
    pub fn kernel(&self) -> &str {
        &self.steps[0].name
    }
}

/// One fault of the input, or one remark on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The distinct cause; `None` for a failed operation.
    pub code: Option<Code>,
    /// How bad it is.
    pub severity: Severity,
    /// Lower case, no final period, names in backquotes and demangled.
    pub message: String,
    /// Where in the source, when debug information says so.
    pub location: Option<Location>,
    /// How kernels reach it, the shortest way first.
    pub call_paths: Vec<CallPath>,
    /// What explains it.
    pub notes: Vec<String>,
    /// What the reader can do.
    pub help: Vec<String>,
    /// The archs it was found for, in the order of the command line; empty when it concerns none in particular.
    pub targets: Vec<String>,
}

impl Diagnostic {
    /// A remark of any severity without a code.
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
        }
    }

    /// A remark with the severity that the table gives to `code`.
    pub fn coded(code: Code, message: impl Into<String>) -> Self {
        Self { code: Some(code), ..Self::new(code.severity(), message) }
    }

    /// Gives one that was made without it the code of its cause.
    pub fn with_code(self, code: Code) -> Self {
        Self { code: Some(code), ..self }
    }

    /// Adds the place.
    pub fn at(mut self, location: Option<Location>) -> Self {
        self.location = location;
        self
    }

    /// Adds an explanation.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds a way out.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Adds an arch it was found for.
    pub fn target(mut self, arch: impl Into<String>) -> Self {
        self.targets.push(arch.into());
        self
    }

    /// The message and its explanations, where an [`Error`] must say it all.
    pub fn in_one_line(&self) -> String {
        [&self.message].into_iter().chain(&self.notes).map(String::as_str).collect::<Vec<_>>().join("; ")
    }

    /// Whether it is an error of some archs, and no warning by nature.
    fn is_refusal(&self) -> bool {
        let by_nature = self.code.is_none_or(|code| code.severity() == Severity::Error);
        self.severity == Severity::Error && by_nature && !self.targets.is_empty()
    }

    /// Whether both say the same, for whatever archs.
    fn says_the_same(&self, other: &Self) -> bool {
        let rest = |d: &Self| (d.code, d.severity, d.location.clone());
        self.message == other.message
            && rest(self) == rest(other)
            && self.call_paths == other.call_paths
            && self.notes == other.notes
            && self.help == other.help
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

/// Lines of a tool or of LLVM shown at most; a verifier can find thousands.
const MOST_LINES: usize = 12;

/// What a tool or LLVM said after its first line. All lines stand under each other, for their carets' sake.
fn said(lines: &[&str]) -> String {
    let shown = &lines[..lines.len().min(MOST_LINES)];
    let more = match lines.len() - shown.len() {
        0 => String::new(),
        more => format!("\n({more} more lines)"),
    };
    format!("it goes on:\n{}{more}", shown.join("\n"))
}

/// Which warnings and notes are shown, and which warnings are errors: `-W<name>`, `-Wno-<name>`, `-Werror[=<name>]`, `-w`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings {
    /// What follows `-W`, in the order typed; the last that names a warning wins.
    settings: Vec<String>,
    /// `-w`.
    none: bool,
}

impl Warnings {
    /// `settings` are the texts after `-W`. Fails with the first that names no warning.
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

    /// The severity it is shown with; `None` when it is not shown.
    fn severity(&self, diagnostic: &Diagnostic) -> Option<Severity> {
        if diagnostic.severity == Severity::Error {
            return Some(Severity::Error);
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

/// Diagnostics in the order found; one said for several archs stands once, with the list of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    all: Vec<Diagnostic>,
    warnings: Warnings,
}

impl Diagnostics {
    /// An empty collection that shows every warning.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty collection that shows what `warnings` lets through.
    pub fn with_warnings(warnings: Warnings) -> Self {
        Self { all: Vec::new(), warnings }
    }

    /// Adds one, or its archs to an equal one that is there already.
    pub fn push(&mut self, mut diagnostic: Diagnostic) {
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

    /// The errors that are found for an arch; a warning that `-Werror` raised is none of them.
    pub fn refusals(&self, arch: &str) -> impl Iterator<Item = &Diagnostic> {
        self.all.iter().filter(move |d| d.is_refusal() && d.targets.iter().any(|target| target == arch))
    }

    /// Makes warnings of the errors that are found for archs. `-Werror` does not raise them again, and `-w` hides them.
    pub fn demote_refusals(&mut self) {
        let none = self.warnings.none;
        self.all.retain(|d| !(none && d.is_refusal()));
        self.all.iter_mut().filter(|d| d.is_refusal()).for_each(|d| d.severity = Severity::Warning);
    }

    /// In the order found.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.all.iter()
    }

    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// How many are errors.
    pub fn error_count(&self) -> usize {
        self.all.iter().filter(|d| d.severity == Severity::Error).count()
    }

    /// Whether the work must stop.
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
