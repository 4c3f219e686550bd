//! The two printed forms of a diagnostic: text like rustc's, and JSON lines with the format of rustc's
//! `--error-format=json`.
//!
//! The format of the JSON is described in "JSON Output" in The rustc book. Cargo and editors read it.

use super::spans::span;
use super::{CallPath, Diagnostic, Location, Owner, Remark, Severity, Step};
use serde_json::{Value, json};
use std::io::{self, IsTerminal, Write};

/// `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// When standard error is a terminal; `NO_COLOR` and `CLICOLOR_FORCE` override this.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColorChoice {
    /// Whether text on standard error is coloured.
    pub fn on_stderr(self) -> bool {
        self.decide(|name| std::env::var(name).ok(), io::stderr().is_terminal())
    }

    fn decide(self, variable: impl Fn(&str) -> Option<String>, terminal: bool) -> bool {
        let set = |name| variable(name).is_some_and(|value| !value.is_empty());
        let switched_on = |name| variable(name).map(|value| value != "0");
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto if set("NO_COLOR") => false,
            Self::Auto if set("CLICOLOR_FORCE") && switched_on("CLICOLOR_FORCE") == Some(true) => true,
            Self::Auto if switched_on("CLICOLOR") == Some(false) => false,
            Self::Auto => terminal && variable("TERM").is_none_or(|term| term != "dumb"),
        }
    }
}

/// Prints diagnostics in one of the two forms.
#[derive(Clone, Copy, Debug, Default)]
pub struct Renderer {
    /// JSON lines instead of text.
    pub json: bool,
    /// Escape sequences in the text form (in JSON, in `rendered`).
    pub color: bool,
    /// One line for each diagnostic in `rendered`, as with `--json=diagnostic-short` of rustc.
    pub short: bool,
    /// All steps of all call paths, with those of libraries and of the crate `offload`.
    pub verbose: bool,
}

impl Renderer {
    /// Writes one diagnostic and a line end.
    pub fn print(&self, diagnostic: &Diagnostic, out: &mut impl Write) -> io::Result<()> {
        out.write_all(self.render(diagnostic).as_bytes())
    }

    /// The text that [`Self::print`] writes.
    pub fn render(&self, diagnostic: &Diagnostic) -> String {
        if self.json { self.json_line(diagnostic) } else { self.human(diagnostic) }
    }

