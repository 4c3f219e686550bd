//! Images of exported kernels in programs with a launcher of their own: cudarc, HIP's module functions and opencl3. The
//! programs are in `tests/launchers/`.

use std::collections::BTreeSet;
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

/// The emulated driver has each function that cudarc calls, by the crate's own source. What an emulated GPU cannot do
/// is an error of the function, and not a missing symbol.
#[test]
fn cudarc_finds_its_functions() {
    let Some(library) = emulators::folder("cuda:0").map(|folder| folder.join("libcuda.so.1")) else { return };
    let symbols = run(Command::new("nm").args(["-D", "--defined-only"]).arg(library)).success().stdout();
    let symbols: BTreeSet<_> = symbols.lines().filter_map(|line| line.rsplit(' ').next()).collect();
    let mut command = cargo::cargo(&root().join("tests/launchers/cuda"));
    let _ = command.args(["metadata", "--locked", "--format-version=1", "--filter-platform=x86_64-unknown-linux-gnu"]);
    let metadata: serde_json::Value =
        serde_json::from_str(&finish(&mut command).success().stdout()).expect("it is JSON");
    let packages = metadata["packages"].as_array().expect("there are packages");
    let cudarc = packages.iter().find(|package| package["name"] == "cudarc").expect("the program depends on it");
    let manifest = Path::new(cudarc["manifest_path"].as_str().expect("it has a path"));
    let source = manifest.with_file_name("src/driver/result.rs");
    let source = std::fs::read_to_string(&source).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
    let called = source.split("sys::cu").skip(1).filter_map(|rest| Some(rest.split_once('(')?.0));
    let is_name =
        |name: &&str| name.starts_with(char::is_uppercase) && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let called: BTreeSet<_> = called.filter(is_name).map(|name| format!("cu{name}")).collect();
    assert!(called.len() > 80 && called.contains("cuLaunchKernel"), "{called:?}");
    let missing: Vec<_> = called.iter().filter(|name| !symbols.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "cudarc calls {missing:?}");
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
