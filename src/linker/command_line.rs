//! A linker's command line as rustc writes it: for a compiler driver (`-Wl,--gc-sections`), or for a linker
//! (`--gc-sections`) if only `linker` is set and its name ends in `ld`.
//!
//! Only the necessary parts are interpreted: files, the output, options for LTO plugins, and offloadc's own options.
//! All others are passed on unchanged. The real linker is always a compiler driver, because it knows the C library's
//! start files; options for a linker are passed through it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::llvm::OptLevel;

/// The default of the real linker: the system's compiler driver.
const LINKER: &str = "cc";

/// The real linker, unless an option names one.
pub fn default_linker() -> OsString {
    std::env::var_os("OFFLOADC_LINKER").filter(|linker| !linker.is_empty()).unwrap_or_else(|| LINKER.into())
}

/// Options from `cargo offloadc`, which precede those of the command line. They are separated by a [`SEPARATOR`].
pub const OPTIONS_VARIABLE: &str = "OFFLOADC_LINK_OPTIONS";
const SEPARATOR: u8 = 0x1f;
/// The option of `cargo offloadc check`.
const CHECK: &[u8] = b"--offload-check";

/// An argument of the command line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Argument {
    /// An argument that may be a file to link.
    File(PathBuf),
    /// Any other argument.
    Word(OsString),
}

/// The contents of a command line.
#[derive(Debug)]
pub(super) struct CommandLine {
    /// `-o`.
    pub(super) output: PathBuf,
    /// The arguments for the real linker.
    pub(super) arguments: Vec<Argument>,
    /// offloadc's own options.
    pub(super) options: Vec<OsString>,
    /// rustc's optimisation level, which it passes to LTO plugins.
    pub(super) level: Option<OptLevel>,
    /// The real linker.
    pub(super) linker: OsString,
    /// Whether kernels are only checked, and nothing is linked.
    pub(super) only_checks: bool,
}

/// Options of drivers and linkers whose value is the next argument, which is therefore not a file to link.
const WITH_VALUE: [&str; 28] = [
    "-B",
    "-T",
    "-Xlinker",
    "-e",
    "-u",
    "-z",
    "-m",
    "-h",
    "-soname",
    "--soname",
    "-rpath",
    "--rpath",
    "-rpath-link",
    "-dynamic-linker",
    "--dynamic-linker",
    "-I",
    "--version-script",
    "--dynamic-list",
    "--defsym",
    "-Map",
    "--entry",
    "-plugin",
    "--plugin",
    "-plugin-opt",
    "--plugin-opt",
    "-target",
    "--sysroot",
    "-x",
];

/// Options that drivers have, so they are not passed through to the linker.
const OF_DRIVER: [&str; 11] = [
    "-pie",
    "-no-pie",
    "-static",
    "-static-pie",
    "-shared",
    "-nostdlib",
    "-nostartfiles",
    "-nodefaultlibs",
    "-s",
    "-r",
    "-rdynamic",
];

