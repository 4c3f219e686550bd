//! The dependency file of `-MD`: a make rule that lists the inputs of the output.
//!
//! Names are escaped for GNU make, as clang does: a backslash before a space or `#`, and `$` doubled.

use crate::cli::options::Options;
use crate::error::Result;
use crate::system::output::Sink;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The path of the file, and the contents of its rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DepFile {
    sink: Sink,
    targets: Vec<OsString>,
    phony: bool,
}

impl DepFile {
    /// The values of `-MF`, `-MT` and `-MP`, with defaults that depend on `output`.
    pub fn new(options: &Options, output: &Path) -> Self {
        let path = options.depfile_path.clone().unwrap_or_else(|| output.with_extension("d"));
        let targets = match options.depfile_targets.as_slice() {
            [] => vec![OsString::from_vec(escape(output.as_os_str().as_bytes()))],
            given => given.to_vec(),
        };
        Self { sink: Sink::new(path), targets, phony: options.depfile_phony }
    }

    /// Writes the rule after the outputs. `inputs` is every file that was read.
    pub fn write(&self, inputs: &[PathBuf]) -> Result<()> {
        self.sink.write(&self.text(inputs))
    }

    fn text(&self, inputs: &[PathBuf]) -> Vec<u8> {
        let mut files: Vec<&[u8]> = Vec::new();
        for input in inputs.iter().map(|input| input.as_os_str().as_bytes()) {
            // Standard input is not a file.
            if input != b"-" && !files.contains(&input) {
                files.push(input);
            }
        }
        // The value of `-MT` is not escaped, as in clang, because it may contain make's syntax.
        let mut text = self.targets.iter().map(|t| t.as_bytes()).collect::<Vec<_>>().join(&b' ');
        text.push(b':');
        for file in &files {
            text.extend(b" \\\n  ");
            text.extend(escape(file));
        }
        text.push(b'\n');
        for file in files.iter().filter(|_| self.phony) {
            text.push(b'\n');
            text.extend(escape(file));
            text.extend(b":\n");
        }
        text
    }
}

fn escape(path: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(path.len());
    for byte in path {
        match byte {
            b' ' | b'#' => escaped.push(b'\\'),
            b'$' => escaped.push(b'$'),
            _ => {}
        }
        escaped.push(*byte);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn depfile(line: &str) -> DepFile {
        let words = std::iter::once("offloadc").chain(line.split_whitespace());
        let options = Options::parse_from_arguments(words.map(OsString::from).collect()).unwrap();
        DepFile::new(&options, Path::new("d/out.o"))
    }

    #[test]
    fn names_come_from_the_output_unless_given() {
        let default = depfile("-MD a.bc");
        assert_eq!(default.sink, Sink::new("d/out.d"));
        assert_eq!(default.text(&[PathBuf::from("a.bc"), PathBuf::from("-")]), b"d/out.o: \\\n  a.bc\n");
        let given = depfile("-MD -MF x -MT one -MT two -MP a.bc");
        assert_eq!(given.sink, Sink::new("x"));
        let twice = [PathBuf::from("a.bc"), PathBuf::from("a.bc")];
        assert_eq!(given.text(&twice), b"one two: \\\n  a.bc\n\na.bc:\n");
    }

    #[test]
    fn make_reads_strange_names() {
        let folder = tempfile::tempdir().unwrap();
        let strange = PathBuf::from("a b#c$d.bc");
        std::fs::write(folder.path().join(&strange), "").unwrap();
        let mut text = depfile("-MD -MP -MT all a.bc").text(&[strange]);
        text.extend(b"all: ; @echo '$<'\n");
        std::fs::write(folder.path().join("Makefile"), text).unwrap();
        // `make test` passes its own flags on, and a recursive make prints the names of folders.
        let mut make = Command::new("make");
        let make = make.current_dir(&folder).env_remove("MAKEFLAGS").env_remove("MAKELEVEL").output().unwrap();
        assert_eq!(String::from_utf8_lossy(&make.stdout), "a b#c$d.bc\n", "{make:?}");
    }
}
