//! Programs on a GPU of libomptarget: an emulated NVIDIA GPU through LLVM's CUDA plugin.

use std::path::Path;
use std::process::Command;

use harness::program::{self, RECOMMENDED};
use harness::{emulators, run, scratch};

/// The only device: the program has no code for the host's.
const GPU: &str = "omptarget:0";

/// Builds the library that libomptarget opens as the driver. See `omptarget_ptx.c`. It stays loaded until the process
/// ends, like NVIDIA's: libomptarget still calls it after LLVM has closed it.
fn build_driver(emulators: &Path, folder: &Path) {
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-Wl,--no-as-needed,-z,nodelete,--disable-new-dtags,-rpath"])
        .arg(format!("-Wl,{}", emulators.display()));
    cc.arg(harness::root().join("tests/compiler/omptarget_ptx.c")).arg("-L").arg(emulators);
    run(cc.args(["-l:libcuda.so.1", "-ldl", "-o"]).arg(folder.join("libcuda.so"))).success();
}

/// Panics and the heap use the copy of the launch's state that libomptarget makes; calls of the host its pinned memory.
#[test]
fn programs_run_on_a_gpu_of_libomptarget() {
    let (Some(emulators), Some(ptxas)) = (emulators::folder("cuda:0"), harness::ptxas()) else { return };
    for source in ["tests/run/panics.rs", "tests/run/host_calls.rs"] {
        let folder = scratch();
        let file = |name: &str| folder.path().join(name);
        build_driver(&emulators, folder.path());
        let bitcode = program::bitcode(source, RECOMMENDED, folder.path());
        let words = ["--offload-arch=sm_80", "--runtime=omptarget", "-w"];
        let image = format!("--emit=image={}", file("kernels.ptx").display());
        program::compile(&bitcode, &file("unused.o"), &[&words[..], &[&image]].concat()).success();
        let assembler = format!("--ptxas={}", ptxas.display());
        program::compile(&bitcode, &file("object.o"), &[&words[..], &[&assembler]].concat()).success();
        program::link_rust(&file("object.o"), "omptarget", &file("program"));
        let mut command = Command::new(file("program"));
        command.env("LD_LIBRARY_PATH", folder.path()).env("OFFLOAD_EMULATED", "sm_80").env("OFFLOADRT_DEVICE", GPU);
        let outcome = run(command.env("OFFLOADC_TEST_PTX", file("kernels.ptx")).env("OFFLOADRT_LOG", "1")).success();
        assert!(outcome.stdout().contains(", ok"), "{source}: {}", outcome.report());
        assert!(outcome.stderr().contains("offloadrt: omptarget:0: launching"), "{source}: {}", outcome.report());
    }
}
