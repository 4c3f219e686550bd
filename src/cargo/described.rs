//! A command of `cargo offloadc` with its help. Manual pages and completions are made of the same row.

use std::ffi::OsString;

use super::options::CARGOS;

/// A command, and the parts of its help.
#[derive(Debug)]
pub struct Described {
    /// The word after `cargo offloadc`.
    pub name: &'static str,
    /// A sentence without a period.
    pub does: &'static str,
    /// The words after the name.
    pub usage: &'static str,
    /// The rows of its options.
    pub options: &'static str,
    /// Paragraphs after the options.
    pub notes: &'static str,
    /// The words after `cargo offloadc`.
    pub example: &'static str,
}

/// The options of the commands that build a package.
pub const OPTIONS: &str = "  \
  --offload-arch LIST      archs to compile kernels for [default: cpu]
  --emulate LIST           run the program on emulated GPUs of these archs, and compile kernels for them
  --offload-arch-optional LIST
                           more archs, which are left out with a warning if their code is refused
  --skip-refused-archs     leave out any arch whose code is refused, with a warning
  --device-panic HOW       the effect of a panic in a kernel: report, trap or unreachable
  --device-print           enable printing in kernels
  --device-stack BYTES     the stack of each thread for recursive functions on GPUs [default: 12288]
  --device-std             let kernels call the host for println!, std::io, std::time, std::env and std::fs
  --math HOW, --fast-math, --fp-contract HOW, --ftz
                           the accuracy of floating-point code
  --runtime NAME           the runtime of the program: offloadrt, omptarget or liboffload
  --remarks[=PASS,...]     say of each kernel how it is executed, and why not faster, with the line of the cause
  --offload-linker PROGRAM the compiler driver that links [default: cc]
  --offloadc=OPTION        any other option of offloadc
";

impl Described {
    /// The text for `--help`.
    pub fn help(&self) -> String {
        let Self { name, does, usage, options, .. } = self;
        let usage = format!("{does}\n\nUsage: cargo offloadc {name} {usage}").trim_end().to_owned();
        let options = if options.is_empty() { String::new() } else { format!("Options:\n{options}\n") };
        format!("{usage}\n\n{options}{}", self.end())
    }

    /// The text after the options.
    pub fn end(&self) -> String {
        let notes = if self.notes.is_empty() { String::new() } else { format!("{}\n", self.notes) };
        format!("{notes}Example:\n  cargo offloadc {}\n", self.example)
    }

    /// Whether a command line begins with this command or cargo's short name for it.
    pub(super) fn is(&self, word: &OsString) -> bool {
        let is_short = || word.len() == 1 && CARGOS.iter().any(|own| word == own);
        word == self.name
            || is_short() && word.to_str().is_some_and(|word| self.name.starts_with(word)) && self.is_cargos()
    }

    /// Whether cargo has a command of this name.
    pub(super) fn is_cargos(&self) -> bool {
        CARGOS.contains(&self.name)
    }
}
