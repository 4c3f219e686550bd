//! NVIDIA GPUs: whether this machine has one, and the folder in which `make test-gpu` collects programs for a machine
//! that has one.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Outcome, run};

/// The folder in which programs for the GPU are collected instead of being run, if `make test-gpu` requests it.
pub fn folder() -> Option<PathBuf> {
    std::env::var_os("OFFLOADC_GPU_FOLDER").map(PathBuf::from)
}

/// Whether the runtime finds a CUDA device on this machine.
pub fn is_here() -> bool {
    let program = crate::runtime_dir().join("offloadrt-info");
    program.exists() && run(&mut Command::new(program)).stdout().contains("\n  cuda:0 ")
}

/// Makes the CUDA device the default of the program that `command` starts.
pub fn choose(command: &mut Command) -> &mut Command {
    command.env("OFFLOADRT_DEVICE", "cuda:0")
}

/// Copies `program` to `folder` without its debug sections, under `name`, and writes its arguments to a file next to
/// it.
pub fn put(folder: &Path, name: &str, program: &Path, arguments: &[&str]) -> Outcome {
    let place = folder.join("programs");
    std::fs::create_dir_all(&place).expect("the folder for the GPU's programs can be made");
    std::fs::write(place.join(format!("{name}.arguments")), arguments.join(" ")).expect("its files can be written");
    run(Command::new("strip").arg("-o").arg(place.join(name)).arg(program)).success()
}
