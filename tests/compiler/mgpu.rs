//! The functions that MLIR's code calls: objects of `--runtime=mgpu` load their images with them, and
//! `libmgpu-offloadrt` runs both these objects and the code that `mlir-opt` makes of a launch.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::program::{self, RECOMMENDED};
use harness::{emulators, llvm_tool, opencl, run, scratch};

/// The passes for SPIR-V; for PTX there is a pipeline of MLIR's own.
const SPIRV: &str = "builtin.module(xevm-attach-target{module=kernels chip=pvc O=2},gpu.module(convert-scf-to-cf,\
                     convert-gpu-to-llvm-spv{use-64bit-index=true},convert-to-llvm,reconcile-unrealized-casts),\
                     gpu-module-to-binary{format=FORMAT},convert-scf-to-cf,gpu-to-llvm,convert-to-llvm,\
                     reconcile-unrealized-casts)";
/// The format that is SPIR-V: MLIR 23 makes machine code of Intel's GPUs of `bin`, with Intel's compiler.
const FORMAT: &str = if cfg!(feature = "llvm23") { "isa" } else { "bin" };
const PTX: &str = "--gpu-lower-to-nvvm-pipeline=cubin-format=isa cubin-chip=sm_80 cubin-features=+ptx70";

fn source(name: &str) -> PathBuf {
    harness::root().join("tests/registrations").join(name)
}

/// An object that MLIR and LLVM make of `scale.mlir`.
fn mlir_object(lowering: &str, folder: &Path) -> PathBuf {
    let (lowered, module, object) = (folder.join("low.mlir"), folder.join("low.ll"), folder.join("mlir.o"));
    run(Command::new(llvm_tool("mlir-opt")).arg(source("scale.mlir")).arg(lowering).arg("-o").arg(&lowered)).success();
    let mut command = Command::new(llvm_tool("mlir-translate"));
    run(command.arg("--mlir-to-llvmir").arg(&lowered).arg("-o").arg(&module)).success();
    let mut command = Command::new(llvm_tool("llc"));
    run(command.args(["-filetype=obj", "-relocation-model=pic"]).arg(&module).arg("-o").arg(&object)).success();
    object
}

fn our_object(arch: &str, folder: &Path) -> PathBuf {
    let bitcode = program::bitcode("tests/registrations/kernels.rs", RECOMMENDED, folder);
    let object = folder.join("ours.o");
    let arch = format!("--offload-arch={arch}");
    let outcome = program::compile(&bitcode, &object, &["--runtime=mgpu", &arch]).success();
    assert_eq!(outcome.stderr(), "");
    object
}

/// Links the host program with an object and our library.
fn link(object: &Path, defined: &[&str], folder: &Path) -> PathBuf {
    let (runtime, program) = (harness::runtime_dir(), folder.join("program"));
    let mut command = Command::new("cc");
    command.args(["-std=c11", "-Wall", "-Werror", "-I"]).arg(harness::root().join("runtime-c")).args(defined);
    command.arg(source("mgpu.c")).arg(object).arg(runtime.join("libmgpu-offloadrt.a"));
    command.arg(runtime.join("liboffloadrt.a")).args(["-pthread", "-ldl", "-lm", "-o"]).arg(&program);
    run(&mut command).success();
    program
}

/// Runs a program on the emulated NVIDIA GPU, if it has been built.
fn run_on_nvidia(program: &Path, expected: &str) {
    let Some(folder) = emulators::folder("cuda:0") else { return };
    let mut command = Command::new(program);
    let outcome = run(command.env("LD_LIBRARY_PATH", folder).env("OFFLOAD_EMULATED", "sm_80")).success();
    assert_eq!(outcome.stdout(), expected, "{}", outcome.report());
}

/// Runs a program on Intel's OpenCL, if it is installed.
fn run_on_opencl(program: &Path, expected: &str) {
    if opencl::folder().is_none() {
        return;
    }
    let mut command = Command::new(program);
    // The library chooses the device, which is the only one here.
    let outcome = run(opencl::choose(&mut command).env_remove("OFFLOADRT_DEVICE")).success();
    assert_eq!(outcome.stdout(), expected, "{}", outcome.report());
}

#[test]
fn a_launch_of_mlir_runs() {
    let folder = scratch();
    let spirv = SPIRV.replace("FORMAT", FORMAT);
    for (lowering, run_on) in
        [(PTX.to_owned(), run_on_nvidia as fn(&Path, &str)), (format!("--pass-pipeline={spirv}"), run_on_opencl)]
    {
        let program = link(&mlir_object(&lowering, folder.path()), &[], folder.path());
        run_on(&program, "0 124 63\n");
    }
}

#[test]
fn our_objects_load_their_images() {
    let folder = scratch();
    // Of several images the driver takes the best one that it can.
    for (archs, run_on) in [("sm_75,sm_80,sm_90", run_on_nvidia as fn(&Path, &str)), ("spirv64", run_on_opencl)] {
        let program = link(&our_object(archs, folder.path()), &["-DOURS"], folder.path());
        run_on(&program, "3 127 3\n");
    }
}

/// An image that the library does not understand ends the program with a message, and nothing crashes.
#[test]
fn damaged_images_are_errors() {
    let folder = scratch();
    for archs in ["sm_80", "spirv64", "gfx90a"] {
        let program = link(&our_object(archs, folder.path()), &["-DOURS"], folder.path());
        let bytes = std::fs::read(&program).expect("it was linked");
        let name = match archs {
            "sm_80" => ".nv_fatbin",
            "spirv64" => ".offload.images",
            _ => ".hip_fatbin",
        };
        let elf = goblin::elf::Elf::parse(&bytes).expect("it was linked");
        let section = elf.section_headers.iter().find(|s| elf.shdr_strtab.get_at(s.sh_name) == Some(name));
        let range = section.and_then(|section| section.file_range()).expect("the program has it");
        let places = if archs == "gfx90a" { range.start..range.start + 1 } else { range.clone() };
        // The device stays away: an undamaged image is an error, too, but another one.
        for at in places.step_by(range.len() / 60) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            std::fs::write(&program, damaged).expect("the folder is ours");
            let mut command = Command::new(&program);
            let outcome = run(command.env("OCL_ICD_VENDORS", folder.path()).env_remove("LD_LIBRARY_PATH"));
            assert_eq!(outcome.code(), 1, "byte {at} of {archs}: {}", outcome.report());
            assert!(outcome.stderr().starts_with("error: "), "byte {at} of {archs}: {}", outcome.report());
        }
    }
}
