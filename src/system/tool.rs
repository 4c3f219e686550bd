//! External tools: which there are, how one is run, and what `-v`, `-###` and `--time-trace` see of it.
//!
//! A tool is an argument vector, never a shell's line, and its program is a path that an option, the environment or
//! `PATH` gave.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};

use crate::error::{Context, Error, Result};
use crate::llvm::temporaries;
use crate::system::time_trace::Trace;

/// What is said of a tool that is to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// Nothing.
    Quiet,
    /// Its command line, on standard error (`-v`).
    Say,
    /// Its command line, and it is not run (`-###`).
    Only,
}

/// The tools of one lane of the work.
#[derive(Clone, Debug)]
pub struct Tools {
    /// LLVM's ELF linker.
    pub lld: PathBuf,
    /// NVIDIA's assembler; without it images stay PTX.
    pub ptxas: Option<PathBuf>,
    echo: Echo,
    trace: Trace,
    lane: String,
}

impl Tools {
    /// Tools that run quietly and untimed.
    pub fn new(lld: PathBuf, ptxas: Option<PathBuf>) -> Self {
        Tools { lld, ptxas, echo: Echo::Quiet, trace: Trace::new(false), lane: String::new() }
    }

    /// The same tools, said to be run as `echo` wants.
    pub fn with_echo(self, echo: Echo) -> Self {
        Tools { echo, ..self }
    }

    /// The same tools in a lane of a trace.
    pub fn in_lane(&self, trace: &Trace, lane: &str) -> Self {
        Tools { trace: trace.clone(), lane: lane.to_owned(), ..self.clone() }
    }

    /// Runs `program` to its end with nothing to read; what it said when it failed is the error. Gives whether it was
    /// run at all: under `-###` it is only shown, and what it would have written is not there.
    pub fn run<A: AsRef<OsStr>>(&self, program: &Path, arguments: impl IntoIterator<Item = A>) -> Result<bool> {
        let mut command = Command::new(program);
        let _ = command.args(arguments).stdin(Stdio::null());
        self.run_command(&mut command, b"")
    }

    /// The same; gives what it said on standard output and then on standard error, none when it was only shown.
    pub fn ask<A: AsRef<OsStr>>(
        &self,
        program: &Path,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Option<String>> {
        let mut command = Command::new(program);
        let _ = command.args(arguments).stdin(Stdio::null());
        let Some(output) = self.output_of(&mut command, b"")? else { return Ok(None) };
        Ok(Some([output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat()))
    }

    /// The same for a command that reads `input`.
    pub fn run_command(&self, command: &mut Command, input: &[u8]) -> Result<bool> {
        Ok(self.output_of(command, input)?.is_some())
    }

    /// Runs a command that speaks to the user itself; under `-###` it is only shown, and a success.
    pub fn status_of(&self, command: &mut Command) -> Result<ExitStatus> {
        if self.echo != Echo::Quiet {
            eprintln!("{}", shown(command));
        }
        if self.echo == Echo::Only {
            return Ok(ExitStatus::default());
        }
        Ok(temporaries::start(command)?.output()?.status)
    }

    fn output_of(&self, command: &mut Command, input: &[u8]) -> Result<Option<Output>> {
        if self.echo != Echo::Quiet {
            eprintln!("{}", shown(command));
        }
        if self.echo == Echo::Only {
            return Ok(None);
        }
        let program = Path::new(command.get_program()).to_path_buf();
        let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
        let output = self.trace.lane(&self.lane).tool(&name, || output(command, input));
        let output = output.with_context(|| format!("cannot run `{}`", program.display()))?;
        if output.status.success() {
            return Ok(Some(output));
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let said = if said.trim().is_empty() { output.status.to_string() } else { said.trim().to_owned() };
        Err(Error::new(said).context(format!("`{name}` failed")))
    }
}

fn output(command: &mut Command, input: &[u8]) -> std::io::Result<Output> {
    use std::io::Write;
    if !input.is_empty() {
        let _ = command.stdin(Stdio::piped());
    }
    let mut tool = temporaries::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    if let Some(mut stdin) = tool.stdin() {
        // A tool that ends before it has read everything says why itself.
        let _ = stdin.write_all(input);
    }
    tool.output()
}

/// A command line as a shell would take it.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools() -> Tools {
        Tools::new(PathBuf::from("ld.lld"), None)
    }

    #[test]
    fn a_failure_shows_what_the_tool_said() {
        let error = tools().run(Path::new("/bin/sh"), ["-c", "echo no good >&2; exit 3"]).unwrap_err();
        assert_eq!(error.to_string(), "`sh` failed: no good");
        let error = tools().run(Path::new("/bin/sh"), ["-c", "exit 3"]).unwrap_err();
        assert_eq!(error.to_string(), "`sh` failed: exit status: 3");
        let error = tools().run(Path::new("/no/such/tool"), [""]).unwrap_err();
        assert!(error.to_string().starts_with("cannot run `/no/such/tool`"), "{error}");
    }

    #[test]
    fn a_tool_that_is_only_shown_does_not_run() {
        let tools = tools().with_echo(Echo::Only);
        assert!(!tools.run(Path::new("/no/such/tool"), ["a b"]).unwrap());
        let mut command = Command::new("/no/such/tool");
        assert_eq!(shown(command.args(["a b", "it's", "-o", ""])), r"/no/such/tool 'a b' 'it'\''s' -o ''");
    }
}
