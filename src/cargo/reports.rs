//! The reports of the checker for kernels: read from the file that all checked programs append to, merged, and
//! rendered.
//!
//! The runtime writes one JSON object per line, once per process for each pair of places. Several processes may find
//! the same pair, and so may several kernels, instances of one generic function for example. The merged report names
//! all kernels, and shows the threads of the first one.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::program_commands::Form;
use crate::diagnostics::Location;

/// A place in the source, by which accesses are compared and sorted.
type Place = (String, u64, u64, String, String);

/// The reports of all processes, without repetitions, in the order of their places.
pub(super) struct Reports {
    merged: BTreeMap<(Vec<Place>, String), Merged>,
    /// The number of lines that are no report.
    damaged: usize,
}

/// A report, and the kernels in which the error was found.
struct Merged {
    report: Value,
    kernels: Vec<String>,
}

impl Reports {
    /// Reads the lines of a report file.
    pub(super) fn merge(lines: &str) -> Self {
        let mut reports = Self { merged: BTreeMap::new(), damaged: 0 };
        for line in lines.lines() {
            match serde_json::from_str::<Value>(line) {
                Ok(report) if report["kind"].is_string() => reports.add(report),
                _ => reports.damaged += 1,
            }
        }
        reports
    }

    fn add(&mut self, report: Value) {
        let mut places: Vec<_> = accesses(&report).iter().map(place).collect();
        places.sort();
        let kernel = text(&report, "kernel");
        let key = (places, text(&report, "kind"));
        let merged = self.merged.entry(key).or_insert_with(|| Merged { report, kernels: Vec::new() });
        if let Err(at) = merged.kernels.binary_search(&kernel) {
            merged.kernels.insert(at, kernel);
        }
    }

    /// Whether nothing was reported.
    pub(super) fn is_empty(&self) -> bool {
        self.merged.is_empty() && self.damaged == 0
    }

    /// The text to print.
    pub(super) fn render(&self, form: Form, color: bool) -> String {
        let all = self.merged.values();
        match form {
            Form::Json => all.map(Merged::json).collect(),
            Form::Text => all.map(|merged| merged.human(color)).chain(self.summary(color)).collect(),
        }
    }

    /// The last line; none without reports.
    fn summary(&self, color: bool) -> Option<String> {
        let count = match self.merged.len() {
            1 => "1 error".to_owned(),
            many => format!("{many} errors"),
        };
        let damaged = match self.damaged {
            0 => String::new(),
            1 => ", and 1 line of its file is damaged".to_owned(),
            many => format!(", and {many} lines of its file are damaged"),
        };
        let message = format!(": the checker reported {count} in kernels{damaged}");
        (!self.is_empty()).then(|| format!("{}{}\n", paint(color, "1;31", "error"), paint(color, "1", &message)))
    }
}

impl Merged {
    /// The runtime's object, with all kernels instead of one.
    fn json(&self) -> String {
        let mut report = self.report.clone();
        if let Some(fields) = report.as_object_mut() {
            let _ = fields.remove("kernel");
            let _ = fields.insert("kernels".to_owned(), json!(self.kernels));
        }
        format!("{report}\n")
    }

    fn human(&self, color: bool) -> String {
        let head = paint(color, "1;31", &format!("error[{}]", text(&self.report, "kind")));
        let mut lines = head + &paint(color, "1", &format!(": {}", text(&self.report, "message"))) + "\n";
        for access in accesses(&self.report) {
            lines += &format!("  {} {}\n", paint(color, "1;34", "-->"), shown_place(access));
            lines += &note(color, &described(access));
            if access["inner"].is_object() {
                lines += &note(color, &format!("it is in {}", shown_inner(&access["inner"])));
            }
        }
        let kernels: Vec<_> = self.kernels.iter().map(|name| format!("`{name}`")).collect();
        let word = if kernels.len() == 1 { "kernel" } else { "kernels" };
        lines + &note(color, &format!("in {word} {}", kernels.join(", ")))
    }
}

fn note(color: bool, text: &str) -> String {
    format!("  {} {}: {text}\n", paint(color, "1;34", "="), paint(color, "1", "note"))
}

fn paint(color: bool, style: &str, text: &str) -> String {
    if color { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_owned() }
}

