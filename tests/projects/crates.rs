//! Builds the programs in `tests/crates/`, which call published crates in kernels, and runs them on the CPU and on
//! OpenCL. NVIDIA's assembler checks the code for its GPUs.
//!
//! Each program compares every kernel with the same call on the host.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use harness::{cargo, opencl, run, run_within};

/// Defines a test for each program in `tests/crates/src/bin/`, with the name of the program.
macro_rules! programs {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            right_everywhere(stringify!($name));
        })*

        #[test]
        fn every_program_is_a_test() {
            let folder = harness::root().join("tests/crates/src/bin");
            let files = std::fs::read_dir(folder).expect("the programs are there").flatten().map(|entry| entry.path());
            let mut names: Vec<_> = files.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
            names.sort();
            assert_eq!(names, [$(stringify!($name)),*], "the list in tests/projects/crates.rs differs from the files");
        }
    };
}

programs! {
    aes arrayvec chacha20 crc digests fastrand fixed formatted glam half hashbrown heapless itoa libm
    libm_chosen lz4_flex memchr micromath nalgebra num_complex rand ryu sha2 siphasher
}

const ARCHS: [&str; 4] = ["cpu", "sm_80", "gfx90a", "spirv64"];

fn right_everywhere(program: &str) {
    let folder = harness::scratch();
    let bitcode = cargo_rustc(program, folder.path());
    let executable = folder.path().join(program);
    compile(&bitcode, &executable);
    let _said = run(&mut Command::new(&executable)).success();
    if opencl::folder().is_some() {
        let _said = run(opencl::choose(&mut Command::new(&executable))).success();
    }
}

/// The folder in which cargo builds the crates, once for all tests.
fn crates_target() -> PathBuf {
    harness::target_dir().join("crates")
}

/// Builds the bitcode of one program. cargo builds its crates first, or waits for another cargo that builds them.
fn cargo_rustc(program: &str, folder: &Path) -> PathBuf {
    let output = folder.join(format!("{program}.bc"));
    let mut command = cargo::cargo(&harness::root().join("tests/crates"));
    command.env("CARGO_TARGET_DIR", crates_target());
    command.args(["rustc", "--locked", "--quiet", "--release", "--bin", program, "--"]);
    command.arg(format!("--emit=llvm-bc={}", output.display()));
    command.args(["-Cno-prepopulate-passes", "-Clinker=true"]);
    let _said = run_within(&mut command, Duration::from_secs(600)).success();
    output
}

fn compile(bitcode: &Path, executable: &Path) {
    let mut command = Command::new(harness::offloadc());
    command.arg(bitcode).arg("-L").arg(crates_target().join("release/deps"));
    command.arg(format!("--offload-arch={}", ARCHS.join(","))).args(["--emit=exe", "-o"]).arg(executable);
    if let Some(assembler) = harness::ptxas() {
        command.arg("--ptxas").arg(assembler);
    }
    let _said = run(&mut command).success();
}
