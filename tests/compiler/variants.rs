//! Kernels that the runtime compiles once more for values of their launches, on all devices that tests have.
//! `runtime-c/tests/finish_test.c` has the cases for which the compiler is a script.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::program::{RECOMMENDED, bitcode, compile};
use harness::{run, scratch};

use super::finished::{COMPILING, Device, Launcher, by_line, command};

/// A kernel that counts its launches in a static, and adds the number, for which code is wanted.
const COUNTER: &str = "target triple = \"x86_64-unknown-linux-gnu\"\n\
    @launches = internal global i32 0, section \".offload.static\"\n\
    declare void @__offload_parameter(i32, i32, i32)\n\
    define ptx_kernel void @k(ptr %to, i32 %number) {\n  call void @__offload_parameter(i32 8, i32 4, i32 1)\n  \
    %before = load i32, ptr @launches\n  %now = add i32 %before, 1\n  store i32 %now, ptr @launches\n  \
    %sum = add i32 %now, %number\n  store i32 %sum, ptr %to\n  ret void\n}\n";

/// A kernel that adds one to the number with a function whose address is in memory.
const STORED: &str = "target triple = \"x86_64-unknown-linux-gnu\"\n\
    declare void @__offload_parameter(i32, i32, i32)\n\
    define internal i32 @next(i32 %n) noinline {\n  %sum = add i32 %n, 1\n  ret i32 %sum\n}\n\
    define ptx_kernel void @k(ptr %to, i32 %number) {\n  call void @__offload_parameter(i32 8, i32 4, i32 1)\n  \
    %at = alloca ptr\n  store volatile ptr @next, ptr %at\n  %function = load volatile ptr, ptr %at\n  \
    %sum = call i32 %function(i32 %number)\n  store i32 %sum, ptr %to\n  ret void\n}\n";

/// How many launches of `variants/program.rs` have a variant if there are three of each kernel at most, and how many
/// variants there are.
const LAUNCHED: usize = 29;
const LOADED: usize = 19;

fn program(folder: &Path) -> PathBuf {
    let (input, program) = (bitcode("tests/compiler/variants/program.rs", RECOMMENDED, folder), folder.join("program"));
    compile(&input, &program, &["--emit=exe", "--offload-arch=cpu,generic", "--device-print"]).success();
    program
}

fn count(log: &str, parts: [&str; 2]) -> usize {
    log.lines().filter(|line| parts.iter().all(|part| line.contains(part))).count()
}

/// With values, their order and their number as they come: the results, the panics and the output are those of the
/// general code. The second start compiles nothing.
#[test]
fn variants_do_what_the_general_code_does() {
    let folder = scratch();
    let program = program(folder.path());
    for device in Device::all() {
        let start = |variants: &str, change: &dyn Fn(&mut Command)| {
            let mut command = command(&program, folder.path());
            device.choose(&mut command).env("OFFLOADRT_VARIANTS", variants);
            change(&mut command);
            run(&mut command).success()
        };
        let general = start("0", &|_| ());
        assert!(!general.stderr().contains("variant"), "{device:?}: {}", general.report());
        for is_kept in [false, true] {
            let ran = start("3,wait", &|_| ());
            let log = ran.stderr();
            assert_eq!(ran.stdout(), general.stdout(), "{device:?}");
            assert_eq!(count(&log, ["launching `", ", variant "]), LAUNCHED, "{device:?}: {log}");
            assert_eq!(count(&log, [": loading variant ", " of kernel `"]), LOADED, "{device:?}: {log}");
            assert_eq!(log.contains(COMPILING), !is_kept, "{device:?}: {log}");
            assert_eq!(count(&log, ["sum", "has 3 variants, and gets no more"]), 1, "{device:?}: {log}");
            assert!(!log.contains("the general code serves"), "{device:?}: {log}");
        }
        let Device::Cpu = device else { continue };
        let never = start("3,wait", &|command| _ = command.env("OFFLOADRT_JIT", "never"));
        assert!(!never.stderr().contains("variant") && never.stdout() == general.stdout(), "{}", never.report());
        // A value that is not valid is an error when a device is opened, which is a panic of no kernel.
        for wrong in ["many", "-1", "1001", "3,", "3,waits", "wait"] {
            let refused = run(command(&program, folder.path()).env("OFFLOADRT_VARIANTS", wrong));
            let said =
                format!("`OFFLOADRT_VARIANTS` is `{wrong}`, and must be a number up to 1000, or such a number and");
            assert!(refused.code() == 1 && refused.stderr().contains(&said), "{}", refused.report());
        }
    }
}

