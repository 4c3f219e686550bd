//! The parts of cargo's configuration that the settings of `cargo offloadc` would override: rustc's flags and linkers.
//! Cargo reads everything else, and reports errors in the files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cargo_platform::{Cfg, Platform};
use toml::{Table, Value};

use crate::error::{Context as _, Error, Result};

/// The configuration for builds for one target.
#[derive(Debug, Default)]
pub struct Configuration {
    /// The tables in order of priority, each with the folder that its paths are relative to.
    tables: Vec<(Table, PathBuf)>,
    triple: String,
    /// The `cfg` conditions that hold for the target.
    conditions: Vec<Cfg>,
}

impl Configuration {
    /// Reads the values of `--config`, then the files of this folder, of its parents, and of the user.
    pub(super) fn read(said: &[String], triple: &str, conditions: impl FnOnce() -> Vec<Cfg>) -> Self {
        let mut this = Self { triple: triple.to_owned(), ..Self::default() };
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
        if this.targets().any(|(name, ..)| name.starts_with("cfg(")) {
            this.conditions = conditions();
        }
        this
    }

    /// The configuration in one file's text.
    pub fn of_text(text: &str, triple: &str, conditions: Vec<Cfg>) -> Self {
        let mut this = Self { triple: triple.to_owned(), conditions, tables: Vec::new() };
        this.add(text, Path::new("/"));
        this
    }

    fn add(&mut self, text: &str, folder: &Path) {
        self.tables.extend(text.parse().ok().map(|table| (table, folder.to_path_buf())));
    }

    /// Whether there are flags with the name `key` (`rustflags`, `rustdocflags`) for all builds, but none for the
    /// target. Cargo uses only one of both, so our flags must be added to the one that it would use without us.
    pub fn has_only_build_flags(&self, key: &str) -> bool {
        let name = key.to_uppercase();
        let target = self.of_target(key).is_some() || self.variable(&name).is_some();
        let flags = |(table, _): &(Table, PathBuf)| table.get("build").is_some_and(|b| b.get(key).is_some());
        !target && (self.tables.iter().any(flags) || std::env::var_os(format!("CARGO_BUILD_{name}")).is_some())
    }

    /// All flags with the name `key` that cargo would use, if some of them are written as one string. Cargo joins only
    /// lists.
    pub fn flags_as_text(&self, key: &str) -> Option<Vec<String>> {
        let name = key.to_uppercase();
        if self.variable(&name).is_some() || std::env::var_os(format!("CARGO_BUILD_{name}")).is_some() {
            return None;
        }
        let values = |in_table: &dyn Fn(&'_ Table) -> Option<Value>| -> Vec<Value> {
            self.tables.iter().filter_map(|(table, _)| in_table(table)?.get(key).cloned()).collect()
        };
        let all: Vec<Vec<Value>> = if self.has_only_build_flags(key) {
            vec![values(&|table| table.get("build").cloned())]
        } else {
            let of = |name: &str| values(&|table| table.get("target")?.get(name).cloned());
            self.names_in_force().into_iter().map(of).collect()
        };
        all.iter().flatten().any(Value::is_str).then(|| all.iter().flat_map(|values| joined(values)).collect())
    }

    /// The target's name, then the conditions that hold, in the order in which cargo joins flags.
    fn names_in_force(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.targets().map(|(name, ..)| name).filter(|name| self.holds(name)).collect();
        names.sort();
        names.dedup();
        std::iter::once(&*self.triple).chain(names).collect()
    }

    /// Whether a name is a condition that holds for the target.
    fn holds(&self, name: &str) -> bool {
        let platform = name.starts_with("cfg(").then(|| name.parse::<Platform>().ok()).flatten();
        platform.is_some_and(|platform| platform.matches(&self.triple, &self.conditions))
    }

    /// The linker that cargo would use. A path with a slash is relative to the parent of `.cargo`.
    pub fn linker(&self) -> Option<OsString> {
        let program = |(value, folder): (&Value, &Path)| {
            let text = value.as_str()?;
            Some(if text.contains('/') { folder.join(text).into_os_string() } else { text.into() })
        };
        self.variable("LINKER").or_else(|| self.of_target("linker").and_then(program))
    }

