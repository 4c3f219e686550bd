//! The program `cargo-offloadc`, where it needs LLVM: `offloadc` runs it in its place.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use super::other_commands::{listed, refuse_misspelt_command, without_build};
use super::sanitize::DESCRIBED;
use super::{
    Outcome, Sanitized, bake as write_images, check, command, commands, debug, doctor, images as write_launcher_files,
    new, only_checks, profile, run_emulated, setup, sibling_program,
};
use crate::diagnostics::{ColorChoice, Diagnostic, Renderer};
use crate::error::{Error, ExitCode, Failure};
use crate::job::UsageError;

/// Runs a command line without the program's name and `offloadc`.
pub fn run(arguments: Vec<OsString>) -> std::process::ExitCode {
    if arguments.is_empty() {
        print!("{}", commands::list());
        return ExitCode::Usage.into();
    }
    if arguments.first().is_some_and(|word| ["--version", "-V"].iter().any(|own| word == own)) {
        // Cargo would refuse options that we add.
        let compiler = sibling_program("offloadc").map(|compiler| {
            let mut command = Command::new(compiler);
            let _ = command.args(arguments);
            command
        });
        return become_program(compiler.map_err(Into::into), "cannot run offloadc");
    }
    if let Some(text) = commands::help(&arguments) {
        print!("{text}");
        return ExitCode::Done.into();
    }
    if arguments.first().is_some_and(|word| word == "sanitize") {
        return sanitize(&arguments[1..]);
    }
    if arguments.first().is_some_and(|word| word == "profile") {
        return show_profile(&arguments[1..]);
    }
    if arguments.first().is_some_and(|word| word == "bake") {
        return printed(write_images(&arguments[1..]));
    }
    if arguments.first().is_some_and(|word| word == "images") {
        return printed(write_launcher_files(&arguments[1..]));
    }
    if arguments.first().is_some_and(|word| word == "debug") {
        return become_program(debug(&arguments[1..]), "cannot run the debugger");
    }
    if let Some(command) = run_emulated(&arguments) {
        return become_program(command, "cannot run the program");
    }
    if let Some(command) = without_build(&arguments) {
        return become_program(Ok(command), "cannot run cargo");
    }
    if let Err(error) = refuse_misspelt_command(&arguments, listed) {
        return fail(&Failure::Reason(error));
    }
    match new(&arguments) {
        Ok(None) => {}
        Ok(Some(status)) => return std::process::ExitCode::from(u8::try_from(status).unwrap_or(1)),
        Err(error) => return fail(&error),
    }
    match setup(&arguments) {
        Ok(None) => {}
        Ok(Some(text)) => {
            print!("{text}");
            return ExitCode::Done.into();
        }
        Err(failure) => return fail(&failure),
    }
    match doctor(&arguments) {
        Ok(None) => {}
        Ok(Some((text, whole))) => {
            print!("{text}");
            return if whole { ExitCode::Done } else { ExitCode::Failed }.into();
        }
        Err(error) => return fail(&error),
    }
    run_cargo(&arguments, command(arguments.clone()))
}

/// Runs the command of cargo for these arguments.
pub fn run_cargo(arguments: &[OsString], command: Result<Command, Failure<UsageError>>) -> std::process::ExitCode {
    if !only_checks(arguments) {
        return become_program(command, "cannot run cargo");
    }
    match check(arguments, command) {
        Ok(status) => status.into(),
        Err(failure) => fail(&failure),
    }
}

/// Prints the text of a command that has done its work.
fn printed(done: Result<String, Failure<UsageError>>) -> std::process::ExitCode {
    match done {
        Ok(text) => {
            print!("{text}");
            ExitCode::Done.into()
        }
        Err(failure) => fail(&failure),
    }
}

/// Runs the program with the checker, and prints its reports last.
fn sanitize(arguments: &[OsString]) -> std::process::ExitCode {
    if arguments.is_empty() {
        print!("{}", DESCRIBED.help());
        return ExitCode::Usage.into();
    }
    let color = ColorChoice::default().on_stderr();
    end(Sanitized::new(arguments).and_then(|program| Ok(program.run(color)?)))
}

/// Runs the program, and prints the tables of its profile last.
fn show_profile(arguments: &[OsString]) -> std::process::ExitCode {
    if arguments.is_empty() {
        print!("{}", profile::DESCRIBED.help());
        return ExitCode::Usage.into();
    }
    end(profile(arguments))
}

/// Prints the outcome of a program that has run.
fn end(ran: Result<Outcome, Failure<UsageError>>) -> std::process::ExitCode {
    match ran {
        Ok(outcome) => {
            eprint!("{}", outcome.text);
            outcome.status.into()
        }
        Err(failure) => fail(&failure),
    }
}

/// Cargo, or the program of a user, replaces this process, so signals and the exit status are its own.
pub fn become_program(command: Result<Command, Failure<UsageError>>, doing: &str) -> std::process::ExitCode {
    match command {
        Ok(mut command) => fail(&Error::from(command.exec()).context(doing).into()),
        Err(failure) => fail(&failure),
    }
}

fn fail(failure: &Failure<UsageError>) -> std::process::ExitCode {
    let (diagnostic, code) = match failure {
        Failure::Reason(usage) => (Diagnostic::from(usage), ExitCode::Usage),
        Failure::Operation(error) => (Diagnostic::from(error), error.exit_code()),
    };
    let _ = Renderer::default().print(&diagnostic, &mut std::io::stderr().lock());
    code.into()
}
