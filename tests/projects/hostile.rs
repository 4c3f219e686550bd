//! Hostile safe Rust: `tests/hostile/`, built by `cargo offloadc`, on the CPU with both runtimes. Its kernels run in
//! the process of the program, so their undefined behaviour would be undefined behaviour of the host.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use harness::{cargo, run, run_within};

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
    for (profile, device, words) in [
        ("debug", "cpu", &[][..]),
        ("release", "cpu", &["--release"]),
        ("debug", "omptarget:", &["--runtime=omptarget"]),
        ("release", "omptarget:", &["--runtime=omptarget", "--release"]),
    ] {
        build(&folder, words);
        let program = folder.join("offloadc/x86_64-unknown-linux-gnu").join(profile).join("hostile");
        let images = harness::scratch();
        // libomptarget leaves the images that it loads in the folder for temporary files.
        let ran = run(Command::new(program).env("OFFLOADRT_DEVICE", "cpu").env("TMPDIR", images.path())).success();
        assert!(ran.stdout().contains(&format!("{DONE}{device}")), "{}", ran.report());
    }
}
