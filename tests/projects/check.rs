//! `cargo offloadc check`: `tests/check/`, whose kernels have errors at known lines.
//!
//! A comment `//~ CODE` is at the line of each error.

mod language_server;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use harness::{Outcome, cargo, run_within};
use serde_json::Value;

/// An error: the file, the line and the code.
type Error = (String, u64, String);

/// cargo's word for a run of its JSON.
const JSON: &str = "--message-format=json";

/// `cargo offloadc` in `tests/check/`. Later runs reuse the target folder.
fn offloadc(words: &[&str]) -> Outcome {
    run_within(&mut command(words), Duration::from_secs(600))
}

fn command(words: &[&str]) -> Command {
    let mut command = cargo::cargo(&harness::root().join("tests/check"));
    command.args(["offloadc", words[0], "--locked"]).args(&words[1..]);
    command.env("CARGO_TARGET_DIR", cargo::target());
    command
}

/// The errors that the comments in a file announce, after `//~ ` and these words.
fn expected(file: &str, words: &str) -> Vec<Error> {
    let source = std::fs::read_to_string(harness::root().join("tests").join(file)).expect("the test's own file");
    let announced = |(number, line): (u64, &str)| {
        let code = line.split_once("//~ ")?.1.strip_prefix(words)?;
        Some((file.to_owned(), number, code.to_owned()))
    };
    (1..).zip(source.lines()).filter_map(announced).collect()
}

/// rustc's messages in cargo's JSON that are errors with a place.
fn messages(ran: &Outcome) -> Vec<Value> {
    messages_of(ran, "error")
}

fn messages_of(ran: &Outcome, level: &str) -> Vec<Value> {
    let lines = ran.stdout();
    let values = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("each line is JSON"));
    let messages = values.filter(|value| value["reason"] == "compiler-message").map(|value| value["message"].clone());
    messages.filter(|message| message["level"] == level && message["spans"][0].is_object()).collect()
}

/// The errors of a run with JSON, sorted.
fn errors(ran: &Outcome) -> Vec<Error> {
    places(messages(ran))
}

fn places(messages: Vec<Value>) -> Vec<Error> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let error = |message: Value| {
        let spans = message["spans"].as_array().expect("a list").clone();
        let primary = spans.iter().find(|span| span["is_primary"] == true).expect("one is primary");
        (text(&primary["file_name"]), primary["line_start"].as_u64().expect("a line"), text(&message["code"]["code"]))
    };
    let mut all: Vec<_> = messages.into_iter().map(error).collect();
    all.sort();
    all
}

/// The lines of errors and their places in text.
fn shown(ran: &Outcome) -> BTreeSet<String> {
    let lines = ran.stderr();
    let of_offloadc = |line: &&str| line.starts_with("error[OFC") || line.starts_with("  --> ");
    lines.lines().filter(of_offloadc).map(str::to_owned).collect()
}

#[test]
fn faults_of_kernels_are_messages_of_cargo() {
    let checked = offloadc(&["check", "--bin=check", JSON]);
    assert_eq!(checked.code(), 1, "{}", checked.report());
    let wanted = expected("check/src/main.rs", "");
    assert_eq!((wanted.len(), errors(&checked)), (5, wanted), "{}", checked.report());
    let lock = messages(&checked).into_iter().find(|m| m["message"].as_str().is_some_and(|m| m.contains("locks")));
    let lock = lock.expect("it is one of them");
    let span = &lock["spans"][0];
    let text = span["text"][0]["text"].as_str().expect("the line is there");
    assert!(text.contains("LOCK.lock()"), "{span}");
    let columns = ["column_start", "column_end"].map(|key| span[key].as_u64().expect("a column") as usize);
    assert_eq!(&text[columns[0] - 1..columns[1] - 1], "lock");
    let children = lock["children"].as_array().expect("a list");
    let chain = children.iter().find(|child| child["message"].as_str().is_some_and(|m| m.starts_with("called")));
    let spans = chain.expect("there is a call chain")["spans"].as_array().expect("a list").clone();
    assert!(spans.iter().any(|span| span["label"].as_str().is_some_and(|label| label.contains("Mutex"))), "{spans:?}");
    assert!(spans.iter().all(|span| span["is_primary"] == false) && children.iter().any(|c| c["level"] == "help"));
    assert!(!checked.mentions("linking with") && !checked.mentions("ScopedCallable"), "{}", checked.report());
}

