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

/// A kernel that calls a function by its number, and a host that passes the number of another one.
const FUNCTIONS: &str = "target triple = \"x86_64-unknown-linux-gnu\"
declare i64 @__offload_function(ptr)
declare ptr @__offload_function_pointer(i64)
define internal i32 @thrice(i32 %x) {
  %y = mul i32 %x, 3
  ret i32 %y
}
define internal i32 @less(i32 %x) {
  %y = sub i32 %x, 1000
  ret i32 %y
}
define ptx_kernel void @k(ptr %to, i64 %number) {
  %f = call ptr @__offload_function_pointer(i64 %number)
  %x = load i32, ptr %to
  %y = call i32 %f(i32 %x)
  store i32 %y, ptr %to
  ret void
}
define ptx_kernel void @fused(ptr %to, [2 x i64] %numbers) {
  %first = extractvalue [2 x i64] %numbers, 0
  %second = extractvalue [2 x i64] %numbers, 1
  %f = call ptr @__offload_function_pointer(i64 %first)
  %g = call ptr @__offload_function_pointer(i64 %second)
  %x = load i32, ptr %to
  %y = call i32 %f(i32 %x)
  %z = call i32 %g(i32 %y)
  store i32 %z, ptr %to
  ret void
}
@format = private constant [14 x i8] c\"%016lx %016lx\\00\"
declare i32 @printf(ptr, ...)
define i32 @main() {
  %thrice = call i64 @__offload_function(ptr @thrice)
  %less = call i64 @__offload_function(ptr @less)
  %printed = call i32 (ptr, ...) @printf(ptr @format, i64 %less, i64 %thrice)
  ret i32 0
}
";

/// A kernel compares the number of a function that the host chooses, and has only its code where it is finished for it.
#[test]
fn a_function_that_the_host_chooses_is_a_direct_call() {
    let folder = harness::scratch();
    let offloadc = |words: &[&str]| run(Command::new(harness::offloadc()).args(words).current_dir(folder.path()));
    std::fs::write(folder.path().join("in.ll"), FUNCTIONS).expect("the scratch folder can be written");
    offloadc(&["in.ll", "--offload-arch=generic", "--emit=bundle=image.bin", "--emit=exe=program"]).success();
    let numbers = run(&mut Command::new(folder.path().join("program"))).success().stdout();
    let bytes = |number: &str| -> String {
        let number = u64::from_str_radix(number, 16).expect("the program prints numbers");
        number.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let (less, thrice) = numbers.split_once(' ').map(|(a, b)| (bytes(a), bytes(b))).expect("it prints two");
    let code = |more: &[&str]| {
        let words = ["finish", "image.bin", "--offload-arch=sm_80", "--emit=codegen", "-o", "-"];
        offloadc(&[&words[..], more].concat()).success().stdout()
    };
    let (general, known) =
        (code(&["--only-kernel=k"]), code(&["--only-kernel=k", &format!("--specialize=k:1={less}")]));
    assert!(general.contains("setp") && general.contains("-1000") && general.contains("mul.lo"), "{general}");
    assert!(
        !known.contains("setp") && !known.contains("call") && known.contains("-1000") && !known.contains("mul.lo"),
        "{known}"
    );
    // Both functions of the other kernel, one after the other.
    let fused = code(&["--only-kernel=fused", &format!("--specialize=fused:1={less}{thrice}")]);
    assert!(!fused.contains("setp") && !fused.contains("call") && fused.contains("-3000"), "{fused}");
}
