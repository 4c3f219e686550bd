//! `cargo offloadc sanitize`: `tests/sanitize/`, whose kernels have errors at known lines, and programs without errors.
//!
//! A comment `//~ KIND ACCESS…` is at the line of each access that a report shows, or below it as `//~^`. The head of
//! `tests/sanitize/src/main.rs` describes these comments.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use harness::{Outcome, cargo, run_within, turns};
use serde_json::Value;

/// The detectors, with the kinds of their reports.
const DETECTORS: [(&str, &[&str]); 4] = [
    ("race", &["data-race"]),
    ("bounds", &["out-of-bounds", "use-after-free", "misaligned"]),
    ("uninit", &["uninitialized"]),
    ("barrier", &["barrier", "inactive-lane"]),
];

/// The status of a program that succeeds with reports.
const REPORTED: i32 = 66;

/// An access at a line: the file, the line and the kind of access.
type Access = (String, u64, String);
/// The kind of a report, and its accesses in order.
type Report = (String, Vec<Access>);

/// The project with the kernels that have errors.
const OWN: &str = "tests/sanitize";

/// `cargo offloadc` in a folder below the root. All of them share a target folder, and later runs reuse it.
fn offloadc(project: &str, words: &[&str]) -> Outcome {
    let mut command = cargo::cargo(&harness::root().join(project));
    command.args(["offloadc", "sanitize"]).args(words);
    command.env("CARGO_TARGET_DIR", harness::temporary().join("sanitize"));
    // rustc's own checks of alignments would end a kernel before its wrong access.
    if project == OWN {
        cargo::without_checks(&mut command, &["debug-assertions"]);
    }
    run_within(&mut command, Duration::from_secs(900))
}

/// `sanitize run` of the kernels with errors.
fn sanitize(words: &[&str]) -> Outcome {
    offloadc(OWN, &[&["run", "--locked", "--bin=sanitize"], words].concat())
}

/// The reports of a run with `--format=json`.
fn reports(ran: &Outcome) -> BTreeSet<Report> {
    let text = ran.stderr();
    let objects = text.lines().filter(|line| line.starts_with('{'));
    objects.map(|line| report(&serde_json::from_str(line).expect("it is an object"))).collect()
}

fn report(report: &Value) -> Report {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let access =
        |a: &Value| (text(&a["file"]), a["line"].as_u64().unwrap_or_default(), text(&a["access"]).replace(" ", "-"));
    let mut accesses: Vec<_> = report["accesses"].as_array().into_iter().flatten().map(access).collect();
    accesses.sort();
    (text(&report["kind"]), accesses)
}

/// The reports that the comments in the sources announce, by the names of their kernels.
fn expected() -> BTreeMap<String, Report> {
    let mut all = BTreeMap::new();
    let folder = harness::root().join("tests/sanitize/src/planted");
    for entry in std::fs::read_dir(folder).expect("the kernels are there").flatten() {
        let name = format!("sanitize/src/planted/{}", entry.file_name().to_string_lossy());
        read_comments(&std::fs::read_to_string(entry.path()).expect("it is a source"), &name, &mut all);
    }
    all.values_mut().for_each(|(_, accesses): &mut Report| accesses.sort());
    all
}

fn read_comments(source: &str, file: &str, all: &mut BTreeMap<String, Report>) {
    let mut kernel = "";
    for (number, line) in (1..).zip(source.lines()) {
        if let Some((name, _)) = line.strip_prefix("pub fn ").and_then(|rest| rest.split_once('(')) {
            kernel = name;
        }
        for comment in line.split("//~").skip(1) {
            let (comment, number) = comment.strip_prefix('^').map_or((comment, number), |rest| (rest, number - 1));
            let (name, words) = match comment.split_once(": ") {
                Some((name, words)) => (format!("{file}: {}", name.trim()), words),
                None => (kernel.to_owned(), comment),
            };
            let mut words = words.split_whitespace().map(str::to_owned);
            let kind = words.next().expect("a comment names a kind");
            let report = all.entry(name).or_insert_with(|| (kind.clone(), Vec::new()));
            assert_eq!(report.0, kind, "{file}:{number}: the accesses of one report have one kind");
            report.1.extend(words.map(|access| (file.to_owned(), number, access)));
        }
    }
}

