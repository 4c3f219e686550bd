//! The inputs of a package's kernels in addition to its own source: variables of the environment, files outside `src/`,
//! and the sources of the packages that it depends on. `cargo offloadc bake` lists them in the file of baked kernels.
//! The macro gives their present values, in lines of the same form: kind, name and value, with tabs between them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::rustc_arguments::library_folders;
use crate::source;

/// The variable with the dependencies of the package, one a line: name of the library, space, version. It is set while
/// the kernels are baked.
pub(crate) const DEPENDENCIES: &str = "OFFLOADC_BAKE_DEPENDENCIES";
/// The value of an input that does not exist.
const NONE: &str = "none";

/// The lines, and the variables among them. `file` is the path of the file in the package.
pub(crate) fn inputs(file: &str) -> (String, Vec<String>) {
    let folder = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let names = match env::var(DEPENDENCIES) {
        Ok(dependencies) => dependencies.lines().map(|name| ("crate".to_owned(), name.to_owned())).collect(),
        Err(_) => fs::read(folder.join(file)).ok().and_then(|bytes| names(&bytes)).unwrap_or_default(),
    };
    let mut variables = vec![DEPENDENCIES.to_owned()];
    let mut lines = Vec::new();
    for (kind, name) in names {
        let value = match kind.as_str() {
            "env" => env::var_os(&name).map(|value| source::hash_of(value.as_encoded_bytes())),
            "file" => fs::read(place(&folder, &name)).ok().map(|bytes| source::hash_of(&bytes)),
            _ => dependency(&name),
        };
        variables.extend((kind == "env").then(|| name.clone()));
        lines.push(format!("{kind}\t{name}\t{}", value.as_deref().unwrap_or(NONE)));
    }
    (lines.join("\n"), variables)
}

/// The kinds and names in a file of baked kernels: its second string has the lines.
fn names(file: &[u8]) -> Option<Vec<(String, String)>> {
    fn text(file: &[u8]) -> Option<(&[u8], &[u8])> {
        let (length, rest) = file.split_at_checked(4)?;
        rest.split_at_checked(u32::from_le_bytes(length.try_into().ok()?) as usize)
    }
    let (_magic, rest) = text(file)?;
    let lines = std::str::from_utf8(text(rest)?.0).ok()?;
    let name = |line: &str| {
        let mut fields = line.split('\t');
        Some((fields.next()?.to_owned(), fields.next()?.to_owned()))
    };
    lines.lines().map(name).collect()
}

/// A file of the package, or one that its build script has made.
fn place(folder: &Path, name: &str) -> PathBuf {
    match name.strip_prefix("OUT_DIR/") {
        Some(name) => PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join(name),
        None => folder.join(name),
    }
}

/// The hash of the source of a package, which rustc has written beside its library. There may be several libraries of
/// one version, by other features or older builds, and all must have the same source.
fn dependency(name: &str) -> Option<String> {
    let (library, version) = name.split_once(' ')?;
    let prefix = format!("{library}-");
    let is_of = |file: &str| file == format!("{library}.d") || (file.starts_with(&prefix) && file.ends_with(".d"));
    let folders = library_folders().into_iter().filter_map(|folder| fs::read_dir(folder).ok());
    let files = folders.flatten().flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_of));
    let packages: BTreeSet<PathBuf> = files.filter_map(|file| package(&file.path())).collect();
    let of_version = packages.iter().filter(|folder| version_of(folder).is_none_or(|own| own == version));
    let hashes: Option<BTreeSet<String>> = of_version.map(|folder| source::hash_of_dependency(folder).ok()).collect();
    let mut hashes = hashes?.into_iter();
    hashes.next().filter(|_| hashes.next().is_none())
}

/// The folder of the package whose sources a list of rustc names.
fn package(list: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(list).ok()?;
    let (_, sources) = text.lines().next()?.split_once(": ")?;
    // A space in a name has a backslash before it.
    let marked = sources.replace("\\ ", "\0");
    let source = PathBuf::from(marked.split(' ').next()?.replace('\0', " ")).canonicalize().ok()?;
    source.ancestors().find(|folder| folder.join("Cargo.toml").is_file()).map(Path::to_path_buf)
}

/// The version in a package's manifest, if the manifest has it.
fn version_of(folder: &Path) -> Option<String> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
    let package = manifest.lines().map(str::trim).skip_while(|line| *line != "[package]").skip(1);
    let mut package = package.take_while(|line| !line.starts_with('['));
    let value = package.find_map(|line| line.strip_prefix("version")?.trim_start().strip_prefix('='))?;
    Some(value.trim().trim_matches('"').to_owned())
}
