//! The rlibs in folders of `-L`. One of these folders may be cargo's for a profile, such as `target/release`: older
//! versions of cargo keep all rlibs in its `deps`, and newer ones keep each rlib in a separate folder,
//! `build/PACKAGE/HASH/out`.

use std::path::{Path, PathBuf};

use crate::error::{Context as _, Result};
use crate::input::sysroot::crate_of;

/// The files that cargo locks while it works in the folder of a profile. A separate `build.build-dir` has the second.
const LOCKS: [&str; 2] = [".cargo-lock", ".cargo-build-lock"];

/// The rlibs that `-L folder` names, sorted by the names of their crates. Those of the same crate are sorted by age,
/// newest first, because cargo keeps builds of older sources and with other flags.
pub(crate) fn rlibs(folder: &Path) -> Result<Vec<PathBuf>> {
    let cannot = || match of_older_cargo(folder) {
        Some(profile) => format!(
            "cannot read `{}`, which this version of cargo does not make (help: `-L {}` finds the rlibs of every version)",
            folder.display(),
            profile.display()
        ),
        None => format!("cannot read `{}`", folder.display()),
    };
    let mut found = Vec::new();
    for folder in folders(folder).with_context(cannot)? {
        for path in entries(&folder).with_context(cannot)? {
            if path.extension().is_some_and(|extension| extension == "rlib") {
                let changed = std::fs::metadata(&path).and_then(|about| about.modified()).with_context(cannot)?;
                found.push((crate_of(&path).map(str::to_owned), std::cmp::Reverse(changed), path));
            }
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, _, path)| path).collect())
}

/// The folders that `-L folder` names, sorted: for cargo's folder of a profile those below it that have rlibs, and
/// otherwise `folder` alone. The rlibs in cargo's folder itself are other names of files in the folders below.
pub(crate) fn folders(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !is_of_a_profile(folder) {
        return Ok(vec![folder.to_path_buf()]);
    }
    let mut found: Vec<_> = [folder.join("deps")].into_iter().filter(|deps| deps.is_dir()).collect();
    for package in folders_in(&folder.join("build"))? {
        // An older cargo keeps the outputs of build scripts here, without the folder of the hash.
        for unit in folders_in(&package)? {
            let out = unit.join("out");
            found.extend(out.is_dir().then_some(out));
        }
    }
    Ok(found)
}

fn is_of_a_profile(folder: &Path) -> bool {
    LOCKS.iter().any(|lock| folder.join(lock).is_file())
}

/// cargo's folder of a profile, if `folder` is the one in which an older cargo would have put the rlibs.
fn of_older_cargo(folder: &Path) -> Option<&Path> {
    let profile = folder.parent().filter(|parent| is_of_a_profile(parent))?;
    (folder.ends_with("deps") && !folder.exists()).then_some(profile)
}

/// The folders in a folder, sorted; none if it does not exist.
fn folders_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    match entries(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        found => Ok(found?.into_iter().filter(|path| path.is_dir()).collect()),
    }
}

/// The entries of a folder, sorted.
fn entries(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both layouts in one folder, as after an update of cargo.
    #[test]
    fn cargos_folder_of_a_profile_stands_for_those_below() {
        let folder = tempfile::tempdir().expect("the system has a folder for temporary files");
        let file = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder is writable");
            std::fs::write(&path, "").expect("the folder is writable");
        };
        let found = |of: &str| {
            let at = folder.path();
            let found = rlibs(&at.join(of)).expect("the folder exists").into_iter();
            found.map(|path| path.strip_prefix(at).expect("it is below").display().to_string()).collect::<Vec<_>>()
        };
        file("deps/libold-1.rlib");
        file("build/dep/2/out/libdep-2.rlib");
        file("build/dep/2/out/libdep-2.rmeta");
        file("build/script-3/out/libnative.rlib");
        file("libapp.rlib");
        // This may be any folder.
        assert_eq!(found("."), ["libapp.rlib"]);
        for lock in LOCKS {
            file(lock);
            assert_eq!(found("."), ["build/dep/2/out/libdep-2.rlib", "deps/libold-1.rlib"]);
            std::fs::remove_file(folder.path().join(lock)).expect("it was written");
        }
        assert_eq!(found("deps"), ["deps/libold-1.rlib"]);
        assert_eq!(found("build/dep/2/out"), ["build/dep/2/out/libdep-2.rlib"]);
        // A newer cargo alone.
        file(".cargo-build-lock");
        std::fs::remove_dir_all(folder.path().join("deps")).expect("it was written");
        let error = rlibs(&folder.path().join("deps")).expect_err("it is gone").to_string();
        assert!(error.contains(&format!("`-L {}`", folder.path().display())), "{error}");
        let error = rlibs(&folder.path().join("other")).expect_err("it was never there").to_string();
        assert!(!error.contains("-L"), "{error}");
    }
}