/// Compares the reports of a run with those that are expected without the kinds `off`.
fn check(ran: &Outcome, off: &[&str]) {
    let expected = expected();
    let wanted: BTreeSet<_> = expected.values().filter(|(kind, _)| !off.contains(&kind.as_str())).cloned().collect();
    let found = reports(ran);
    let missing: Vec<_> =
        expected.iter().filter(|(_, report)| wanted.contains(report) && !found.contains(report)).collect();
    let others: Vec<_> = found.difference(&wanted).collect();
    assert!(missing.is_empty() && others.is_empty(), "missing: {missing:#?}\nothers: {others:#?}\n{}", ran.report());
}

#[test]
fn every_planted_error_is_found_at_its_lines() {
    let kinds: BTreeSet<_> = expected().into_values().map(|(kind, _)| kind).collect();
    assert_eq!(kinds.len(), DETECTORS.iter().map(|(_, kinds)| kinds.len()).sum::<usize>(), "each kind has a kernel");
    assert!(expected().len() >= 25);
    let ran = sanitize(&["--format=json"]);
    assert_eq!(ran.status.code(), Some(REPORTED), "{}", ran.report());
    check(&ran, &[]);
}

/// The other detectors still find their errors, and none of those of these detectors.
#[test]
fn detectors_that_are_off_find_nothing() {
    for two in DETECTORS.chunks(2) {
        let names: Vec<_> = two.iter().map(|(name, _)| *name).collect();
        let kinds: Vec<_> = two.iter().flat_map(|(_, kinds)| kinds.iter().copied()).collect();
        check(&sanitize(&["--format=json", &format!("--off={}", names.join(","))]), &kinds);
    }
    let names = DETECTORS.map(|(name, _)| name).join(",");
    let ran = sanitize(&["--off", &names]).success();
    assert!(!harness::without_folders(&ran.stderr()).contains("error"), "{}", ran.report());
}

#[test]
fn kernels_without_errors_have_no_reports() {
    let source = std::fs::read_to_string(harness::root().join("tests/sanitize/src/clean.rs")).expect("it is a source");
    let (_, list) = source.split_once("CASES: &[Case] = &[").expect("the list is there");
    let (list, _) = list.split_once("];").expect("the list ends");
    let names: Vec<&str> = list.lines().filter_map(|line| line.trim().strip_prefix("(\"")?.split('"').next()).collect();
    assert!(names.len() > 15, "{names:?}");
    let ran = sanitize(&[&["--"], &names[..]].concat()).success();
    assert_eq!(ran.stdout().lines().collect::<Vec<_>>(), names, "{}", ran.report());
    assert!(!harness::without_folders(&ran.stderr()).contains("error"), "{}", ran.report());
}

/// Two processes find the same pair of places, which is printed once, as text, after all output of cargo.
#[test]
fn a_pair_of_places_is_printed_once() {
    let source =
        std::fs::read_to_string(harness::root().join("tests/sanitize/src/planted/races.rs")).expect("a source");
    let line_of = |text: &str| source.lines().position(|line| line.contains(text)).expect("the line is there") + 1;
    let ran = sanitize(&["--", "twice", "missing_barrier"]);
    assert_eq!(ran.status.code(), Some(REPORTED), "{}", ran.report());
    let text = ran.stderr();
    let (_, own) = text.split_once("error[data-race]: ").expect("there is a report");
    for line in [line_of("TILE.set(i, out.get(i));"), line_of("out.set(i, TILE.get(63 - i));")] {
        assert_eq!(own.matches(&format!("  --> sanitize/src/planted/races.rs:{line}:")).count(), 1, "{}", ran.report());
    }
    assert!(own.contains("  = note: in kernel `") && own.contains("missing_barrier"), "{}", ran.report());
    assert!(own.ends_with("error: the checker reported 1 error in kernels\n"), "{}", ran.report());
    assert_eq!(own.matches("data-race").count(), 0, "{}", ran.report());
}

#[test]
fn the_status_is_the_programs_own_if_it_fails() {
    let ran = sanitize(&["--", "fail", "missing_barrier"]);
    assert_eq!(ran.status.code(), Some(3), "{}", ran.report());
    assert!(ran.stderr().contains("error[data-race]"), "{}", ran.report());
    assert_eq!(sanitize(&["--", "fail"]).status.code(), Some(3));
}

