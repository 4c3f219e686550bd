//! `PATH` for the commands of tests, whatever the user has installed.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The folders of the user's `PATH`.
fn folders() -> Vec<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect()
}

fn joined(folders: Vec<PathBuf>) -> OsString {
    std::env::join_paths(folders).expect("no folder on the path has a colon in its name")
}

/// The first program with this name in `PATH`.
pub fn find_program(name: &str) -> Option<PathBuf> {
    folders().into_iter().map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// `PATH` after the folders `first` and LLVM's.
pub fn search_path(first: &[&Path]) -> OsString {
    let mut all: Vec<PathBuf> = first.iter().map(|folder| folder.to_path_buf()).collect();
    all.push(crate::llvm_bin());
    all.extend(folders());
    // If this folder is not in `PATH`, cargo looks for its subcommands there first, and finds the installed offloadc.
    all.extend(cargo_programs().filter(|folder| !all.contains(folder)));
    joined(all)
}

/// The folder into which `cargo install` and `make install` copy programs.
fn cargo_programs() -> Option<PathBuf> {
    let own = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = own.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cargo")))?;
    Some(home.join("bin"))
}

/// `PATH` of a user who has not installed offloadc.
pub fn path_without_offloadc() -> OsString {
    joined(folders().into_iter().map(|folder| without_offloadc(&folder)).collect())
}

/// The folder, or if it has programs of ours, a folder with links to its other programs: rustc and the linker can be in
/// the same one.
pub fn without_offloadc(folder: &Path) -> PathBuf {
    let names = |folder: &Path| -> Vec<OsString> {
        folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.file_name()).collect()
    };
    let is_ours = |name: &OsStr| {
        let name = name.to_string_lossy();
        name.starts_with("offloadc") || name == "cargo-offloadc"
    };
    let (ours, others): (Vec<OsString>, Vec<OsString>) = names(folder).into_iter().partition(|name| is_ours(name));
    if ours.is_empty() {
        return folder.to_path_buf();
    }
    // Tests in other processes make the same links.
    let name = folder.to_string_lossy().replace('/', "%");
    let links = crate::temporary().join("path").join(name);
    std::fs::create_dir_all(&links).expect("cargo makes the folder for temporary files");
    for name in others {
        let made = std::os::unix::fs::symlink(folder.join(&name), links.join(&name));
        let is_there = made.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::AlreadyExists);
        assert!(made.is_ok() || is_there, "{}: {made:?}", links.join(&name).display());
    }
    links
}
