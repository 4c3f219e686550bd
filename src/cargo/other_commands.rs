//! Command lines of `cargo offloadc` that build nothing: cargo's other commands, and words that are no command.

use std::ffi::OsString;
use std::process::Command;

use super::cargo;
use super::commands::commands;
use super::options::CARGOS;
use crate::diagnostics::nearest::{in_a_sentence, is_near, nearest};
use crate::job::UsageError;

/// Cargo's commands that compile nothing. They do not accept the options that a build gets.
const WITHOUT_BUILD: [&str; 27] = [
    "add",
    "fetch",
    "fmt",
    "generate-lockfile",
    "help",
    "info",
    "init",
    "locate-project",
    "login",
    "logout",
    "metadata",
    "owner",
    "pkgid",
    "read-manifest",
    "remove",
    "report",
    "rm",
    "search",
    "tree",
    "uninstall",
    "update",
    "vendor",
    "verify-project",
    "version",
    "yank",
    "config",
    "--list",
];

/// Cargo's command for words that it receives as they are; none if it builds.
pub(super) fn without_build(arguments: &[OsString]) -> Option<Command> {
    let _ = arguments.first().filter(|first| WITHOUT_BUILD.iter().any(|own| *first == own))?;
    let mut command = Command::new(cargo());
    let _ = command.args(arguments);
    Some(command)
}

/// Refuses a word that is no command of cargo, and is nearly one of ours: cargo would suggest only its own names.
pub(super) fn refuse_misspelt_command(
    arguments: &[OsString],
    listed: impl FnOnce() -> String,
) -> Result<(), UsageError> {
    let Some(first) = arguments.first().and_then(|first| first.to_str()) else { return Ok(()) };
    let names: Vec<&str> = commands().map(|command| command.name).collect();
    if first.starts_with('-') || names.contains(&first) || CARGOS.contains(&first) {
        return Ok(());
    }
    let mut near = nearest(first, &names);
    near.retain(|name| is_near(first, name));
    let is_listed = || listed().lines().any(|line| line.split_whitespace().next() == Some(first));
    if near.is_empty() || is_listed() {
        return Ok(());
    }
    let error = UsageError::new(format!("`cargo offloadc` has no command `{first}`"));
    let error = in_a_sentence(&near).into_iter().fold(error, UsageError::help);
    Err(error.help("`cargo offloadc --help` lists its commands; all others are cargo's"))
}

/// The commands that cargo has on this machine, with aliases; empty if cargo cannot list them.
pub(super) fn listed() -> String {
    let output = Command::new(cargo()).arg("--list").output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::command_lines::words;

    const LISTED: &str = "Installed Commands:\n    rn    alias: run\n    debugs\n    tree    Display a tree\n";

    #[test]
    fn words_that_are_nearly_a_command_have_the_nearest() {
        for (line, command) in [
            ("debugg app", "debug"),
            ("sanitise test", "sanitize"),
            ("profil run", "profile"),
            ("docter", "doctor"),
            ("buid --release", "build"),
        ] {
            let error = refuse_misspelt_command(&words(line), || LISTED.to_owned()).expect_err(line);
            assert!(error.help[0].contains(&format!("`{command}`")), "{line}: {:?}", error.help);
        }
    }

    #[test]
    fn commands_of_cargo_are_cargos() {
        for line in ["rn", "debugs", "build", "b", "nextest run", "tree", "-v build", "", "t"] {
            assert!(refuse_misspelt_command(&words(line), || LISTED.to_owned()).is_ok(), "{line}");
        }
        for line in ["tree --depth 1", "help metadata", "add libc", "--list"] {
            let command = without_build(&words(line)).expect(line);
            assert_eq!(command.get_args().map(OsString::from).collect::<Vec<_>>(), words(line), "{line}");
        }
        assert!(without_build(&words("build")).is_none() && without_build(&words("nextest list")).is_none());
    }
}
