//! `cargo offloadc setup`: cargo's configuration of a workspace says where this installation has the crate
//! `offload-kernels`. `cargo offloadc new` does the same for a new package.
//!
//! The path is absolute, so the package can be moved, renamed and cloned. Beside another installation, this command
//! writes the path again.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::described::Described;
use crate::error::{Context as _, Error, Failure, Result};
use crate::job::UsageError;
use crate::system::installation::{HOME, places};

/// The crate on crates.io.
pub(super) const PACKAGE: &str = "offload-kernels";
/// The file of cargo's configuration, and its table of replaced packages.
const FILE: &str = ".cargo/config.toml";
const TABLE: &str = "[patch.crates-io]";
const COMMENT: &str =
    "# The crate of the installed offloadc; `cargo offloadc setup` writes this line again for another one.";

/// Writes the configuration of the workspace in the current folder, and returns the text to print; none if the
/// arguments are another command.
pub fn setup(arguments: &[OsString]) -> Result<Option<String>, Failure<UsageError>> {
    if arguments.first().is_none_or(|word| word != "setup") {
        return Ok(None);
    }
    if let Some(word) = arguments.get(1) {
        let error = UsageError::new(format!("`setup` has no options, and `{}` is one", word.display()));
        return Err(Failure::Reason(error));
    }
    let krate = crate_folder().ok_or_else(|| {
        let missing = format!("there is no crate `{PACKAGE}` beside this program");
        Error::new(format!("{missing}; cargo takes it from crates.io, or set `{HOME}` to the folder of an archive"))
    })?;
    let file = write(Path::new("."), &krate)?;
    Ok(Some(format!("wrote `{}`: `{PACKAGE}` is in `{}`\n", file.display(), krate.display())))
}

pub(super) const DESCRIBED: Described = Described {
    name: "setup",
    does: "Says in a workspace's `.cargo/config.toml` where the installed crate is",
    usage: "",
    options: "",
    notes: "\
The crate is `offload-kernels`. `cargo offloadc new` does the same. The path is absolute: a package that is moved,
renamed or cloned works as before. Beside another installation of offloadc, this command writes the path again.
",
    example: "setup",
};

/// The crate that belongs to this program; none if only crates.io has it.
pub(super) fn crate_folder() -> Option<PathBuf> {
    let folders = places("lib/offloadc/crates/offload", Some("../../rust/offload"));
    let mut folders = folders.into_iter().filter_map(|folder| folder.canonicalize().ok());
    folders.find(|folder| folder.join("Cargo.toml").is_file())
}

/// Writes the configuration of the workspace of the package in `folder`, and returns its file.
pub(super) fn write(folder: &Path, krate: &Path) -> Result<PathBuf> {
    let file = root(folder)?.join(FILE);
    let shown = file.display();
    let old = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Error::from(error).context(format!("cannot read `{shown}`"))),
    };
    let path = krate.to_str().ok_or_else(|| Error::new(format!("`{}` is not text", krate.display())))?;
    let line = format!("{PACKAGE} = {{ path = {} }}", serde_json::Value::from(path));
    let new = with_line(&old, &line);
    if named(&new).as_deref() != Some(path) {
        return Err(Error::new(format!("cannot change `{shown}`; write into it, below `{TABLE}`: {line}")));
    }
    let writing = || format!("cannot write `{shown}`");
    std::fs::create_dir_all(file.parent().unwrap_or(folder)).with_context(writing)?;
    std::fs::write(&file, new).with_context(writing)?;
    Ok(file)
}

/// The folder of the workspace, whose configuration all of its packages have.
fn root(folder: &Path) -> Result<PathBuf> {
    let mut locate = Command::new(super::cargo());
    let _ = locate.args(["locate-project", "--workspace", "--message-format=plain"]).current_dir(folder);
    let located = locate.output().context("cannot run cargo")?;
    if !located.status.success() {
        return Err(Error::new(String::from_utf8_lossy(&located.stderr).trim_start_matches("error: ").trim_end()));
    }
    let manifest = PathBuf::from(String::from_utf8_lossy(&located.stdout).trim_end());
    Ok(manifest.parent().unwrap_or(folder).to_path_buf())
}

/// The configuration with this line in its table: in place of the line for the same package, or at the table's start,
/// or in a new table.
fn with_line(text: &str, line: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let Some(table) = lines.iter().position(|line| line.trim() == TABLE) else {
        let between = if text.is_empty() { "" } else { "\n" };
        return format!("{}{between}{TABLE}\n{COMMENT}\n{line}\n", text.trim_end_matches('\n').to_owned() + between);
    };
    let is_old =
        |line: &&str| line.trim_start().strip_prefix(PACKAGE).is_some_and(|rest| rest.trim_start().starts_with('='));
    let in_table = lines[table + 1..].iter().take_while(|line| !line.trim_start().starts_with('['));
    match in_table.clone().position(is_old) {
        Some(index) => lines[table + 1 + index] = line,
        None => drop(lines.splice(table + 1..table + 1, [COMMENT, line])),
    }
    lines.join("\n") + "\n"
}

/// The folder of the crate that a configuration names.
fn named(text: &str) -> Option<String> {
    let value: toml::Value = toml::from_str(text).ok()?;
    Some(value.get("patch")?.get("crates-io")?.get(PACKAGE)?.get("path")?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "offload-kernels = { path = \"/new\" }";

    #[test]
    fn the_line_is_added_or_replaced() {
        let whole = format!("{TABLE}\n{COMMENT}\n{LINE}\n");
        for (old, new) in [
            (String::new(), whole.clone()),
            ("[build]\njobs = 2\n".to_owned(), format!("[build]\njobs = 2\n\n{whole}")),
            (format!("{TABLE}\nother = {{ path = \"/a\" }}\n"), format!("{whole}other = {{ path = \"/a\" }}\n")),
            (whole.replace("/new", "/old"), whole.clone()),
            (whole.replace("/new", "/old") + "\n[net]\noffline = true\n", whole.clone() + "\n[net]\noffline = true\n"),
        ] {
            let written = with_line(&old, LINE);
            assert_eq!(written, new);
            assert_eq!(named(&written).as_deref(), Some("/new"));
        }
        // A file that is not understood is not changed.
        assert_eq!(named(&with_line("patch = { crates-io = {} }\n", LINE)), None);
    }
}
