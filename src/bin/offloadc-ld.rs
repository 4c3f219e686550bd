//! The program `offloadc-ld`, which rustc runs as its linker: the `offloadc` beside it takes its place. The code of
//! both is thus installed once.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

/// The first word for `offloadc`, and this program's name.
const PROGRAM: &str = "offloadc-ld";

fn main() -> ExitCode {
    let error = match std::env::current_exe() {
        Ok(own) => {
            let compiler = own.with_file_name("offloadc");
            let error = Command::new(&compiler).arg(PROGRAM).args(std::env::args_os().skip(1)).exec();
            format!("cannot run `{}`: {error}", compiler.display())
        }
        Err(error) => format!("cannot find the folder of {PROGRAM}: {error}"),
    };
    eprintln!("error: {error}");
    ExitCode::FAILURE
}
