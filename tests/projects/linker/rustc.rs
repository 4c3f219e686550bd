//! What users give rustc themselves: wrappers, and options for the host's code.

use std::path::Path;
use std::process::Command;

use harness::run;

use super::{RESULT, Workspace, finish};

/// Crates without kernels are compiled with the user's options, such as those for profiles.
#[test]
fn a_profile_guides_crates_without_kernels() {
    let workspace = Workspace::new();
    let library = "#[inline(never)]\npub fn weigh(text: &str) -> usize {\n    \
                   text.bytes().map(|byte| if byte == b'x' { 3 } else { 1 }).sum()\n}\n";
    workspace.add_library("words", library, "");
    workspace.replace("app/src/main.rs", "fn main() {", "fn main() {\n    assert_eq!(words::weigh(\"axb\"), 5);");
    let profile = workspace.folder.path().join("words.profdata");
    let raw = workspace.folder.path().join("profiles");
    let ran = |flag: &str, value: &Path, profile: &[&str]| {
        let mut cargo = workspace.cargo(&[&["offloadc", "run", "-p", "app"], profile].concat());
        let ran = finish(cargo.env("CARGO_ENCODED_RUSTFLAGS", format!("-C{flag}={}", value.display()))).success();
        assert_eq!(ran.stdout(), RESULT);
        ran
    };
    let _ = ran("profile-generate", &raw, &[]);
    let merged = run(Command::new(harness::llvm_tool("llvm-profdata")).args(["merge", "-o"]).arg(&profile).arg(&raw));
    let _ = merged.success();
    let mut show = Command::new(harness::llvm_tool("llvm-profdata"));
    let shown = run(show.args(["show", "--all-functions"]).arg(&profile)).success().stdout();
    assert!(shown.contains("words") && shown.contains("weigh"), "{shown}");
    let used = ran("profile-use", &profile, &["--release"]);
    assert!(!used.stderr().contains("warning"), "{}", used.report());
}

/// Cargo leaves dependencies as bitcode for rustc's link-time optimisation, and `plain` keeps its own.
#[test]
fn link_time_optimisation_is_left_out_with_a_warning() {
    let workspace = Workspace::new();
    workspace.replace("Cargo.toml", "[workspace]", "[profile.release]\nlto = \"thin\"\n[workspace]");
    for (kind, next) in [("thin", "fat"), ("fat", "fat")] {
        let ran = workspace.offloadc(&["run", "-p", "app", "--release"]).success();
        assert_eq!(ran.stdout(), RESULT);
        let warning = format!("warning: `lto = \"{kind}\"` has no effect on `app`");
        assert_eq!(ran.stderr().matches(&warning).count(), 1, "{}", ran.report());
        let plain = workspace.offloadc(&["run", "-p", "plain", "--release"]).success();
        assert!(plain.stdout() == "true\n" && !plain.stderr().contains("lto"), "{}", plain.report());
        workspace.replace("Cargo.toml", &format!("lto = \"{kind}\""), &format!("lto = \"{next}\""));
    }
}

/// Ours is outermost, then the user's, then the workspace's, as cargo orders them.
#[test]
fn the_users_wrapper_runs_rustc() {
    let workspace = Workspace::new();
    let script = |name: &str| {
        use std::os::unix::fs::PermissionsExt as _;
        let (path, log) = (workspace.folder.path().join(name), workspace.folder.path().join("log"));
        let text = format!("#!/bin/sh\necho {name} \"$@\" >>'{}'\nexec \"$@\"\n", log.display());
        std::fs::write(&path, text).expect("the folder is ours");
        let _ = std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755));
        path
    };
    let mut cargo = workspace.cargo(&["offloadc", "run", "-p", "app"]);
    let _ = cargo.env("RUSTC_WRAPPER", script("outer")).env("RUSTC_WORKSPACE_WRAPPER", script("inner"));
    assert_eq!(finish(&mut cargo).success().stdout(), RESULT);
    let log = std::fs::read_to_string(workspace.folder.path().join("log")).expect("the wrappers wrote it");
    let line = log.lines().find(|line| line.contains("--crate-name app ")).expect("the wrappers ran rustc");
    let inner = workspace.folder.path().join("inner");
    assert!(line.starts_with(&format!("outer {}", inner.display())), "{line}");
    assert!(line.contains("-Cno-prepopulate-passes"), "{line}");
}

/// A wrapper that keeps rustc's outputs finds them again, those of crates with kernels, too.
#[test]
fn sccache_keeps_what_rustc_compiles() {
    let workspace = Workspace::new();
    let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port");
    let folder = workspace.folder.path();
    let set = |command: &mut Command| {
        let _ = command.env("SCCACHE_DIR", folder.join("kept")).env("SCCACHE_SERVER_PORT", port.port().to_string());
    };
    let sccache = |option: &str| {
        let mut command = Command::new("sccache");
        set(&mut command);
        run(command.arg(option)).success().stdout()
    };
    for hits in [false, true] {
        let mut cargo = workspace.cargo(&["offloadc", "run", "-p", "app"]);
        set(cargo.env("RUSTC_WRAPPER", "sccache").env("CARGO_INCREMENTAL", "0"));
        assert_eq!(finish(&mut cargo).success().stdout(), RESULT);
        let stats = sccache("--show-stats");
        assert_eq!(stats.contains("Cache hits (Rust)"), hits, "{stats}");
        std::fs::remove_dir_all(folder.join("target")).expect("it was built there");
    }
    let _ = sccache("--stop-server");
}
