//! The parts that `debug`, `sanitize` and `profile` share. Each of them has separate options, and starts the user's
//! program.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::slice::Iter;

use super::Request;
use super::options::value_of_option;
use crate::job::UsageError;

/// Cargo's commands that start programs, with cargo's short names.
const COMMANDS: [&str; 4] = ["run", "r", "test", "t"];

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// In the form of diagnostics, or as tables.
    Text,
    Json,
}

/// The result of a program that has run.
pub struct Outcome {
    /// The text for the end, in the form of the command line; it may be empty.
    pub text: String,
    /// The exit status for this process.
    pub status: u8,
}

/// A word of a command line, and the words after it.
pub(super) struct Word<'a, 'w> {
    pub(super) text: &'a str,
    /// The text in front of the first `=`.
    pub(super) name: &'a str,
    /// The text after it.
    pub(super) after_sign: Option<&'a str>,
    /// Whether no word before it is cargo's.
    pub(super) is_first: bool,
    rest: &'a mut Iter<'w, OsString>,
}

impl Word<'_, '_> {
    /// The value of an option: the text after its `=`, or else the next word.
    pub(super) fn value(&mut self) -> Result<String, UsageError> {
        value_of_option(self.name, self.after_sign, &mut *self.rest)
    }
}

/// The words that are not the command's own: those for which `is_own` returns false, and all that follow `--`.
pub(super) fn without_own(
    arguments: &[OsString],
    mut is_own: impl FnMut(&mut Word<'_, '_>) -> Result<bool, UsageError>,
) -> Result<Vec<OsString>, UsageError> {
    let (mut cargos, mut words) = (Vec::new(), arguments.iter());
    while let Some(word) = words.next() {
        if word == "--" {
            cargos.push(word.clone());
            cargos.extend(words.cloned());
            break;
        }
        let text = word.to_string_lossy();
        let (name, after_sign) = text.split_once('=').map_or((&*text, None), |(name, value)| (name, Some(value)));
        let is_first = cargos.is_empty();
        if !is_own(&mut Word { text: &text, name, after_sign, is_first, rest: &mut words })? {
            cargos.push(word.clone());
        }
    }
    Ok(cargos)
}

/// The value of `--format`.
pub(super) fn form(name: &str) -> Result<Form, UsageError> {
    match name {
        "text" => Ok(Form::Text),
        "json" => Ok(Form::Json),
        _ => Err(UsageError::new(format!("`--format` is `text` or `json`, not `{name}`"))),
    }
}

/// Refuses a command line after `own` whose command of cargo starts no program.
pub(super) fn check_command(own: &str, request: &Request) -> Result<(), UsageError> {
    let command = request.words.first().map(|word| word.to_string_lossy().into_owned());
    match command {
        Some(command) if COMMANDS.contains(&command.as_str()) => Ok(()),
        Some(other) => {
            let error = UsageError::new(format!("`{own}` starts programs, and `{other}` does not"));
            Err(error.help(format!("type `cargo offloadc {own} run` or `cargo offloadc {own} test`")))
        }
        None => Err(UsageError::new(format!("name `run` or `test` after `{own}`"))),
    }
}

/// The program's own status. A signal has the status that shells give it.
pub(super) fn status_of(status: ExitStatus) -> u8 {
    status.code().or_else(|| Some(128 + status.signal()?)).unwrap_or(1).to_le_bytes()[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> (String, Vec<String>) {
        let words = crate::cargo::command_lines::words(line);
        let mut own = Vec::new();
        let cargos = without_own(&words, |word| {
            let is_own = word.name == "--own" || word.is_first && word.text == "first";
            if is_own {
                own.push(if word.name == "--own" { word.value()? } else { word.text.to_owned() });
            }
            Ok(is_own)
        });
        let cargos = cargos.unwrap().join(std::ffi::OsStr::new(" "));
        (cargos.into_string().unwrap(), own)
    }

    #[test]
    fn own_words_are_taken_up_to_two_dashes() {
        let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(split("first -p app --own=1 --own 2"), ("-p app".into(), own(&["first", "1", "2"])));
        assert_eq!(split("-p first -- --own 2 --"), ("-p first -- --own 2 --".into(), own(&[])));
    }
}