fn accesses(report: &Value) -> &[Value] {
    report["accesses"].as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

fn number(value: &Value, field: &str) -> u64 {
    value[field].as_u64().unwrap_or_default()
}

fn place(access: &Value) -> Place {
    let name = |field| text(access, field);
    (name("file"), number(access, "line"), number(access, "column"), name("function"), name("access"))
}

/// The line, or the function if the program has no line tables.
fn shown_place(access: &Value) -> String {
    let small = |field| u32::try_from(number(access, field)).unwrap_or_default();
    let location =
        Location { file: text(access, "file"), line: small("line"), column: small("column"), ..Location::default() };
    match location.line {
        0 => format!("`{}`", text(access, "function")),
        _ => location.to_string(),
    }
}

/// A place in a library. Its file may have the name of one of the user's, so the function is named, too.
fn shown_inner(place: &Value) -> String {
    let function = text(place, "function");
    let is_only_function = function.is_empty() || number(place, "line") == 0;
    if is_only_function { shown_place(place) } else { format!("`{function}` ({})", shown_place(place)) }
}

/// The access, and who made it.
fn described(access: &Value) -> String {
    let bytes = match number(access, "bytes") {
        0 => String::new(),
        1 => " of 1 byte".to_owned(),
        many => format!(" of {many} bytes"),
    };
    let (block, thread) = (position(&access["block"]), position(&access["thread"]));
    format!(
        "{}{bytes} in launch {} by block {block}, thread {thread}",
        text(access, "access"),
        number(access, "launch")
    )
}

fn position(value: &Value) -> String {
    let along = |axis: usize| value[axis].as_u64().unwrap_or_default();
    format!("({}, {}, {})", along(0), along(1), along(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(what: &str, line: u32, thread: u32) -> Value {
        json!({"access": what, "file": "src/main.rs", "line": line, "column": 9, "function": "blur::row",
            "block": [0, 0, 0], "thread": [thread, 0, 0], "launch": 1, "bytes": 4})
    }

    fn race(kernel: &str, accesses: [Value; 2]) -> String {
        let message = "two threads access the same bytes, and no barrier is between them";
        json!({"kind": "data-race", "kernel": kernel, "message": message, "accesses": accesses}).to_string()
    }

    #[test]
    fn text_has_the_documented_form() {
        let line = race("blur", [access("write", 14, 3), access("read", 16, 4)]);
        let expected = "\
error[data-race]: two threads access the same bytes, and no barrier is between them
  --> src/main.rs:14:9
  = note: write of 4 bytes in launch 1 by block (0, 0, 0), thread (3, 0, 0)
  --> src/main.rs:16:9
  = note: read of 4 bytes in launch 1 by block (0, 0, 0), thread (4, 0, 0)
  = note: in kernel `blur`
error: the checker reported 1 error in kernels
";
        assert_eq!(Reports::merge(&line).render(Form::Text, false), expected);
        assert!(
            Reports::merge(&line).render(Form::Text, true).starts_with("\x1b[1;31merror[data-race]\x1b[0m\x1b[1m:")
        );
        assert!(Reports::merge("").is_empty() && Reports::merge("").render(Form::Text, false).is_empty());
    }

    #[test]
    fn a_pair_of_places_is_printed_once() {
        let lines = [
            race("b::<u8>", [access("write", 14, 3), access("read", 16, 4)]),
            race("a", [access("read", 9, 3), access("write", 14, 4)]),
            race("b::<u16>", [access("read", 16, 9), access("write", 14, 8)]),
            race("b::<u8>", [access("write", 14, 1), access("write", 16, 4)]),
        ];
        let json = Reports::merge(&lines.join("\n")).render(Form::Json, false);
        let reports: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let kernels: Vec<_> = reports.iter().map(|report| report["kernels"].to_string()).collect();
        assert_eq!(kernels, [r#"["a"]"#, r#"["b::<u16>","b::<u8>"]"#, r#"["b::<u8>"]"#]);
        assert_eq!(reports[1]["accesses"][0]["thread"], json!([3, 0, 0]), "the first report's threads");
        assert_eq!(reports[1].get("kernel"), None);
        let text = Reports::merge(&lines.join("\n")).render(Form::Text, false);
        assert!(text.contains("  = note: in kernels `b::<u16>`, `b::<u8>`\n"), "{text}");
        assert!(text.ends_with("error: the checker reported 3 errors in kernels\n"), "{text}");
    }

    #[test]
    fn a_damaged_line_is_counted() {
        let line = race("a", [access("read", 9, 3), access("write", 14, 4)]);
        let cut = Reports::merge(&format!("{line}\n{}", &line[..40]));
        assert!(cut.render(Form::Text, false).ends_with("1 error in kernels, and 1 line of its file is damaged\n"));
        let only = Reports::merge("{}\n");
        assert!(!only.is_empty() && only.render(Form::Text, false).contains("0 errors"));
    }

    #[test]
    fn places_without_lines_are_functions() {
        let mut inner = access("read", 0, 0);
        inner["inner"] = access("read", 33, 0);
        let text = Reports::merge(&race("a", [inner, access("write", 14, 4)])).render(Form::Text, false);
        assert!(
            text.contains("\n  --> `blur::row`\n")
                && text.contains("= note: it is in `blur::row` (src/main.rs:33:9)\n"),
            "{text}"
        );
    }
}
