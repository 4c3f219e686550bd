//! A command line without options: the text to print, and the unknown option.

use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::options::{ONE_DASH, Options};
use crate::diagnostics::nearest::{is_near, nearest};
use crate::diagnostics::{Diagnostic, Severity};

/// A command line without options: it is wrong, or it contains `--help`.
#[derive(Debug)]
pub struct CommandLineEnd {
    /// The text to print, without escape sequences. It ends with a newline.
    pub text: String,
    /// The same with escape sequences.
    pub colored: String,
    /// Whether it goes to standard error with exit status 2, rather than to standard output with 0.
    pub wrong: bool,
    /// The unknown option, and the options whose names are near.
    pub unknown: Option<(String, Vec<String>)>,
}

impl CommandLineEnd {
    /// A wrong command line as a diagnostic: the fault is its message, and the rest is its help.
    pub fn diagnostic(&self) -> Diagnostic {
        let text = self.text.trim().strip_prefix("error: ").unwrap_or(self.text.trim());
        let mut paragraphs = text.split("\n\n").map(|paragraph| paragraph.trim().replace('\n', " "));
        let diagnostic = Diagnostic::new(Severity::Error, paragraphs.next().unwrap_or_default());
        paragraphs.fold(diagnostic, Diagnostic::help)
    }

    pub(super) fn new(mut error: clap::Error) -> Self {
        drop_tip(&mut error);
        let help = matches!(error.kind(), ErrorKind::DisplayHelp);
        // The same width, so that the columns of the help text stay aligned.
        let dash = if help { " -" } else { "-" };
        let one_dash = |mut text: String| {
            for name in ONE_DASH {
                text = text.replace(&format!("--{name}"), &format!("{dash}{name}"));
            }
            text
        };
        let text = error.render();
        let unknown = match (error.kind(), error.get(ContextKind::InvalidArg)) {
            (ErrorKind::UnknownArgument, Some(ContextValue::String(name))) => {
                let all = long_options();
                let all: Vec<&str> = all.iter().map(String::as_str).collect();
                let mut near = nearest(name, &all);
                near.retain(|option| is_near(name, option));
                Some((name.clone(), near))
            }
            _ => None,
        };
        let wrong = error.use_stderr();
        Self { colored: one_dash(text.ansi().to_string()), text: one_dash(text.to_string()), wrong, unknown }
    }
}

/// Removes the advice to write a misspelt option after `--`, where it would be the name of an input.
fn drop_tip(error: &mut clap::Error) {
    let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) else { return };
    tips.retain(|tip| !tip.to_string().contains("as a value"));
    if !tips.is_empty() {
        let _ = error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
}

/// The long options that `--help` lists, with their dashes.
fn long_options() -> Vec<String> {
    let command = Options::command();
    let shown = command.get_arguments().filter(|argument| !argument.is_hide_set());
    shown.filter_map(|argument| Some(format!("--{}", argument.get_long()?))).collect()
}
