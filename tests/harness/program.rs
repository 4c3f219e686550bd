//! Builds a program from a Rust source: rustc, offloadc, and the documented link in two steps.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::{Outcome, offloadc, run};

/// Flags for rustc, and their name in tests.
#[derive(Clone, Copy)]
pub struct FlagSet {
    pub name: &'static str,
    pub flags: &'static [&'static str],
}

/// The flags that the documentation recommends.
pub const RECOMMENDED: FlagSet = FlagSet { name: "facts", flags: &["-Copt-level=3", "-Cno-prepopulate-passes"] };

/// The sets of flags with which a program must be correct or refused.
pub const FLAG_SETS: [FlagSet; 6] = [
    RECOMMENDED,
    FlagSet { name: "facts-g", flags: &["-Copt-level=3", "-Cno-prepopulate-passes", "-g"] },
    FlagSet { name: "O", flags: &["-O"] },
    FlagSet { name: "O-g", flags: &["-O", "-g"] },
    FlagSet { name: "O0", flags: &["-Copt-level=0"] },
    FlagSet { name: "O0-g", flags: &["-Copt-level=0", "-g"] },
];

/// `rustc`, or the program in `RUSTC`.
pub fn rustc() -> Command {
    Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// Compiles `source` (relative to the repository) to bitcode in `folder`.
#[track_caller]
pub fn bitcode(source: &str, set: FlagSet, folder: &Path) -> PathBuf {
    let stem = Path::new(source).file_stem().expect("a source has a name").to_string_lossy().into_owned();
    let output = folder.join(format!("{stem}.{}.bc", set.name));
    let mut command = rustc();
    command.current_dir(crate::root()).args(["--edition=2021", "--emit=llvm-bc"]).args(set.flags).args(conditions());
    run(command.arg(source).arg("-o").arg(&output)).success();
    output
}

/// rustc's minor version: 95 for 1.95.0.
pub fn rustc_version() -> u32 {
    static VERSION: OnceLock<u32> = OnceLock::new();
    *VERSION.get_or_init(|| {
        let said = run(rustc().arg("--version")).success().stdout();
        minor_version(&said).unwrap_or_else(|| panic!("rustc's version is not understood: {said}"))
    })
}

/// The second number of a version: 100 for `rustc 1.100.0-beta.7 (fd8e211ae 2026-10-17)`, which is newer than 1.99.
pub fn minor_version(said: &str) -> Option<u32> {
    said.split('.').nth(1)?.parse().ok()
}

/// The `cfg` conditions by which programs depend on rustc's version, because stable Rust has none.
pub fn conditions() -> Vec<&'static str> {
    let mut words = vec!["--check-cfg=cfg(strict_overflow_ops)"];
    if rustc_version() >= 91 {
        words.push("--cfg=strict_overflow_ops");
    }
    words
}

/// Runs offloadc on `input`. The caller checks the outcome.
pub fn compile(input: &Path, output: &Path, arguments: &[&str]) -> Outcome {
    run(&mut compile_command(input, output, arguments))
}

/// The command of [`compile`].
pub fn compile_command(input: &Path, output: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(offloadc());
    command.arg(input).args(arguments).arg("-o").arg(output);
    command
}

/// The folder of the standard library's shared object, and the object's path.
fn standard_library() -> &'static (PathBuf, PathBuf) {
    static FOUND: OnceLock<(PathBuf, PathBuf)> = OnceLock::new();
    FOUND.get_or_init(find_standard_library)
}

fn find_standard_library() -> (PathBuf, PathBuf) {
    let mut command = rustc();
    let folder = run(command.args(["--print", "target-libdir"])).success().stdout();
    let folder = PathBuf::from(folder.trim());
    let shared = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libstd-") && name.ends_with(".so")
    };
    let entries = std::fs::read_dir(&folder).expect("rustc names an existing folder");
    match entries.flatten().map(|entry| entry.path()).find(shared) {
        Some(library) => (folder, library),
        None => make_standard_library(),
    }
}

/// Some distributions have no shared standard library, but only rlibs. Then an empty crate is linked with them into a
/// shared library.
fn make_standard_library() -> (PathBuf, PathBuf) {
    // Another test program may do the same at the same time. The library's own name is that of the first file.
    const NAME: &str = "libstd-shared.so";
    let folder = crate::temporary().join("std");
    let own = folder.join(std::process::id().to_string());
    std::fs::create_dir_all(&own).expect("the folder for temporary files is writable");
    let source = own.join("empty.rs");
    std::fs::write(&source, "").expect("the folder for temporary files is writable");
    let _made = run(rustc().arg("--crate-type=dylib").arg(&source).arg("-o").arg(own.join(NAME))).success();
    std::fs::rename(own.join(NAME), folder.join(NAME)).expect("both are in one folder");
    let library = folder.join(NAME);
    (folder, library)
}

/// The arguments of the linker after the objects, for a `--runtime`.
pub fn runtime_libraries(runtime: &str) -> Vec<String> {
    let folder = crate::runtime_dir();
    match runtime {
        "omptarget" | "liboffload" => {
            let llvm = crate::llvm_bin().parent().expect("bin lies in LLVM's prefix").join("lib");
            let archive = folder.join(format!("liboffloadrt-{runtime}.a")).display().to_string();
            let (search, run_path) = (format!("-L{}", llvm.display()), format!("-Wl,-rpath,{}", llvm.display()));
            let library = if runtime == "omptarget" { "-lomptarget" } else { "-lLLVMOffload" };
            vec![archive, search, library.into(), run_path, "-pthread".into()]
        }
        _ => vec![folder.join("liboffloadrt.a").display().to_string(), "-pthread".into()],
    }
}

/// Links objects of a Rust program with `cc` and the shared standard library.
#[track_caller]
pub fn link_rust(object: &Path, runtime: &str, program: &Path) {
    let mut command = Command::new("cc");
    if ["omptarget", "liboffload"].contains(&runtime) {
        // GNU's linker also reads the libraries that LLVM's libraries need, including all of LLVM, which takes half a
        // second for each program.
        command.arg("-fuse-ld=lld").arg("-B").arg(crate::llvm_bin());
    }
    run(command.args(rust_link(object, runtime)).arg("-o").arg(program)).success();
}

/// The arguments of a compiler that links a Rust program whose modules are in `object`.
pub fn rust_link(object: &Path, runtime: &str) -> Vec<OsString> {
    let (folder, library) = standard_library();
    let run_path = format!("-Wl,-rpath,{}", folder.display());
    let mut words: Vec<OsString> = vec![object.into(), library.into(), run_path.into()];
    words.extend(runtime_libraries(runtime).into_iter().map(OsString::from));
    words.push("-lm".into());
    words
}

/// Whether offloadc refused its input correctly: status 1, an error with a code, no output.
pub fn refused(outcome: &Outcome, output: &Path) -> bool {
    outcome.code() == 1 && outcome.stderr().contains("error[OFC") && !output.exists()
}
