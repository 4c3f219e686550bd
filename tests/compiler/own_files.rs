//! Files that others may have written are neither executed nor believed. The cases with other users need root;
//! `own_test.c` of the runtime and the unit tests of `own_files` have more.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use harness::program::compile;
use harness::{Outcome, program_folder, run, run_within, scratch};
use tempfile::TempDir;

use super::finished::{COMPILING, command};

/// The user `nobody`.
const NOBODY: u32 = 65534;
const PROGRAM: &str = "target triple = \"x86_64-unknown-linux-gnu\"\n\
    define ptx_kernel void @k(ptr %p) {\n  store i32 1, ptr %p\n  ret void\n}\n";

fn permit(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
}

fn is_root(folder: &Path) -> bool {
    let root = fs::metadata(folder).expect("it is there").uid() == 0;
    if !root {
        eprintln!("skipped: files of other users need root");
    }
    root
}

/// A folder that other users can read, with a program and a cache.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(scratch());
        permit(place.0.path(), 0o755);
        fs::write(place.path("in.ll"), PROGRAM).expect("the folder can be written");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn compile(&self, cache: &str) -> Outcome {
        let mut command = Command::new(harness::offloadc());
        let _ = command.current_dir(self.0.path()).args(["in.ll", "--offload-arch=cpu", "-o", "out.o", "--cache-why"]);
        let _ = command.arg(format!("--cache-dir={cache}"));
        run_within(&mut command, Duration::from_secs(60)).success()
    }

    fn entries(&self, cache: &str) -> Vec<PathBuf> {
        let list = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let folders = list(&self.path(cache).join("entries")).filter(|path| path.is_dir());
        folders.flat_map(|folder| list(&folder).collect::<Vec<_>>()).collect()
    }
}

/// A pipe without a writer would be waited for forever, and a link would be written through.
#[test]
fn entries_are_regular_files() {
    let place = Place::new();
    let _ = place.compile("cache");
    let entries = place.entries("cache");
    assert!(entries.len() >= 3);
    let [fifo, dangling, link] = [&entries[0], &entries[1], &entries[2]];
    let copy = place.path("copy");
    fs::rename(link, &copy).expect("it is ours");
    symlink(&copy, link).expect("the folder is ours");
    fs::remove_file(fifo).and_then(|()| fs::remove_file(dangling)).expect("they are ours");
    run(Command::new("mkfifo").arg(fifo)).success();
    symlink(place.path("target"), dangling).expect("the folder is ours");
    let mut stats = Command::new(harness::offloadc());
    let _ = stats.args(["cache", "stats"]).env("OFFLOADC_CACHE_DIR", place.path("cache"));
    let _said = run(stats.env_remove("OFFLOADC_NO_CACHE")).success();
    let said = place.compile("cache").stderr();
    assert_eq!(said.matches("OFC0042").count(), 1, "{said}");
    assert!(said.contains("` is a link") || said.contains("` is no regular file"), "{said}");
    assert!(!place.path("target").exists(), "the link was written through");
    assert!(entries.iter().all(|entry| entry.symlink_metadata().is_ok_and(|facts| facts.is_file())));
    assert_eq!(place.compile("cache").stderr(), "", "they were replaced");
}

#[test]
fn a_folder_that_others_can_write_is_no_cache() {
    let place = Place::new();
    for (name, mode, reason) in [("open", 0o777, "everybody can write `"), ("sticky", 0o1777, "")] {
        fs::create_dir(place.path(name)).expect("the folder can be written");
        permit(&place.path(name), mode);
        let said = place.compile(name).stderr();
        assert_eq!(said.matches("OFC0042").count(), usize::from(!reason.is_empty()), "{name}: {said}");
        assert!(said.contains(reason), "{name}: {said}");
        assert_eq!(place.entries(name).is_empty(), !reason.is_empty(), "{name}");
    }
    // Others may have planted an entry, or may change it.
    let _ = place.compile("cache");
    for entry in place.entries("cache") {
        permit(&entry, 0o666);
    }
    let said = place.compile("cache").stderr();
    assert!(said.contains("everybody can write `"), "{said}");
    assert_eq!(place.compile("cache").stderr(), "", "they were replaced");
}

#[test]
fn root_uses_no_cache_of_another_user() {
    let place = Place::new();
    if !is_root(place.0.path()) {
        return;
    }
    fs::create_dir(place.path("home")).expect("the folder can be written");
    chown(place.path("home"), Some(NOBODY), Some(NOBODY)).expect("this is root");
    let said = place.compile("home/cache").stderr();
    assert!(said.contains("OFC0042") && said.contains("home` belongs to user 65534"), "{said}");
    assert!(!place.path("home/cache").exists());
    // The user's own entries serve the user.
    let as_user = |cache: &str| {
        let mut command = Command::new(harness::offloadc());
        let _ = command.current_dir("/").uid(NOBODY).gid(NOBODY).arg(place.path("in.ll")).arg("--offload-arch=cpu");
        let _ = command.arg("--cache-why").arg(format!("--cache-dir={}", place.path(cache).display()));
        let _ = command.env("TMPDIR", "/tmp").args(["--emit=image", "-o"]).arg(place.path("home/out"));
        run(&mut command).success().stderr()
    };
    let missed = as_user("home/cache");
    assert!(missed.contains("is not in the cache") && !missed.contains("OFC0042"), "{missed}");
    assert_eq!(as_user("home/cache"), "");
    // With a group that has other members: `nogroup` is the first group of `nobody`.
    fs::create_dir(place.path("group")).expect("the folder can be written");
    chown(place.path("group"), Some(0), Some(NOBODY)).expect("this is root");
    permit(&place.path("group"), 0o775);
    let said = place.compile("group").stderr();
    assert!(said.contains("group 65534, which has other members, can write `"), "{said}");
}

