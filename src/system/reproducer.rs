//! The folder that an internal error leaves for a report: the inputs, the command line and the versions.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::tool::quoted;
use crate::error::ExitCode;
use crate::llvm::reproducer::{self, Contents};

/// The variable with the folder in which the folders are created. If it is empty, there are none.
const PARENT: &str = "OFFLOADC_CRASH_DIR";

/// The variables that offloadc reads, without those whose values are secrets.
const VARIABLES: &str = "OFFLOADC_";
const SECRETS: &[&str] = &["OFFLOADC_CACHE_TOKEN"];

/// Prepares the folder of this process: `words` are the command line without the name of the program, and those that
/// are `inputs` are replaced by the copies.
pub fn prepare<'a>(program: &str, words: &[OsString], inputs: impl Iterator<Item = &'a Path>, versions: String) {
    let parent = match std::env::var_os(PARENT) {
        Some(parent) if parent.is_empty() => return,
        Some(parent) => PathBuf::from(parent),
        None => std::env::temp_dir(),
    };
    let (Ok(parent), Ok(working_folder)) = (std::path::absolute(parent), std::env::current_dir()) else { return };
    let folder = parent.join(format!("offloadc-crash-{}", std::process::id()));
    let mut files = Vec::new();
    for (number, input) in inputs.filter(|input| *input != Path::new("-")).enumerate() {
        let name = input.file_name().unwrap_or_default().to_string_lossy();
        files.push((format!("{}-{name}", number + 1), input));
    }
    // Of a file that is named twice, the first copy.
    let names: HashMap<&OsStr, &String> = files.iter().rev().map(|(name, input)| (input.as_os_str(), name)).collect();
    let copy = |word: &OsStr| names.get(word).map(|name| folder.join(name));
    let words = words.iter().map(|word| copy(word).map_or_else(|| word.clone(), PathBuf::into_os_string));
    let command = command(program, words, &working_folder);
    let mut contents =
        vec![("command.sh".to_owned(), Contents::Text(command)), ("versions".to_owned(), Contents::Text(versions))];
    contents.extend(files.iter().map(|(name, input)| (name.clone(), Contents::Copy(input.to_path_buf()))));
    reproducer::prepare(&folder, contents);
}

/// A script that runs the command line again.
fn command(program: &str, words: impl Iterator<Item = OsString>, working_folder: &Path) -> String {
    let mut text = format!("cd {}\n", quoted(&working_folder.to_string_lossy()));
    let mut variables: Vec<_> = std::env::vars_os().filter(|(name, _)| is_shown(name)).collect();
    variables.sort();
    for (name, value) in variables {
        let _ = writeln!(text, "export {}={}", name.to_string_lossy(), quoted(&value.to_string_lossy()));
    }
    text += program;
    for word in words {
        let _ = write!(text, " {}", quoted(&word.to_string_lossy()));
    }
    text + "\n"
}

fn is_shown(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with(VARIABLES) && !SECRETS.contains(&&*name)
}

/// Writes the folder if the process ends with an internal error. Returns the note that says where it is.
pub fn note(code: ExitCode) -> Option<String> {
    let folder = if code == ExitCode::Internal { reproducer::write() } else { None };
    folder.map(|folder| format!("{}`{folder}`", reproducer::NOTE))
}
