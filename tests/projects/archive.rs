//! The archive of `make archive`: it is unpacked into a folder that may not be written, where no LLVM is in PATH, and a
//! new package's kernel runs there, on the processor and on emulated GPUs. The wheel for pip has the same files.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use harness::{Outcome, cargo, root, run, run_within};

/// The programs that a user has: those of rustup, and the linker with its driver.
const TOOLS: [&str; 5] = ["cargo", "rustc", "cc", "ld", "as"];

/// The folder to which the archive is unpacked.
fn unpacked() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let mut write = Command::new(root().join("scripts/archive"));
        cargo::prepare(write.arg("dev").env("ZSTD_LEVEL", "-1"));
        let _ = run_within(&mut write, Duration::from_secs(900)).success();
        let name = format!("offloadc-{}-x86_64-linux", env!("CARGO_PKG_VERSION"));
        let folder = harness::temporary().join("an archive");
        let _ = run(Command::new("chmod").args(["-Rf", "u+w"]).arg(&folder));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).expect("cargo makes the folder for temporary files");
        let mut tar = Command::new("tar");
        let _ = tar.arg("--extract").arg("--file").arg(root().join(format!("target/{name}.tar.zst")));
        let _ = run(tar.arg("--directory").arg(&folder)).success();
        let own = folder.join(name);
        let _ = run(Command::new("chmod").args(["-R", "a-w"]).arg(&own)).success();
        own
    })
}

/// All files of the archive that are no links.
fn files() -> Vec<PathBuf> {
    let listed = run(Command::new("find").arg(unpacked()).args(["-type", "f"])).success().stdout();
    listed.lines().map(PathBuf::from).collect()
}

/// Names, sizes and times of all that is in the archive's folder.
fn listing() -> String {
    run(Command::new("find").arg(unpacked()).args(["-printf", "%p %s %T@ %M\n"])).success().stdout()
}

/// Runs the archive's `cargo offloadc` in a folder.
fn offloadc(folder: &Path, words: &[&str]) -> Outcome {
    let tools = folder.join("tools");
    if !tools.is_dir() {
        std::fs::create_dir(&tools).expect("the folder is ours");
        for tool in TOOLS {
            symlink(harness::find_program(tool).expect("it is in PATH"), tools.join(tool)).expect("the folder is ours");
        }
    }
    let mut command = cargo::cargo(folder);
    let path = std::env::join_paths([&unpacked().join("bin"), &tools]).expect("no folder has a colon in its name");
    command.args([&["offloadc"], words].concat()).env("PATH", path).env_remove("OFFLOADC_RUNTIME_DIR");
    command.env("CARGO_BUILD_TARGET_DIR", folder.join("target"));
    run_within(&mut command, Duration::from_secs(600))
}

#[test]
fn a_new_package_runs_with_the_archive_alone() {
    let before = listing();
    let folder = harness::scratch();
    let _ = offloadc(folder.path(), &["new", "--vcs", "none", "fresh"]).success();
    let package = folder.path().join("fresh");
    let ran = offloadc(&package, &["run", "--offload-arch=cpu,sm_80,spirv64"]);
    assert_eq!(ran.success().stdout(), "1000 elements on cpu\n");
    for (arch, device) in [("sm_80", "cuda:0"), ("gfx90a", "hip:0")] {
        let emulate = format!("--emulate={arch}");
        let ran = offloadc(&package, &["run", &emulate]).success();
        assert_eq!(ran.stdout(), format!("1000 elements on {device}\n"), "{}", ran.report());
    }
    assert_eq!(before, listing(), "the archive's folder is as it was, also if root may write to it");
}

#[test]
fn programs_need_only_what_systems_have() {
    let libraries = ["libstdc++.so.6", "libgcc_s.so.1", "libm.so.6", "libc.so.6", "ld-linux-x86-64.so.2"];
    let emulators = unpacked().join("lib/offloadc/emulators");
    let programs = std::fs::read_dir(unpacked().join("bin")).expect("it is there").map(|entry| entry.unwrap().path());
    for file in programs.chain(["libcuda.so.1", "libamdhip64.so"].map(|name| emulators.join(name))) {
        let mut readelf = Command::new(harness::llvm_tool("llvm-readelf"));
        let said = run(readelf.args(["--dynamic-table", "--version-info"]).arg(&file)).success().stdout();
        let shown = file.display();
        for line in said.lines() {
            let library = line.split_once("Shared library: [").map(|(_, name)| name.trim_end_matches(']'));
            assert!(library.is_none_or(|name| libraries.contains(&name)), "{shown} needs {line}");
            assert!(!line.contains("(RUNPATH)") && !line.contains("(RPATH)"), "{shown} names a folder: {line}");
            // The C library of Ubuntu 22.04 is 2.35, and that of Red Hat's ninth release is 2.34.
            let version = line.split_once("Name: GLIBC_2.").and_then(|(_, rest)| rest.split(' ').next());
            let minor = version.and_then(|version| version.split('.').next()?.parse().ok());
            assert!(minor.unwrap_or(0) <= 34, "{shown} needs {line}");
            // The C++ library of that release is the one of gcc 11.
            let version = line.split_once("Name: GLIBCXX_3.4.").and_then(|(_, rest)| rest.split(' ').next());
            let patch = version.and_then(|version| version.parse().ok());
            assert!(patch.unwrap_or(0) <= 29, "{shown} needs {line}");
        }
    }
}

