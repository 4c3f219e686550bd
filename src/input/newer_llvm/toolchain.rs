//! Finds the LLVM of a rustc: a shared library that `librustc_driver` needs. It is in the same folder in rustup's
//! toolchains, and in the loader's path in distributions.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use goblin::elf::header::ELFMAG;

use crate::input::sysroot;

/// How the LLVM of a rustc is found.
#[derive(Clone, Debug, Default)]
pub struct Toolchain {
    /// `--rustc-llvm`: the library itself.
    pub library: Option<PathBuf>,
    /// `--sysroot`; if it is missing, rustc prints the path.
    pub sysroot: Option<PathBuf>,
    /// Whether the command for rustc is printed.
    pub echo: bool,
}

impl Toolchain {
    /// The library's path, or its name if only the loader can find it; or why there is none.
    pub fn llvm(&self) -> Result<PathBuf, String> {
        if let Some(library) = &self.library {
            return Ok(library.clone());
        }
        let root = match &self.sysroot {
            Some(root) => root.clone(),
            None => sysroot::ask_rustc(self.echo)?,
        };
        let own = files(&root.join("lib"), |name| name.starts_with("libLLVM") && name.contains("-rust-"));
        // A linker script with a similar name is in the same folder.
        let own: Vec<_> = own.into_iter().filter(|path| is_elf(path)).collect();
        let found = match &own[..] {
            [only] => Some(only.clone()),
            // After an update the libraries of several versions may be there, whose names are not in the order of the
            // versions: the compiler says which one is its own.
            _ => drivers(&root).iter().find_map(|driver| llvm_of(driver)),
        };
        found.ok_or_else(|| format!("there is no libLLVM in the sysroot `{}`", root.display()))
    }
}

fn is_elf(path: &Path) -> bool {
    let mut magic = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == *ELFMAG
}

/// The LLVM that a compiler is linked with.
fn llvm_of(driver: &Path) -> Option<PathBuf> {
    let name = needed_llvm(driver)?;
    let sibling = driver.with_file_name(&name);
    Some(if sibling.is_file() { sibling } else { name.into() })
}

/// The files of the compiler in a sysroot: in `lib`, or one folder below, as in distributions.
fn drivers(root: &Path) -> Vec<PathBuf> {
    let lib = root.join("lib");
    let mut found = files(&lib, is_driver);
    if found.is_empty() {
        found = files(&lib, |_| true).iter().flat_map(|folder| files(folder, is_driver)).collect();
    }
    found
}

fn is_driver(name: &str) -> bool {
    name.starts_with("librustc_driver") && name.ends_with(".so")
}

/// The files in a folder with such names, sorted; none if there is no such folder.
fn files(folder: &Path, named: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let wanted = entries.filter(|entry| entry.file_name().to_str().is_some_and(&named));
    let mut paths: Vec<_> = wanted.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The LLVM among the libraries that a shared library depends on (`DT_NEEDED`).
fn needed_llvm(driver: &Path) -> Option<String> {
    let bytes = fs::read(driver).ok()?;
    let elf = goblin::elf::Elf::parse(&bytes).ok()?;
    elf.libraries.iter().find(|name| name.starts_with("libLLVM")).map(|name| (*name).to_owned())
}
