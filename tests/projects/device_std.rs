//! `--device-std`: `tests/device_std/`, whose kernels use functions of `std` that need an operating system. One of two
//! builds runs, in turn; with `OFFLOADC_ALL_EMULATED=1`, both.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use harness::{cargo, emulators, opencl, run_within, turns};

/// The folder of the programs, in which tests replace each other's.
static PROGRAMS: Mutex<()> = Mutex::new(());

/// `cargo offloadc build` in `tests/device_std/`, and the folder of its programs. Later runs reuse it.
fn offloadc(words: &[&str]) -> (Command, PathBuf) {
    let target = cargo::offloadc_target();
    let mut command = cargo::cargo(&harness::root().join("tests/device_std"));
    command.args(["offloadc", "build", "--locked"]).args(words).arg("--target-dir").arg(&target);
    (command, target.join("x86_64-unknown-linux-gnu"))
}

/// Prepares a command that runs a program with arguments, and with the input that its kernels read.
fn program(program: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", r#"exec "$0" "$@" < "$DEVICE_STD_FOLDER/input""#]).arg(program).args(["an argument", ""]);
    command
}

/// Runs the program on the device that `command` has chosen.
fn check(command: &mut Command, device: &str, has_paths: bool) {
    let folder = harness::scratch();
    let input = format!("a line\n{}\nrest\nwithout an end", "l".repeat(1300));
    std::fs::write(folder.path().join("input"), input).expect("the folder was just made");
    let long: String = ('a'..='z').cycle().take(1100).collect();
    let command = command.env("DEVICE_STD_FOLDER", folder.path()).env("DEVICE_STD_LONG", long);
    let ran = run_within(command, Duration::from_secs(120)).success();
    let text = ran.stdout();
    for number in 0..3 {
        // Pieces of other threads may be between those of a long line.
        assert!(text.contains(&format!("thread  {number} of Some(\"a kernel\"), ~")), "{}", ran.report());
    }
    assert_eq!(text.matches('~').count(), 3 * 600, "{}", ran.report());
    if has_paths {
        assert!(text.contains("stdout has 1\nand bytes\n"), "{}", ran.report());
        assert!(ran.stderr().contains("stderr has 2\n"), "{}", ran.report());
    }
    assert!(text.contains(&format!("all threads of {device}")), "{}", ran.report());
    assert_eq!(ran.stderr().matches("an error of thread 1\n").count(), 1, "{}", ran.report());
}

#[test]
fn kernels_use_std_through_the_host() {
    let _folder = cargo::hold(&PROGRAMS);
    const OPTIMISED: &[&str] = &["--release", "--features=paths"];
    let all = std::env::var_os("OFFLOADC_ALL_EMULATED").is_some();
    let builds = [(OPTIMISED, "release", &["sm_80", "gfx90a", "spirv64"][..]), (&[], "debug", &["gfx1100"])];
    let in_turn = |number: &usize| all || turns::is_next(*number, builds.len());
    for (words, profile, archs) in (0..builds.len()).filter(in_turn).map(|number| builds[number]) {
        let list = format!("--offload-arch=cpu,{}", archs.join(","));
        let (mut build, programs) = offloadc(&["--device-std", &list]);
        let _built = run_within(build.args(words), Duration::from_secs(600)).success();
        let (built, has_paths) = (programs.join(profile).join("device_std"), !words.is_empty());
        check(program(&built).env("OFFLOADRT_DEVICE", "cpu"), "cpu", has_paths);
        if archs.contains(&"spirv64") && opencl::folder().is_some() {
            check(opencl::choose(&mut program(&built)), "opencl:", has_paths);
        }
        for emulated in emulators::all().filter(|emulated| archs.contains(&emulated.arch)) {
            check(emulators::choose(&mut program(&built), emulated), emulated.device, has_paths);
        }
    }
}

/// Each function is refused without the option.
#[test]
fn kernels_without_the_option_are_refused() {
    let _folder = cargo::hold(&PROGRAMS);
    let built = run_within(&mut offloadc(&["--release", "--features=paths"]).0, Duration::from_secs(600));
    let text = built.stderr();
    assert_ne!(built.code(), 0, "{}", built.report());
    for path in ["std::io::stdio::_print", "std::env::_var", "std::fs::read::inner", "std::fs::write::inner", "close"]
        .into_iter()
        .chain(["std::env::args", "std::sys::fs::rename", "std::io::stdio::stdin", "__xpg_strerror_r"])
    {
        assert!(text.contains(&format!(" reaches `{path}`, which needs an operating system")), "{}", built.report());
    }
    assert_eq!(text.matches("error[OFC0007]").count(), text.matches("error[").count(), "{}", built.report());
}

/// The others are refused with the option, too. A debug build records all calls, and those between a kernel and the
/// function that the user wrote for it are no part of a call path.
#[test]
fn functions_without_a_host_call_are_refused() {
    let _folder = cargo::hold(&PROGRAMS);
    let words = ["--features=refused", "--device-std"];
    let built = run_within(&mut offloadc(&words).0, Duration::from_secs(600));
    let text = built.stderr();
    assert_ne!(built.code(), 0, "{}", built.report());
    for path in ["std::sys::fs::read_dir", "std::process::exit", "Stdin>::lines", "std::env::vars", "sleep", "lock"] {
        assert!(text.contains(&format!("{path}`, which needs an operating system")), "{path}: {}", built.report());
    }
    // The bytes of a file: all that one call of the library needs is one error, at the call.
    assert!(text.contains("Iterator::count`, which needs an operating system"), "{}", built.report());
    let paths: Vec<_> = text.lines().filter(|line| line.contains("called through")).collect();
    let is_users = |line: &&&str| line.contains("`device_std::refused::reach_the_host` → `device_std::refused::all`");
    assert!(!paths.is_empty() && paths.iter().filter(is_users).count() == paths.len(), "{}", built.report());
}
