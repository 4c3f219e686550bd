//! rustc's command for a library, in a file beside it. `offloadc-rustc` writes it, and offloadc runs the command again
//! if kernels need bodies of that library. `offloadc-rustc` has this file, too, so it uses nothing else of this crate.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The first field: the format of the others.
pub(crate) const VERSION: &[u8] = b"offloadc-rustc 1";

/// A command in such a file: fields that end with a zero, which neither words nor variables contain. They are the
/// version, the folder, the number of variables, the name and the value of each, and the words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RecordedCommand {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// Names and values.
    pub(crate) variables: Vec<(OsString, OsString)>,
    /// The program and its arguments.
    pub(crate) words: Vec<OsString>,
}

impl RecordedCommand {
    /// The file of a library's command.
    pub(crate) fn path(library: &Path) -> PathBuf {
        library.with_extension("rustc")
    }
}

/// Whether a variable of the environment decides the output of rustc for a crate: the variables that cargo sets for the
/// crate, and those of rustc and rustup do. rustdoc sets `RUSTC_BOOTSTRAP` when it links tests, which changes the names
/// of symbols.
pub(crate) fn is_of_rustc(name: &OsStr) -> bool {
    const STARTS: [&[u8]; 9] = [
        b"CARGO_PKG_",
        b"CARGO_MANIFEST_",
        b"CARGO_CRATE_",
        b"CARGO_BIN_",
        b"CARGO_PRIMARY_PACKAGE",
        b"OUT_DIR",
        b"RUSTC_",
        b"RUSTUP_TOOLCHAIN",
        b"RUST_TARGET_PATH",
    ];
    STARTS.iter().any(|start| name.as_bytes().starts_with(start))
}
