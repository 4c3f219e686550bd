//! `offloadc-dis LIBRARY SECONDS BYTES`: prints the bitcode on standard input as text, with the LLVM in the file
//! LIBRARY. `offloadc` runs it for modules that are newer than its own LLVM.
//!
//! `offloadc-dis LIBRARY SECONDS BYTES PIPELINE PROCESSOR LEVEL OPTION...`: writes the object of the module instead.
//! `offloadc` runs it for large modules of the host.
//!
//! The first line of the output is the version of that LLVM. If standard input is empty, it is the only line.

#[path = "../llvm/allocator.rs"]
mod allocator;
#[path = "../llvm/foreign.rs"]
mod foreign;
#[path = "../llvm/foreign_code.rs"]
mod foreign_code;
#[path = "../llvm/section_groups.rs"]
mod section_groups;

use std::ffi::{CString, OsString};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use foreign::Library;
use foreign_code::Settings;

const USAGE: &str = "usage: offloadc-dis LIBRARY SECONDS BYTES [PIPELINE PROCESSOR LEVEL OPTION...] <BITCODE >OUTPUT";

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
    let [path, seconds, bytes, code @ ..] = &arguments[..] else { return Err(USAGE.to_owned()) };
    let settings = settings(code)?;
    let number = |word: &OsString| word.to_str().and_then(|text| text.parse().ok()).ok_or(USAGE);
    foreign::limit(Duration::from_secs(number(seconds)?), number(bytes)?);
    let mut bitcode = Vec::new();
    let in_words = |error: std::io::Error| error.to_string();
    let _ = std::io::stdin().lock().read_to_end(&mut bitcode).map_err(in_words)?;
    let library = Library::open(Path::new(path))?;
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(format!("{}\n", library.version()?).as_bytes()).map_err(in_words)?;
    if !bitcode.is_empty() {
        let output = match &settings {
            Some(settings) => library.object(&bitcode, settings)?,
            None => library.disassemble(&bitcode)?,
        };
        stdout.write_all(&output).map_err(in_words)?;
    }
    stdout.flush().map_err(in_words)
}

/// How code is generated, if it is.
fn settings(words: &[OsString]) -> Result<Option<Settings>, String> {
    let text = |word: &OsString| CString::new(word.clone().into_vec()).map_err(|_| "an argument with a NUL in it");
    Ok(match words {
        [] => None,
        [pipeline, processor, level, options @ ..] => {
            let level = level.to_str().and_then(|level| level.parse().ok()).ok_or("the level is not a number")?;
            let options = options.iter().map(text).collect::<Result<_, _>>()?;
            Some(Settings { pipeline: text(pipeline)?, processor: text(processor)?, level, options })
        }
        _ => return Err(USAGE.to_owned()),
    })
}