    fn human(&self, diagnostic: &Diagnostic) -> String {
        let paint = |style: &str, text: &str| {
            if self.color { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_string() }
        };
        let style = match diagnostic.severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
            Severity::Note => "1;32",
            Severity::Remark => "1;36",
        };
        let topic = || diagnostic.remark.as_ref().map(|remark| remark.topic.name().to_owned());
        let code = diagnostic.code.map(|code| code.to_string()).or_else(topic);
        let code = code.map_or(String::new(), |code| format!("[{code}]"));
        let head = paint(style, &format!("{}{code}", diagnostic.severity.name()));
        let head = format!("{head}{}\n", paint("1", &format!(": {}", diagnostic.message)));
        if self.short {
            return diagnostic.location.as_ref().map_or(String::new(), |place| format!("{}: ", in_full(place))) + &head;
        }
        let mut text = head;
        if let Some(location) = &diagnostic.location {
            let package = location.package().map_or(String::new(), |(package, _)| format!(" ({package})"));
            text += &format!("  {} {}{package}\n", paint("1;34", "-->"), in_full(location));
        }
        let notes = self.notes(diagnostic).into_iter().map(|note| ("note", note));
        let help = diagnostic.help.iter().map(|help| ("help", help.clone()));
        for (word, line) in notes.chain(help) {
            // Further lines of a note are aligned with its first one.
            let line = line.trim_end().replace('\n', "\n          ");
            text += &format!("  {} {}: {line}\n", paint("1;34", "="), paint("1", word));
        }
        text
    }

    /// The notes: first the call paths, last the list of archs.
    fn notes(&self, diagnostic: &Diagnostic) -> Vec<String> {
        let most = if self.verbose { usize::MAX } else { SHOWN_PATHS };
        let call_paths = diagnostic.call_paths.iter().enumerate().take(most);
        let mut notes: Vec<_> =
            call_paths.filter_map(|(index, path)| call_path(path, index == 0, self.shown(path, false))).collect();
        match diagnostic.call_paths.len().saturating_sub(most) {
            0 => {}
            1 => notes.push("one more kernel reaches it".to_owned()),
            more => notes.push(format!("{more} more kernels reach it")),
        }
        notes.extend(diagnostic.notes.iter().cloned());
        if !diagnostic.targets.is_empty() {
            notes.push(format!("for {}", diagnostic.targets.join(", ")));
        }
        notes
    }

    /// The names of the steps of a call path that are shown. In JSON (`whole`), long paths are complete.
    fn shown(&self, path: &CallPath, whole: bool) -> Vec<String> {
        match (self.verbose, whole) {
            (true, _) => path.steps.iter().map(step_in_full).collect(),
            (false, true) => path.without_own().iter().map(step).collect(),
            (false, false) => {
                let mut names = in_short(&path.without_own());
                if names.len() > SHOWN_STEPS.0 + SHOWN_STEPS.1 + 1 {
                    let between = SHOWN_STEPS.0..names.len() - SHOWN_STEPS.1;
                    let _left_out = names.splice(between, [LEFT_OUT.to_owned()]);
                }
                names
            }
        }
    }

    fn json_line(&self, diagnostic: &Diagnostic) -> String {
        let code = diagnostic.code.map(|code| json!({"code": code.to_string(), "explanation": code.explanation()}));
        let spans: Vec<Value> = diagnostic.location.iter().map(|place| span(place, None, true)).collect();
        let remark = diagnostic.remark.as_ref();
        let topic = || remark.map(|remark| json!({"code": remark.topic.name(), "explanation": null}));
        let mut line = json!({
            "$message_type": "diagnostic",
            "message": diagnostic.message,
            "code": code.or_else(topic),
            "level": diagnostic.severity.level(),
            "spans": spans,
            "children": self.children(diagnostic),
            "rendered": self.human(diagnostic),
        });
        if let Some(Remark { topic, kernel, region, cause, width }) = remark {
            line["remark"] = json!({
                "pass": topic.name(),
                "kernel": kernel,
                "region": region,
                "cause": cause,
                "width": width,
                "archs": diagnostic.targets,
            });
        }
        format!("{line}\n")
    }

    /// All notes: the call path of each kernel with the locations of its calls, other notes, the archs, the help.
    fn children(&self, diagnostic: &Diagnostic) -> Vec<Value> {
        let child = |level: &str, message: &str, spans: Vec<Value>| json!({"message": message, "code": null, "level": level, "spans": spans, "children": [], "rendered": null});
        let call_paths = diagnostic.call_paths.iter().enumerate().filter_map(|(index, path)| {
            let steps = if self.verbose { path.steps.clone() } else { path.without_own() };
            let label = |step: &Step| format!("`{}`", step.name);
            let place = |step: &Step| step.at.as_ref().map(|at| span(at, Some(&label(step)), false));
            Some(child(
                "note",
                &call_path(path, index == 0, self.shown(path, true))?,
                steps.iter().filter_map(place).collect(),
            ))
        });
        let archs = (!diagnostic.targets.is_empty()).then(|| format!("for {}", diagnostic.targets.join(", ")));
        let notes = diagnostic.notes.iter().chain(&archs).map(|note| child("note", note, Vec::new()));
        let help = diagnostic.help.iter().map(|help| child("help", help, Vec::new()));
        call_paths.chain(notes).chain(help).collect()
    }
}

/// The largest number of call paths in the text form; further kernels are only counted. JSON contains all.
const SHOWN_PATHS: usize = 4;
/// The numbers of steps at the start and at the end of a call path that are shown; the steps between them are left out.
const SHOWN_STEPS: (usize, usize) = (4, 3);

const LEFT_OUT: &str = "…";

/// A call path as a sentence; none for the first one if it has no more information than the message.
fn call_path(call_path: &CallPath, first: bool, names: Vec<String>) -> Option<String> {
    let verb = if call_path.to_function { "called" } else { "reached" };
    match (names.len(), first) {
        (1, true) => return None,
        (1, false) => return Some(format!("also in {}", names[0])),
        _ => {}
    }
    let also = if first { "" } else { "also " };
    Some(format!("{also}{verb} through {}", names.join(" → ")))
}

/// The steps without those within libraries, between the call of a library function and the user's code that
/// it calls.
fn in_short(steps: &[Step]) -> Vec<String> {
    let of_library = |i: usize| steps[i].owner != Owner::User;
    let inside = |i: usize| i > 0 && i + 1 < steps.len() && of_library(i) && of_library(i - 1);
    let mut names = Vec::new();
    for (i, each) in steps.iter().enumerate() {
        let run = inside(i) && (inside(i + 1) || inside(i - 1));
        match run {
            false => names.push(step(each)),
            true if !inside(i - 1) => names.push(LEFT_OUT.to_owned()),
            true => {}
        }
    }
    names
}

fn step(step: &Step) -> String {
    step_at(step, step.at.as_ref().map(Location::to_string))
}

fn step_in_full(step: &Step) -> String {
    step_at(step, step.at.as_ref().map(in_full))
}

