//! Programs whose GPUs are liboffload's: an emulated GPU through LLVM's CUDA plugin, and the CPU, which is offloadrt's.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::program::{self, RECOMMENDED};
use harness::{emulators, run, scratch};

/// Programs and their arguments: memory and barriers, panics with their places, the heap, and calls of the host.
const PROGRAMS: [(&str, &str); 5] = [
    ("examples/contract/matmul.rs", "3"),
    ("examples/contract/histogram.rs", "1000"),
    ("tests/run/panics.rs", ""),
    ("tests/run/alloc.rs", ""),
    ("tests/run/host_calls.rs", ""),
];

/// The folder with the emulated GPU under the name by which liboffload looks for it; none if it has not been built.
fn driver(folder: &Path) -> Option<PathBuf> {
    let library = emulators::folder("cuda:0")?.join("libcuda.so.1");
    std::os::unix::fs::symlink(library, folder.join("libcuda.so")).expect("the folder is ours");
    Some(folder.to_path_buf())
}

/// Builds a program for the CPU and an NVIDIA GPU.
fn build(source: &str, folder: &Path) -> PathBuf {
    let bitcode = program::bitcode(source, RECOMMENDED, folder);
    let (object, linked) = (folder.join("object.o"), folder.join("program"));
    let archs = "--offload-arch=cpu,sm_80";
    program::compile(&bitcode, &object, &[archs, "--runtime=liboffload", "-w"]).success();
    program::link_rust(&object, "liboffload", &linked);
    linked
}

#[test]
fn programs_run_on_the_devices_of_liboffload() {
    for (source, argument) in PROGRAMS {
        let folder = scratch();
        let program = build(source, folder.path());
        let start = || {
            let mut command = Command::new(&program);
            command.args(argument.split_whitespace());
            command
        };
        let text = run(&mut start()).success().stdout();
        assert!(text.contains("ok"), "{source}: {text}");
        let Some(driver) = driver(folder.path()) else { continue };
        let mut command = start();
        command.env("LD_LIBRARY_PATH", driver).env("OFFLOAD_EMULATED", "sm_80");
        let outcome = run(command.env("OFFLOADRT_DEVICE", "liboffload:0").env("OFFLOADRT_LOG", "1")).success();
        assert!(outcome.stdout().contains("ok"), "{source}: {}", outcome.report());
        let log = outcome.stderr();
        assert!(log.contains("liboffload:0: opened: emulated sm_80, sm_80"), "{source}: {log}");
    }
}

#[test]
fn a_missing_device_is_an_error() {
    let folder = scratch();
    let program = build("examples/contract/saxpy.rs", folder.path());
    // No driver is here.
    let mut command = Command::new(program);
    let outcome = run(command.arg("100").env("OFFLOADRT_DEVICE", "liboffload:7").env("LD_LIBRARY_PATH", folder.path()));
    assert_eq!(outcome.code(), 1, "{}", outcome.report());
    assert!(outcome.stderr().contains("there is no device `liboffload:7`"), "{}", outcome.report());
}
