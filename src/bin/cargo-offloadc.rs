//! `cargo offloadc`, which cargo runs as `cargo-offloadc offloadc …`.
//!
//! It starts with each build, and loading LLVM takes as long as the rest of its work. Most command lines do not need
//! LLVM, so this program calls nothing that needs it, and a linker that drops unused code does not link it with LLVM.
//! For all other command lines, `offloadc` replaces this program.

use std::ffi::OsString;
use std::process::Command;

use offloadc::cargo::{self, PROGRAM};

fn main() -> std::process::ExitCode {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if arguments.first().is_some_and(|word| word == "offloadc") {
        let _ = arguments.remove(0);
    }
    if let Some(command) = cargo::simple_command(&arguments) {
        return cargo::run_cargo(&arguments, command);
    }
    let compiler = cargo::sibling_program("offloadc").map(|compiler| {
        let mut command = Command::new(compiler);
        let _ = command.arg(PROGRAM).args(arguments);
        command
    });
    cargo::become_program(compiler.map_err(Into::into), "cannot run offloadc")
}
