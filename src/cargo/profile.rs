//! `cargo offloadc profile`: the program runs with counters for the lines of its kernels and with a trace, and tables
//! are printed when it ends.
//!
//! The runtime and the emulators write their files to a folder below the target folder. As for `sanitize`, the options
//! make another program of the same source, which has a separate target folder.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use super::Request;
use super::described::Described;
use super::profile_counts::Profile;
use super::profile_tables::{Shown, render};
use super::program_commands::{Form, Outcome, check_command, form, status_of, without_own};
use crate::error::{Context as _, Error, Failure, Result};
use crate::job::UsageError;

pub(super) const DESCRIBED: Described = Described {
    name: "profile",
    does: "Runs a program or tests and shows which kernels, copies and lines cost the most",
    usage: "<run|test> [OPTIONS] [CARGO'S OPTIONS] [-- ARGUMENTS]",
    options: "  \
  --top N                  the number of lines to show of each kernel [default: 10]
  --no-lines               count no lines: on the cpu, kernels then run at their full speed
  --format HOW             the form of the tables: text or json [default: text]
  --output FILE            write the tables to a file instead of standard error
",
    notes: "\
Lines are counted on the device `cpu`, and with `--emulate` on emulated GPUs. Of real GPUs, times and bytes are shown.
The exit status is the program's own. Programs are written to `offloadc/profile/<target>/` in cargo's target folder.
",
    example: "profile run --release --top=5",
};

/// The variables that name the files of the runtime and of the emulators.
const TRACE: &str = "OFFLOADRT_TRACE";
const COUNTS: [&str; 2] = ["OFFLOADRT_PROFILE", "OFFLOAD_EMULATED_PROFILE"];
/// The file of counts, and the part of the name of the traces that follows the number of the process.
const COUNTS_FILE: &str = "counts.jsonl";
const TRACES: &str = ".trace.json";

/// A command line after `profile`.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    /// The arguments of `cargo offloadc`.
    rest: Vec<OsString>,
    /// The lines of each kernel.
    top: usize,
    /// Whether lines are counted.
    lines: bool,
    form: Form,
    output: Option<PathBuf>,
}

impl Options {
    fn parse(arguments: &[OsString]) -> Result<Self, UsageError> {
        let (mut top, mut lines, mut chosen, mut output) = (10, true, Form::Text, None);
        let rest = without_own(arguments, |word| {
            match word.name {
                "--top" => {
                    let value = word.value()?;
                    let error = || UsageError::new(format!("`--top` is a number of lines, not `{value}`"));
                    top = value.parse().map_err(|_| error())?;
                }
                "--no-lines" if word.after_sign.is_none() => lines = false,
                "--output" => output = Some(word.value()?.into()),
                "--format" => chosen = form(&word.value()?)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(Self { rest, top, lines, form: chosen, output })
    }
}

/// Refuses commands without a program, and a runtime that counts nothing.
fn check(request: &Request) -> Result<(), UsageError> {
    check_command("profile", request)?;
    if request.has_other_runtime() {
        return Err(UsageError::new("`profile` needs the runtime `offloadrt`, which measures kernels and copies"));
    }
    Ok(())
}

/// Builds and runs the program, and makes the tables.
pub fn profile(arguments: &[OsString]) -> Result<Outcome, Failure<UsageError>> {
    let Options { rest, top, lines, form, output } = Options::parse(arguments).map_err(Failure::Reason)?;
    let mut request = Request::parse(rest).map_err(Failure::Reason)?;
    check(&request).map_err(Failure::Reason)?;
    request.profiled = true;
    if lines {
        request.options.push("--offloadc=--profile-lines".to_owned());
    }
    let target = request.target_folder()?;
    let folder = target.join(format!("run-{}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create `{}`", folder.display()))?;
    let folder = folder.canonicalize().with_context(|| format!("cannot find `{}`", folder.display()))?;
    request.folder = Some(target);
    let is_emulated = !request.emulated.is_empty();
    let mut command = request.into_whole_command()?;
    let _ = command.env(TRACE, folder.join(format!("%p{TRACES}")));
    if lines {
        let _ = command.envs(COUNTS.map(|variable| (variable, folder.join(COUNTS_FILE))));
    }
    let outcome = run(command, &folder).and_then(|(profile, status)| {
        let shown = Shown { top, is_emulated, has_lines: lines };
        let text = match form {
            Form::Json => profile.json(),
            // Cargo has said why there is no program.
            Form::Text if profile.is_empty() && status != 0 => String::new(),
            Form::Text => render(&profile, &shown),
        };
        let Some(file) = output else { return Ok(Outcome { text, status }) };
        std::fs::write(&file, text).with_context(|| format!("cannot write `{}`", file.display()))?;
        Ok(Outcome { text: String::new(), status })
    });
    let removed = std::fs::remove_dir_all(&folder);
    let outcome = outcome?;
    removed.with_context(|| format!("cannot remove `{}`", folder.display()))?;
    Ok(outcome)
}

/// Runs cargo, and reads the files that all programs have written. The status is the program's own.
fn run(mut command: Command, folder: &std::path::Path) -> Result<(Profile, u8)> {
    let status = command.status().context("cannot run cargo")?;
    let mut profile = Profile::default();
    let entries = std::fs::read_dir(folder).and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
    let entries = entries.with_context(|| format!("cannot read `{}`", folder.display()))?;
    let mut files: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
    files.sort();
    for file in files {
        let bytes = std::fs::read(&file).with_context(|| format!("cannot read `{}`", file.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        match file.file_name().is_some_and(|name| name == COUNTS_FILE) {
            true => profile.add_counts(&text).map_err(Error::new)?,
            false => profile.add_trace(&text),
        }
    }
    Ok((profile, status_of(status)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::command_lines::{refusal, words};

    fn refused(line: &str) -> String {
        refusal(line, |words| check(&Request::parse(Options::parse(words)?.rest)?))
    }

    #[test]
    fn own_options_end_at_two_dashes() {
        let line = "run --top=3 -p app --no-lines --format json --output a.json --emulate=sm_80 -- --top x";
        let options = Options::parse(&words(line)).unwrap();
        assert_eq!(options.rest, words("run -p app --emulate=sm_80 -- --top x"));
        let expected = Options { rest: options.rest.clone(), top: 3, lines: false, form: Form::Json, output: None };
        assert_eq!(Options { output: None, ..options }, expected);
        assert_eq!(Options::parse(&words("test")).unwrap().top, 10);
    }

    #[test]
    fn command_lines_without_a_program_are_refused() {
        assert_eq!(refused(""), "name `run` or `test` after `profile`");
        assert_eq!(refused("build"), "`profile` starts programs, and `build` does not");
        assert_eq!(refused("run --top many"), "`--top` is a number of lines, not `many`");
        assert_eq!(refused("run --top"), "`--top` needs a value");
        assert_eq!(refused("run --format=xml"), "`--format` is `text` or `json`, not `xml`");
        assert!(refused("test --runtime=omptarget").contains("`offloadrt`"));
    }
}
