//! cargo in a project of this repository, and other programs that call cargo.

use std::path::Path;
use std::process::Command;

/// Variables of the user that change what cargo builds, where it puts it, or which device a program opens.
const VARIABLES: [&str; 6] =
    ["RUSTFLAGS", "RUSTDOCFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_DIR", "RUSTC_WRAPPER", "OFFLOADRT_DEVICE"];

/// cargo in a folder. It finds the programs under test on the path, and nothing of the user's environment changes its
/// work.
pub fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO"));
    prepare(&mut command).current_dir(folder);
    command
}

/// Makes a program that calls cargo find the programs under test, and not the user's variables.
pub fn prepare(command: &mut Command) -> &mut Command {
    for variable in VARIABLES {
        command.env_remove(variable);
    }
    command.env("PATH", crate::search_path(&[&crate::program_folder()]))
}
