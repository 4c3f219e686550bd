//! The sysroot: the folder with rustc's libraries, and the libraries that have code for kernels.
//!
//! `rustc` is run only if a kernel lacks a body.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, Failure, Result, in_words};

/// The crates that are searched first, in this order. The others may contain instances of the generic functions of
/// these crates, which rustc does not instantiate again.
pub const LIBRARIES: &[&str] = &["core", "alloc", "compiler_builtins", "std"];

/// How the sysroot is found.
#[derive(Clone, Debug)]
pub struct Sysroot {
    /// `--sysroot`; if it is missing, rustc prints the path.
    pub path: Option<PathBuf>,
    /// The target of the host program, which is the name of the folder within the sysroot.
    pub triple: String,
    /// Whether the command for rustc is printed.
    pub echo: bool,
}

impl Sysroot {
    /// The paths of the libraries, those of [`LIBRARIES`] first; or why they are unknown.
    pub fn libraries(&self) -> Result<Vec<PathBuf>, Failure<String>> {
        let root = match &self.path {
            Some(path) => path.clone(),
            None => ask_rustc(self.echo).map_err(Failure::Reason)?,
        };
        let folder = root.join("lib/rustlib").join(&self.triple).join("lib");
        match std::fs::read_dir(&folder) {
            Ok(entries) => Ok(in_order(entries.flatten().map(|entry| entry.path()).collect())),
            Err(error) if self.path.is_none() => {
                Err(Failure::Reason(format!("`{}`: {}", folder.display(), in_words(&error))))
            }
            Err(error) => {
                let what =
                    format!("the folder that `--sysroot` names is not a sysroot: cannot read `{}`", folder.display());
                Err(Failure::Operation(Error::from(error).context(what)))
            }
        }
    }
}

/// The output of `$RUSTC --print sysroot`, or why there is none. With `echo`, the command is printed.
pub fn ask_rustc(echo: bool) -> Result<PathBuf, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let question = format!("{} --print sysroot", Path::new(&rustc).display());
    if echo {
        eprintln!("{question}");
    }
    let output = Command::new(&rustc).args(["--print", "sysroot"]).output();
    let output = output.map_err(|error| format!("`{question}`: {}", in_words(&error)))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{question}`: {}", said.lines().next().unwrap_or("it failed")));
    }
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim_end()))
}

/// The rlibs among the files.
fn in_order(mut files: Vec<PathBuf>) -> Vec<PathBuf> {
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rlib"));
    let rank = |file: &PathBuf| LIBRARIES.iter().position(|krate| crate_of(file) == Some(krate));
    files.sort_by_key(|file| (rank(file).unwrap_or(LIBRARIES.len()), file.clone()));
    files
}

/// Whether a library is one of rustc's own, from its folder.
pub(crate) fn is_in_sysroot(path: &Path) -> bool {
    let folders: Vec<_> = path.parent().into_iter().flat_map(Path::components).rev().take(4).collect();
    matches!(&folders[..], [lib, _, rustlib, above]
        if lib.as_os_str() == "lib" && rustlib.as_os_str() == "rustlib" && above.as_os_str() == "lib")
}

/// The sysroot of one of rustc's own libraries; none for all other files.
pub fn sysroot_of(library: &Path) -> Option<PathBuf> {
    library.ancestors().nth(5).filter(|_| is_in_sysroot(library) && library.is_file()).map(Path::to_path_buf)
}

/// The crate of a library, from its file name.
pub(crate) fn crate_of(path: &Path) -> Option<&str> {
    let name = path.file_stem()?.to_str()?.strip_prefix("lib")?;
    Some(name.split('-').next().unwrap_or(name))
}