#[test]
fn tests_are_checked() {
    let ran = offloadc(OWN, &["test", "--locked"]);
    assert_eq!(ran.status.code(), Some(REPORTED), "{}", ran.report());
    assert!(ran.stdout().contains("test result: ok. 1 passed"), "{}", ran.report());
    assert_eq!(ran.stderr().matches("error[data-race]").count(), 1, "{}", ran.report());
}

/// Code that a build refuses is refused for the checker, too.
#[test]
fn a_barrier_in_a_branch_is_refused() {
    let ran = offloadc(OWN, &["run", "--locked", "--bin=refused", "--features=refused"]);
    assert_eq!(ran.status.code(), Some(101), "{}", ran.report());
    let source = std::fs::read_to_string(harness::root().join("tests/sanitize/src/bin/refused.rs")).expect("a source");
    let line = source.lines().position(|line| line.contains("//~ OFC0012")).expect("the line is there") + 1;
    assert!(ran.stderr().contains("error[OFC0012]"), "{}", ran.report());
    assert!(ran.stderr().contains(&format!("sanitize/src/bin/refused.rs:{line}")), "{}", ran.report());
}

#[test]
fn wrong_command_lines_are_refused() {
    for (words, expected) in [
        (&["build"][..], "`sanitize` starts programs, and `build` does not"),
        (&["run", "--offload-arch=sm_80"], "the checker runs kernels on the `cpu`, not on `sm_80`"),
        (&["run", "--off=rase"], "the nearest is `race`"),
        (&["test", "--emulate=sm_80"], "`sanitize` cannot be combined with `--emulate`"),
    ] {
        let ran = offloadc(OWN, words);
        assert_eq!(ran.status.code(), Some(2), "{}", ran.report());
        assert!(ran.stderr().contains(expected) && !ran.mentions("Compiling"), "{}", ran.report());
    }
    let ran = offloadc(OWN, &["--help"]).success();
    assert!(ran.stdout().contains("cargo offloadc sanitize <run|test>"), "{}", ran.report());
}

/// Checks that a command has no reports.
fn clean(project: &str, words: &[&str]) {
    let ran = offloadc(project, words).success();
    assert!(!ran.stderr().contains("the checker reported"), "{}", ran.report());
}

/// Whether all programs and profiles are tested, and not only a sample.
fn all() -> bool {
    std::env::var_os("OFFLOADC_ALL_SANITIZED").is_some()
}

/// Those of these programs that are tested, in turn one of `count`.
fn sample(programs: &[&'static str], count: usize) -> Vec<&'static str> {
    let programs = (0..).zip(programs).filter(|(number, _)| all() || turns::is_next(*number, count));
    programs.map(|(_, program)| *program).collect()
}

#[test]
fn examples_have_no_reports() {
    for program in sample(&["saxpy", "matmul", "reduction", "histogram", "life"], 3) {
        clean("examples", &["run", "--release", "--locked", &format!("--bin={program}")]);
    }
}

#[test]
fn the_crates_tests_have_no_reports() {
    if all() || turns::is_next(0, 2) {
        clean("tests/api", &["run", "--locked", "--device-print"]);
    }
    if all() {
        clean("tests/api", &["run", "--locked", "--device-print", "--release"]);
    }
}

/// A sample of the published crates. rustc has optimised `lz4_flex`: its values are partly unwritten, and their other
/// parts decide branches.
const SAMPLE: [&str; 2] = ["hashbrown", "lz4_flex"];

#[test]
fn published_crates_have_no_reports() {
    if !all() {
        for program in sample(&SAMPLE, SAMPLE.len()) {
            clean("tests/crates", &["run", "--release", "--locked", &format!("--bin={program}")]);
        }
        return;
    }
    for program in crate::crates::PROGRAMS {
        let bin = format!("--bin={program}");
        clean("tests/crates", &["run", "--release", "--locked", &bin]);
        if *program != crate::crates::OVERFLOWS {
            clean("tests/crates", &["run", "--locked", &bin]);
        }
    }
}
