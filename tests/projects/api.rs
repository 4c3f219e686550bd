//! The Rust API: `tests/api/`, built by `cargo offloadc`, on every available device; and without offloadc.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use harness::{Outcome, cargo, emulators, opencl, run, run_within};

/// The last line that the program prints, without the name of the device.
const DONE: &str = "every launch did what it should on ";

/// The lines that its kernel prints, in any order.
const PRINTED: [&str; 3] =
    ["thread  0 has 0.50, Some(\"text\")", "thread  1 has 1.25, Some(\"text\")", "thread  2 has -3.00, Some(\"text\")"];

/// Checks the output: the line of the program with the name of the device, and the lines of the kernel, which may
/// follow it.
fn check(ran: &Outcome, device: &str) {
    let text = ran.stdout();
    let (own, mut printed): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with(DONE));
    assert!(own.len() == 1 && own[0].starts_with(&format!("{DONE}{device}")), "{}", ran.report());
    printed.sort();
    assert_eq!(printed, PRINTED, "{}", ran.report());
}

/// Returns a cargo command for `tests/api/`. Later runs reuse its target folder.
fn cargo(words: &[&str]) -> Command {
    let mut command = cargo::cargo(&harness::root().join("tests/api"));
    command.args(words).env("CARGO_TARGET_DIR", target());
    command
}

fn target() -> PathBuf {
    harness::temporary().join("api")
}

fn finish(mut command: Command) -> Outcome {
    run_within(&mut command, Duration::from_secs(600))
}

/// Checks that a kernel's name and parameters are constants in the code, without loads and calls.
fn check_constant(program: &Path) {
    let mut command = Command::new(harness::llvm_tool("llvm-objdump"));
    let shown =
        run(command.args(["--no-show-raw-insn", "--disassemble-symbols=known_of_saxpy"]).arg(program)).success();
    let text = shown.stdout();
    // The bytes after the return are padding.
    let code = text.split("<known_of_saxpy>:").nth(1).and_then(|rest| rest.split_once("retq")).map(|(code, _)| code);
    assert!(code.is_some_and(|code| !code.contains("call") && !code.contains("(%")), "{}", shown.report());
}

#[test]
fn on_every_device() {
    for (profile, words) in [("debug", &[][..]), ("release", &["--release"])] {
        let folder = target().join(format!("{profile}-programs"));
        let mut command =
            cargo(&["offloadc", "build", "--offload-arch=cpu,sm_80,gfx1100,gfx90a,spirv64", "--device-print"]);
        command.args(words).arg("--target-dir").arg(&folder);
        let _ = finish(command).success();
        let program = folder.join("x86_64-unknown-linux-gnu").join(profile).join("api");
        let ran = run(Command::new(&program).env("OFFLOADRT_DEVICE", "cpu")).success();
        check(&ran, "cpu");
        if profile == "release" {
            check_constant(&program);
        }
        if opencl::folder().is_some() {
            let ran = run_within(opencl::choose(&mut Command::new(&program)), Duration::from_secs(300)).success();
            check(&ran, "opencl:");
        }
        for emulated in emulators::all() {
            let mut command = Command::new(&program);
            let ran = run_within(emulators::choose(&mut command, emulated), Duration::from_secs(300)).success();
            check(&ran, emulated.device);
        }
    }
}

#[test]
fn through_libomptarget() {
    let folder = target().join("omptarget-programs");
    let mut command = cargo(&["offloadc", "build", "--runtime=omptarget", "--device-print"]);
    command.arg("--target-dir").arg(&folder);
    let _ = finish(command).success();
    let images = harness::scratch();
    let mut program = Command::new(folder.join("x86_64-unknown-linux-gnu/debug/api"));
    // libomptarget leaves the images that it loads in the folder for temporary files.
    check(&run(program.env("OFFLOADRT_DEVICE", "cpu").env("TMPDIR", images.path())).success(), "omptarget:");
}

#[test]
fn without_offloadc_kernels_are_functions_that_run_on_the_processor() {
    // With the cfg of Miri, a call of a stand-in panics. This shows that kernels on the host call none.
    let mut command = cargo(&["test"]);
    command.env("RUSTFLAGS", "--cfg miri -A explicit_builtin_cfgs_in_flags");
    let tested = finish(command).success();
    assert!(tested.stdout().contains("test tests::a_kernel_is_a_function ... ok"), "{}", tested.report());
    assert!(tested.stdout().contains("test tests::what_launches_is_linked ... ok"), "{}", tested.report());
    for words in [&["run"][..], &["run", "--release"]] {
        let mut command = cargo(words);
        command.env("API_WITHOUT_OFFLOADC", "1");
        check(&finish(command).success(), "cpu");
    }
}
