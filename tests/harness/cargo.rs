//! Runs cargo in a project of this repository, and other programs that call cargo.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The user's variables that influence the output of cargo, its target folder, or the device that a program opens.
/// `cargo test` adds those of the build script, and with any variable of offloadc that it does not know, `cargo
/// offloadc` loads LLVM.
const VARIABLES: [&str; 9] = [
    "RUSTFLAGS",
    "RUSTDOCFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET_DIR",
    "RUSTC_WRAPPER",
    "OFFLOADRT_DEVICE",
    "OFFLOADC_LLVM_PREFIX",
    "OFFLOADC_LLVM_VERSION",
];

/// Keeps other tests from a target folder in which they build the same programs with other options, until the result is
/// dropped. The dependencies, which are most of a build, are compiled once for all of them. A test that failed leaves
/// the folder to the next.
pub fn hold(folder: &'static Mutex<()>) -> MutexGuard<'static, ()> {
    folder.lock().unwrap_or_else(PoisonError::into_inner)
}

/// cargo in a folder. The programs under test are in its `PATH`, and the user's environment does not influence it.
pub fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO"));
    prepare(&mut command).current_dir(folder);
    command
}

/// Prepares a command that calls cargo: it finds the programs under test, and ignores the user's variables.
pub fn prepare(command: &mut Command) -> &mut Command {
    for variable in VARIABLES {
        command.env_remove(variable);
    }
    command.env("PATH", crate::search_path(&[&crate::program_folder()]))
}

/// Builds the project of a command without checks that a panic reports: `debug-assertions` or `overflow-checks`. Other
/// projects of the workspace `tests/` keep the profile. Macros are those of the other projects, and are compiled once.
pub fn without_checks(command: &mut Command, checks: &[&str]) {
    for check in checks {
        let name = check.to_uppercase().replace('-', "_");
        command.env(format!("CARGO_PROFILE_DEV_{name}"), "false");
        command.env(format!("CARGO_PROFILE_DEV_BUILD_OVERRIDE_{name}"), "true");
    }
}

/// The target folder of the programs below `tests/`, `examples/` and `rust/`. Their dependencies are compiled once. A
/// cargo waits while another builds there; a test that replaces the programs of another holds a lock for longer.
pub fn target() -> PathBuf {
    crate::temporary().join("programs")
}

/// The folder in which `cargo offloadc` has its part of it.
pub fn offloadc_target() -> PathBuf {
    target().join("offloadc")
}

/// The rlib of a crate that cargo has built in `profile`, such as `target/release`: in `deps`, or, by newer versions,
/// in `build/PACKAGE/HASH/out`.
pub fn rlib(profile: &Path, krate: &str) -> PathBuf {
    let is_it = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&format!("lib{krate}-")) && name.ends_with(".rlib")
    };
    let mut folders = vec![profile.join("deps"), profile.join("build")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path if is_it(&path) => return path,
                _ => (),
            }
        }
    }
    panic!("cargo has built no `lib{krate}-….rlib` in `{}`", profile.display())
}
