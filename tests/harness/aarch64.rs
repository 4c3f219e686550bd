//! Programs for aarch64 Linux, which Debian's compilers link, and which run in Debian's emulator of these processors
//! (`qemu-user`). `scripts/deps tests` installs both, and rustc's standard library.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::program::{FlagSet, conditions, rustc};
use crate::{Outcome, find_program, run};

/// rustc's name of the platform.
pub const TRIPLE: &str = "aarch64-unknown-linux-gnu";
/// The compiler, and the linker of programs.
pub const COMPILER: &str = "aarch64-linux-gnu-gcc";
const EMULATOR: &str = "qemu-aarch64";
/// The folder with Debian's C library for these processors.
pub const SYSROOT: &str = "/usr/aarch64-linux-gnu";

/// The runtime's library for these programs.
pub fn runtime() -> PathBuf {
    crate::runtime_dir().join("aarch64-linux-gnu/liboffloadrt.a")
}

/// Whether C programs can be made and run.
pub fn is_here() -> bool {
    find_program(COMPILER).is_some() && find_program(EMULATOR).is_some() && runtime().is_file()
}

/// Whether programs with Rust's standard library can, too.
pub fn has_rust() -> bool {
    is_here() && standard_library().is_some()
}

/// Rust's standard library as a shared object.
fn standard_library() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let folder = run(rustc().args(["--print", "target-libdir", "--target", TRIPLE])).success().stdout();
        let files = std::fs::read_dir(folder.trim()).ok()?.flatten().map(|entry| entry.path());
        let is_shared = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("libstd-") && name.ends_with(".so")
        };
        files.into_iter().find(is_shared)
    };
    FOUND.get_or_init(find).as_deref()
}

/// Compiles `source` (relative to the repository) to bitcode in `folder`.
#[track_caller]
pub fn bitcode(source: &str, set: FlagSet, folder: &Path) -> PathBuf {
    let output = folder.join("program.bc");
    let mut command = rustc();
    command.current_dir(crate::root()).args(["--edition=2021", "--emit=llvm-bc", "--target", TRIPLE]);
    run(command.args(set.flags).args(conditions()).arg(source).arg("-o").arg(&output)).success();
    output
}

/// Links an object with the runtime, and with Rust's standard library if there is one.
#[track_caller]
pub fn link(object: &Path, program: &Path) {
    let mut command = Command::new(COMPILER);
    command.arg(object);
    if let Some(library) = standard_library() {
        command.arg(library).arg(format!("-Wl,-rpath,{}", library.parent().expect("a file is in a folder").display()));
    }
    run(command.arg(runtime()).args(["-pthread", "-lm", "-o"]).arg(program)).success();
}

/// The command that starts a program.
pub fn start(program: &Path) -> Command {
    let mut command = Command::new(EMULATOR);
    command.args(["-L", SYSROOT]).arg(program);
    command
}

/// Runs a program without arguments.
pub fn execute(program: &Path) -> Outcome {
    run(&mut start(program))
}
