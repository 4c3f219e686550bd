//! The files of an installation of offloadc: those beside the running program, and those of an unpacked archive that
//! `OFFLOADC_HOME` names, for programs of `cargo install`, which copies nothing else.

use std::path::{Path, PathBuf};

use super::own_files::is_installed;

/// The variable with the folder of an unpacked archive.
pub const HOME: &str = "OFFLOADC_HOME";

/// The places where a file or folder of the installation may be, in the order in which they are searched. `installed`
/// is relative to the folder of an installation, and `built` to that of the programs in a checkout, `target/debug`.
pub fn places(installed: &str, built: Option<&str>) -> Vec<PathBuf> {
    let own = std::env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_path_buf)).unwrap_or_default();
    let beside = [Some(own.join("..").join(installed)), built.map(|built| own.join(built))];
    home().map(|home| home.join(installed)).into_iter().chain(beside.into_iter().flatten()).collect()
}

/// Whether a file in one of [`places`] may be used. The user has chosen the folder that the environment names.
pub fn is_usable(path: &Path) -> bool {
    let is_named = home().is_some_and(|home| path.starts_with(home));
    if is_named { path.is_file() } else { is_installed(path) }
}

fn home() -> Option<PathBuf> {
    std::env::var_os(HOME).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}
