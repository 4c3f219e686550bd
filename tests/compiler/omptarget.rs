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
        assert!(outcome.stderr().contains(" ms: omptarget:0: launching"), "{source}: {}", outcome.report());
    }
}

/// libomptarget 22 passes slots after an environment that is null or -1, libomptarget 23 an array of their addresses.
#[test]
fn images_for_the_host_take_slots_in_both_forms() {
    const KERNEL: &str = r#"target triple = "x86_64-unknown-linux-gnu"
        define ptx_kernel void @weigh(ptr %out, float %by, i8 %small, ptr byval([2 x i64]) align 8 %pair) {
          %threads = atomicrmw add ptr %out, i64 1 seq_cst
          %at = getelementptr i64, ptr %pair, i64 1
          %high = load i64, ptr %at
          %whole = fptoui float %by to i64
          %wide = zext i8 %small to i64
          %tens = mul i64 %high, 10
          %hundreds = mul i64 %wide, 100
          %thousands = mul i64 %whole, 1000
          %two = add i64 %tens, %hundreds
          %all = add i64 %two, %thousands
          %to = getelementptr i64, ptr %out, i64 1
          store i64 %all, ptr %to
          ret void
        }"#;
    let folder = scratch();
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("weigh.ll"), KERNEL).expect("the folder is writable");
    for level in ["-O0", "-O3"] {
        let image = format!("--emit=image={}", file("image.so").display());
        let words = ["--offload-arch=cpu", "--runtime=omptarget", level, &image];
        program::compile(&file("weigh.ll"), &file("unused.o"), &words).success();
        let mut cc = Command::new("cc");
        cc.arg(harness::root().join("tests/compiler/omptarget_slots.c")).args(["-ldl", "-o"]).arg(file("launch"));
        run(&mut cc).success();
        let outcome = run(Command::new(file("launch")).arg(file("image.so"))).success();
        let expected: String = (0..3).map(|form| format!("{form}: 24 threads, 3760\n")).collect();
        assert_eq!(outcome.stdout(), expected, "{level}");
    }
}