    /// The wrapper of rustc in the configuration; none if it is empty.
    pub fn rustc_wrapper(&self) -> Option<OsString> {
        let said = |(table, folder): &(Table, PathBuf)| {
            let text = table.get("build")?.get("rustc-wrapper")?.as_str()?;
            Some(if text.contains('/') { folder.join(text).into_os_string() } else { text.into() })
        };
        let variable = std::env::var_os("CARGO_BUILD_RUSTC_WRAPPER");
        let wrapper = variable.or_else(|| self.tables.iter().find_map(said));
        wrapper.filter(|wrapper| !wrapper.is_empty())
    }

    /// The value of `term.KEY`, which the environment may override.
    pub(super) fn term(&self, key: &str) -> Option<Value> {
        let variable = std::env::var(format!("CARGO_TERM_{}", key.to_uppercase())).ok();
        let of_text = |text: String| text.parse().map_or_else(|_| Value::from(text), Value::Boolean);
        variable.map(of_text).or_else(|| self.tables.iter().find_map(|(table, _)| table.get("term")?.get(key).cloned()))
    }

    /// The words of the runner that cargo would use; empty if it would start programs itself. The first word is a
    /// program; a path with a slash is relative to the parent of `.cargo`, or to the working directory.
    pub fn runner(&self) -> Result<Vec<OsString>> {
        let (words, folder) = match (self.variable("RUNNER"), self.of_target("runner")) {
            (Some(text), _) => (split(&text.to_string_lossy()), Path::new("")),
            (None, Some((_, folder))) if folder == Path::new("") => {
                return Err(Error::new("`--emulate` cannot be combined with a runner in `--config`"));
            }
            (None, Some((value, folder))) => (joined(std::slice::from_ref(value)), folder),
            (None, None) => return Ok(Vec::new()),
        };
        let mut words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
        if let Some(program) = words.first_mut().filter(|program| program.as_encoded_bytes().contains(&b'/')) {
            // Cargo starts tests in the folders of their packages.
            *program = std::path::absolute(folder.join(&*program)).context("cannot find the runner")?.into();
        }
        Ok(words)
    }

    /// The value of a key for the target, by its name or by a condition that holds, and the folder of its file.
    fn of_target(&self, key: &str) -> Option<(&Value, &Path)> {
        let by = |fits: &dyn Fn(&str) -> bool| {
            self.targets()
                .filter(|(name, ..)| fits(name))
                .find_map(|(_, value, folder)| Some((value.get(key)?, folder)))
        };
        by(&|name| name == self.triple).or_else(|| by(&|name| self.holds(name)))
    }

    /// All entries for targets, with their names or conditions.
    fn targets(&self) -> impl Iterator<Item = (&str, &Value, &Path)> {
        self.tables.iter().flat_map(|(table, folder)| {
            let targets = table.get("target").and_then(Value::as_table).into_iter().flatten();
            targets.map(move |(name, value)| (name.as_str(), value, folder.as_path()))
        })
    }

    /// The value of the environment variable for `target.TRIPLE.KEY`.
    fn variable(&self, key: &str) -> Option<OsString> {
        std::env::var_os(self.variable_name(key)).filter(|value| !value.is_empty())
    }

    /// The name of the environment variable for `target.TRIPLE.KEY`.
    pub(super) fn variable_name(&self, key: &str) -> String {
        let triple = self.triple.to_uppercase().replace(['-', '.'], "_");
        format!("CARGO_TARGET_{triple}_{key}")
    }
}

