//! The programs for aarch64 Linux, on the CPU there. `make test` runs those below; with `OFFLOADC_ALL_AARCH64=1`, all
//! programs run.

use std::process::Command;

use harness::aarch64;
use harness::program::{self, FLAG_SETS, RECOMMENDED};
use harness::run;
use libtest_mimic::Trial;

use crate::{EXAMPLES, PROGRAMS, Program, checked, stem, verify};

/// The programs that depend on the processor: its C convention, its atomics, the signals for stacks, warps, panics and
/// math.
const QUICK: [&str; 12] = [
    "saxpy",
    "matmul",
    "reduction",
    "arguments",
    "calls",
    "intrinsics",
    "atomics",
    "panics",
    "warps_and_barriers",
    "warp_masks",
    "maps",
    "recursion",
];

/// The tests.
pub(crate) fn trials() -> Vec<Trial> {
    let all = std::env::var_os("OFFLOADC_ALL_AARCH64").is_some();
    let programs = EXAMPLES.iter().chain(PROGRAMS).copied();
    let chosen = programs.filter(|program| all || QUICK.contains(&stem(program.source).as_str()));
    let trial = |program: Program| {
        let name = format!("{}/{}/aarch64", stem(program.source), RECOMMENDED.name);
        Trial::test(name, move || Ok(right(program)?)).with_ignored_flag(!aarch64::has_rust())
    };
    let rust = |name: &str, test: fn()| {
        Trial::test(format!("aarch64/{name}"), move || checked(test)).with_ignored_flag(!aarch64::has_rust())
    };
    let c = Trial::test("aarch64/c-convention", || checked(a_c_program_passes_every_class_of_parameter));
    let more = [
        c.with_ignored_flag(!aarch64::is_here()),
        rust("one-command", one_command_links_a_program),
        rust("stack-overflow", a_full_stack_is_an_error),
        rust("unoptimised", an_unmarked_copy_is_not_launched),
        rust("finished", the_runtime_finishes_a_generic_image),
        rust("added", images_go_into_and_out_of_a_program),
    ];
    chosen.map(trial).chain(more).collect()
}

/// The emulated runtime starts the compiler of this machine, which makes an image for that processor.
fn the_runtime_finishes_a_generic_image() {
    let folder = harness::scratch();
    let bitcode = aarch64::bitcode("tests/run/panics.rs", RECOMMENDED, folder.path());
    let (object, executable) = (folder.path().join("program.o"), folder.path().join("program"));
    program::compile(&bitcode, &object, &["--offload-arch=generic"]).success();
    aarch64::link(&object, &executable);
    for compilations in [1, 0] {
        let mut command = aarch64::start(&executable);
        command.env("OFFLOADRT_COMPILER", harness::offloadc()).env("OFFLOADC_CACHE_DIR", folder.path().join("cache"));
        let outcome = run(command.env("OFFLOADRT_LOG", "1").env_remove("OFFLOADC_NO_CACHE")).success();
        assert_eq!(outcome.stderr().matches("finish: compiling").count(), compilations, "{}", outcome.report());
    }
}

/// `offloadc add` and `strip` on a program for that processor, whose segments have larger pages.
fn images_go_into_and_out_of_a_program() {
    let folder = harness::scratch();
    let at = folder.path();
    let bitcode = aarch64::bitcode("tests/run/format.rs", RECOMMENDED, at);
    let archs = "--offload-arch=generic,sm_80";
    program::compile(&bitcode, &at.join("program.o"), &[archs, "--compress=none"]).success();
    aarch64::link(&at.join("program.o"), &at.join("program"));
    let offloadc = |words: &[&str]| run(Command::new(harness::offloadc()).args(words).current_dir(at)).success();
    let start = |name: &str| {
        let mut command = aarch64::start(&at.join(name));
        run(command.env("OFFLOADRT_JIT", "never").env("OFFLOADRT_LOG", "1"))
    };
    let none = start("program");
    assert!(none.code() != 0 && none.stderr().contains("has no code for device `cpu`"), "{}", none.report());
    let _said = offloadc(&["add", "program", "--offload-arch=cpu", "-o", "added"]);
    let _said = offloadc(&["strip", "added", "--keep=cpu,generic", "--compact", "-o", "compact"]);
    let _said = offloadc(&["strip", "program", "--keep=generic", "--compact", "-o", "alone"]);
    let _said = offloadc(&["add", "alone", "--offload-arch=cpu"]);
    let size = |name: &str| std::fs::metadata(at.join(name)).expect("offloadc writes it").len();
    assert!(size("compact") + (64 << 10) < size("added"), "{} {}", size("compact"), size("added"));
    for name in ["added", "compact", "alone"] {
        let ran = start(name).success();
        assert!(ran.stderr().contains("loading the image for cpu,"), "{}", ran.report());
    }
}

