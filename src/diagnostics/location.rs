//! Locations in source files, and the packages outside the workspace that some of them are in.

use std::path::{Path, PathBuf};

/// A location in a source file. Lines and columns start at 1; 0 is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The path in the debug information or on the command line.
    pub file: String,
    /// The folder in which the compiler ran, to which the path may be relative; empty if it is unknown. No output has
    /// it.
    pub folder: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl Location {
    /// The file as seen from the working folder. Cargo compiles a package outside the workspace in the package's own
    /// folder, so its `src/lib.rs` is not the one of the workspace. The folder of another machine is of no use.
    pub(super) fn path(&self) -> PathBuf {
        self.path_from(&std::env::current_dir().unwrap_or_default())
    }

    fn path_from(&self, here: &Path) -> PathBuf {
        let (folder, file) = (Path::new(&self.folder), Path::new(&self.file));
        let whole = folder.join(file);
        if self.folder.is_empty() || folder == here || file.is_absolute() || !whole.is_file() {
            return file.to_path_buf();
        }
        whole.strip_prefix(here).map(Path::to_path_buf).unwrap_or(whole)
    }

    /// Whether the file is in a package outside the workspace.
    pub fn is_outside(&self) -> bool {
        self.package().is_some()
    }

    /// The name and version of the package outside the working folder that the file is in, and its path there.
    pub(super) fn package(&self) -> Option<(String, PathBuf)> {
        if self.folder.is_empty() {
            return None;
        }
        let path = self.path();
        let folder = path.ancestors().skip(1).find(|folder| folder.join("Cargo.toml").is_file())?;
        let inside = path.strip_prefix(folder).ok().filter(|_| path.is_absolute())?;
        let manifest: toml::Table = std::fs::read_to_string(folder.join("Cargo.toml")).ok()?.parse().ok()?;
        let package = manifest.get("package")?;
        let name = package.get("name")?.as_str()?;
        // A workspace may have the version.
        let version = package.get("version").and_then(toml::Value::as_str);
        Some((version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}")), inside.to_path_buf()))
    }

    /// A file with the line and the column.
    pub(super) fn with_position(&self, file: &str) -> String {
        match (self.line, self.column) {
            (0, _) => file.to_owned(),
            (line, 0) => format!("{file}:{line}"),
            (line, column) => format!("{file}:{line}:{column}"),
        }
    }
}

/// The file of a package outside the workspace is shown with its name and version.
impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let file = match self.package() {
            Some((package, inside)) => format!("{package}: {}", inside.display()),
            None => self.path().display().to_string(),
        };
        f.write_str(&self.with_position(&file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_as_seen_from_the_working_folder() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("gpu");
        std::fs::create_dir_all(package.join("src")).unwrap();
        std::fs::write(package.join("src/lib.rs"), "").unwrap();
        let at = |folder: &Path, file: &str| Location {
            file: file.to_owned(),
            folder: folder.display().to_string(),
            line: 3,
            column: 0,
        };
        let lib = at(&package, "src/lib.rs");
        assert_eq!(lib.path_from(&package), Path::new("src/lib.rs"));
        assert_eq!(lib.path_from(folder.path()), Path::new("gpu/src/lib.rs"));
        assert_eq!(lib.path_from(Path::new("/elsewhere")), package.join("src/lib.rs"));
        assert_eq!(at(&package, "src/none.rs").path_from(Path::new("/elsewhere")), Path::new("src/none.rs"));
        assert_eq!(at(Path::new(""), "src/lib.rs").to_string(), "src/lib.rs:3");
        assert_eq!(lib.to_string(), format!("{}:3", package.join("src/lib.rs").display()));
        std::fs::write(package.join("Cargo.toml"), "[package]\nname = 'gpu'\nversion = '1.2.3'\n").unwrap();
        assert_eq!(lib.to_string(), "gpu 1.2.3: src/lib.rs:3");
        std::fs::write(package.join("Cargo.toml"), "[package]\nname = 'gpu'\nversion.workspace = true\n").unwrap();
        assert_eq!(lib.to_string(), "gpu: src/lib.rs:3");
    }
}
