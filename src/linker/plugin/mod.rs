//! The work of the linker plugin (`linker-plugin/`), which runs `offloadc linker-plugin` once for a link and asks it
//! over a socket.
//!
//! First the plugin asks for the symbols of each module among the linker's files. When the linker has chosen
//! definitions, the plugin asks for the objects of the modules that the program has. They are made as by `offloadc-ld`,
//! and then the linker puts them in place of the modules. Their files exist until the plugin closes the socket.

mod libraries;
mod options;
mod reported;
mod runtime;
mod session;
mod used;
mod wire;

use std::io::Write;
use std::os::unix::net::UnixStream;

use crate::cli::plugin_arguments::PluginArguments;
use crate::diagnostics::{Diagnostic, Renderer};
use crate::error::{Error, ExitCode, Result};
use session::Session;
use wire::{Answer, Request, Wire};

/// The version of the messages.
const PROTOCOL: u32 = 1;

/// Answers the plugin's requests until it closes the socket. Findings are printed on `said`; the plugin then ends the
/// link.
pub fn serve(arguments: &PluginArguments, connection: UnixStream, said: &mut dyn Write) -> ExitCode {
    let mut wire = Wire::new(connection);
    let mut session = session(arguments);
    loop {
        let request = match wire.read() {
            Ok(Some(request)) => request,
            Ok(None) => return ExitCode::Done,
            Err(_) => return ExitCode::Failed,
        };
        let answer = match (&mut session, request) {
            (Ok(session), Request::Claim { path, offset, size }) => session.claim(&path, offset, size),
            (Ok(session), Request::Link { version, resolutions }) => session.link(version, &resolutions),
            (Err(diagnostic), _) => Err(Stop::Found(vec![diagnostic.clone()])),
        };
        let printer = session.as_ref().map_or(Renderer::default(), Session::renderer);
        if let Ok(session) = &mut session {
            print(&printer, &session.take_warnings(), said);
        }
        let answer = answer.unwrap_or_else(|stop| Answer::Error(stop.shown(&printer, said)));
        // The linker may have ended.
        if wire.write(&answer).is_err() {
            return ExitCode::Failed;
        }
    }
}

fn session(arguments: &PluginArguments) -> Result<Session, Diagnostic> {
    if arguments.protocol == PROTOCOL {
        return Session::new(arguments);
    }
    let message = format!(
        "the linker plugin has version {} of its messages, and this offloadc has version {PROTOCOL}: take both from \
         one installation",
        arguments.protocol
    );
    Err(Diagnostic::from(&Error::new(message)))
}

/// Why the link ends.
enum Stop {
    /// The program is at fault.
    Found(Vec<Diagnostic>),
    /// An operation failed.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl Stop {
    /// Prints the findings. Returns the message for the end of the linker's output, which is short: some linkers
    /// shorten longer texts.
    fn shown(self, printer: &Renderer, said: &mut dyn Write) -> String {
        match self {
            Self::Failed(error) => format!("offloadc: {error}"),
            Self::Found(diagnostics) => {
                print(printer, &diagnostics, said);
                match diagnostics.len() {
                    1 => "offloadc has found the error above, and nothing is linked".to_owned(),
                    count => format!("offloadc has found the {count} errors above, and nothing is linked"),
                }
            }
        }
    }
}

fn print(printer: &Renderer, diagnostics: &[Diagnostic], mut said: &mut dyn Write) {
    for diagnostic in diagnostics {
        // If standard error is closed, the error cannot be shown.
        let _ = printer.print(diagnostic, &mut said);
    }
}
