//! What cargo's configuration says of rustc's flags and of linkers, where `cargo offloadc` would drown it by saying the same
//! itself. Only the keys that are asked for are looked at, and only strings; all else is cargo's to read.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// One `key = value` of a configuration file, the key with its table's name.
#[derive(Debug)]
struct Setting {
    /// Without spaces and quotes: `target.x86_64-unknown-linux-gnu.linker`.
    key: String,
    value: String,
    /// Where the file's folder `.cargo` is.
    folder: PathBuf,
}

/// The settings that are in force, the nearest first.
#[derive(Debug, Default)]
pub(super) struct Configuration(Vec<Setting>);

impl Configuration {
    /// What `--config` said, then the files of this folder, of those above it and the user's own.
    pub(super) fn read(said: &[String]) -> Self {
        let mut this = Self::default();
        for word in said.iter().rev() {
            let file = std::fs::read_to_string(word).ok().filter(|_| !word.contains('='));
            this.add(&file.unwrap_or_else(|| word.clone()), Path::new(""));
        }
        let mut folders: Vec<PathBuf> = Vec::new();
        if let Ok(here) = std::env::current_dir() {
            folders.extend(here.ancestors().map(|folder| folder.join(".cargo")));
        }
        let own = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"));
        folders.extend(std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(own));
        for folder in folders {
            let files = ["config", "config.toml"].map(|name| folder.join(name));
            let text = files.iter().find_map(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
            this.add(&text, &folder.with_file_name(""));
        }
        this
    }

    fn add(&mut self, text: &str, folder: &Path) {
        let plain = |text: &str| text.chars().filter(|c| !" \t\"'".contains(*c)).collect::<String>();
        let mut table = String::new();
        for line in text.lines().map(str::trim) {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
                table = plain(name);
            } else if let Some((key, value)) = split_at_equals(line) {
                let key = if table.is_empty() { plain(key) } else { format!("{table}.{}", plain(key)) };
                self.0.push(Setting { key, value: value.to_owned(), folder: folder.to_path_buf() });
            }
        }
    }

    /// Whether there are rustc's flags for all builds and none for a target. Cargo hears one or the other: ours must join
    /// those that it would hear without us.
    pub(super) fn has_only_build_flags(&self, triple: &str) -> bool {
        let of_target = |key: &str| key.starts_with("target.") && key.ends_with(".rustflags");
        let target = self.0.iter().any(|setting| of_target(&setting.key)) || variable(triple, "RUSTFLAGS").is_some();
        let build =
            self.0.iter().any(|s| s.key == "build.rustflags") || std::env::var_os("CARGO_BUILD_RUSTFLAGS").is_some();
        build && !target
    }

    /// The linker that cargo would take for this target.
    pub(super) fn linker(&self, triple: &str) -> Option<OsString> {
        let of_triple = format!("target.{triple}.linker");
        let of_condition = |key: &str| key.starts_with("target.cfg(") && key.ends_with(".linker");
        let said = self.0.iter().find(|setting| setting.key == of_triple);
        let said = said.or_else(|| self.0.iter().find(|setting| of_condition(&setting.key)));
        variable(triple, "LINKER").or_else(|| said.and_then(Setting::path))
    }
}

impl Setting {
    /// The value as a program: with a slash it is a path from the folder above `.cargo`.
    fn path(&self) -> Option<OsString> {
        let quote = self.value.chars().next().filter(|c| "\"'".contains(*c))?;
        let text = self.value[1..].split(quote).next()?;
        Some(if text.contains('/') { self.folder.join(text).into_os_string() } else { text.into() })
    }
}

/// `key` and `value` of a line; the equals sign of `cfg(a = "b")` parts nothing.
fn split_at_equals(line: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '#') => return None,
            (None, '=') => return Some((&line[..at], line[at + 1..].trim())),
            _ => {}
        }
    }
    None
}

/// The environment's word for `target.TRIPLE.KEY`.
fn variable(triple: &str, key: &str) -> Option<OsString> {
    let triple = triple.to_uppercase().replace(['-', '.'], "_");
    std::env::var_os(format!("CARGO_TARGET_{triple}_{key}")).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str]) -> Configuration {
        let mut configuration = Configuration::default();
        texts.iter().for_each(|text| configuration.add(text, "/project/".as_ref()));
        configuration
    }

    #[test]
    fn flags_join_those_that_cargo_would_hear() {
        let only = |texts: &[&str]| of(texts).has_only_build_flags("t");
        assert!(only(&["[net]\n[build]\njobs = 2\nrustflags = [\"-Dwarnings\"]\n", "build.rustflags = []\n"]));
        assert!(!only(&["[build]\nrustflags = []\n", "[target.'cfg(unix)']\nrustflags = []\n"]));
        assert!(!only(&["[build]\nrustflags = []\n", "target.\"t\".rustflags = []\n"]));
        assert!(!only(&[]) && !only(&["[build]\njobs = 2\n"]));
    }

    #[test]
    fn the_users_linker_is_found() {
        let linker = |text: &str| of(&[text]).linker("t").map(|linker| linker.into_string().unwrap());
        assert_eq!(linker("[target.t]\nlinker = \"clang\" # ours\n").as_deref(), Some("clang"));
        assert_eq!(linker("[target]\nt.linker = 'tools/ld'\n").as_deref(), Some("/project/tools/ld"));
        assert_eq!(linker("[target.'cfg(target_os = \"linux\")']\nlinker = \"/a b/cc\"\n").as_deref(), Some("/a b/cc"));
        assert_eq!(linker("[target.other]\nlinker = \"clang\"\n#[target.t]\n"), None);
    }
}
