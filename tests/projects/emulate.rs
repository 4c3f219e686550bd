//! `cargo offloadc --emulate`: `tests/emulate/`, whose tests run on emulated GPUs.

use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use harness::{Outcome, cargo, run_within};

/// An NVIDIA GPU, and AMD GPUs with warps of 32 and 64 lanes.
const DEVICES: [(&str, &str); 3] = [("sm_80", "cuda:0"), ("gfx1100", "hip:0"), ("gfx90a", "hip:0")];

/// The sums that the program prints for each device.
const SUMS: &str = "[3, 5, 7, 4]";

/// The target folder, in which other archs replace the programs.
static FOLDER: Mutex<()> = Mutex::new(());

/// `cargo offloadc` in `tests/emulate/`. Later runs reuse the target folder.
fn offloadc(words: &[&str]) -> Command {
    let mut command = cargo::cargo(&harness::root().join("tests/emulate"));
    command.args(["offloadc", words[0], "--locked"]).args(&words[1..]);
    command.env("CARGO_TARGET_DIR", cargo::target());
    // The costs of bounds checks are those of code without other checks.
    cargo::without_checks(&mut command, &["debug-assertions", "overflow-checks"]);
    command
}

fn finish(command: &mut Command) -> Outcome {
    run_within(command, Duration::from_secs(300))
}

#[test]
fn tests_run_on_the_first_emulated_device() {
    let _folder = cargo::hold(&FOLDER);
    for (arch, device) in DEVICES {
        let mut command = offloadc(&["test", &format!("--emulate={arch}"), "--", "--nocapture"]);
        let tested = finish(command.env("OFFLOAD_EMULATED_COUNTS", "1")).success();
        assert!(tested.stdout().contains(&format!("tested on {device}\n")), "{}", tested.report());
        assert!(tested.stdout().contains("test result: ok. 2 passed"), "{}", tested.report());
        check_costs(arch, &tested);
    }
}

/// The kernels of `patterns.rs`, and their bounds checks.
const PATTERNS: [(&str, u32); 6] =
    [("saxpy", 1), ("sum", 2), ("neighbours", 2), ("gather", 2), ("rows", 1), ("turned", 1)];
/// The most instructions that a warp may execute for a check.
const MOST: f64 = 4.0;

/// Compares the instructions that a warp has executed of each kernel with those of the kernel without checks.
fn check_costs(arch: &str, tested: &Outcome) {
    let text = tested.stderr();
    let of_a_warp = |kernel: &str| {
        let counts = text.split_once(&format!("kernel `emulate::patterns::{kernel}`: ")).expect("it is launched").1;
        let words: Vec<_> = counts.split_whitespace().take(4).collect();
        let [instructions, warps] = [words[0], words[3]].map(|word| word.parse::<f64>().expect("it is a number"));
        instructions / warps
    };
    let mut costs = 0.0;
    for (kernel, checks) in PATTERNS {
        let cost = (of_a_warp(kernel) - of_a_warp(&format!("{kernel}_unchecked"))) / f64::from(checks);
        println!("{arch}, {kernel}: {cost:.2}");
        assert!(cost <= MOST, "{arch}, {kernel}: a check costs {cost:.2} instructions");
        costs += cost;
    }
    assert!(costs > 0.0, "{arch}: the kernels have no checks");
}

#[test]
fn a_read_outside_a_slice_is_an_error_with_the_line_of_the_kernel() {
    let _folder = cargo::hold(&FOLDER);
    let source =
        std::fs::read_to_string(harness::root().join("tests/emulate/src/lib.rs")).expect("it is a test's source");
    let line = source.lines().position(|line| line.contains("unsafe {")).expect("one line is wrong on purpose") + 1;
    for (arch, device) in DEVICES {
        let tested = finish(&mut offloadc(&["test", &format!("--emulate={arch}"), "--", "--ignored", "--nocapture"]));
        let text = tested.stderr();
        assert_eq!(tested.status.code(), Some(101), "{}", tested.report());
        assert!(text.contains("kernel `emulate::add_without_bounds`: "), "{}", tested.report());
        assert!(text.contains("they end 4 bytes after device memory of 16 bytes"), "{}", tested.report());
        assert!(text.contains(&format!("emulate/src/lib.rs:{line}\n")), "{}", tested.report());
        assert!(text.contains("block (0, 0, 0), thread (3, 0, 0)"), "{}", tested.report());
        assert!(text.contains(&format!("device `{device}` could not run")), "{}", tested.report());
    }
}

/// The lines of `faults.rs` that the comments of a kernel number, from the error to the kernel.
fn marked(source: &str, kernel: &str) -> Vec<usize> {
    let number = |line: &str| line.split_once(&format!("// {kernel} "))?.1.trim().parse::<usize>().ok();
    let mut lines: Vec<_> = (1..).zip(source.lines()).filter_map(|(at, line)| Some((number(line)?, at))).collect();
    lines.sort_unstable();
    lines.into_iter().map(|(_, at)| at).collect()
}

