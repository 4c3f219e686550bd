//! Builds the programs in `tests/crates/`, which call published crates in kernels, as README.md tells a user of Cargo to,
//! and runs them on the processor and on an OpenCL; NVIDIA's assembler takes what they give for its GPUs.
//!
//! Each program compares every kernel with the same call on the host.

mod harness;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use harness::{opencl, run, run_within};
use libtest_mimic::{Arguments, Failed, Trial};

/// A program in `tests/crates/src/bin/`, and the archs that cannot run it, each with the reason.
struct Program {
    name: &'static str,
    left_out: &'static [(&'static str, &'static str)],
}

const fn everywhere(name: &'static str) -> Program {
    Program { name, left_out: &[] }
}

const PROGRAMS: [Program; 24] = [
    everywhere("aes"),
    everywhere("arrayvec"),
    everywhere("chacha20"),
    everywhere("crc"),
    everywhere("digests"),
    everywhere("fastrand"),
    everywhere("fixed"),
    Program {
        name: "formatted",
        left_out: &[("spirv64", "formatting, sorting and `frexp` call themselves, which OpenCL has not")],
    },
    everywhere("glam"),
    everywhere("half"),
    everywhere("hashbrown"),
    everywhere("heapless"),
    everywhere("itoa"),
    everywhere("libm"),
    everywhere("libm_chosen"),
    everywhere("lz4_flex"),
    everywhere("memchr"),
    everywhere("micromath"),
    everywhere("nalgebra"),
    everywhere("num-complex"),
    everywhere("rand"),
    everywhere("ryu"),
    everywhere("sha2"),
    everywhere("siphasher"),
];

const ARCHS: [&str; 4] = ["cpu", "sm_80", "gfx90a", "spirv64"];

fn main() {
    let trials = PROGRAMS.iter().map(|program| Trial::test(program.name, || right_everywhere(program)));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn right_everywhere(program: &Program) -> Result<(), Failed> {
    let folder = harness::scratch();
    let bitcode = cargo_rustc(program.name, folder.path());
    let executable = folder.path().join(program.name);
    let kept = ARCHS.into_iter().filter(|arch| program.left_out.iter().all(|(out, _)| out != arch));
    let archs: Vec<_> = kept.collect();
    compile(&bitcode, &executable, &archs);
    let _said = run(&mut Command::new(&executable)).success();
    if archs.contains(&"spirv64") && opencl::folder().is_some() {
        let _said = run(opencl::choose(&mut Command::new(&executable))).success();
    }
    Ok(())
}

/// Where Cargo builds the crates: once for all tests, and never beside their sources.
fn crates_target() -> PathBuf {
    harness::target_dir().join("crates")
}

/// The bitcode of one program; Cargo builds the crates that it needs first, or waits for another that does.
fn cargo_rustc(program: &str, folder: &Path) -> PathBuf {
    let output = folder.join(format!("{program}.bc"));
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(harness::root().join("tests/crates")).env("CARGO_TARGET_DIR", crates_target());
    command.args(["rustc", "--locked", "--quiet", "--release", "--bin", program, "--"]);
    command.arg(format!("--emit=llvm-bc={}", output.display()));
    command.args(["-Cno-prepopulate-passes", "-Clinker=true"]);
    let _said = run_within(&mut command, Duration::from_secs(600)).success();
    output
}

fn compile(bitcode: &Path, executable: &Path, archs: &[&str]) {
    let mut command = Command::new(harness::offloadc());
    command.arg(bitcode).arg("-L").arg(crates_target().join("release/deps"));
    command.arg(format!("--offload-arch={}", archs.join(","))).args(["--emit=exe", "-o"]).arg(executable);
    if let Some(assembler) = harness::ptxas() {
        command.arg("--ptxas").arg(assembler);
    }
    let _said = run(&mut command).success();
}
