//! Code for values of launches: the results are the same, and the CPU executes fewer instructions.

use std::path::Path;
use std::process::Command;

use harness::program::{self, RECOMMENDED};
use harness::run;

/// The extents and the radius that the program passes.
const VALUES: [&str; 3] = ["0=40000000", "1=60000000", "2=01000000"];
/// The most instructions of the code for these values, for each of the general code. It was 0.6 when it was written.
const MOST: f64 = 0.8;

#[test]
fn a_stencil_with_known_extents_executes_fewer_instructions() {
    let folder = harness::scratch();
    let bitcode = program::bitcode("tests/compiler/specialized/stencil.rs", RECOMMENDED, folder.path());
    let specialized = folder.path().join("specialized.ll");
    let mut command = Command::new(harness::offloadc());
    command.arg(&bitcode).args(["--offload-arch=cpu", "--run-pass=specialize_kernel"]);
    let written = run(command.args(VALUES.map(|value| format!("--specialize=stencil:{value}")))).success().stdout();
    std::fs::write(&specialized, written).expect("the scratch folder can be written");
    let (general, general_count) = executed(&bitcode, folder.path());
    let (known, known_count) = executed(&specialized, folder.path());
    assert!(general.starts_with("stencil: ") && general == known, "{general}{known}");
    let share = known_count / general_count;
    println!("{known_count} of {general_count} instructions: {share:.2}");
    assert!(share <= MOST, "{known_count} of {general_count} instructions are executed");
}

/// The output of a program, and how many instructions its kernels' code executes.
fn executed(input: &Path, folder: &Path) -> (String, f64) {
    let (object, executable, counts) = (folder.join("program.o"), folder.join("program"), folder.join("counts"));
    program::compile(input, &object, &["-O3", "--offload-arch=cpu"]).success();
    program::link_rust(&object, "offloadrt", &executable);
    let plain = run(Command::new(&executable).env("OFFLOADRT_CPU_THREADS", "1")).success().stdout();
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--toggle-collect=__offload_cpu*"]);
    command.arg(format!("--callgrind-out-file={}", counts.display()));
    let counted = run(command.arg(&executable).env("OFFLOADRT_CPU_THREADS", "1")).success();
    let said = counted.stderr();
    let line = said.lines().find_map(|line| line.split_once("Collected : ")).unwrap_or_else(|| panic!("{said}"));
    (plain, line.1.trim().parse().expect("it is a number"))
}