/// The programs of an installation start each other.
#[test]
fn a_planted_program_beside_ours_is_not_started() {
    let folder = tempfile::tempdir_in(program_folder()).expect("the target folder can be written");
    if !is_root(folder.path()) {
        return;
    }
    permit(folder.path(), 0o1777);
    let cargo = folder.path().join("cargo-offloadc");
    fs::hard_link(program_folder().join("cargo-offloadc"), &cargo).expect("it is the same file system");
    let (log, planted) = (folder.path().join("log"), folder.path().join("offloadc"));
    let script = format!("#!/bin/sh\necho started >> '{}'\n", log.display());
    fs::write(&planted, script).expect("the folder is ours");
    permit(&planted, 0o755);
    let start = || run(Command::new(&cargo).args(["offloadc", "build", "--emulate=sm_80"]).current_dir(folder.path()));
    let _ = start();
    assert!(log.exists(), "root's own is started");
    fs::remove_file(&log).expect("it is ours");
    chown(&planted, Some(NOBODY), Some(NOBODY)).expect("this is root");
    let said = start().stderr();
    assert!(!log.exists(), "{said}");
    assert!(said.contains("offloadc` is not used: ") && said.contains("belongs to user 65534"), "{said}");
}

/// A program with a generic image looks for `offloadc` beside it and in `../bin`.
#[test]
fn a_planted_compiler_is_not_executed() {
    let place = Place::new();
    let program = place.path("bin/program");
    fs::create_dir(place.path("bin")).expect("the folder can be written");
    let source = harness::root().join("tests/host_object/launches_by_line.c");
    let object = place.path("in.o");
    let kernel = PROGRAM.replace("(ptr %p)", "(ptr %p, i32 %number)");
    fs::write(place.path("in.ll"), kernel).expect("the folder can be written");
    compile(&place.path("in.ll"), &object, &["--offload-arch=generic"]).success();
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-pthread", "-I"]).arg(harness::root().join("runtime-c")).arg(source).arg(&object);
    let _said = run(cc.args(harness::program::runtime_libraries("offloadrt")).arg("-o").arg(&program)).success();
    let log = place.path("log");
    let script = format!("#!/bin/sh\necho started >> '{}'\nexit 1\n", log.display());
    let planted = place.path("bin/offloadc");
    fs::write(&planted, script).expect("the folder is ours");
    permit(&planted, 0o755);
    let start = |named: Option<&Path>| {
        let mut command = command(&program, place.0.path());
        let _ = match named {
            Some(named) => command.env("OFFLOADRT_COMPILER", named),
            None => command.env_remove("OFFLOADRT_COMPILER"),
        };
        let text = format!("echo launch | '{}'", program.display());
        let mut shell = Command::new("sh");
        let _ = shell.arg("-c").arg(text);
        for (name, value) in command.get_envs() {
            let _ = match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        let said = run(&mut shell).stderr();
        let started = log.exists();
        let _ = fs::remove_file(&log);
        (started, said)
    };
    assert!(start(None).0, "one's own is executed");
    let plant = |reason: &str| {
        for named in [None, Some(planted.as_path())] {
            let (started, said) = start(named);
            assert!(!started, "{said}");
            assert_eq!(said.matches("offloadrt: warning: the compiler `").count(), 1, "{said}");
            assert!(said.contains(reason), "{reason}: {said}");
        }
    };
    permit(&planted, 0o757);
    plant("everybody can write `");
    permit(&planted, 0o755);
    permit(&place.path("bin"), 0o777);
    plant("bin`");
    permit(&place.path("bin"), 0o1777);
    if is_root(place.0.path()) {
        chown(&planted, Some(NOBODY), Some(NOBODY)).expect("this is root");
        plant("offloadc` belongs to user 65534");
        permit(&place.path("bin"), 0o755);
        chown(&planted, Some(0), Some(0)).expect("this is root");
        chown(place.path("bin"), Some(NOBODY), Some(NOBODY)).expect("this is root");
        plant("bin` belongs to user 65534");
        // A finished image of another user.
        fs::create_dir_all(place.path("cache")).expect("the folder is ours");
        chown(place.path("cache"), Some(NOBODY), Some(NOBODY)).expect("this is root");
        let (_, said) = start(Some(&harness::offloadc()));
        assert!(said.contains("the cache of finished images is not used: ") && said.contains(COMPILING), "{said}");
    }
}
