//! What rustc has told `cargo offloadc`, for the program that cargo runs instead of rustc: cargo would ask again.

use std::ffi::OsStr;

/// The variable with a number of the build, and in the next lines those of [`head`] and rustc's version. With the
/// number, an answer about facts serves one run of cargo only: the files that decide it may change.
pub(super) const SAID: &str = "OFFLOADC_RUSTC_SAID";
/// The variable with the folder of what builds keep.
pub(super) const FOLDER: &str = "OFFLOADC_CACHE_DIR";

/// What decides which rustc a word starts. None if these would not be one line each.
pub(super) fn head(rustc: &OsStr) -> Option<String> {
    let toolchain = std::env::var_os("RUSTUP_TOOLCHAIN").unwrap_or_default();
    let folder = std::env::current_dir().ok()?;
    let words = [rustc, toolchain.as_os_str(), folder.as_os_str()].map(OsStr::to_str);
    let [Some(rustc), Some(toolchain), Some(folder)] = words else { return None };
    let lines = format!("{rustc}\n{toolchain}\n{folder}\n");
    (lines.matches('\n').count() == 3).then_some(lines)
}
