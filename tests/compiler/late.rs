//! Constants that the program sets before its first launch, in images that the runtime makes: their values are in the
//! code, and variants of kernels have them, too.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::program::{RECOMMENDED, bitcode, compile};
use harness::{Outcome, run, scratch};

use super::finished::{COMPILING, Device, command, walk};
use super::linked_functions::plugin;

/// A part of the names of the constants' statics.
const STATIC: &str = "__OFFLOAD_LATE";

fn program(folder: &Path, archs: &str) -> PathBuf {
    let (input, program) = (bitcode("tests/compiler/late/program.rs", RECOMMENDED, folder), folder.join("program"));
    compile(&input, &program, &["--emit=exe", &format!("--offload-arch={archs}")]).success();
    program
}

fn start(program: &Path, folder: &Path, device: Device, values: &[&str], change: &dyn Fn(&mut Command)) -> Outcome {
    let mut command = command(program, folder);
    device.choose(command.args(values)).env("OFFLOADRT_VARIANTS", "8,wait");
    change(&mut command);
    run(&mut command).success()
}

fn count(outcome: &Outcome, part: &str) -> usize {
    outcome.stderr().matches(part).count()
}

/// How many finished images of the cache for an arch have a constant in memory, and how many have none.
fn in_memory(folder: &Path, arch: &str) -> [usize; 2] {
    let files = walk(&folder.join("cache")).into_iter().map(|path| fs::read(path).expect("the folder is ours"));
    let files = files.filter(|file| file.starts_with(b"offloadc finished"));
    let texts = files.map(|file| String::from_utf8_lossy(&file).into_owned());
    // The arch is a part of the key, possibly with features.
    let texts: Vec<_> = texts.filter(|text| text.contains(&format!(":{arch}"))).collect();
    let kept = texts.iter().filter(|text| text.contains(STATIC)).count();
    [kept, texts.len() - kept]
}

/// Each set of values has one image, and variants of it. A second start with the same values compiles
/// nothing.
#[test]
fn values_are_in_the_code_of_finished_images() {
    let folder = scratch();
    let program = program(folder.path(), "generic");
    for device in Device::all() {
        for values in [&["6", "7"][..], &["6", "5"], &["-", "7"], &["-", "-"]] {
            for is_kept in [false, true] {
                let ran = start(&program, folder.path(), device, values, &|_| ());
                let again = if values[0] == "-" { "None" } else { "Some(0)" };
                assert!(ran.stdout().ends_with(&format!("again {again}, another 1\n")), "{}", ran.report());
                // The image of all kernels, and those for two values of `sum`.
                assert_eq!(count(&ran, COMPILING), if is_kept { 0 } else { 3 }, "{device:?}: {}", ran.report());
                assert_eq!(count(&ran, ": loading variant "), 2, "{device:?}: {}", ran.report());
            }
        }
        if let Device::Emulated(emulated) = device {
            assert_eq!(in_memory(folder.path(), emulated.arch), [0, 12], "{device:?}");
        }
    }
}

/// An image that was made ahead has the constants in memory. It serves first, and the better one has them in its code.
#[test]
fn images_that_were_made_ahead_have_the_constants_in_memory() {
    let folder = scratch();
    let program = program(folder.path(), "cpu,generic,sm_80,gfx90a,spirv64");
    for device in Device::all() {
        let ran =
            start(&program, folder.path(), device, &["6", "7"], &|command| _ = command.env("OFFLOADRT_JIT", "never"));
        assert!(ran.stdout().starts_with("6 7: right") && count(&ran, "variant") == 0, "{}", ran.report());
        let ran = start(&program, folder.path(), device, &["6", "7"], &|_| ());
        assert_eq!(count(&ran, ": loading variant "), 2, "{device:?}: {}", ran.report());
        for _ in 0..2 {
            let ran = start(&program, folder.path(), device, &["6", "7"], &|command| {
                _ = command.env("OFFLOADRT_JIT", "always")
            });
            assert!(ran.stdout().starts_with("6 7: right"), "{}", ran.report());
        }
    }
}

/// A value that the runtime cannot read remains in memory, in one image.
#[test]
fn a_constant_whose_value_is_not_told_stays_in_memory() {
    let folder = scratch();
    let program = program(folder.path(), "cpu,generic,gfx90a");
    for device in Device::all() {
        for mode in ["auto", "always"] {
            let change = |command: &mut Command| _ = command.env("OFFLOADRT_JIT", mode);
            let ran = start(&program, folder.path(), device, &["6", "7", "memory"], &change);
            let log = ran.stderr();
            assert!(ran.stdout().starts_with("6 7: right"), "{}", ran.report());
            assert_eq!(count(&ran, "gets no variants: kernels of its object write statics"), 1, "{log}");
            assert!(log.matches("loading the image").count() <= 1, "{device:?}, {mode}: {log}");
        }
        if let Device::Emulated(emulated) = device {
            assert_eq!(in_memory(folder.path(), emulated.arch), [1, 0], "{device:?}");
        }
    }
}

/// Variants and linked code of one kernel take turns. Both have the constants in their code, or the kernel is not
/// linked.
#[test]
fn kernels_with_functions_of_plugins_have_the_values() {
    let folder = scratch();
    let program = program(folder.path(), "generic");
    let plugin = plugin(folder.path(), "plugin", ("10", ""), "generic").display().to_string();
    for device in Device::all() {
        for is_kept in [false, true] {
            let ran = start(&program, folder.path(), device, &["6", "7", "told", &plugin], &|_| ());
            assert!(ran.stdout().starts_with("6 7: right"), "{}", ran.report());
            // The image of all kernels, those for two values of `sum` and of `apply`, and the linked one.
            assert_eq!(count(&ran, COMPILING), if is_kept { 0 } else { 6 }, "{device:?}: {}", ran.report());
            assert_eq!(count(&ran, ": loading variant "), 4, "{device:?}: {}", ran.report());
            assert_eq!(count(&ran, "with functions of 1 other object"), 1, "{device:?}: {}", ran.report());
            assert_eq!(count(&ran, " of shared memory, linked"), 3, "{device:?}: {}", ran.report());
            assert_eq!(count(&ran, " of shared memory, variant "), 8, "{device:?}: {}", ran.report());
        }
        if let Device::Emulated(emulated) = device {
            assert_eq!(in_memory(folder.path(), emulated.arch), [0, 6], "{device:?}");
        }
        let ran = start(&program, folder.path(), device, &["6", "7", "memory", &plugin], &|_| ());
        assert!(ran.stdout().starts_with("6 7: right") && count(&ran, ", linked") == 0, "{}", ran.report());
    }
}
