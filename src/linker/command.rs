//! The program `offloadc-ld`, which rustc runs as its linker. `offloadc` does its work.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;

use super::report::Report;
use super::{Link, NoLink};
use crate::cli::response_file;
use crate::cli::version;
use crate::diagnostics::{Diagnostic, Renderer};
use crate::error::ExitCode;
use crate::llvm::crash;
use crate::system::reproducer;

/// The name of the program.
pub const PROGRAM: &str = "offloadc-ld";

/// Does the link of a command line, which is given without the program's name.
pub fn run(arguments: Vec<OsString>) -> std::process::ExitCode {
    crash::install();
    let arguments = match response_file::expand(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return fail(&report(Renderer::default()), &Diagnostic::from(&error), ExitCode::Usage),
    };
    if arguments.len() == 1 && ["--version", "-V"].iter().any(|word| arguments[0] == *word) {
        let _ = std::io::stdout().write_all(version::version(false).as_bytes());
        return ExitCode::Done.into();
    }
    let link = match Link::new(arguments.clone()) {
        Ok(link) => link,
        Err(NoLink::Usage(error)) => {
            return fail(&report(Renderer::default()), &Diagnostic::from(&error), ExitCode::Usage);
        }
        Err(NoLink::Options(end)) => {
            let _ = std::io::stderr().write_all(end.text.as_bytes());
            return ExitCode::Usage.into();
        }
    };
    reproducer::prepare(PROGRAM, &arguments, link.inputs(), version::version(true));
    let report = report(link.job.renderer);
    let mut diagnostics = link.job.diagnostics();
    let result = link.run(&mut diagnostics);
    report.print(diagnostics.iter());
    match result {
        Err(error) => {
            let code = error.exit_code();
            fail(&report, &Diagnostic::from(&error).notes(reproducer::note(code)), code)
        }
        Ok(None) if link.only_checks() && !diagnostics.has_errors() => ExitCode::Done.into(),
        Ok(None) => ExitCode::Failed.into(),
        // A linker that was killed by a signal counts as failed.
        Ok(Some(status)) => {
            let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
            u8::try_from(code).unwrap_or(1).into()
        }
    }
}

fn report(renderer: Renderer) -> Report {
    Report::from_environment(renderer)
}

fn fail(report: &Report, diagnostic: &Diagnostic, code: ExitCode) -> std::process::ExitCode {
    report.print([diagnostic]);
    code.into()
}
