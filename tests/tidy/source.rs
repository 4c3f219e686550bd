//! The files of the repository and their lines, for the rules.

use std::path::{Path, PathBuf};

/// A file below the repository's root.
pub(crate) struct Source {
    /// Relative to the root, with slashes.
    pub(crate) name: String,
    pub(crate) text: String,
}

impl Source {
    /// Whether it is a page that a test writes from texts of the program. Its lines have any length.
    pub(crate) fn is_written_page(&self) -> bool {
        self.has_extension(&["md"]) && self.text.contains("`make bless` writes this file")
    }

    pub(crate) fn has_extension(&self, extensions: &[&str]) -> bool {
        Path::new(&self.name).extension().is_some_and(|own| extensions.iter().any(|e| own == *e))
    }

    /// The lines of Rust code with their numbers, without comments and without everything after `#[cfg(test)]`.
    pub(crate) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let before_tests = |(_, line): &(usize, &str)| line.trim() != "#[cfg(test)]";
        let numbered = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        numbered.take_while(before_tests).filter(|(_, line)| !line.trim_start().starts_with("//"))
    }
}

/// Every text file of the project, sorted by name.
pub(crate) fn sources() -> Vec<Source> {
    let root = harness::root();
    let mut paths = Vec::new();
    walk(&root, &mut paths);
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&root).ok()?.to_str()?.to_owned();
        Some(Source { name, text: std::fs::read_to_string(&path).ok()? })
    };
    paths.into_iter().filter_map(read).collect()
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("the folder can be listed").path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let built = ["target", "demo", ".git"].contains(&name.as_str());
        // The target of a link is a file or folder that is read under its own name.
        match (built || path.is_symlink(), path.is_dir()) {
            (true, _) => {}
            (false, true) => walk(&path, paths),
            (false, false) => paths.push(path),
        }
    }
}

/// The Rust sources of the program itself, without unit tests in separate files.
pub(crate) fn program() -> Vec<Source> {
    let own = |source: &Source| {
        let test = source.name.ends_with("_tests.rs");
        source.name.starts_with("src/") && source.has_extension(&["rs"]) && !test
    };
    sources().into_iter().filter(own).collect()
}

/// Fails if there are faults, and prints all of them with the remedy.
#[track_caller]
pub(crate) fn none(faults: Vec<String>, advice: &str) {
    assert!(faults.is_empty(), "{advice}\n  {}\n", faults.join("\n  "));
}

/// `line` without text in double quotes.
pub(crate) fn without_strings(line: &str) -> String {
    let plain = line.replace("\\\"", "");
    plain.split('"').step_by(2).collect()
}

/// Whether `line` contains `word` without a letter, digit or underscore next to it.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| !line[..at].ends_with(part) && !line[at + word.len()..].starts_with(part))
}
