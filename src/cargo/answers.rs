//! rustc's answers to `cargo offloadc`, for the program that cargo runs instead of rustc: cargo asks the same
//! questions.

use std::ffi::OsStr;

/// The variable with a number of the build, and in the next lines those of [`head`] and rustc's version. With the
/// number, an answer about facts serves one run of cargo only: the files that decide it may change.
pub(super) const SAID: &str = "OFFLOADC_RUSTC_SAID";
/// The variable with the folder of the files that builds keep.
pub(super) const FOLDER: &str = "OFFLOADC_CACHE_DIR";

/// The facts that decide which rustc a word starts, one a line. None if one of them has a line break or is not UTF-8.
pub(super) fn head(rustc: &OsStr) -> Option<String> {
    let toolchain = std::env::var_os("RUSTUP_TOOLCHAIN").unwrap_or_default();
    let folder = std::env::current_dir().ok()?;
    let words = [rustc, toolchain.as_os_str(), folder.as_os_str()].map(OsStr::to_str);
    let [Some(rustc), Some(toolchain), Some(folder)] = words else { return None };
    let lines = format!("{rustc}\n{toolchain}\n{folder}\n");
    (lines.matches('\n').count() == 3).then_some(lines)
}