/// An error if the program's result is wrong.
fn right(program: Program) -> Result<(), String> {
    let folder = harness::scratch();
    let bitcode = aarch64::bitcode(program.source, RECOMMENDED, folder.path());
    let (object, executable) = (folder.path().join("program.o"), folder.path().join("program"));
    let options = [&["--offload-arch=cpu,sm_80,gfx90a"], program.options].concat();
    let mut outcome = program::compile(&bitcode, &object, &options);
    if program::refused(&outcome, &object) {
        // A GPU may lack something that the processor has.
        outcome = program::compile(&bitcode, &object, program.options);
    }
    if program.may_be_refused && program::refused(&outcome, &object) {
        return Ok(());
    }
    if outcome.code() != 0 {
        return Err(outcome.report());
    }
    aarch64::link(&object, &executable);
    let mut command = aarch64::start(&executable);
    let outcome = run(command.args(program.arguments).current_dir(folder.path()));
    verify(program, RECOMMENDED, &outcome, folder.path())
}

/// The host passes each argument as clang compiles it, and the kernels receive the same bytes.
fn a_c_program_passes_every_class_of_parameter() {
    let folder = harness::scratch();
    let (bitcode, object, program) =
        (folder.path().join("parameters.bc"), folder.path().join("parameters.o"), folder.path().join("parameters"));
    let mut clang = Command::new(harness::llvm_tool("clang"));
    clang.args(["--target=aarch64-linux-gnu", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-emit-llvm", "-c"]);
    clang.args(["-Iruntime-c", "-isystem"]).arg(format!("{}/include", aarch64::SYSROOT));
    clang.arg("tests/host_object/aarch64.c").arg("-o").arg(&bitcode).current_dir(harness::root());
    run(&mut clang).success();
    program::compile(&bitcode, &object, &["--kernel=store_*", "--offload-arch=cpu,sm_80,gfx90a,spirv64"]).success();
    aarch64::link(&object, &program);
    let said = aarch64::execute(&program).success().stdout();
    let lines: Vec<&str> = said.lines().collect();
    let [same @ .., many, refused] = &lines[..] else { panic!("{said}") };
    assert!(same.len() == 21 && same.iter().all(|line| line.ends_with(": same")), "{said}");
    assert_eq!(*many, "many: 481 23");
    assert_eq!(*refused, "argument 2 of kernel `store_padded_words` is a value of 16 bytes, but 8 were given");
}

/// `--emit=exe` chooses the compiler that links for the platform.
fn one_command_links_a_program() {
    let folder = harness::scratch();
    let bitcode = aarch64::bitcode("examples/contract/saxpy.rs", RECOMMENDED, folder.path());
    let executable = folder.path().join("saxpy");
    program::compile(&bitcode, &executable, &["--emit=exe"]).success();
    assert_eq!(run(aarch64::start(&executable).arg("1000")).success().stdout(), "saxpy: 1000 elements, ok\n");
}

/// The end of a stack is found by the registers of a signal.
fn a_full_stack_is_an_error() {
    let folder = harness::scratch();
    let bitcode = aarch64::bitcode("tests/run/overflow.rs", RECOMMENDED, folder.path());
    let (object, executable) = (folder.path().join("overflow.o"), folder.path().join("overflow"));
    program::compile(&bitcode, &object, &[]).success();
    aarch64::link(&object, &executable);
    let start = |depth| run(aarch64::start(&executable).arg(depth));
    assert!(start("5000").success().stdout().contains("overflow: 8 threads, ok"));
    let outcome = start("1000000000");
    assert!(outcome.stderr().contains("deep` overflowed its stack") && outcome.code() == 1, "{}", outcome.report());
}

/// Without optimisation, nothing distinguishes a large struct from a reference, and the launch returns this error.
fn an_unmarked_copy_is_not_launched() {
    let folder = harness::scratch();
    let set = FLAG_SETS.into_iter().find(|set| set.name == "O0").expect("the table has it");
    let bitcode = aarch64::bitcode("tests/run/arguments.rs", set, folder.path());
    let (object, executable) = (folder.path().join("arguments.o"), folder.path().join("arguments"));
    program::compile(&bitcode, &object, &[]).success();
    aarch64::link(&object, &executable);
    let outcome = aarch64::execute(&executable);
    let wanted = "padded` is a pointer of 8 bytes, but 48 were given";
    assert!(outcome.code() == 1 && outcome.stderr().contains(wanted), "{}", outcome.report());
}
