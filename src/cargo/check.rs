//! `cargo offloadc check` and `clippy`: cargo's own commands, in which links only check kernels.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

use super::bake::value_of;
use super::kernel_crates::SHOWN;
use crate::error::{Context as _, Error, ExitCode, Failure, Result};
use crate::job::UsageError;

/// Cargo's commands that only check.
const COMMANDS: [&str; 3] = ["check", "c", "clippy"];
/// Cargo's exit status for errors of the source.
const OF_CARGO: i32 = 101;

/// Whether a command line only checks.
pub fn only_checks(words: &[OsString]) -> bool {
    words.first().is_some_and(|word| COMMANDS.iter().any(|own| word == own))
}

/// Whether cargo prints JSON. In JSON it repeats messages that several crates have, and in text it does not.
fn wants_json(words: &[OsString]) -> bool {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    value_of(&words[..end], &["--message-format"]).is_some_and(|form| form.starts_with("json"))
}

/// Runs cargo's command for these words, and returns the exit status: 1 if something is wrong with the source.
pub fn check(words: &[OsString], command: Result<Command, Failure<UsageError>>) -> Result<u8, Failure<UsageError>> {
    let mut command = command?;
    let shown = tempfile::tempdir().map_err(Error::from).context("cannot make a temporary folder")?;
    if wants_json(words) {
        let _ = command.env(SHOWN, shown.path());
    }
    let status = command.status().context("cannot run cargo")?;
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
    Ok(match u8::try_from(code) {
        Ok(code) if i32::from(code) != OF_CARGO => code,
        _ => ExitCode::Failed as u8,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_ours_for_errors_and_cargos_otherwise() {
        let ends = |code: i32| {
            let mut command = Command::new("sh");
            let _ = command.args(["-c", &format!("test -d \"$OFFLOADC_SHOWN\" && exit {code}")]);
            let words = ["check", "--message-format=json"].map(OsString::from);
            check(&words, Ok(command)).unwrap_or_else(|_| panic!("sh runs"))
        };
        assert_eq!([0, 101, 2].map(ends), [0, 1, 2]);
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        let only = |line: &str| only_checks(&words(line));
        assert!(only("check --tests") && only("clippy") && !only("build check"));
        let json = |line: &str| wants_json(&words(line));
        assert!(json("check --message-format json-render-diagnostics") && json("c --message-format=json -q"));
        assert!(!json("check --message-format=short") && !json("check -- --message-format=json"));
    }
}
