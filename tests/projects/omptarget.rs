//! Host memory on a device: `tests/omptarget/` copies the same bytes through libomptarget as the same program in C,
//! which clang compiles with `-fopenmp`, and computes the same results.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use harness::program::{self, RECOMMENDED};
use harness::{cargo, run, run_within};

/// Builds the program with `cargo offloadc --runtime=omptarget`. Later runs reuse its target folder.
fn program() -> PathBuf {
    let folder = cargo::offloadc_target();
    let mut command = cargo::cargo(&harness::root().join("tests/omptarget"));
    command.args(["offloadc", "build", "--runtime=omptarget", "--target-dir"]).arg(&folder);
    let _ = run_within(&mut command, Duration::from_secs(600)).success();
    folder.join("x86_64-unknown-linux-gnu/debug/omptarget")
}

/// clang for OpenMP on the host's device.
fn clang() -> Command {
    let mut command = Command::new(harness::llvm_tool("clang"));
    // clang finds its other programs on the path.
    command.env("PATH", harness::search_path(&[]));
    command.args(["-O1", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", "-Wall", "-Werror"]);
    command
}

/// Builds the same program in C with OpenMP, for the host's device.
fn twin(folder: &Path) -> PathBuf {
    let twin = folder.join("twin");
    let mut command = clang();
    command.arg(harness::root().join("tests/omptarget/twin.c")).arg("-o").arg(&twin);
    let _ = run(&mut command).success();
    twin
}

/// Runs a program, and returns its output and the copies that libomptarget reports: the direction and the size of each
/// copy, sorted.
fn moved(program: &Path, mode: &str, folder: &Path) -> (String, Vec<String>) {
    let libraries = Path::new(env!("LLVM_SYS_221_PREFIX")).join("lib");
    let mut command = Command::new(program);
    // libomptarget leaves the images that it loads in the folder for temporary files.
    command.arg(mode).env("LIBOMPTARGET_INFO", "-1").env("TMPDIR", folder).env("LD_LIBRARY_PATH", libraries);
    let ran = run(&mut command).success();
    let text = ran.stderr();
    let copies = text.lines().filter_map(|line| {
        let (_, what) = line.split_once("info: Copying data from ")?;
        let (way, rest) = what.split_once(',').expect("the way comes first");
        let (_, size) = rest.split_once("Size=").expect("a copy has a size");
        Some(format!("{way}: {}", size.split(',').next().unwrap_or_default()))
    });
    let mut copies: Vec<_> = copies.collect();
    copies.sort();
    (ran.stdout(), copies)
}

const TO: &str = "host to device";
const FROM: &str = "device to host";

/// A mode, its output, and its copies: the direction, the size, and the number of copies of this size.
type Case = (&'static str, &'static str, &'static [(&'static str, u32, usize)]);

/// clang links the images for devices that an object declares, and must ignore ours.
#[test]
fn clang_leaves_our_images_alone() {
    let folder = harness::scratch();
    let file = |name: &str| folder.path().join(name);
    let region = "#include <stdio.h>
        __attribute__((constructor)) static void region(void) {
          int there = 0;
          #pragma omp target map(tofrom: there)
          there = 42;
          printf(\"region %d\\n\", there);
        }";
    std::fs::write(file("region.c"), region).expect("the folder is ours");
    let bitcode = program::bitcode("examples/contract/saxpy.rs", RECOMMENDED, folder.path());
    for runtime in ["offloadrt", "omptarget"] {
        let options = ["--offload-arch=cpu,sm_80,gfx90a", &format!("--runtime={runtime}")];
        program::compile(&bitcode, &file("saxpy.o"), &options).success();
        let mut command = clang();
        command.arg(file("region.c")).args(program::rust_link(&file("saxpy.o"), runtime));
        let _ = run(command.arg("-o").arg(file("both"))).success();
        let shown = run(Command::new(harness::offloadc()).arg("inspect").arg(file("both"))).success().stdout();
        // Our images and clang's image.
        assert!(shown.contains(": program, 4 images, 1 kernel"), "{shown}");
        let libraries = Path::new(env!("LLVM_SYS_221_PREFIX")).join("lib");
        let mut command = Command::new(file("both"));
        command.arg("1001").env("TMPDIR", folder.path()).env("LD_LIBRARY_PATH", libraries).env("OFFLOADRT_LOG", "1");
        let ran = run(&mut command).success();
        let text = ran.stdout();
        assert!(text.contains("region 42\n") && text.contains("saxpy: 1001 elements, ok"), "{}", ran.report());
        // libomptarget does not describe its devices.
        let opened =
            if runtime == "offloadrt" { "cpu: opened: this machine's processor, cpu" } else { "omptarget:0: opened" };
        assert!(ran.stderr().contains(&format!(" ms: {opened}\n")), "{}", ran.report());
    }
}

#[test]
fn the_same_bytes_move_as_with_openmp() {
    let folder = harness::scratch();
    let (program, twin) = (program(), twin(folder.path()));
    let expected: [Case; 3] = [
        ("automatic", "5995 14961\n", &[(FROM, 2000, 1), (FROM, 8000, 2), (TO, 4000, 2), (TO, 8000, 2)]),
        ("extents", "5995\n", &[(FROM, 8000, 2), (TO, 4000, 2), (TO, 8000, 2)]),
        ("manual", "8992 3097\n", &[(FROM, 8000, 2), (TO, 4000, 1), (TO, 8000, 2)]),
    ];
    for (mode, printed, copies) in expected {
        let ours = moved(&program, mode, folder.path());
        assert_eq!(ours, moved(&twin, mode, folder.path()), "{mode}");
        let copies = copies.iter().flat_map(|(way, bytes, times)| vec![format!("{way}: {bytes}"); *times]);
        assert_eq!(ours, (printed.to_owned(), copies.collect()), "{mode}");
    }
}
