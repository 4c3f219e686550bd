//! `cargo offloadc`, which cargo runs as `cargo-offloadc offloadc …`.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use offloadc::cargo;
use offloadc::diagnostics::{ColorChoice, Diagnostic, Renderer};
use offloadc::error::{Error, ExitCode, Failure};
use offloadc::job::UsageError;

fn main() -> std::process::ExitCode {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if arguments.first().is_some_and(|word| word == "offloadc") {
        let _ = arguments.remove(0);
    }
    if arguments.first().is_none_or(|word| word == "--help" || word == "-h") {
        print!("{}", cargo::HELP);
        return if arguments.is_empty() { ExitCode::Usage } else { ExitCode::Done }.into();
    }
    if arguments.first().is_some_and(|word| word == "sanitize") {
        return sanitize(&arguments[1..]);
    }
    if arguments.first().is_some_and(|word| word == "bake") {
        return bake(&arguments[1..]);
    }
    if let Some(command) = cargo::run_emulated(&arguments) {
        return become_program(command, "cannot run the program");
    }
    match cargo::new(&arguments) {
        Ok(None) => {}
        Ok(Some(status)) => return std::process::ExitCode::from(u8::try_from(status).unwrap_or(1)),
        Err(error) => return fail(&error),
    }
    match cargo::doctor(&arguments) {
        Ok(None) => {}
        Ok(Some((text, whole))) => {
            print!("{text}");
            return if whole { ExitCode::Done } else { ExitCode::Failed }.into();
        }
        Err(error) => return fail(&error),
    }
    become_program(cargo::command(arguments), "cannot run cargo")
}

/// Writes the images of a library's kernels into its package.
fn bake(arguments: &[OsString]) -> std::process::ExitCode {
    if arguments.first().is_some_and(|word| word == "--help" || word == "-h") {
        print!("{}", cargo::BAKE_HELP);
        return ExitCode::Done.into();
    }
    match cargo::bake(arguments) {
        Ok(text) => {
            print!("{text}");
            ExitCode::Done.into()
        }
        Err(failure) => fail(&failure),
    }
}

/// Runs the program with the checker, and prints its reports last.
fn sanitize(arguments: &[OsString]) -> std::process::ExitCode {
    if arguments.first().is_none_or(|word| word == "--help" || word == "-h") {
        print!("{}", cargo::SANITIZE_HELP);
        return if arguments.is_empty() { ExitCode::Usage } else { ExitCode::Done }.into();
    }
    let color = ColorChoice::default().on_stderr();
    let ran = cargo::Sanitized::new(arguments).and_then(|program| Ok(program.run(color)?));
    match ran {
        Ok(outcome) => {
            eprint!("{}", outcome.text);
            outcome.status.into()
        }
        Err(failure) => fail(&failure),
    }
}

/// Cargo, or the program of a user, replaces this process, so signals and the exit status are its own.
fn become_program(command: Result<Command, Failure<UsageError>>, doing: &str) -> std::process::ExitCode {
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