fn step_at(step: &Step, place: Option<String>) -> String {
    match place {
        Some(place) => format!("`{}` ({place})", step.name),
        None => format!("`{}`", step.name),
    }
}

/// A location with the whole path of its file, which a terminal or an editor opens.
fn in_full(location: &Location) -> String {
    location.with_position(&location.path().display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Code;

    fn example() -> Diagnostic {
        let location = Location { file: "src/lib.rs".to_string(), line: 12, column: 9, ..Location::default() };
        let step =
            |name: &str, at: Option<&Location>| Step { name: name.to_owned(), at: at.cloned(), owner: Owner::User };
        let call_path = |kernel, between: &str| CallPath {
            steps: vec![step(kernel, None), step(between, None), step("std::fs::read", Some(&location))],
            fault: None,
            to_function: true,
        };
        let call_paths = vec![call_path("vecadd", "load_row"), call_path("vecsub", "load_rows")];
        let diagnostic = Diagnostic::coded(
            Code::NeedsOperatingSystem,
            "kernel `vecadd` reaches `std::fs::read`, which needs an operating system",
        )
        .at(Some(location.clone()))
        .help("move the call out of the kernel")
        .target("sm_80")
        .target("gfx90a");
        Diagnostic { call_paths, ..diagnostic }
    }

    #[test]
    fn text_has_the_documented_form() {
        let text = Renderer::default().render(&example());
        let expected = "\
error[OFC0007]: kernel `vecadd` reaches `std::fs::read`, which needs an operating system
  --> src/lib.rs:12:9
  = note: called through `vecadd` → `load_row` → `std::fs::read` (src/lib.rs:12:9)
  = note: also called through `vecsub` → `load_rows` → `std::fs::read` (src/lib.rs:12:9)
  = note: for sm_80, gfx90a
  = help: move the call out of the kernel
";
        assert_eq!(text, expected);
        let colored = Renderer { color: true, ..Renderer::default() }.render(&example());
        assert!(colored.starts_with("\x1b[1;31merror[OFC0007]\x1b[0m\x1b[1m: kernel"));
        let short = Renderer { short: true, ..Renderer::default() }.render(&example());
        assert_eq!(
            short,
            "src/lib.rs:12:9: error[OFC0007]: kernel `vecadd` reaches `std::fs::read`, which needs an operating system\n"
        );
    }

    #[test]
    fn functions_of_the_crate_are_shown_on_request() {
        let mut diagnostic = example();
        let own = |name: &str| Step { name: name.to_owned(), at: None, owner: Owner::Crate };
        let call = own("<Function as offload::param::ScopedCallable<(A,)>>::run");
        diagnostic.call_paths[0].steps.splice(1..1, [call]);
        let text = Renderer::default().render(&diagnostic);
        assert!(text.contains("called through `vecadd` → `load_row` → `std::fs::read`"), "{text}");
        let all = Renderer { verbose: true, ..Renderer::default() }.render(&diagnostic);
        assert!(all.contains("`vecadd` → `<Function as offload::param::ScopedCallable<(A,)>>::run` → `load_row`"));
        let line = Renderer { json: true, ..Renderer::default() }.render(&diagnostic);
        assert!(!line.contains("ScopedCallable"), "{line}");
    }

    #[test]
    fn json_is_one_line_shaped_like_rustc() {
        let line = Renderer { json: true, ..Renderer::default() }.render(&example());
        assert_eq!(line.matches('\n').count(), 1);
        assert!(line.starts_with("{\"$message_type\":\"diagnostic\",\"message\":"));
        let value: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["code"]["code"], "OFC0007");
        assert_eq!(value["spans"][0]["line_start"], 12);
        assert_eq!(value["children"][1]["spans"][0]["label"], "`std::fs::read`");
        assert_eq!(value["children"][2]["message"], "for sm_80, gfx90a");
        assert_eq!(value["children"][3]["level"], "help");
        assert!(value["rendered"].as_str().unwrap().contains("  --> src/lib.rs:12:9"));
    }

    #[test]
    fn color_follows_the_variables() {
        let auto = |set: &[(&str, &str)], terminal| {
            let variable = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string());
            ColorChoice::Auto.decide(variable, terminal)
        };
        assert!(auto(&[], true) && !auto(&[], false));
        assert!(!auto(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], true));
        assert!(auto(&[("NO_COLOR", ""), ("CLICOLOR_FORCE", "1")], false));
        assert!(!auto(&[("CLICOLOR_FORCE", "0")], false));
        assert!(!auto(&[("CLICOLOR", "0")], true) && !auto(&[("TERM", "dumb")], true));
        assert!(ColorChoice::Always.decide(|_| None, false) && !ColorChoice::Never.decide(|_| None, true));
    }
}
