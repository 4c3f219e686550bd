//! `cargo offloadc sanitize`: the program runs with the checker for kernels, whose reports are printed when it ends.
//!
//! Cargo, and the programs that it starts, append their reports to a file in the target folder. The option and the
//! flags make another program of the same source, so it has a separate target folder: a change between `run` and
//! `sanitize run` builds nothing again.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use super::Request;
use super::described::Described;
use super::program_commands::{Form, Outcome, check_command, form, status_of, without_own};
use super::reports::Reports;
use crate::diagnostics::nearest::{in_a_sentence, nearest};
use crate::error::{Context as _, Error, ExitCode, Failure, Result};
use crate::job::UsageError;

pub(super) const DESCRIBED: Described = Described {
    name: "sanitize",
    does: "Runs a program or tests with a checker for data races and wrong accesses",
    usage: "<run|test> [OPTIONS] [CARGO'S OPTIONS] [-- ARGUMENTS]",
    options: "  \
  --off LIST               detectors to switch off: race, bounds, uninit, barrier
  --format HOW             the form of the reports: text or json [default: text]
",
    notes: "\
Kernels run on the device `cpu`. The exit status is 66 if there are reports and the program succeeded, and otherwise the
program's own. Programs are written to `offloadc/sanitize/<target>/` in cargo's target folder.
",
    example: "sanitize test --off=uninit",
};

/// The detectors, by the names in the variable of the runtime.
const DETECTORS: [&str; 4] = ["race", "bounds", "uninit", "barrier"];
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
        let (mut off, mut chosen) = (Vec::new(), Form::Text);
        let rest = without_own(arguments, |word| {
            match word.name {
                "--off" => off.extend(detectors(&word.value()?)?),
                "--format" => chosen = form(&word.value()?)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(Self { rest, off, form: chosen })
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

/// Cargo's command, and the file for the reports of all programs that it starts.
pub struct Sanitized {
    command: Command,
    file: PathBuf,
    form: Form,
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

/// The program's own status, and [`ExitCode::Reported`] if it succeeded with reports.
fn exit_status(status: ExitStatus, reported: bool) -> u8 {
    let own = status_of(status);
    if own == 0 && reported { ExitCode::Reported as u8 } else { own }
}

/// The value of [`SWITCHES`]: the user's, and the detectors that the command line switches off; none if it names none.
fn switches(off: &[String]) -> Option<OsString> {
    let own = off.iter().map(|name| format!("-{name}").into());
    let theirs = std::env::var_os(SWITCHES).filter(|value| !value.is_empty());
    (!off.is_empty()).then(|| theirs.into_iter().chain(own).collect::<Vec<OsString>>().join(OsStr::new(",")))
}

/// Refuses commands without a program, and options that exclude the checker.
fn check(request: &Request) -> Result<(), UsageError> {
    check_command("sanitize", request)?;
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
    use crate::cargo::command_lines::{refusal, words};
    use std::os::unix::process::ExitStatusExt as _;

    fn refused(line: &str) -> String {
        refusal(line, |words| check(&Request::parse(Options::parse(words)?.rest)?))
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
