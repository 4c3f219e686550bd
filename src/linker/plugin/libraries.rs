//! The files of the linker's own command line. Linkers differ in the files that they show to plugins, and some show
//! only modules, but kernels take bodies from the libraries of crates, too.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use super::super::command_line::{Argument, CommandLine};
use crate::cli::response_file;

/// The files of a linker's command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LinkerFiles {
    /// Every file, and the archive of every `-l` for which there is one.
    pub(super) files: Vec<PathBuf>,
    /// The archives after `--whole-archive`, all of whose members are linked.
    pub(super) whole: BTreeSet<PathBuf>,
    /// Whether one of the files is the runtime.
    pub(super) has_runtime: bool,
}

impl LinkerFiles {
    /// The files of the process that started this one; none where the system does not show them.
    pub(super) fn of_parent() -> Self {
        let path = format!("/proc/{}/cmdline", std::os::unix::process::parent_id());
        let Ok(bytes) = std::fs::read(path) else { return Self::default() };
        let words = bytes.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec()));
        let words: Vec<OsString> = words.skip(1).filter(|word| !word.is_empty()).collect();
        // A response file may be gone, and the linker has read it.
        Self::of_words(response_file::expand(words.clone()).unwrap_or(words))
    }

    fn of_words(words: Vec<OsString>) -> Self {
        let mut this = Self::default();
        let (mut folders, mut libraries): (Vec<PathBuf>, Vec<(OsString, bool)>) = (Vec::new(), Vec::new());
        let mut whole = false;
        let arguments = CommandLine::parse(words).arguments;
        let mut arguments = arguments.into_iter().filter(|argument| !is_pass_through(argument)).peekable();
        while let Some(argument) = arguments.next() {
            let word = match argument {
                Argument::File(path) => {
                    this.add(path, whole);
                    continue;
                }
                Argument::Word(word) => word,
            };
            match word.as_bytes() {
                b"--whole-archive" => whole = true,
                b"--no-whole-archive" => whole = false,
                [b'-', letter @ (b'L' | b'l'), rest @ ..] => {
                    let next = if rest.is_empty() { arguments.next() } else { None };
                    let value = match next {
                        Some(Argument::Word(word)) => word,
                        Some(Argument::File(path)) => path.into(),
                        None => OsString::from_vec(rest.to_vec()),
                    };
                    if *letter == b'L' { folders.push(value.into()) } else { libraries.push((value, whole)) }
                }
                _ => {}
            }
        }
        // A linker searches all folders for a library, wherever they are on the command line.
        for (name, whole) in libraries {
            this.has_runtime |= name.as_bytes().starts_with(b"offloadrt");
            let file = match name.as_bytes() {
                [b':', file @ ..] => OsString::from_vec(file.to_vec()),
                name => OsString::from_vec([b"lib", name, b".a"].concat()),
            };
            if let Some(path) = folders.iter().map(|folder| folder.join(&file)).find(|path| path.is_file()) {
                this.add(path, whole);
            }
        }
        this
    }

    fn add(&mut self, path: PathBuf, whole: bool) {
        let name = path.file_name().unwrap_or_default().as_bytes();
        self.has_runtime |= name.starts_with(b"liboffloadrt");
        if whole {
            let _ = self.whole.insert(path.clone());
        }
        if !self.files.contains(&path) {
            self.files.push(path);
        }
    }

    /// Whether all members of an archive are linked.
    pub(super) fn is_whole(&self, path: &Path) -> bool {
        self.whole.contains(path)
    }
}

/// Whether an argument only marks the next one as the linker's.
fn is_pass_through(argument: &Argument) -> bool {
    matches!(argument, Argument::Word(word) if word == "-Xlinker")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_of_a_command_line_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("libone.a");
        std::fs::write(&library, "").unwrap();
        let line = format!(
            "-plugin p.so -plugin-opt=O3 --eh-frame-hdr -o app a.o -L {} --as-needed --whole-archive x/liball.rlib \
             --no-whole-archive -lone -lmissing -dynamic-linker /lib/ld.so b.rlib",
            folder.path().display()
        );
        let files = LinkerFiles::of_words(line.split_whitespace().map(OsString::from).collect());
        let expected = ["a.o", "x/liball.rlib", "b.rlib"].map(PathBuf::from);
        assert_eq!(files.files, [&expected[..], &[library]].concat());
        assert!(files.is_whole(Path::new("x/liball.rlib")) && !files.is_whole(Path::new("b.rlib")));
    }
}
