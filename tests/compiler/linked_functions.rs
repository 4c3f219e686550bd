//! Kernels of a program with functions of plugins that are opened while it runs, on all devices that tests have.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::program::{compile, runtime_libraries};
use harness::{Outcome, root, run, scratch};

use super::finished::{COMPILING, Device, Launcher, command};

fn source(name: &str) -> PathBuf {
    root().join("tests/compiler/linked_functions").join(name)
}

/// The program, with these archs.
fn program(folder: &Path, name: &str, archs: &str) -> PathBuf {
    let (object, program) = (folder.join(format!("{name}.o")), folder.join(name));
    compile(&source("program.ll"), &object, &[&format!("--offload-arch={archs}")]).success();
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-pthread", "-I"]).arg(root().join("runtime-c"));
    cc.arg(source("program.c")).arg(&object).args(runtime_libraries("offloadrt")).arg("-ldl");
    let _said = run(cc.arg("-o").arg(&program)).success();
    program
}

/// The instruction of a function that cannot be linked.
const STORE: &str = "store volatile i32 %x, ptr @calls, !dbg !7";

/// A plugin whose function adds `added` and the number at a place of its table. All plugins have the same symbols.
pub(super) fn plugin(folder: &Path, name: &str, (added, store): (&str, &str), archs: &str) -> PathBuf {
    let text = fs::read_to_string(source("plugin.ll")).expect("it is a file of the repository");
    let kernel = "define ptx_kernel void @of_plugin(ptr %p) {\n  ret void\n}\n";
    let text = text.replace("; KERNEL\n", if name == "with_kernel" { kernel } else { "" });
    let text = text.replace("ADDED", added).replace("  STORE\n", &format!("  {store}\n"));
    let (input, object, plugin) =
        (folder.join(format!("{name}.ll")), folder.join(format!("{name}.o")), folder.join(format!("{name}.so")));
    fs::write(&input, text).expect("the folder is ours");
    let compiled = compile(&input, &object, &[&format!("--offload-arch={archs}")]).success();
    assert_eq!(
        archs.contains("generic") || name == "with_kernel",
        compiled.stderr().is_empty(),
        "{}",
        compiled.report()
    );
    let mut cc = Command::new("cc");
    cc.arg("-shared").arg(&object).args(runtime_libraries("offloadrt"));
    let _said = run(cc.arg("-o").arg(&plugin)).success();
    plugin
}

const ALL: &str = "cpu,generic";

/// Two plugins with the same symbols and other code, functions in a struct, and a plugin that is closed, opened again
/// and replaced: each call is one of the right function. The second start compiles nothing.
#[test]
fn kernels_call_functions_of_plugins() {
    let folder = scratch();
    let program = program(folder.path(), "program", ALL);
    let [one, two] = [("one", "10"), ("two", "20")]
        .map(|(name, added)| plugin(folder.path(), name, (added, ""), "generic").display().to_string());
    for device in Device::all() {
        for is_kept in [false, true] {
            let mut command = command(&program, folder.path());
            let mut launcher = Launcher::start(
                {
                    device.choose(&mut command);
                    command
                },
                folder.path(),
            );
            let mut is = |line: &str, answer: &str| assert_eq!(launcher.send(line), answer, "{device:?}: {line}");
            is("call own 5", "15");
            is(&format!("open one {one}"), "opened");
            is(&format!("open two {two}"), "opened");
            is("call one 5", "16"); // 5 + 10 + table[1]
            is("call two 5", "26");
            is("call one 4", "24"); // 4 + 10 + table[0]
            is("both one two 5", "56"); // 16 + 20 + table[0]
            is("both two one 5", "38"); // 26 + 10 + table[2]
            is("both own one 5", "28");
            is("both own own 5", "45");
            is("close one", "closed");
            is("call two 6", "28");
            is("call one 5", "-1"); // its object is gone
            is(&format!("open one {two}"), "opened");
            is("call one 5", "26");
            let log = launcher.end();
            // `both` with one and two has one image, in either order, and so has `k` with the returned plugin.
            let loaded = log.matches("with functions of ").count();
            assert_eq!(loaded, 4, "{device:?}: {log}");
            assert_eq!(log.contains(COMPILING), !is_kept, "{device:?}: {log}");
            assert_eq!(log.matches(", linked").count(), 8, "{device:?}: {log}");
        }
    }
}