#[test]
fn all_commands_show_the_same_faults_once() {
    let built = offloadc(&["build", "--bin=check"]);
    let (checked, linted) = (offloadc(&["check", "--bin=check"]), offloadc(&["clippy", "--bin=check"]));
    assert_eq!([&built, &checked, &linted].map(Outcome::code), [101, 1, 1]);
    for ran in [&built, &checked, &linted] {
        assert_eq!(ran.stderr().matches("error[OFC").count(), 5, "{}", ran.report());
        assert_eq!(shown(ran), shown(&built), "{}", ran.report());
        assert!(!ran.mentions("linking with") && !ran.mentions("src/param.rs"), "{}", ran.report());
    }
    let all = offloadc(&["check", "--bin=check", "-v"]).stderr();
    assert!(all.contains("offload::param::ScopedCallable<"), "{all}");
    let short = offloadc(&["check", "--bin=check", "--message-format=short"]).stderr();
    assert!(short.contains("\ncheck/src/main.rs:") && !short.contains("  --> "), "{short}");
}

#[test]
fn kernels_of_a_library_are_checked_though_nothing_launches_them() {
    let checked = offloadc(&["check", "--lib", "--tests", "--features=refused", JSON]);
    assert_eq!(checked.code(), 1, "{}", checked.report());
    assert_eq!(errors(&checked), expected("check/src/lib.rs", "refused "), "{}", checked.report());
    let checked = offloadc(&["check", "--lib", JSON]).success();
    assert!(messages(&checked).is_empty());
    let again = offloadc(&["check", "--lib"]).success();
    assert!(!again.mentions("Checking check"), "nothing has changed: {}", again.report());
    // The processor's bits are the same, but the code is another.
    let other = offloadc(&["check", "--lib", "--offload-arch=sm_80"]).success();
    assert!(other.mentions("Checking check"), "{}", other.report());
}

#[test]
fn a_missing_derive_is_one_error() {
    let checked = offloadc(&["check", "--bin=derive", "--features=broken", JSON]);
    assert_eq!(checked.code(), 1, "{}", checked.report());
    assert_eq!(errors(&checked), expected("check/src/bin/derive.rs", ""), "{}", checked.report());
}

/// A check reads the types of crates with promises in their files, and a build those of all crates.
#[test]
fn promises_about_addresses_are_checked() {
    for command in ["check", "build"] {
        let ran = offloadc(&[command, "--bin=promises", JSON]).success();
        let warnings = places(messages_of(&ran, "warning"));
        assert_eq!(warnings, expected("check/src/bin/promises.rs", ""), "{}", ran.report());
    }
}

/// Part of `make test-all`, because rust-analyzer may have to be downloaded.
#[test]
fn rust_analyzer_shows_each_fault_once() {
    if std::env::var_os("OFFLOADC_ALL_EDITORS").is_none() {
        return;
    }
    let Some(server) = language_server() else {
        println!("skipped: rust-analyzer is not installed");
        return;
    };
    let words: Vec<String> =
        command(&["check", "--bin=check", JSON]).get_args().map(|word| word.to_string_lossy().into_owned()).collect();
    let check = [vec!["cargo".to_owned()], words].concat();
    let mut program = Command::new(server);
    cargo::prepare(&mut program).env("CARGO_TARGET_DIR", cargo::target());
    let folder = harness::root().join("tests/check");
    let file = folder.join("src/main.rs");
    let mut lines = language_server::diagnostics(program, &folder, &file, &check);
    lines.sort();
    let wanted: Vec<_> = expected("check/src/main.rs", "").into_iter().map(|(_, line, code)| (line, code)).collect();
    assert_eq!(lines, wanted);
}

/// The rust-analyzer of one of the toolchains that `scripts/toolchains` installs.
fn language_server() -> Option<PathBuf> {
    let toolchains = std::fs::read_dir(harness::root().join("target/toolchains/toolchains")).ok()?;
    let mut all: Vec<_> = toolchains.flatten().map(|entry| entry.path().join("bin/rust-analyzer")).collect();
    all.sort();
    all.into_iter().find(|path| path.is_file())
}