#[test]
fn no_file_names_a_folder_of_the_build() {
    let home = std::env::var("HOME").expect("cargo needs it");
    let registry = std::env::var("CARGO_HOME").unwrap_or_else(|_| format!("{home}/.cargo")) + "/registry";
    let own = root().display().to_string();
    for file in files() {
        let content = std::fs::read(&file).expect("it can be read");
        for folder in [&own, &registry] {
            let found = memchr::memmem::find(&content, folder.as_bytes());
            assert!(found.is_none(), "{} names {folder}", file.display());
        }
    }
}

#[test]
fn c_programs_find_the_runtime_of_the_archive() {
    let mut asked = Command::new("pkg-config");
    let _ = asked.args(["--variable=includedir", "offloadrt"]);
    let folder = run(asked.env("PKG_CONFIG_PATH", unpacked().join("lib/pkgconfig"))).success().stdout();
    // pkg-config writes the words of a shell.
    let header = Path::new(&folder.trim().replace('\\', "")).join("offloadrt.h");
    assert_eq!(header.canonicalize().ok(), unpacked().join("include/offloadrt.h").canonicalize().ok());
}

/// A plugin would bring another LLVM into the process.
#[test]
fn a_pass_plugin_is_refused() {
    let folder = harness::scratch();
    std::fs::write(folder.path().join("app.ll"), "define void @f() {\n  ret void\n}\n").expect("the folder is ours");
    let mut command = Command::new(unpacked().join("bin/offloadc"));
    let _ = command.args([
        "app.ll",
        "-o",
        "app.o",
        "--offload-arch=sm_80",
        "--kernel=f",
        "--load-pass-plugin=plugin.so@optimize",
    ]);
    let refused = run(command.current_dir(folder.path()));
    let expected = "cannot load the pass plugin `plugin.so`: LLVM is a part of this offloadc\n";
    assert!(refused.code() == 1 && refused.stderr().contains(expected), "{}", refused.report());
}

/// A command with the files that pip has installed in `folder`, without LLVM in PATH.
fn in_wheel(folder: &Path, command: &mut Command) -> Outcome {
    let tools = folder.join("tools");
    let path =
        std::env::join_paths([&folder.join("installed/bin"), &tools]).expect("no folder has a colon in its name");
    cargo::prepare(command).env("PATH", path).env("PYTHONPATH", folder.join("installed"));
    let _ = command.env_remove("OFFLOADC_RUNTIME_DIR");
    run_within(command, Duration::from_secs(600))
}

#[test]
fn pip_installs_the_wheel() {
    let _ = unpacked();
    let mut write = Command::new(root().join("scripts/wheel"));
    let _ = run_within(write.env("ZIP_LEVEL", "1"), Duration::from_secs(600)).success();
    let folder = harness::scratch();
    let tools = folder.path().join("tools");
    std::fs::create_dir(&tools).expect("the folder is ours");
    for tool in TOOLS {
        symlink(harness::find_program(tool).expect("it is in PATH"), tools.join(tool)).expect("the folder is ours");
    }
    // The program in PATH may be a script that looks for a version.
    let python = run(Command::new("python3").args(["-c", "import sys; print(sys.executable)"])).success().stdout();
    symlink(python.trim_end(), tools.join("python3")).expect("the folder is ours");
    symlink("/bin/sh", tools.join("sh")).expect("the folder is ours");
    let version = env!("CARGO_PKG_VERSION");
    let wheel = root().join(format!("target/offloadc-{version}-py3-none-manylinux_2_34_x86_64.whl"));
    let mut install = Command::new("python3");
    let _ = install.args(["-m", "pip", "install", "--quiet", "--no-index", "--root-user-action=ignore"]);
    let _ = install.arg("--disable-pip-version-check").arg("--target").arg(folder.path().join("installed"));
    let _ = run_within(install.arg(wheel), Duration::from_secs(300)).success();

    let said =
        in_wheel(folder.path(), Command::new("python3").args(["-m", "offloadc", "--version"])).success().stdout();
    assert!(said.starts_with(&format!("offloadc {version}")), "{said}");
    assert_eq!(in_wheel(folder.path(), Command::new("offloadc").arg("--version")).success().stdout(), said);
    let mut command = Command::new("cargo");
    let _ = command.args(["offloadc", "new", "--vcs", "none", "fresh"]).current_dir(folder.path());
    let _ = in_wheel(folder.path(), &mut command).success();
    // The link of AMD's code needs LLVM's linker.
    let mut command = Command::new("cargo");
    let _ = command.args(["offloadc", "run", "--offload-arch=cpu", "--emulate=gfx90a"]);
    let ran = in_wheel(folder.path(), command.current_dir(folder.path().join("fresh")));
    assert_eq!(ran.success().stdout(), "1000 elements on hip:0\n");
    // Except for links, the files are those of the archive.
    let files = |own: &Path| -> Vec<String> {
        let mut find = Command::new("find");
        let listed = run(find.arg(".").args(["(", "-type", "f", "-o", "-type", "l", ")"]).current_dir(own)).success();
        let mut names: Vec<_> = listed.stdout().lines().map(str::to_owned).collect();
        names.retain(|name| !name.ends_with(".py") && !name.ends_with(".pyc"));
        names.sort();
        names
    };
    assert_eq!(files(&folder.path().join("installed/offloadc")), files(unpacked()));
}
