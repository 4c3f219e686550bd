//! `--bisect-passes`: wherever the numbers end, the program is right, and its numbers are the same each time.

use std::path::Path;
use std::process::Command;

use harness::program::{self, RECOMMENDED};
use harness::{Outcome, emulators, run, turns};

/// Programs with loops that have checks, with scans over shared memory, and with divided barriers. A run has one of
/// them.
const PROGRAMS: [&str; 3] = ["tests/run/checks.rs", "tests/run/scans.rs", "tests/run/guards.rs"];

fn compile(input: &Path, output: &Path, arch: &str, last: &str) -> Outcome {
    let arch = format!("--offload-arch={arch}");
    let words = if last.is_empty() { vec![] } else { vec![format!("--bisect-passes={last}")] };
    let words: Vec<&str> =
        ["--emit=exe", &arch, "--no-cache"].into_iter().chain(words.iter().map(String::as_str)).collect();
    program::compile(input, output, &words).success()
}

/// The lines about passes that ran, and about those that did not.
fn lines(outcome: &Outcome) -> [usize; 2] {
    ["BISECT: running pass (", "BISECT: NOT running pass ("]
        .map(|start| outcome.stderr().lines().filter(|line| line.starts_with(start)).count())
}

#[test]
fn programs_are_right_wherever_the_numbers_end() {
    let folder = harness::scratch();
    for (number, source) in PROGRAMS.into_iter().enumerate() {
        if !turns::is_next(number, PROGRAMS.len()) {
            continue;
        }
        let input = program::bitcode(source, RECOMMENDED, folder.path());
        let output = folder.path().join("program");
        let emulated = emulators::all().filter(|emulated| ["sm_80", "gfx90a"].contains(&emulated.arch));
        let devices = [("cpu", None)].into_iter().chain(emulated.map(|emulated| (emulated.arch, Some(emulated))));
        for (arch, emulated) in devices {
            let all = compile(&input, &output, arch, "999999");
            let [count, none] = lines(&all);
            assert!(count > 100 && none == 0, "{source}, {arch}: {count} passes");
            let whole = std::fs::read(&output).unwrap();
            compile(&input, &output, arch, "");
            assert!(std::fs::read(&output).unwrap() == whole, "{source}, {arch}: numbers change the code");
            for last in [0, count / 3, 2 * count / 3] {
                let outcome = compile(&input, &output, arch, &last.to_string());
                let [ran, skipped] = lines(&outcome);
                assert!(ran == last && skipped > 0, "{source}, {arch}: {ran} of {last} passes");
                assert!(std::fs::read(&output).unwrap() != whole, "{source}, {arch}: {last} passes are as good as all");
                let mut command = Command::new(&output);
                let command = match emulated {
                    Some(emulated) => emulators::choose(&mut command, emulated),
                    None => command.env("OFFLOADRT_DEVICE", "cpu"),
                };
                let _ = run(command).success();
            }
        }
    }
}

#[test]
fn numbers_need_one_arch() {
    let folder = harness::scratch();
    let input = program::bitcode(PROGRAMS[0], RECOMMENDED, folder.path());
    for archs in [&["--offload-arch=cpu,sm_80"][..], &[], &["--offload-arch=cpu", "--offload-arch-optional=sm_80"]] {
        let words = [archs, &["--bisect-passes=3"]].concat();
        let outcome = program::compile(&input, &folder.path().join("program"), &words);
        assert!(outcome.code() == 2 && outcome.stderr().contains("needs one arch"), "{}", outcome.report());
    }
}
