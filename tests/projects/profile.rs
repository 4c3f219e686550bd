//! `cargo offloadc profile`: `tests/profile/`, whose kernels access memory in a known way. A comment `// count: NAME`
//! is at each line that is looked at.

use std::sync::Mutex;
use std::time::Duration;

use harness::{Outcome, cargo, run_within};
use serde_json::Value;

/// The threads of a launch.
const THREADS: u64 = 256;

/// The target folder, in which other archs and options replace the program.
static FOLDER: Mutex<()> = Mutex::new(());

/// `cargo offloadc profile` in `tests/profile/`.
fn profile(words: &[&str], variables: &[(&str, &str)]) -> Outcome {
    let mut command = cargo::cargo(&harness::root().join("tests/profile"));
    command.args(["offloadc", "profile"]).args(words).env("CARGO_TARGET_DIR", cargo::target());
    command.envs(variables.iter().copied());
    run_within(&mut command, Duration::from_secs(600))
}

/// The profile of a run as JSON.
fn json(words: &[&str], variables: &[(&str, &str)]) -> Value {
    let folder = harness::scratch();
    let file = folder.path().join("profile.json");
    let output = format!("--output={}", file.display());
    profile(&[&["run", "--locked", "--format=json", &output], words].concat(), variables).success();
    serde_json::from_slice(&std::fs::read(&file).expect("the command has written it")).expect("it is JSON")
}

/// The line with a comment, from 1.
fn line_of(name: &str) -> u64 {
    let source = harness::root().join("tests/profile/src/main.rs");
    let source = std::fs::read_to_string(source).expect("it is a test's source");
    let comment = format!("// count: {name}");
    source.lines().position(|line| line.ends_with(&comment)).expect("it is in the source") as u64 + 1
}

/// The counts of a line, by their names in the JSON.
fn counts<'p>(profile: &'p Value, name: &str) -> &'p Value {
    let kernels = profile["lines"].as_array().into_iter().flatten();
    let lines = kernels.flat_map(|kernel| kernel["lines"].as_array().into_iter().flatten());
    let is_it = |line: &&Value| {
        line["line"] == line_of(name)
            && line["file"].as_str().is_some_and(|file| file.ends_with("/profile/src/main.rs"))
    };
    let mut found: Vec<_> = lines.filter(is_it).collect();
    assert_eq!(found.len(), 1, "{name}: {profile:#}");
    found.remove(0)
}

fn check(profile: &Value, name: &str, expected: &[(&str, u64)]) {
    let counts = counts(profile, name);
    for (field, expected) in expected {
        assert_eq!(counts[field], *expected, "{field} of {name}: {counts}");
    }
}

#[test]
fn emulated_gpus_count_transactions() {
    let _folder = cargo::hold(&FOLDER);
    for (arch, device, lanes) in [("sm_80", "cuda:0", 32), ("gfx90a", "hip:0", 64)] {
        let profile = json(&[&format!("--emulate={arch}")], &[]);
        let warps = THREADS / lanes;
        // A sector has 8 elements. At the strides 1 and 2, an access of 32 lanes touches 4 and 8 sectors, and at the
        // stride 32 one for each lane.
        let sectors = |of_32_lanes: u64| THREADS / 32 * of_32_lanes;
        let of = |accesses: u64, elements: u64, transactions: u64| {
            [("accesses", accesses), ("bytes", 4 * elements), ("transactions", transactions), ("conflicts", 0)]
        };
        check(&profile, "load", &of(3 * warps, 3 * THREADS, sectors(4 + 8 + 32)));
        check(&profile, "store", &of(3 * warps, 3 * THREADS, sectors(3 * 4)));
        check(&profile, "half", &of(warps, THREADS / 2, sectors(4)));
        check(&profile, "loop", &of(10 * warps, 10 * THREADS, sectors(10 * 4)));
        // Each second bank has two words of each 32 lanes.
        let conflicts = [("accesses", 0), ("transactions", 0), ("conflicts", THREADS / 32)];
        check(&profile, "set", &conflicts);
        check(&profile, "get", &conflicts);
        let own = profile["lines"].as_array().expect("it is a list").iter().find(|kernel| kernel["launches"] == 3);
        let own = own.unwrap_or_else(|| panic!("no kernel has been launched three times: {profile:#}"));
        assert_eq!((&own["kernel"], &own["device"]), (&"profile::strided".into(), &device.into()));
        assert_eq!(own["warps"], 3 * warps);
        let load = counts(&profile, "load");
        assert_eq!(load["lanes"].as_u64(), load["instructions"].as_u64().map(|count| lanes * count), "{load}");
    }
}

#[test]
fn the_cpu_counts_threads() {
    let _folder = cargo::hold(&FOLDER);
    let profile = json(&[], &[("OFFLOADRT_CPU_THREADS", "1")]);
    let of = |accesses: u64| [("accesses", accesses), ("bytes", 4 * accesses)];
    check(&profile, "load", &of(3 * THREADS));
    check(&profile, "store", &of(3 * THREADS));
    check(&profile, "half", &of(THREADS / 2));
    check(&profile, "loop", &of(10 * THREADS));
    check(&profile, "set", &of(THREADS));
    check(&profile, "get", &of(THREADS));
    // An address, a load and an addition for each thread, and nothing that depends on how threads are executed.
    let loads = &counts(&profile, "loop")["instructions"];
    assert!(loads.as_u64().is_some_and(|count| count >= 30 * THREADS && count % THREADS == 0), "{loads}");
    for variables in [&[][..], &[("OFFLOADRT_CPU_THREADS", "3")]] {
        assert_eq!(json(&[], variables)["lines"], profile["lines"]);
    }
    let other = json(&["--offloadc=--cpu-vectorize=always"], &[]);
    assert_eq!(other["lines"], profile["lines"]);
}

#[test]
fn tables_show_the_lines_of_the_source() {
    let _folder = cargo::hold(&FOLDER);
    let ran = profile(&["run", "--locked", "--top=1", "--emulate=sm_80"], &[]).success();
    let text = ran.stderr();
    assert!(text.contains("kernel `profile::halves` on cuda:0: "), "{}", ran.report());
    assert!(text.contains(" other lines; `--top` shows more\n"), "{}", ran.report());
    let line = format!("src/main.rs:{}  sum += unsafe {{ *x.get_unchecked(", line_of("loop"));
    assert!(text.contains(&line), "{}", ran.report());
    let ran = profile(&["run", "--locked", "--no-lines"], &[]).success();
    assert!(!ran.mentions("instructions"), "{}", ran.report());
}

#[test]
fn wrong_command_lines_are_refused() {
    for (words, expected) in [
        (&["build"][..], "`profile` starts programs, and `build` does not"),
        (&["run", "--top=all"], "`--top` is a number of lines, not `all`"),
        (&["run", "--runtime=omptarget"], "`profile` needs the runtime `offloadrt`"),
    ] {
        let ran = profile(words, &[]);
        assert_eq!(ran.status.code(), Some(2), "{}", ran.report());
        assert!(ran.stderr().contains(expected) && !ran.mentions("Compiling"), "{}", ran.report());
    }
}