impl CommandLine {
    /// The arguments that may be files to link.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.arguments.iter().filter_map(|argument| match argument {
            Argument::File(path) => Some(path.as_path()),
            Argument::Word(_) => None,
        })
    }

    /// Parses a command line without the program's name.
    pub(super) fn parse(arguments: Vec<OsString>) -> Self {
        let mut this = Self {
            output: PathBuf::from("a.out"),
            arguments: Vec::new(),
            options: Vec::new(),
            level: None,
            linker: default_linker(),
            only_checks: false,
        };
        let options = std::env::var_os(OPTIONS_VARIABLE).unwrap_or_default().into_vec();
        options
            .split(|byte| *byte == SEPARATOR)
            .filter(|word| !word.is_empty())
            .for_each(|word| this.parse_own_option(word));
        let for_linker = is_for_linker(&arguments);
        let mut words = arguments.into_iter();
        while let Some(word) = words.next() {
            if this.takes(&word) {
                continue;
            }
            let bytes = word.as_bytes();
            let value = if WITH_VALUE.iter().any(|o| *o == word) || bytes == b"-o" || bytes == b"-L" || bytes == b"-l" {
                words.next()
            } else {
                None
            };
            match (bytes, value) {
                (b"-plugin-opt" | b"--plugin-opt", Some(value)) => this.parse_own_option(value.as_bytes()),
                (b"-plugin" | b"--plugin", Some(_)) => {}
                (b"-o", Some(value)) => {
                    this.output = PathBuf::from(&value);
                    this.words([word, value]);
                }
                ([b'-', b'L' | b'l', ..], value) => this.words([Some(word), value].into_iter().flatten()),
                ([b'-', _, ..], value) if for_linker && !OF_DRIVER.iter().any(|o| *o == word) => {
                    for word in [Some(word), value].into_iter().flatten() {
                        this.words(["-Xlinker".into(), word]);
                    }
                }
                ([b'-', _, ..], value) => this.words([Some(word), value].into_iter().flatten()),
                _ => this.arguments.push(Argument::File(PathBuf::from(word))),
            }
        }
        if for_linker {
            // rustc has listed every library.
            this.words(["-nodefaultlibs".into()]);
        }
        this
    }

    fn words(&mut self, words: impl IntoIterator<Item = OsString>) {
        self.arguments.extend(words.into_iter().map(Argument::Word));
    }

    /// Handles an argument that is not passed to the real linker, or the parts of it that are not.
    fn takes(&mut self, word: &OsStr) -> bool {
        let bytes = word.as_bytes();
        if let Some(list) = bytes.strip_prefix(b"-Wl,") {
            let (ours, theirs): (Vec<&[u8]>, Vec<&[u8]>) = list.split(|b| *b == b',').partition(|w| is_ours(w));
            if ours.is_empty() {
                return false;
            }
            ours.iter().for_each(|word| self.parse_own_option(word));
            if !theirs.is_empty() {
                let rest = [b"-Wl,", &theirs.join(&b',')[..]].concat();
                self.words([OsString::from_vec(rest)]);
            }
            return true;
        }
        let ours = is_ours(bytes);
        if ours {
            self.parse_own_option(bytes);
        }
        ours
    }

    /// Parses an option of offloadc.
    fn parse_own_option(&mut self, word: &[u8]) {
        let value = |prefix: &str| word.strip_prefix(prefix.as_bytes()).map(|rest| OsString::from_vec(rest.to_vec()));
        if let Some(linker) = value("--offload-linker=") {
            self.linker = linker;
        } else if let Some(option) = value("--offloadc=") {
            self.options.push(option);
        } else if word == CHECK {
            self.only_checks = true;
        } else if word.starts_with(b"--offload-version=") {
            // This option exists only so that cargo sees a change.
        } else if word.starts_with(b"--offload-") {
            self.options.push(OsString::from_vec(word.to_vec()));
        } else {
            let option = ["--plugin-opt=", "-plugin-opt="].iter().find_map(|p| word.strip_prefix(p.as_bytes()));
            self.level = level(option.unwrap_or(word)).or(self.level);
        }
    }
}

/// Whether an argument is for offloadc, or for an LTO plugin, whose place offloadc takes.
fn is_ours(word: &[u8]) -> bool {
    let starts = ["--offload-", "--offloadc=", "-plugin-opt=", "--plugin-opt=", "-plugin=", "--plugin="];
    starts.iter().any(|start| word.starts_with(start.as_bytes()))
}

/// Parses `O3` and similar.
fn level(option: &[u8]) -> Option<OptLevel> {
    Some(match option {
        b"O0" => OptLevel::O0,
        b"O1" => OptLevel::O1,
        b"O2" => OptLevel::O2,
        b"O3" => OptLevel::O3,
        _ => return None,
    })
}

/// Whether the arguments are for a linker: rustc always passes one of these, and to a driver always with `-Wl,`.
fn is_for_linker(words: &[OsString]) -> bool {
    const OWN: [&str; 6] =
        ["--as-needed", "-Bstatic", "-Bdynamic", "--eh-frame-hdr", "--gc-sections", "--no-gc-sections"];
    words.iter().any(|word| OWN.iter().any(|own| own == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> CommandLine {
        CommandLine::parse(line.split_whitespace().map(OsString::from).collect())
    }

    fn passed(line: &str) -> String {
        let words = parse(line).arguments.into_iter().map(|argument| match argument {
            Argument::File(path) => format!("<{}>", path.display()),
            Argument::Word(word) => word.to_string_lossy().into_owned(),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_driver_gets_what_is_not_ours() {
        let line =
            "-m64 a.o -Wl,--as-needed,-plugin-opt=O3,-plugin-opt=mcpu=x86-64 b.rlib -lc -o app --offload-arch=cpu";
        assert_eq!(passed(line), "-m64 <a.o> -Wl,--as-needed <b.rlib> -lc -o app");
        let parsed = parse(line);
        assert_eq!(parsed.output, PathBuf::from("app"));
        assert_eq!(parsed.options, ["--offload-arch=cpu"]);
        assert_eq!(parsed.level, Some(OptLevel::O3));
        assert!(!parsed.only_checks && parse("a.o --offload-check").only_checks);
    }

    #[test]
    fn a_linkers_words_go_through_a_driver() {
        let line = "a.o --as-needed -Bstatic -plugin-opt=O0 -z noexecstack -L dir -o app -pie -soname x --offloadc=-g";
        let wanted = "<a.o> -Xlinker --as-needed -Xlinker -Bstatic -Xlinker -z -Xlinker noexecstack -L dir -o app -pie \
            -Xlinker -soname -Xlinker x -nodefaultlibs";
        assert_eq!(passed(line), wanted);
        assert_eq!(parse(line).options, ["-g"]);
        assert_eq!(parse(line).level, Some(OptLevel::O0));
    }
}