/// Errors in `core` and in the crate `offload`, in closures and in functions that are not inlined.
#[test]
fn an_error_in_a_library_is_reported_with_the_lines_of_the_user() {
    let _folder = cargo::hold(&FOLDER);
    let file = harness::root().join("tests/emulate/src/faults.rs");
    let source = std::fs::read_to_string(&file).expect("it is a test's source");
    let words = ["run", "--emulate=sm_80,gfx1100,gfx90a", "--", "faults", "cuda:0", "hip:0", "hip:1"];
    let ran = finish(&mut offloadc(&words)).success();
    let text = ran.stderr();
    // The functions of libraries that are shown, after this many lines of the user.
    for (kernel, library, behind) in [
        ("in_core", "`core::ptr::const_ptr::<impl *const T>::read_volatile` (library/core/src/ptr/", 0),
        ("in_the_crate", "`offload::atomic::Atomic<T,S>::fetch_add` (", 0),
        ("in_a_closure", "core::iter::traits::iterator::Iterator>::fold` (library/core/src/iter/", 1),
        ("in_a_call", "`core::ptr::const_ptr::<impl *const T>::read_volatile` (library/core/src/ptr/", 0),
    ] {
        let name = format!("kernel `emulate::faults::{kernel}`: ");
        let reports: Vec<_> = text.split("emulated ").filter(|text| text.contains(&name)).collect();
        assert_eq!(reports.len(), 3, "{kernel}: {}", ran.report());
        for report in reports {
            let lines: Vec<_> = report.lines().collect();
            let expected: Vec<_> =
                marked(&source, kernel).iter().map(|line| format!("{}:{line}", file.display())).collect();
            assert_eq!(lines[1], format!("  at {}", expected[0]), "{report}");
            let mut calls: Vec<_> = lines[2..].iter().take_while(|line| line.starts_with("  in ")).collect();
            assert!(calls.remove(behind).contains(library), "{report}");
            assert_eq!(calls.len(), expected.len(), "{report}");
            assert!(calls.iter().zip(&expected).all(|(call, line)| call.ends_with(&format!("` ({line})"))), "{report}");
            assert!(
                calls.last().is_some_and(|last| last.contains(&format!("`emulate::faults::{kernel}` "))),
                "{report}"
            );
        }
    }
}

/// Devices of one vendor have the numbers of their order. The user may choose another default device, and has a runner.
#[test]
fn every_arch_of_the_list_is_a_device() {
    let _folder = cargo::hold(&FOLDER);
    let words = ["run", "--emulate=sm_90,gfx1100,sm_80", "--", "cuda:0", "cuda:1", "hip:0"];
    let devices = [
        format!("cuda:0 Some((9, 0)) {SUMS}\n"),
        format!("cuda:1 Some((8, 0)) {SUMS}\n"),
        format!("hip:0 None {SUMS}\n"),
    ];
    let [first, second, third] = &devices;
    let ran = finish(&mut offloadc(&words)).success();
    assert_eq!(ran.stdout(), [first, first, second, third].map(String::as_str).concat());
    let ran = finish(offloadc(&words).env("OFFLOADRT_DEVICE", "hip:0")).success();
    assert_eq!(ran.stdout(), [third, first, second, third].map(String::as_str).concat());
    let ran = finish(offloadc(&words).env("OFFLOADRT_DEVICE", "cpu")).success();
    assert!(ran.stdout().starts_with("cpu None"), "{}", ran.report());
    let runner = "env OFFLOADRT_DEVICE=cuda:1";
    let ran = finish(offloadc(&words).env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", runner)).success();
    assert_eq!(ran.stdout(), [second, first, second, third].map(String::as_str).concat());
}

#[test]
fn wrong_command_lines_are_refused() {
    for (words, expected) in [
        (&["test", "--emulate=sm_60"][..], "the arch `sm_60` cannot be emulated"),
        (&["test", "--emulate=sm_80,gfx90"], "the arch `gfx90` cannot be emulated"),
        (&["test", "--emulate=cpu"], "the emulated archs are `sm_70`, "),
        (&["test", "--emulate="], "the arch `` cannot be emulated"),
        (&["run", "--emulate=sm_80", "--runtime=omptarget"], "`--emulate` needs the runtime `offloadrt`"),
        (&["run", "--emulate"], "`--emulate` needs a value"),
    ] {
        let ran = finish(&mut offloadc(words));
        assert_eq!(ran.status.code(), Some(2), "{}", ran.report());
        assert!(ran.stderr().contains(expected) && !ran.mentions("Compiling"), "{}", ran.report());
    }
}