/// An image that cannot be linked is an error of the launch, and the program continues.
#[test]
fn what_cannot_be_linked_is_an_error_that_says_why() {
    let folder = scratch();
    let [program, plain] =
        [("program", ALL), ("plain", "cpu")].map(|(name, archs)| program(folder.path(), name, archs));
    let good = plugin(folder.path(), "good", ("10", ""), "generic");
    let counting = plugin(folder.path(), "counting", ("10", STORE), "generic");
    let refused = |program: &Path, plugin: &Path, change: &dyn Fn(&mut Command), said: &str| {
        let mut command = command(program, folder.path());
        change(command.env_remove("OFFLOADRT_DEVICE"));
        let mut launcher = Launcher::start(command, folder.path());
        assert_eq!(launcher.send(&format!("open it {}", plugin.display())), "opened");
        let answer = launcher.send("call it 5");
        let start =
            "error: kernel `k` is given a function of another object, and cannot be linked with it for device `cpu`: ";
        assert!(answer.starts_with(start) && answer.contains(said), "{answer}\n{}", launcher.log());
        assert_eq!(launcher.send("call own 5"), "15", "{}", launcher.log());
        launcher.end()
    };
    let nothing = |_: &mut Command| ();
    refused(&plain, &good, &nothing, "the object of the kernel has no generic image; add `generic`");
    refused(&program, &good, &|command| _ = command.env("OFFLOADRT_JIT", "never"), "`OFFLOADRT_JIT` is `never`");
    let no_compiler = |command: &mut Command| _ = command.env("OFFLOADRT_COMPILER", "/nonexistent");
    refused(&program, &good, &no_compiler, "`OFFLOADRT_COMPILER` is `/nonexistent`, which is no program");
    let static_ =
        "function `f` uses the static `calls`, and cannot be linked with kernels of other objects (plugin.c:7:3)";
    let log = refused(&program, &counting, &nothing, static_);
    assert!(!log.contains(COMPILING), "{log}");
    let of_cpu = plugin(folder.path(), "with_kernel", ("10", ""), "cpu");
    refused(&program, &of_cpu, &nothing, "the object with the function has no generic image; add `generic`");
    // A plugin for the CPU alone has no device code that others could call: its function is not known.
    let alone = plugin(folder.path(), "alone", ("10", ""), "cpu");
    let mut launcher = Launcher::start(command(&program, folder.path()), folder.path());
    assert_eq!(launcher.send(&format!("open it {}", alone.display())), "opened");
    assert_eq!(launcher.send("call it 5"), "-1", "{}", launcher.log());
}

/// Of two functions of a plugin, one cannot be linked. The other one and those of another plugin are called.
#[test]
fn a_function_that_cannot_be_linked_does_not_concern_the_others() {
    let folder = scratch();
    let program = program(folder.path(), "program", ALL);
    let good = plugin(folder.path(), "good", ("10", ""), "generic");
    let counting = plugin(folder.path(), "counting", ("20", STORE), "generic");
    for device in Device::all() {
        let mut command = command(&program, folder.path());
        device.choose(&mut command);
        let mut launcher = Launcher::start(command, folder.path());
        let mut is = |line: &str, answer: &str| {
            let said = launcher.send(line);
            assert!(said.starts_with(answer), "{device:?}: {line}: {said}");
        };
        is(&format!("open good {}", good.display()), "opened");
        is(&format!("open it {}", counting.display()), "opened");
        is("second it 5", "35");
        let refused =
            "error: kernel `both` is given a function of another object, and cannot be linked with it for device";
        is("both good it 5", refused);
        is("second it 6", "42");
        is("call good 5", "16");
        is("call it 5", "error: kernel `k` is given a function of another object");
        let _log = launcher.end();
    }
}

/// `offloadc finish --link`, and its refusals.
#[test]
fn images_are_linked_by_hand() {
    let folder = scratch();
    let program = program(folder.path(), "program", ALL);
    let plugin = plugin(folder.path(), "good", ("10", ""), "generic");
    let finish = |file: &Path, words: &[&str]| -> Outcome {
        let mut command = Command::new(harness::offloadc());
        command.arg("finish").arg(file).args(["--offload-arch=sm_80", "--emit=codegen=-", "--no-cache"]);
        run(command.args(words).current_dir(folder.path()))
    };
    let linked = finish(&program, &["--link=good.so"]).success().stdout();
    let alone = finish(&program, &[]).success().stdout();
    assert!(linked.contains("without_functions") && linked.contains("table") && !alone.contains("table"), "{linked}");
    let one = finish(&program, &["--link=good.so", "--only-kernel=k"]).success().stdout();
    assert!(one.contains(".entry k(") && !one.contains("without_functions"), "{one}");
    let _counting = super::linked_functions::plugin(folder.path(), "counting", ("20", STORE), "generic");
    let partly = finish(&program, &["--link=counting.so", "--only-kernel=k"]).success();
    let warning =
        "warning[OFC0060]: function `f` uses the static `calls`, and cannot be linked with kernels of other objects";
    assert!(partly.stderr().contains(warning) && partly.stdout().contains(".entry k("), "{}", partly.report());
    let refused = |file: &Path, words: &[&str], said: &str| {
        let outcome = finish(file, words);
        assert!(outcome.code() == 1 && outcome.stderr().contains(said), "{}", outcome.report());
    };
    refused(&program, &["--only-kernel=none"], "error[OFC0058]: the generic image has no kernel `none`");
    refused(&plugin, &[], "error[OFC0060]: the generic image has functions only, and no kernel");
    let kernels = "target triple = \"x86_64-unknown-linux-gnu\"\ndefine ptx_kernel void @k(ptr %p) {\n  ret void\n}\n";
    fs::write(folder.path().join("kernels.ll"), kernels).expect("the folder is ours");
    let kernels = folder.path().join("kernels.o");
    compile(&folder.path().join("kernels.ll"), &kernels, &["--offload-arch=generic"]).success();
    refused(&kernels, &["--link=good.so"], "error[OFC0060]: no kernel of the image calls functions by their numbers");
    refused(
        &program,
        &["--link=kernels.o"],
        "error[OFC0060]: a linked image has no functions that are passed as values",
    );
    refused(&program, &["--link=good.ll"], "cannot read `good.ll`");
}
