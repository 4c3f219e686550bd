//! Cargo builds programs for aarch64 Linux, which run in Debian's emulator of these processors.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use harness::{Outcome, aarch64, cargo, run, run_within};

/// Builds `tests/plain/` with these words, and returns the program.
fn build(words: &[&str], below: &str) -> PathBuf {
    let target = cargo::target();
    let mut command = cargo::cargo(&harness::root().join("tests/plain"));
    command.args(words).args(["--locked", "--target", aarch64::TRIPLE]).env("CARGO_TARGET_DIR", &target);
    if words[0] != "offloadc" {
        command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", aarch64::COMPILER);
    }
    let built = run_within(&mut command, Duration::from_secs(600)).success();
    assert!(!built.mentions("warning"), "{}", built.report());
    target.join(below).join(aarch64::TRIPLE).join("debug/plain")
}

fn execute(program: &Path) -> Outcome {
    run(aarch64::start(program).env("OFFLOADRT_CPU_THREADS", "2")).success()
}

/// `cargo offloadc` finds the compiler that links for the platform, and the runtime for it. Plain cargo needs an option
/// for the linker, as for every program; the host code of kernels has the same results.
#[test]
fn programs_of_cargo_run() {
    if !aarch64::has_rust() {
        println!("skipped: there is no compiler, emulator or standard library for {}", aarch64::TRIPLE);
        return;
    }
    let offloadc = build(&["offloadc", "build", "--offload-arch=cpu,sm_80"], "offloadc");
    let inspected = run(Command::new(harness::offloadc()).arg("inspect").arg(&offloadc)).success();
    let has = |arch: &str, triple: &str| {
        inspected.stdout().lines().any(|line| line.split_whitespace().take(2).eq([arch, triple]))
    };
    assert!(has("cpu", aarch64::TRIPLE) && has("sm_80", "nvptx64-nvidia-cuda"), "{}", inspected.report());
    let wanted = execute(&offloadc);
    assert!(wanted.stderr().is_empty() && wanted.stdout().lines().count() > 5, "{}", wanted.report());
    let plain = execute(&build(&["build"], "."));
    assert!(plain.stdout() == wanted.stdout(), "{}\n{}", wanted.report(), plain.report());
    assert!(plain.stderr().starts_with("note: this program has no device code"), "{}", plain.report());
}
