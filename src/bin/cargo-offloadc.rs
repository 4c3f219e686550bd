//! `cargo offloadc`, which cargo runs as `cargo-offloadc offloadc …`.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;

use offloadc::cargo;
use offloadc::diagnostics::{Diagnostic, Renderer};
use offloadc::error::{Error, ExitCode};

fn main() -> std::process::ExitCode {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if arguments.first().is_some_and(|word| word == "offloadc") {
        let _ = arguments.remove(0);
    }
    if arguments.first().is_none_or(|word| word == "--help" || word == "-h") {
        print!("{}", cargo::HELP);
        return if arguments.is_empty() { ExitCode::Usage } else { ExitCode::Done }.into();
    }
    match cargo::doctor(&arguments) {
        Ok(None) => {}
        Ok(Some((text, whole))) => {
            print!("{text}");
            return if whole { ExitCode::Done } else { ExitCode::Failed }.into();
        }
        Err(error) => return fail(&error),
    }
    let error = match cargo::command(arguments) {
        // Cargo replaces this process, so signals and the exit status are cargo's.
        Ok(mut command) => Error::from(command.exec()).context("cannot run cargo"),
        Err(error) => error,
    };
    fail(&error)
}

fn fail(error: &Error) -> std::process::ExitCode {
    let _ = Renderer::default().print(&Diagnostic::from(error), &mut std::io::stderr().lock());
    ExitCode::Failed.into()
}