/// Without a compiler, and with one that refuses, the values are arguments like others. Nothing is tried twice.
#[test]
fn without_a_compiler_the_values_are_arguments() {
    let folder = scratch();
    let program = program(folder.path());
    let general = run(command(&program, folder.path()).env("OFFLOADRT_VARIANTS", "0")).success();
    for compiler in ["/nonexistent", "/bin/false"] {
        for variants in ["3,wait", "3"] {
            let mut command = command(&program, folder.path());
            let ran = run(command.env("OFFLOADRT_COMPILER", compiler).env("OFFLOADRT_VARIANTS", variants)).success();
            let log = ran.stderr();
            assert!(ran.stdout() == general.stdout() && !log.contains(", variant "), "{}", ran.report());
            let tried = count(&log, ["finish: ", "the generic image is not finished: "]);
            assert!(tried == LOADED || (variants == "3" && tried <= LOADED), "{}", ran.report());
        }
    }
}

/// The general code serves until the variant is there. After that, and in a later start at once, the variant does.
#[test]
fn a_variant_is_made_in_the_background() {
    let folder = scratch();
    let program = program(folder.path());
    for device in Device::all() {
        let start = || {
            let mut command = command(&program, folder.path());
            device.choose(command.arg("lines"));
            Launcher::start(command, folder.path())
        };
        let is_right = |launcher: &mut Launcher, n: u32| {
            assert_eq!(launcher.send(&n.to_string()), format!("sum {n} 0 1 32: right"), "{}", launcher.log());
        };
        let mut launcher = start();
        is_right(&mut launcher, 261);
        let log = launcher.log();
        assert!(count(&log, ["launching `", ", variant "]) == 0, "{device:?}: {log}");
        is_right(&mut launcher, 5);
        launcher.wait_for("finish: compiled");
        while ["1", "2"].iter().any(|number| !launcher.log().contains(&format!("shared memory, variant {number}"))) {
            is_right(&mut launcher, 5);
            is_right(&mut launcher, 261);
        }
        let _log = launcher.end();
        let mut launcher = start();
        is_right(&mut launcher, 5);
        is_right(&mut launcher, 261);
        let log = launcher.end();
        assert_eq!(count(&log, ["launching `", ", variant "]), 2, "{device:?}: {log}");
        assert!(!log.contains(COMPILING), "{device:?}: {log}");
    }
}

/// Each image has its own copy of the statics and its own addresses of functions, so a kernel that writes the ones, or
/// calls an address in memory, has one image.
#[test]
fn kernels_that_leave_something_for_others_have_no_variants() {
    let folder = scratch();
    let cases = [(COUNTER, [1, 102, 203], "write statics"), (STORED, [1, 101, 201], "whose addresses are in memory")];
    for (kernel, expected, reason) in cases {
        let program = by_line(folder.path(), kernel, &["--offload-arch=cpu,generic"]);
        for device in Device::all() {
            let mut command = command(&program, folder.path());
            device.choose(&mut command).env("OFFLOADRT_VARIANTS", "8,wait");
            let mut launcher = Launcher::start(command, folder.path());
            let results = [launcher.launch(), launcher.launch(), launcher.launch()];
            assert_eq!(results, expected, "{}", launcher.log());
            let log = launcher.end();
            assert_eq!(count(&log, ["kernel `k` gets no variants", reason]), 1, "{device:?}: {log}");
            assert!(!log.contains("loading variant"), "{device:?}: {log}");
        }
    }
}
