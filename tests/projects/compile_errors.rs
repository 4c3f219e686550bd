//! Compile errors of the `offload` crate: each program of `tests/compile_errors/` fails with the lines of its file in
//! `expected/`.
//!
//! These lines are the errors, their locations, and the crate's labels and notes. Each must be part of a line that
//! rustc prints, in this order, with every rustc from 1.90. rustc's own texts differ between versions, so a file
//! contains only the part of such a line that a user needs. No line contains the text after `[no]`.
//! `OFFLOADC_BLESS=1` writes the files that differ, with more lines than necessary.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use harness::program::rustc_version;

/// The beginnings of notes that rustc itself writes about types and bounds. They differ between versions.
const OF_RUSTC: [&str; 9] = [
    "the following",
    "the trait",
    "required",
    "this error originates",
    "the full name",
    "consider using",
    "the rules on what",
    "the raw bytes",
    "evaluation of",
];

/// The beginning of a line with text that no message contains.
const NO: &str = "[no] ";

fn folder() -> PathBuf {
    harness::root().join("tests/compile_errors")
}

/// Returns the part of a line of rustc that an expectation contains.
fn kept(line: &str) -> Option<String> {
    let text = line.trim_start();
    if text.starts_with("error") {
        return (!text.starts_with("error: could not compile")).then(|| text.to_owned());
    }
    if let Some(place) = text.strip_prefix("--> src/bin/") {
        let (place, _column) = place.rsplit_once(':')?;
        return Some(format!("--> src/bin/{place}:"));
    }
    if let Some(note) = text.strip_prefix("= note: ") {
        return (!OF_RUSTC.iter().any(|start| note.starts_with(start))).then(|| format!("= note: {note}"));
    }
    let (_, label) = text.rsplit_once("^ ")?;
    (!OF_RUSTC.iter().any(|start| label.starts_with(start))).then(|| format!("^ {label}"))
}

/// The first expected line that the output lacks after the previous one. `[1.95] text` is expected only from that
/// version of rustc, and `[no] text` nowhere.
fn missing<'a>(expected: &'a str, output: &str, rustc: u32) -> Option<&'a str> {
    let (unwanted, expected): (Vec<_>, Vec<_>) = expected.lines().partition(|line| line.starts_with(NO));
    if let Some(line) = unwanted.into_iter().find(|line| output.contains(&line[NO.len()..])) {
        return Some(line);
    }
    let mut lines = output.lines();
    let since = |line: &'a str| match line.strip_prefix("[1.").and_then(|rest| rest.split_once("] ")) {
        Some((minor, text)) => (minor.parse().expect("a version's number"), text),
        None => (0, line),
    };
    let of_this = expected.into_iter().map(since).filter(|(minor, _)| *minor <= rustc).map(|(_, text)| text);
    of_this.into_iter().find(|wanted| !lines.any(|line| line.contains(wanted)))
}

/// Compiles all programs at once, and returns the messages of each by its name.
fn messages() -> BTreeMap<String, String> {
    let mut command = harness::cargo::cargo(&folder());
    command.args(["build", "--quiet", "--bins", "--keep-going", "--message-format=json"]);
    command.env("CARGO_TARGET_DIR", harness::cargo::target());
    let ran = harness::run_within(&mut command, Duration::from_secs(600));
    assert_eq!(ran.code(), 101, "{}", ran.report());
    let mut messages = BTreeMap::<String, String>::new();
    for line in ran.stdout().lines() {
        let message: serde_json::Value = serde_json::from_str(line).expect("cargo writes JSON");
        if let (Some(name), Some(text)) = (message["target"]["name"].as_str(), message["message"]["rendered"].as_str())
        {
            messages.entry(name.to_owned()).or_default().push_str(text);
        }
    }
    messages
}

/// The most lines of a message about the arguments of a launch. All but the note are rustc's frame: the user's line,
/// the trait, and the bound with its own line, which is 12 lines, or 15 if the whole tuple is at fault.
const ARGUMENT_LINES: usize = 15;

/// Compares the messages for one program with its file.
fn check(name: &str, output: &str, rustc: u32) -> Result<(), String> {
    let file = folder().join("expected").join(format!("{name}.txt"));
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    let lacking = match missing(&expected, output, rustc) {
        None if !expected.is_empty() => return Ok(()),
        None => "every line: the file is not there",
        Some(line) => line,
    };
    if std::env::var_os("OFFLOADC_BLESS").is_some() && !output.is_empty() {
        let lines: String = output.lines().filter_map(kept).map(|line| line + "\n").collect();
        std::fs::write(&file, lines).expect("the repository is ours to write");
    }
    Err(format!("{name}: lacks `{lacking}`\n{output}"))
}

#[test]
fn every_refused_program_says_why() {
    let programs = std::fs::read_dir(folder().join("src/bin")).expect("the programs are there");
    let stem = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
    let mut names: Vec<String> = programs.filter_map(|entry| stem(entry.ok()?.path())).collect();
    names.sort();
    assert!(names.len() > 20, "{names:?}");
    let (messages, rustc) = (messages(), rustc_version());
    let of_the_crate: Vec<_> = ["offload", "offload_macros"].iter().filter_map(|name| messages.get(*name)).collect();
    assert!(of_the_crate.is_empty(), "the crate itself compiles without a warning: {of_the_crate:#?}");
    let of = |name: &String| messages.get(name).map(String::as_str).unwrap_or_default();
    let mut faults: Vec<String> = names.iter().filter_map(|name| check(name, of(name), rustc).err()).collect();
    for name in names.iter().filter(|name| name.starts_with("argument_")) {
        let errors = of(name).split("error[").skip(1).filter_map(|text| text.split("\n\n").next());
        let long = errors.into_iter().find(|text| text.lines().count() > ARGUMENT_LINES);
        faults.extend(long.map(|text| format!("{name}: more than {ARGUMENT_LINES} lines\n{text}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn expectations_are_in_order_and_complete() {
    assert_eq!(missing("b\nc", "a b\nx\nc d", 95), None);
    assert_eq!(missing("c\nb", "a b\nx\nc d", 95), Some("b"));
    assert_eq!(missing("[1.95] b\nc", "a\nc d", 90), None);
    assert_eq!(missing("[1.95] b\nc", "a\nc d", 95), Some("b"));
    assert_eq!(missing("[1.95] b\n[1.100] c", "a\nb", 99), None);
    assert_eq!(missing("[1.95] b\n[1.100] c", "a\nb", 100), Some("c"));
    assert_eq!(missing("b\n[no] c", "a\nb", 95), None);
    assert_eq!(missing("b\n[no] c", "a c\nb", 95), Some("[no] c"));
}
