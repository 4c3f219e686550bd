//! `cargo offloadc sanitize`: the program runs with the checker for kernels, whose reports are printed when it ends.
//!
//! Cargo, and the programs that it starts, append their reports to a file in the target folder. The option and the
//! flags make another program of the same source, so it has a target folder of its own: a change between `run` and
//! `sanitize run` builds nothing again.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use super::Request;
use super::options::value_of_option;
use super::reports::{Form, Reports};
use crate::diagnostics::nearest::{in_a_sentence, nearest};
use crate::error::{Context as _, Error, ExitCode, Failure, Result};
use crate::job::UsageError;

/// The text for `cargo offloadc sanitize --help`.
pub const SANITIZE_HELP: &str = "\
Runs a Cargo package on the CPU with a checker for its kernels, which reports data races and wrong accesses

Usage: cargo offloadc sanitize <run|test> [OPTIONS] [CARGO'S OPTIONS] [-- ARGUMENTS]

Options:
  --off LIST               detectors to switch off: race, bounds, uninit, barrier
  --format HOW             the form of the reports: text or json [default: text]

The exit status is 66 if there are reports and the program succeeded, and otherwise the program's own.
Programs are written to `offloadc/sanitize/<target>/` in cargo's target folder.
";

/// The detectors, by the names in the variable of the runtime.
const DETECTORS: [&str; 4] = ["race", "bounds", "uninit", "barrier"];
/// Cargo's commands that start programs, with cargo's short names.
const COMMANDS: [&str; 4] = ["run", "r", "test", "t"];
/// The only arch with a checker.
const ARCH: &str = "cpu";

/// The runtime's variable with the file for reports.
const REPORT_FILE: &str = "OFFLOADRT_SANITIZE_REPORT";
/// The runtime's variable that switches detectors off.
const SWITCHES: &str = "OFFLOADRT_SANITIZE";

/// A command line after `sanitize`.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    /// The arguments of `cargo offloadc`.
    rest: Vec<OsString>,
    /// The detectors that are switched off.
    off: Vec<String>,
    form: Form,
}

impl Options {
    fn parse(arguments: &[OsString]) -> Result<Self, UsageError> {
        let mut options = Self { rest: Vec::new(), off: Vec::new(), form: Form::Text };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            let (name, value) = text.split_once('=').map_or((&*text, None), |(name, value)| (name, Some(value)));
            let mut value_of = || value_of_option(name, value, &mut words);
            match name {
                "--" => {
                    options.rest.extend(std::iter::once(word).chain(words).cloned());
                    break;
                }
                "--off" => options.off.extend(detectors(&value_of()?)?),
                "--format" => options.form = form(&value_of()?)?,
                _ => options.rest.push(word.clone()),
            }
        }
        Ok(options)
    }
}

/// The detectors in a list.
fn detectors(list: &str) -> Result<Vec<String>, UsageError> {
    let known = |name: &str| {
        if DETECTORS.contains(&name) {
            return Ok(name.to_owned());
        }
        let error = UsageError::new(format!("there is no detector `{name}`"));
        let names = DETECTORS.map(|name| format!("`{name}`")).join(", ");
        let near = in_a_sentence(&nearest(name, &DETECTORS)).filter(|_| !name.is_empty());
        Err(near.into_iter().fold(error, UsageError::help).help(format!("the detectors are {names}")))
    };
    list.split(',').map(known).collect()
}

fn form(name: &str) -> Result<Form, UsageError> {
    match name {
        "text" => Ok(Form::Text),
        "json" => Ok(Form::Json),
        _ => Err(UsageError::new(format!("`--format` is `text` or `json`, not `{name}`"))),
    }
}

/// Cargo's command, and the file for the reports of all programs that it starts.
pub struct Sanitized {
    command: Command,
    file: PathBuf,
    form: Form,
}

/// The result of a run with the checker.
pub struct Outcome {
    /// The reports in the form of the command line; empty without reports.
    pub text: String,
    /// The exit status for this process.
    pub status: u8,
}

impl Sanitized {
    /// The command for the arguments after `sanitize`.
    pub fn new(arguments: &[OsString]) -> Result<Self, Failure<UsageError>> {
        let options = Options::parse(arguments).map_err(Failure::Reason)?;
        let mut request = Request::parse(options.rest).map_err(Failure::Reason)?;
        check(&request).map_err(Failure::Reason)?;
        request.sanitized = true;
        if request.archs().next().is_none() {
            request.options.push(format!("--offload-arch={ARCH}"));
        }
        request.options.extend(["--offloadc=--sanitize", "--offloadc=-g"].map(str::to_owned));
        let folder = request.target_folder()?;
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot create `{}`", folder.display()))?;
        let folder = folder.canonicalize().with_context(|| format!("cannot find `{}`", folder.display()))?;
        let file = folder.join(format!("reports-{}.jsonl", std::process::id()));
        request.folder = Some(folder);
        let mut command = request.into_whole_command()?;
        let _ = command.env(REPORT_FILE, &file);
        if let Some(switches) = switches(&options.off) {
            let _ = command.env(SWITCHES, switches);
        }
        Ok(Self { command, file, form: options.form })
    }

