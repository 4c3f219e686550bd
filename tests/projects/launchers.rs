//! Images of exported kernels in programs with a launcher of their own: cudarc, HIP's module functions and opencl3. The
//! programs are in `tests/launchers/`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use harness::{Outcome, cargo, emulators, opencl, root, run, run_within};

/// An image for each device that the programs run on.
const ARCHS: &str = "--offload-arch=sm_80,sm_90,gfx90a,gfx1100,spirv64";

fn finish(command: &mut Command) -> Outcome {
    run_within(command, Duration::from_secs(300))
}

/// Runs `cargo offloadc images` for the kernels, with these words.
fn images(words: &[&str], folder: &Path) -> Outcome {
    let mut command = cargo::cargo(&root().join("tests/launchers/kernels"));
    let _ = command.args(["offloadc", "images", "--locked", "--target-dir"]).arg(cargo::offloadc_target());
    finish(command.args(words).arg("--out").arg(folder))
}

/// Builds one of the programs with the Rust module in `folder`, for each test in a folder of its own.
fn program(name: &str, folder: &Path) -> PathBuf {
    let mut command = cargo::cargo(&root().join("tests/launchers").join(name));
    let _ = command.env("IMAGES", folder.join("launched.rs")).args(["build", "--locked", "--target-dir"]);
    let _ = finish(command.arg(cargo::target())).success();
    let built = cargo::target().join(format!("debug/launches-{name}"));
    let own = folder.join(name);
    let _ = std::fs::copy(built, &own).expect("cargo has built it");
    own
}

fn names(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("the command makes it").flatten();
    let mut names: Vec<_> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn cudarc_launches_them() {
    let folder = harness::scratch();
    let _ = images(&[ARCHS], folder.path()).success();
    let program = program("cuda", folder.path());
    for emulated in emulators::all().filter(|emulated| emulated.device == "cuda:0") {
        let outcome = run(emulators::choose(&mut Command::new(&program), emulated).arg(emulated.arch)).success();
        assert_eq!(outcome.stdout(), format!("emulated {}: right\n", emulated.arch));
    }
}

#[test]
fn opencl3_launches_them() {
    let folder = harness::scratch();
    let _ = images(&[ARCHS], folder.path()).success();
    if opencl::folder().is_some() {
        let outcome = run(opencl::choose(&mut Command::new(program("opencl", folder.path())))).success();
        assert!(outcome.stdout().ends_with(": right\n"), "{}", outcome.stdout());
    }
}

#[test]
fn hip_launches_them() {
    let folder = harness::scratch();
    let _ = images(&[ARCHS, "--format=c"], folder.path()).success();
    assert_eq!(names(folder.path()), ["launched.h"]);
    let Some(libraries) = emulators::folder("hip:0") else { return };
    let program = folder.path().join("hip");
    let mut compiler = Command::new("cc");
    let _ = compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I"]).arg(folder.path());
    let _ = compiler.arg(root().join("tests/launchers/hip.c")).arg("-o").arg(&program).arg("-L").arg(&libraries);
    let _ = run(compiler.arg("-lamdhip64")).success();
    for emulated in emulators::all().filter(|emulated| emulated.device == "hip:0") {
        let outcome = run(emulators::choose(&mut Command::new(&program), emulated).arg(emulated.arch)).success();
        assert_eq!(outcome.stdout(), format!("{}: right\n", emulated.arch));
    }
}

/// Files with a table, which are written only if they change. A changed file is found.
#[test]
fn files_are_checked() {
    let folder = harness::scratch();
    let words = ["--offload-arch=sm_80,gfx90a", "--format=files"];
    let wrote = images(&words, folder.path()).success().stdout();
    let files = ["launched.gfx90a.co", "launched.json", "launched.sm_80.ptx"];
    assert!(files.iter().all(|file| wrote.contains(&format!("`{file}`"))), "{wrote}");
    assert_eq!(names(folder.path()), files);
    let text = std::fs::read_to_string(folder.path().join("launched.json")).expect("the command writes it");
    let table: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let kernels = table["kernels"].as_array().expect("there are kernels").iter().map(|kernel| &kernel["name"]);
    let kernels: Vec<_> = kernels.collect();
    assert_eq!(kernels, ["axpy_f32", "block_sums", "pick_u32", "scale_f32", "scale_i64"]);
    let checked = [&words[..], &["--check"]].concat();
    let up_to_date = images(&checked, folder.path()).success();
    assert!(up_to_date.stdout().ends_with(" are up to date\n"), "{}", up_to_date.stdout());
    std::fs::write(folder.path().join("launched.sm_80.ptx"), "other").expect("the folder is ours");
    let refused = images(&checked, folder.path());
    let said = "launched.sm_80.ptx` is not what `images` would write; help: run the command without `--check`";
    assert!(refused.code() == 1 && refused.stderr().contains(said), "{}", refused.report());
    let wrote = images(&words, folder.path()).success().stdout();
    assert!(wrote.starts_with("wrote `launched.sm_80.ptx` to "), "{wrote}");
}

/// Command lines and packages that have nothing to write.
#[test]
fn mistakes_are_explained() {
    let folder = harness::scratch();
    let refuse = |words: &[&str], said: &str| {
        let outcome = images(words, folder.path());
        assert!(outcome.code() != 0 && outcome.stderr().contains(said), "{words:?}: {}", outcome.report());
        assert_eq!(names(folder.path()), [""; 0]);
    };
    refuse(&[], "`images` needs the archs of GPUs");
    refuse(&["--offload-arch=cpu,sm_80"], "`images` is for GPUs, whose archs must be named, and not for `cpu`");
    refuse(&["--offload-arch=sm_80", "--format=d"], "the forms are `rust`, `c` and `files`");
    refuse(&["--offload-arch=sm_80", "--device-panic=report"], "a panic in an image is a trap");
    refuse(&["--offload-arch=sm_80", "-p", "trace"], "no library");
    let mut command = cargo::cargo(&root().join("tests/launchers/kernels"));
    let outcome = finish(command.args(["offloadc", "images", "--offload-arch=sm_80"]));
    assert!(outcome.stderr().contains("`images` needs a folder for the files: `--out=DIR`"), "{}", outcome.report());
}
