//! External tools: their paths, how they are run, and how `-v`, `-###` and `--time-trace` show them.
//!
//! A tool is run with a vector of arguments, never by a shell. Its path is from an option, the environment or `PATH`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};

use crate::error::{Context, Error, Result};
use crate::llvm::temporaries;
use crate::system::time_trace::Trace;

/// The printing of a tool's command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// Nothing.
    Quiet,
    /// Its command line is printed to standard error (`-v`).
    Say,
    /// Its command line is printed, and the tool is not run (`-###`).
    Only,
}

/// The tools, with the lane of a trace.
#[derive(Clone, Debug)]
pub struct Tools {
    /// LLVM's ELF linker.
    pub lld: PathBuf,
    /// NVIDIA's assembler; without it, there is no machine code.
    pub ptxas: Option<PathBuf>,
    echo: Echo,
    /// Whether tools must not start threads, because make's job server counts those.
    one_thread: bool,
    trace: Trace,
    lane: String,
}

impl Tools {
    /// Tools whose command lines are not printed and whose time is not recorded.
    pub fn new(lld: PathBuf, ptxas: Option<PathBuf>) -> Self {
        Tools { lld, ptxas, echo: Echo::Quiet, one_thread: false, trace: Trace::new(false), lane: String::new() }
    }

    /// The programs, which decide the outputs. The other fields decide the messages about them, and their threads.
    pub fn programs(&self) -> (&Path, Option<&Path>) {
        let Self { lld, ptxas, echo: _, trace: _, lane: _, one_thread: _ } = self;
        (lld, ptxas.as_deref())
    }

    /// The same tools, printed as `echo` says.
    pub fn with_echo(self, echo: Echo) -> Self {
        Tools { echo, ..self }
    }

    /// The same tools, each with one thread if `one_thread`.
    pub fn with_one_thread(self, one_thread: bool) -> Self {
        Tools { one_thread, ..self }
    }

    /// The same tools in a lane of a trace.
    pub fn in_lane(&self, trace: &Trace, lane: &str) -> Self {
        Tools { trace: trace.clone(), lane: lane.to_owned(), ..self.clone() }
    }

    /// Runs `program` without input and waits for its end. If it fails, the error contains its output. Returns whether
    /// it was run; with `-###` it is only printed, and its output files do not exist.
    pub fn run<A: AsRef<OsStr>>(&self, program: &Path, arguments: impl IntoIterator<Item = A>) -> Result<bool> {
        let mut command = Command::new(program);
        let _ = command.args(arguments).stdin(Stdio::null());
        self.run_command(&mut command, b"")
    }

    /// Like `run`, for LLVM's linker, which otherwise starts a thread on each core.
    pub fn link<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Result<bool> {
        let mut command = Command::new(&self.lld);
        if self.one_thread {
            let _ = command.arg("--threads=1");
        }
        let _ = command.args(arguments).stdin(Stdio::null());
        self.run_command(&mut command, b"")
    }

    /// Like `run`; returns its standard output, followed by its standard error. None if it was only printed.
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

    /// Like `run`, for a command with the input `input`.
    pub fn run_command(&self, command: &mut Command, input: &[u8]) -> Result<bool> {
        Ok(self.output_of(command, input)?.is_some())
    }

    /// Runs a command whose output goes to the user. With `-###` it is only printed, and counts as a success.
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

/// The program with this name in a folder of `PATH`. The user has chosen these folders, except those that depend on the
/// working folder, whose files may be anybody's.
pub fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn output(command: &mut Command, input: &[u8]) -> std::io::Result<Output> {
    use std::io::Write;
    if !input.is_empty() {
        let _ = command.stdin(Stdio::piped());
    }
    let mut tool = temporaries::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    if let Some(mut stdin) = tool.stdin() {
        // A tool that ends before it has read everything reports the reason itself.
        let _ = stdin.write_all(input);
    }
    tool.output()
}

/// A command line in the syntax of a shell.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
}

/// A word in the syntax of a shell.
pub(super) fn quoted(word: &str) -> String {
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
