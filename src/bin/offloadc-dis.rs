//! `offloadc-dis LIBRARY SECONDS`: prints the bitcode on standard input as text, with the LLVM in the file LIBRARY.
//! `offloadc` runs it for modules that are newer than its own LLVM.
//!
//! The first line of the output is the version of that LLVM. If standard input is empty, it is the only line.

#[path = "../llvm/foreign.rs"]
mod foreign;

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use foreign::Library;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [path, seconds] = &arguments[..] else {
        return Err("usage: offloadc-dis LIBRARY SECONDS <BITCODE >TEXT".to_owned());
    };
    let seconds = seconds.to_str().and_then(|text| text.parse().ok()).ok_or("the second argument is not a number")?;
    foreign::limit_processor_time(Duration::from_secs(seconds));
    let mut bitcode = Vec::new();
    let in_words = |error: std::io::Error| error.to_string();
    let _ = std::io::stdin().lock().read_to_end(&mut bitcode).map_err(in_words)?;
    let library = Library::open(Path::new(path))?;
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(format!("{}\n", library.version()?).as_bytes()).map_err(in_words)?;
    if !bitcode.is_empty() {
        stdout.write_all(&library.disassemble(&bitcode)?).map_err(in_words)?;
    }
    stdout.flush().map_err(in_words)
}