/// Joins the values of a key like cargo, in order of priority: of strings the first, of lists all, with the first one
/// last.
fn joined(values: &[Value]) -> Vec<String> {
    if let Some(text) = values.first().and_then(Value::as_str) {
        return split(text);
    }
    let lists = values.iter().rev().filter_map(Value::as_array);
    lists.flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn split(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str]) -> Configuration {
        let conditions = ["unix", "target_os=\"linux\""].map(|text| text.parse().unwrap()).to_vec();
        let mut configuration = Configuration { triple: "t".into(), conditions, tables: Vec::new() };
        texts.iter().for_each(|text| configuration.add(text, "/project/".as_ref()));
        assert_eq!(configuration.tables.len(), texts.len());
        configuration
    }

    #[test]
    fn flags_join_those_that_cargo_would_hear() {
        let only = |texts: &[&str]| of(texts).has_only_build_flags("rustflags");
        assert!(only(&["[net]\n[build]\njobs = 2\nrustflags = [\n\"-Dwarnings\"]\n", "build.rustflags = []\n"]));
        assert!(!only(&["[build]\nrustflags = []\n", "[target.'cfg(unix)']\nrustflags = []\n"]));
        assert!(only(&["[build]\nrustflags = []\n", "[target.'cfg(windows)']\nrustflags = []\n"]));
        assert!(!only(&["[build]\nrustflags = []\n", "target.\"t\".rustflags = []\n"]));
        assert!(!only(&[]) && !only(&["[build]\njobs = 2\n"]));
    }

    #[test]
    fn flags_as_one_string_are_read_with_those_that_cargo_joins() {
        let flags = |texts: &[&str]| of(texts).flags_as_text("rustflags").map(|flags| flags.join(" "));
        assert_eq!(flags(&["build.rustflags = '-a  -b'", "build.rustflags = '-c'"]).as_deref(), Some("-a -b"));
        assert_eq!(flags(&["build.rustflags = ['-a']", "build.rustflags = ['-b']"]), None);
        let both = ["target.t.rustflags = ['-t']\ntarget.'cfg(unix)'.rustflags = '-u'", "build.rustflags = '-b'"];
        assert_eq!(flags(&both).as_deref(), Some("-t -u"));
        let far = ["target.t.rustflags = ['-2']", "target.'cfg(unix)'.rustflags = '-u'\ntarget.t.rustflags = ['-1']"];
        assert_eq!(flags(&far).as_deref(), Some("-1 -2 -u"));
        assert_eq!(flags(&["target.'cfg(windows)'.rustflags = '-w'\nbuild.rustflags = ['-b']"]), None);
        assert_eq!(flags(&[]), None);
    }

    #[test]
    fn the_users_runner_is_found() {
        let runner = |texts: &[&str]| {
            let words = of(texts).runner().unwrap();
            words.into_iter().map(|word| word.into_string().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(runner(&["target.t.runner = 'tools/run  -x'"]), ["/project/tools/run", "-x"]);
        assert_eq!(runner(&["[target.'cfg(unix)']\nrunner = ['gdb', '--args a']\n"]), ["gdb", "--args a"]);
        assert!(runner(&["build.jobs = 2"]).is_empty());
        let mut said = of(&[]);
        said.add("target.t.runner = 'x'", "".as_ref());
        assert!(said.runner().is_err());
    }

    #[test]
    fn the_users_wrapper_is_found() {
        let wrapper = |texts: &[&str]| of(texts).rustc_wrapper().map(|wrapper| wrapper.into_string().unwrap());
        assert_eq!(wrapper(&["build.rustc-wrapper = 'sccache'"]).as_deref(), Some("sccache"));
        assert_eq!(wrapper(&["build.rustc-wrapper = 'a/b'"]).as_deref(), Some("/project/a/b"));
        assert_eq!(wrapper(&["build.rustc-wrapper = ''", "build.rustc-wrapper = 'far'"]), None);
    }

    #[test]
    fn the_users_linker_is_found() {
        let linker = |texts: &[&str]| of(texts).linker().map(|linker| linker.into_string().unwrap());
        assert_eq!(linker(&["[target.t]\nlinker = \"clang\" # ours\n"]).as_deref(), Some("clang"));
        assert_eq!(linker(&["[target]\nt.linker = 'tools/ld'\n"]).as_deref(), Some("/project/tools/ld"));
        assert_eq!(linker(&["target.t = { linker = 'ld' }", "target.t.linker = 'far'"]).as_deref(), Some("ld"));
        let on_linux = "[target.'cfg(target_os = \"linux\")']\nlinker = \"/a b/cc\"\n";
        assert_eq!(linker(&[on_linux]).as_deref(), Some("/a b/cc"));
        assert_eq!(linker(&[on_linux, "target.t.linker = 'cc'"]).as_deref(), Some("cc"));
        assert_eq!(linker(&["[target.'cfg(windows)']\nlinker = 'link'\n[target.other]\nlinker = 'clang'\n"]), None);
    }
}
