//! `examples/`, built once by `cargo offloadc` for every kind of device, and run on each device of this machine. The
//! test of that project, `examples/tests/run.rs`, checks the output of the programs.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use harness::emulators::{self, CDNA2};
use harness::{cargo, opencl, run_within};

const ARCHS: &str = "--offload-arch=cpu,sm_80,gfx90a,spirv64";

/// Returns a `cargo offloadc` command for `examples/`. Later runs reuse its target folder.
fn cargo(words: &[&str]) -> Command {
    let mut command = cargo::cargo(&harness::root().join("examples"));
    command.arg("offloadc").args(words).args([ARCHS, "--locked"]);
    command.arg("--target-dir").arg(harness::temporary().join("examples"));
    command
}

/// Runs all examples on the device that `choose` selects. They write their pictures to `folder`.
fn run_all(folder: &Path, choose: fn(&mut Command) -> &mut Command) {
    let mut command = cargo(&["test", "--test", "run"]);
    let ran = run_within(choose(command.env("PICTURES", folder)), Duration::from_secs(600)).success();
    assert!(ran.stdout().contains("test result: ok. 5 passed"), "{}", ran.report());
}

/// The pictures of all devices are equal to the last bit, because math functions are the same on all of them.
#[test]
fn on_every_device() {
    let _built = run_within(&mut cargo(&["build", "--workspace"]), Duration::from_secs(1200)).success();
    let (one, other) = (harness::scratch(), harness::scratch());
    run_all(one.path(), |command| command.env("OFFLOADRT_DEVICE", "cpu"));
    let same = |device: &str| {
        for picture in ["mandelbrot.png", "nbody.png", "life.gif"] {
            let read = |folder: &Path| std::fs::read(folder.join(picture)).expect("the example wrote it");
            assert!(read(one.path()) == read(other.path()), "{picture} differs from cpu to {device}");
        }
    };
    if opencl::folder().is_some() {
        run_all(other.path(), opencl::choose);
        same("opencl");
    }
    if emulators::folder(CDNA2.device).is_some() {
        run_all(other.path(), |command| emulators::choose(command, CDNA2));
        same(CDNA2.device);
    }
}
