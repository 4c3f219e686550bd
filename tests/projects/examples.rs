//! `examples/`, built once by `cargo offloadc` for the kinds of devices that run them here, and run on each device of
//! this machine; with `OFFLOADC_ALL_EXAMPLES=1` also built for NVIDIA's GPUs. The test of that project,
//! `examples/tests/run.rs`, checks the output of the programs. Some are also built alone, at a level of `levels.rs`.

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use harness::emulators::{self, CDNA2};
use harness::{cargo, opencl, run_within, turns};

use crate::levels;

/// The folder of the programs, in which tests replace each other's.
static PROGRAMS: Mutex<()> = Mutex::new(());

/// Whether all examples are built and run for all kinds of devices.
fn all() -> bool {
    std::env::var_os("OFFLOADC_ALL_EXAMPLES").is_some()
}

/// Returns a `cargo offloadc` command for `examples/` and the devices here.
fn cargo(words: &[&str]) -> Command {
    cargo_for(if all() { "cpu,sm_80,gfx90a,spirv64" } else { "cpu,gfx90a,spirv64" }, words)
}

/// The same for these archs. Later runs reuse its target folder.
fn cargo_for(archs: &str, words: &[&str]) -> Command {
    let mut command = cargo::cargo(&harness::root().join("examples"));
    command.arg("offloadc").args(words).arg(format!("--offload-arch={archs}")).arg("--locked");
    command.arg("--target-dir").arg(cargo::offloadc_target());
    command
}

/// The examples' pictures.
const PICTURES: [&str; 3] = ["mandelbrot.png", "life.gif", "nbody.png"];

/// Tests of examples that take more than a minute on an emulated GPU. `make test-all` runs them there.
const LONG: [&str; 2] = ["nbody_shows_both_galaxies_on_black", "what_the_search_finds_begins_with_zeros"];

/// The tests of the other pictures, of which an emulated GPU runs one in turn.
const IN_TURN: [&str; 2] = ["mandelbrot_has_many_colours_and_a_black_inside", "life_follows_its_rule"];

/// Runs all examples but `skipped` on the device that `choose` selects. They write their pictures to `folder`.
fn run_all(folder: &Path, skipped: &[&str], choose: fn(&mut Command) -> &mut Command) {
    let mut command = cargo(&["test", "--test", "run"]);
    command.arg("--").args(skipped.iter().flat_map(|name| ["--skip", name]));
    let ran = run_within(choose(command.env("PICTURES", folder)), Duration::from_secs(3600)).success();
    let passed = format!("test result: ok. {} passed", 5 - skipped.len());
    assert!(ran.stdout().contains(&passed), "{}", ran.report());
}

/// Runs all examples as plain cargo builds them, and compares their pictures with those in `folder`.
fn same_with_plain_cargo(folder: &Path) {
    let other = harness::scratch();
    let plain = |words: &[&str]| {
        let mut command = cargo::cargo(&harness::root().join("examples"));
        command.args(words).args(["--workspace", "--release", "--locked"]).env("PICTURES", other.path());
        command.env("CARGO_TARGET_DIR", cargo::target());
        run_within(&mut command, Duration::from_secs(1200)).success()
    };
    let _built = plain(&["build"]);
    let ran = plain(&["test", "--test", "run"]);
    assert!(ran.stdout().contains("test result: ok. 5 passed"), "{}", ran.report());
    // The other pictures depend on math functions, which are the host's without offloadc.
    let read = |folder: &Path| std::fs::read(folder.join("life.gif")).expect("the example wrote it");
    assert!(read(folder) == read(other.path()), "life.gif differs without offloadc");
}

/// The pictures of all devices are equal to the last bit, because math functions are the same on all of them.
#[test]
fn on_every_device() {
    let _programs = cargo::hold(&PROGRAMS);
    let _built = run_within(&mut cargo(&["build", "--workspace"]), Duration::from_secs(1200)).success();
    let (one, other) = (harness::scratch(), harness::scratch());
    run_all(one.path(), &[], |command| command.env("OFFLOADRT_DEVICE", "cpu"));
    if all() || turns::is_next(0, 2) {
        same_with_plain_cargo(one.path());
    }
    let same = |device: &str, pictures: &[&str]| {
        for picture in pictures {
            let read = |folder: &Path| std::fs::read(folder.join(picture)).expect("the example wrote it");
            assert!(read(one.path()) == read(other.path()), "{picture} differs from cpu to {device}");
        }
    };
    if opencl::folder().is_some() {
        run_all(other.path(), &[], opencl::choose);
        same("opencl", &PICTURES);
    }
    if emulators::folder(CDNA2.device).is_some() {
        let next = turns::next(IN_TURN.len());
        let skipped = [LONG[0], LONG[1], IN_TURN[1 - next]];
        let (skipped, pictures) = if all() { (&[][..], &PICTURES[..]) } else { (&skipped[..], &PICTURES[next..=next]) };
        run_all(other.path(), skipped, |command| emulators::choose(command, CDNA2));
        same(CDNA2.device, pictures);
    }
}

/// The examples check their numbers themselves. One takes minutes without optimisation.
#[test]
fn at_levels_of_optimisation() {
    let _programs = cargo::hold(&PROGRAMS);
    let folder = harness::scratch();
    for (package, name, picture) in [
        ("examples", "saxpy", None),
        ("examples", "matmul", None),
        ("examples", "reduction", None),
        ("examples", "histogram", None),
        ("examples", "search", None),
        ("examples", "life", Some(PICTURES[1])),
        ("examples", "mandelbrot", Some(PICTURES[0])),
        ("examples", "nbody", Some(PICTURES[2])),
        ("deck", "deck", None),
    ] {
        for (profile, options) in levels::of(name) {
            if name == "nbody" && options.contains(&"--offloadc=-O0") {
                continue;
            }
            let mut build = cargo_for("cpu", &[&["build", "--package", package, "--bin", name], options].concat());
            let _built = run_within(&mut build, Duration::from_secs(600)).success();
            let programs = cargo::offloadc_target().join("x86_64-unknown-linux-gnu").join(profile);
            let mut program = Command::new(programs.join(name));
            program.args(picture.map(|picture| folder.path().join(picture))).env("OFFLOADRT_DEVICE", "cpu");
            let ran = run_within(&mut program, Duration::from_secs(600)).success();
            assert!(ran.stdout().contains(" on cpu"), "{options:?}: {}", ran.report());
        }
    }
}
