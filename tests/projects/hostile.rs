//! Hostile safe Rust: `tests/hostile/`, built by `cargo offloadc`, on the CPU with both runtimes. Its kernels run in
//! the process of the program, so their undefined behaviour would be undefined behaviour of the host.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use harness::{cargo, run, run_within, turns};

const DONE: &str = "no attempt came through on ";

/// Builds `tests/hostile/`. Later runs reuse its target folder.
fn build(folder: &Path, words: &[&str]) {
    let mut command = cargo::cargo(&harness::root().join("tests/hostile"));
    command.args(["offloadc", "build", "--locked"]).args(words).env("CARGO_TARGET_DIR", folder);
    let _ = run_within(&mut command, Duration::from_secs(600)).success();
}

#[test]
fn nothing_comes_through() {
    // The runtimes share the folder, and with it the dependencies.
    let folder = cargo::target();
    let both = [("debug", "cpu", &[][..]), ("release", "cpu", &["--release"])];
    // In turn, because the runtimes differ in launches and copies alone.
    let through_llvm = [
        ("debug", "omptarget:", &["--runtime=omptarget"][..]),
        ("release", "omptarget:", &["--runtime=omptarget", "--release"]),
    ];
    let in_turn = |number: &usize| turns::all() || turns::is_next(*number, through_llvm.len());
    let through_llvm = (0..through_llvm.len()).filter(in_turn).map(|number| through_llvm[number]);
    for (profile, device, words) in both.into_iter().chain(through_llvm) {
        build(&folder, words);
        let program = folder.join("offloadc/x86_64-unknown-linux-gnu").join(profile).join("hostile");
        let images = harness::scratch();
        // libomptarget leaves the images that it loads in the folder for temporary files.
        let choose = |command: &mut Command| run(command.env("OFFLOADRT_DEVICE", "cpu").env("TMPDIR", images.path()));
        let ran = choose(&mut Command::new(&program)).success();
        assert!(ran.stdout().contains(&format!("{DONE}{device}")), "{}", ran.report());
        let ended = choose(Command::new(&program).arg("overflow"));
        let text = "a function of the host that a kernel has called overflowed its stack";
        assert!(ended.code() != 0 && ended.stderr().contains(text), "{}", ended.report());
    }
}

/// The same, and code that only plain cargo accepts: kernels as code of the host.
#[test]
fn nothing_comes_through_in_plain_cargo() {
    let folder = cargo::target();
    for (profile, words) in [("debug", &[][..]), ("release", &["--release"])] {
        let mut command = cargo::cargo(&harness::root().join("tests/hostile"));
        command.args(["build", "--locked", "--bin", "hostile_plain", "--features", "plain"]).args(words);
        let _ = run_within(command.env("CARGO_TARGET_DIR", &folder), Duration::from_secs(600)).success();
        let program = folder.join(profile).join("hostile_plain");
        let ran = run_within(&mut Command::new(&program), Duration::from_secs(120)).success();
        assert!(ran.stdout().contains("no attempt came through in plain cargo"), "{}", ran.report());
        for (word, kernel) in [("overflow", "ends::recurse"), ("call", "calls::call_deep")] {
            let ended = run(Command::new(&program).arg(word));
            let text = format!("the stack of kernel `{kernel}` is full: without offloadc");
            assert!(ended.code() != 0 && ended.stderr().contains(&text), "{}", ended.report());
        }
        let _ = run(Command::new(&program).arg("overflow").env("RUST_MIN_STACK", "1000000000")).success();
    }
}
