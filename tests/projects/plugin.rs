//! A program whose kernels call functions of a plugin: `tests/plugin/`, built by `cargo offloadc`, on every device.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use harness::{Outcome, cargo, emulators, opencl, run_within};

/// The beginning of a line in the runtime's log.
const COMPILING: &str = "finish: compiling";

/// Chooses the device of a program.
type Choose = Box<dyn Fn(&mut Command)>;

/// Builds packages. Linkers find the shared object of the plugin.
fn build_packages(packages: &[&str]) -> Outcome {
    let target = cargo::offloadc_target();
    let mut command = cargo::cargo(&harness::root().join("tests/plugin"));
    command.args(["offloadc", "build", "--locked", "--target-dir"]).arg(target).args(packages);
    command.arg("--offload-arch=cpu,generic").env("LIBRARY_PATH", folder());
    // The program finds the libraries that it is linked with.
    command.env("CARGO_PROFILE_DEV_RPATH", "true");
    run_within(&mut command, Duration::from_secs(600))
}

/// The folder of the build's output.
fn folder() -> PathBuf {
    cargo::offloadc_target().join("x86_64-unknown-linux-gnu/debug")
}

/// The program and its plugin.
fn build() -> (PathBuf, PathBuf) {
    let _built = build_packages(&["-p=plugin_app", "-p=plugin"]).success();
    (folder().join("plugin_app"), folder().join("libplugin.so"))
}

/// The program with its plugin, and a separate cache.
fn command(program: &Path, plugin: &Path, cache: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg(plugin).env("OFFLOADRT_COMPILER", harness::offloadc()).env("OFFLOADC_CACHE_DIR", cache);
    command.env("OFFLOADRT_LOG", "1").env("OFFLOADRT_DEVICE", "cpu");
    command.env_remove("OFFLOADC_NO_CACHE").env_remove("OFFLOADRT_JIT");
    command
}

fn run(command: &mut Command) -> Outcome {
    run_within(command, Duration::from_secs(300))
}

/// Functions of a plugin in arguments, structs, captures and memory, its panics, and functions of the program in
/// kernels of the plugin. When the plugin is closed, its functions are gone. The second start compiles nothing.
#[test]
fn kernels_call_functions_of_a_plugin() {
    let cache = harness::scratch();
    let (program, plugin) = build();
    let mut devices: Vec<Choose> = vec![Box::new(|_| ())];
    if opencl::folder().is_some() {
        devices.push(Box::new(|command| _ = opencl::choose(command)));
    }
    for emulated in emulators::all().filter(|emulated| emulated.arch != "gfx1100") {
        devices.push(Box::new(move |command| _ = emulators::choose(command, emulated)));
    }
    for choose in devices {
        for is_kept in [false, true] {
            let mut command = command(&program, &plugin, cache.path());
            choose(&mut command);
            let ran = run(&mut command).success();
            let (said, log) = (ran.stdout(), ran.stderr());
            let [in_plugin, closed] = said.lines().collect::<Vec<_>>()[..] else { panic!("{}", ran.report()) };
            // The place is in Rust's library, and the line before it is the function's.
            let (users, place) = in_plugin.split_once(", in ").unwrap_or_else(|| panic!("{}", ran.report()));
            assert!(users.starts_with("kernel `map` panicked at plugin/plugin/src/lib.rs:12:"), "{users}");
            assert!(
                place.contains("/step_by.rs:") && place.contains(": assertion failed: step != 0 (block 0"),
                "{place}"
            );
            assert!(closed.contains("the program's device functions do not include this one"), "{closed}");
            assert_eq!(log.contains(COMPILING), !is_kept, "{}", ran.report());
            // The call of the function for which code is compiled is a direct one, so its code is no other's.
            assert_eq!(log.matches("with functions of 1 other object").count(), 7, "{}", ran.report());
        }
    }
    let mut command = command(&program, &plugin, cache.path());
    let refused = run(command.env("OFFLOADRT_JIT", "never"));
    let said = "kernel `map` is given a function of another object, and cannot be linked with it for device `cpu`: ";
    assert!(refused.code() == 1 && refused.stderr().contains(said), "{}", refused.report());
}

/// Functions of libraries that a program is linked with: values of a `dylib` and of a `cdylib`, values of the program
/// in the library's kernel, and functions by name, whose bodies are in the `dylib`, as are instances of generic
/// functions.
#[test]
fn kernels_call_functions_of_linked_libraries() {
    let cache = harness::scratch();
    let (_, plugin) = build();
    let packages = ["-p=linked"];
    let _built = build_packages(&packages).success();
    let program = folder().join("linked");
    let is_all = std::env::var_os("OFFLOADC_ALL_EMULATED").is_some();
    let mut devices: Vec<Choose> = vec![Box::new(|_| ())];
    if let Some(emulated) = emulators::all().next().filter(|_| is_all) {
        devices.push(Box::new(move |command| _ = emulators::choose(command, emulated)));
    }
    if is_all && opencl::folder().is_some() {
        devices.push(Box::new(|command| _ = opencl::choose(command)));
    }
    for choose in devices {
        let mut command = command(&program, &plugin, cache.path());
        choose(&mut command);
        let ran = run(&mut command).success();
        let panicked =
            "kernel `map` panicked at plugin/effects/src/lib.rs:14:5: less than nothing (block 0, thread 0)\n";
        assert_eq!(ran.stdout(), panicked, "{}", ran.report());
    }
    let refused = build_packages(&[&packages[..], &["--features=statics"]].concat());
    let said = "kernel `linked::by_name` reaches static `effects::CALLS`, which is not defined in the input";
    assert!(refused.code() == 101 && refused.stderr().contains(said), "{}", refused.report());
}

/// NumPy reads a buffer without a copy, and a kernel changes an array of NumPy in its place (DLPack).
#[test]
fn numpy_shares_memory_with_kernels() {
    let packages = harness::root().join("target/tools/numpy");
    assert!(packages.is_dir(), "`make test-deps` installs NumPy");
    let (_, plugin) = build();
    let mut command = Command::new("python3");
    command.arg(harness::root().join("tests/plugin/tensors.py")).arg(&plugin).env("PYTHONPATH", packages);
    let ran = run(command.env("OFFLOADRT_DEVICE", "cpu")).success();
    assert_eq!(ran.stdout(), "NumPy and the kernels have used the same memory\n", "{}", ran.report());
}
