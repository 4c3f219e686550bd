//! Settings that users give rustc themselves: wrappers, and options for the host's code.

use std::path::Path;
use std::process::Command;

use harness::run;

use super::{RESULT, TRIPLE, Workspace, finish};

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
    assert!(!used.mentions("warning"), "{}", used.report());
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
        assert!(plain.stdout() == "true\n" && !plain.mentions("lto"), "{}", plain.report());
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
    // The answer of a wrapper may be another one than that of rustc.
    std::fs::remove_file(workspace.folder.path().join("log")).expect("the file is ours");
    let mut cargo = workspace.cargo(&["offloadc", "check", "-p", "plain", "--target-dir", "other"]);
    let _ = finish(cargo.env("RUSTC_WRAPPER", script("outer"))).success();
    let log = std::fs::read_to_string(workspace.folder.path().join("log")).expect("the wrapper wrote it");
    assert!(log.lines().any(|line| line.ends_with(" -vV")), "{log}");
}

/// Cargo would ask for the version twice more, and separately for the facts of the target and of the host, which are
/// the same unless flags are for the target only.
#[test]
fn rustc_is_asked_once() {
    use std::os::unix::fs::PermissionsExt as _;
    let workspace = Workspace::new();
    let (path, log) = (workspace.folder.path().join("rustc"), workspace.folder.path().join("log"));
    let lines = "echo \"$@\"; echo \"links $OFFLOADC_LINK_OPTIONS\"";
    let text = format!("#!/bin/sh\n{{ {lines}; }} >>'{}'\nexec rustc \"$@\"\n", log.display());
    std::fs::write(&path, &text).expect("the folder is ours");
    let _ = std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755));
    let asked = |flags: &str, folder: &str, variable: &str| {
        let _absent = std::fs::remove_file(&log);
        let mut cargo = workspace.cargo(&["offloadc", "check", "-p", "plain", "--target-dir", folder]);
        let _ = finish(cargo.env("RUSTC", &path).env("RUSTFLAGS", flags).env(variable, "1")).success();
        let log = std::fs::read_to_string(&log).expect("the script wrote it");
        let of = |start: &str| log.lines().filter(|line| line.starts_with(start)).count();
        let links = log.lines().rfind(|line| line.starts_with("links --")).expect("cargo has the variable");
        ([of("-vV"), of("- --crate-name ___")], links.to_owned())
    };
    let (counts, links) = asked("-Awarnings", "one", "OTHER");
    assert_eq!(counts, [1, 1]);
    // A rustc that somebody builds may have the same version and other facts.
    std::fs::write(&path, text + "# Another one.\n").expect("the folder is ours");
    assert_eq!(asked("-Awarnings", "one", "OTHER").0, [1, 1]);
    assert_eq!(asked("--cfg=heard -Awarnings", "two", "OTHER"), ([1, 2], links.clone()));
    // The fingerprint of links is the same where LLVM is asked for it.
    assert_eq!(asked("", "three", "OFFLOADC_OTHER"), ([1, 1], links));
    let facts = |words: &[&str]| run(Command::new("rustc").arg("--print=cfg").args(words)).success().stdout();
    assert_eq!(facts(&[]), facts(&["--target", TRIPLE]));
}