    /// Runs cargo, and collects the reports. `color` is for the text form.
    pub fn run(mut self, color: bool) -> Result<Outcome> {
        // A file of an earlier process with the same number.
        remove(&self.file)?;
        let status = self.command.status().context("cannot run cargo")?;
        let lines = match std::fs::read(&self.file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            read => read.with_context(|| format!("cannot read `{}`", self.file.display()))?,
        };
        remove(&self.file)?;
        let reports = Reports::merge(&String::from_utf8_lossy(&lines));
        Ok(Outcome { text: reports.render(self.form, color), status: exit_status(status, !reports.is_empty()) })
    }
}

fn remove(file: &Path) -> Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::from(error).context(format!("cannot remove `{}`", file.display())))
        }
        _ => Ok(()),
    }
}

/// The program's own status, and [`ExitCode::Reported`] if it succeeded with reports. A signal has the status that
/// shells give it.
fn exit_status(status: ExitStatus, reported: bool) -> u8 {
    let own = status.code().or_else(|| Some(128 + status.signal()?)).unwrap_or(1);
    if own == 0 && reported { ExitCode::Reported as u8 } else { own.to_le_bytes()[0] }
}

/// The value of [`SWITCHES`]: the user's, and the detectors that the command line switches off; none if it names none.
fn switches(off: &[String]) -> Option<OsString> {
    let own = off.iter().map(|name| format!("-{name}").into());
    let theirs = std::env::var_os(SWITCHES).filter(|value| !value.is_empty());
    (!off.is_empty()).then(|| theirs.into_iter().chain(own).collect::<Vec<OsString>>().join(OsStr::new(",")))
}

/// Refuses commands without a program, and options that exclude the checker.
fn check(request: &Request) -> Result<(), UsageError> {
    let command = request.words.first().map(|word| word.to_string_lossy().into_owned());
    match command {
        Some(command) if COMMANDS.contains(&command.as_str()) => {}
        Some(other) => {
            let error = UsageError::new(format!("`sanitize` starts programs, and `{other}` does not"));
            return Err(error.help("type `cargo offloadc sanitize run` or `cargo offloadc sanitize test`"));
        }
        None => return Err(UsageError::new("name `run` or `test` after `sanitize`")),
    }
    if let Some(arch) = request.archs().find(|arch| *arch != ARCH) {
        let error = UsageError::new(format!("the checker runs kernels on the `{ARCH}`, not on `{arch}`"));
        return Err(error.help("leave out `--offload-arch`"));
    }
    if !request.emulated.is_empty() {
        return Err(UsageError::new("`sanitize` cannot be combined with `--emulate`, which has checks of its own"));
    }
    if request.has_other_runtime() {
        return Err(UsageError::new("`sanitize` needs the runtime `offloadrt`, because the checker is a part of it"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    fn refused(line: &str) -> String {
        let options = Options::parse(&words(line));
        options.and_then(|options| check(&Request::parse(options.rest)?)).unwrap_err().message
    }

    #[test]
    fn own_options_end_at_two_dashes() {
        let options = Options::parse(&words("run --off=race,uninit -p app --format json -- --off x")).unwrap();
        assert_eq!(options.rest, words("run -p app -- --off x"));
        assert_eq!((options.off.join(" ").as_str(), options.form), ("race uninit", Form::Json));
        assert_eq!(switches(&options.off).unwrap(), "-race,-uninit");
        assert_eq!(switches(&[]), None);
    }

    #[test]
    fn command_lines_without_a_checked_program_are_refused() {
        assert_eq!(refused(""), "name `run` or `test` after `sanitize`");
        assert_eq!(refused("build"), "`sanitize` starts programs, and `build` does not");
        assert_eq!(refused("run --off race,rase"), "there is no detector `rase`");
        assert_eq!(refused("run --off="), "there is no detector ``");
        assert_eq!(refused("run --off"), "`--off` needs a value");
        assert_eq!(refused("run --format=xml"), "`--format` is `text` or `json`, not `xml`");
        assert_eq!(refused("run --offload-arch=cpu,sm_80"), "the checker runs kernels on the `cpu`, not on `sm_80`");
        assert!(refused("test --emulate=sm_80").contains("`--emulate`"));
        assert!(refused("test --runtime=omptarget").contains("`offloadrt`"));
        let options = Options::parse(&words("test --offload-arch=cpu")).unwrap();
        assert_eq!(check(&Request::parse(options.rest).unwrap()), Ok(()));
    }

    #[test]
    fn reports_change_only_the_status_of_a_success() {
        let ended = ExitStatus::from_raw;
        assert_eq!((exit_status(ended(0), false), exit_status(ended(0), true)), (0, 66));
        assert_eq!(exit_status(ended(101 << 8), true), 101);
        assert_eq!(exit_status(ended(11), true), 139);
    }
}