/// Most builds do not need it before they link.
#[test]
fn cargo_offloadc_starts_without_llvm() {
    let program = harness::program_folder().join("cargo-offloadc");
    let needed = run(Command::new(harness::llvm_tool("llvm-readelf")).arg("-d").arg(program)).success().stdout();
    assert!(needed.contains("libc.so") && !needed.contains("libLLVM"), "{needed}");
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

/// A kernel that calls one dependency, and a host that calls another one.
const CALLER: &str = "use offload::{Device, DisjointSlice, Grid, kernel, prelude::*, thread};
    #[kernel]
    fn fill(mut out: DisjointSlice<u32>) {
        if let Some(out) = out.get_mut(thread::index_1d()) { *out = called::number(); }
    }
    fn main() {
        uncalled::nothing();
        let stream = Device::new().unwrap().default_stream();
        let mut out = [0; 2];
        fill.launch(&stream, Grid::for_len(2, 2), (&mut out[..],)).unwrap();
        println!(\"{out:?}\");
    }";

/// The build script of the dependency.
const BUILD_SCRIPT: &str = "fn main() {
        println!(\"cargo::rustc-env=WORD=four\");
        std::fs::write(std::env::var(\"OUT_DIR\").unwrap() + \"/number.rs\", \"1000u32\").unwrap();
    }";

/// A dependency is compiled again, with its build script's output, if a kernel calls a function of it, and only then.
#[test]
fn dependencies_are_compiled_again_for_bodies() {
    use std::os::unix::fs::PermissionsExt as _;
    let workspace = Workspace::new();
    let file = |name: &str| workspace.folder.path().join(name);
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(file(name).parent().expect("a folder")).expect("the folder is ours");
        std::fs::write(file(name), text).expect("the folder is ours");
    };
    let package = |name: &str, dependencies: &str| {
        let head = format!("[package]\nname = \"{name}\"\nversion = \"0.3.0\"\nedition = \"2024\"\n");
        write(&format!("{name}/Cargo.toml"), &format!("{head}[workspace]\n[dependencies]\n{dependencies}"));
    };
    let crate_folder = harness::root().join("rust/offload");
    let others = "called.path = \"../called\"\nuncalled.path = \"../uncalled\"\n";
    package("one", &format!("offload-kernels.path = {crate_folder:?}\n{others}"));
    package("called", "");
    package("uncalled", "");
    write("uncalled/src/lib.rs", "pub fn nothing() {}\n");
    let called = |more: &str| {
        let parts =
            "include!(concat!(env!(\"OUT_DIR\"), \"/number.rs\")), env!(\"WORD\"), env!(\"CARGO_PKG_VERSION_MINOR\")";
        let text = format!(
            "pub fn number() -> u32 {{
                let (number, word, minor) = ({parts});
                number + word.len() as u32 + u32::from(minor.as_bytes()[0] - b'0'){more}
            }}"
        );
        write("called/src/lib.rs", &text);
    };
    called("");
    write("called/build.rs", BUILD_SCRIPT);
    write("one/src/main.rs", CALLER);
    let run_with = |options: &[&str], bootstrap: bool| {
        let mut cargo = workspace.cargo(&["offloadc", "run"]);
        cargo.current_dir(file("one")).env("CARGO_BUILD_TARGET_DIR", file("one/target"));
        cargo.envs(bootstrap.then_some(("RUSTC_BOOTSTRAP", "1")));
        finish(cargo.args(options))
    };
    let run = |options: &[&str]| run_with(options, false);
    let profile = file("one/target/offloadc").join(TRIPLE).join("debug");
    let bodies = |name: &str| harness::cargo::rlib(&profile, name).with_extension("bodies");
    assert_eq!(run(&[]).success().stdout(), "[1007, 1007]\n");
    assert!(!bodies("uncalled").exists());
    let again = bodies("called").join(harness::cargo::rlib(&profile, "called").file_name().expect("it has a name"));
    let written =
        |path: &std::path::Path| std::fs::metadata(path).and_then(|facts| facts.modified()).expect("it is there");
    let before = written(&again);
    assert_eq!(run(&["--offload-arch=cpu,gfx90a"]).success().stdout(), "[1007, 1007]\n");
    assert_eq!(written(&again), before, "it is kept");
    // The symbols have other names with this variable, which the library was compiled without.
    std::fs::remove_dir_all(bodies("called")).expect("it was written");
    assert_eq!(run_with(&["--offload-arch=cpu,sm_70"], true).success().stdout(), "[1007, 1007]\n");
    called(" + 1");
    assert_eq!(run(&[]).success().stdout(), "[1008, 1008]\n");
    // Cargo does not compile dependencies again if their user's folder has another name.
    std::fs::remove_dir_all(bodies("called")).expect("it was written");
    std::fs::rename(file("one"), file("two")).expect("the folder is ours");
    let mut cargo = workspace.cargo(&["offloadc", "run", "--offload-arch=cpu,sm_75"]);
    let _ = cargo.current_dir(file("two")).env("CARGO_BUILD_TARGET_DIR", file("two/target"));
    let moved = finish(&mut cargo).success();
    assert_eq!(moved.stdout(), "[1008, 1008]\n");
    assert!(!moved.stderr().contains("Compiling called v0.3.0 (/"), "{}", moved.report());
    assert!(moved.stderr().contains("Compiling called v0.3.0 (again, "), "{}", moved.report());
    std::fs::rename(file("two"), file("one")).expect("the folder is ours");
    assert!(bodies("called").exists(), "{}", moved.report());
    // Who can write the file would decide which program runs.
    let command = harness::cargo::rlib(&profile, "called").with_extension("rustc");
    std::fs::remove_dir_all(bodies("called")).expect("it was written");
    std::fs::set_permissions(&command, std::fs::Permissions::from_mode(0o666)).expect("the file is ours");
    let refused = run(&["--offload-arch=cpu,sm_80"]);
    assert_ne!(refused.code(), 0, "{}", refused.report());
    let said = refused.stderr();
    assert!(said.contains(&*command.to_string_lossy()) && said.contains("embed-bitcode=yes"), "{said}");
    std::fs::set_permissions(&command, std::fs::Permissions::from_mode(0o644)).expect("the file is ours");
    assert_eq!(run(&["--offload-arch=cpu,sm_80"]).success().stdout(), "[1008, 1008]\n");
}
