//! Links a whole program: the host object, Rust's standard library and the runtime, through rustc.
//!
//! The program is an empty `#![no_main]` crate with the object as a static library in front of everything else, so the
//! standard library comes statically and rustc's own choice of linker stays. The `main` symbol is the input's.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bundle::Runtime;
use crate::error::{Context as _, Error, Result};
use crate::job::Job;
use crate::output::Output;
use crate::scratch::{self, Scratch};
use crate::stage::Stage;
use crate::tool::Tools;

/// Links `object` and writes the program where `--emit=exe` wants it.
pub fn link(job: &Job, tools: &Tools, object: &[u8]) -> Result<()> {
    for sink in job.sinks(Stage::Exe, None, None) {
        let path = sink.path().ok_or_else(|| Error::new("a program cannot be written to standard output"))?;
        let output = Output::create(path)?;
        let scratch = Scratch::new()?;
        let _object = scratch.file_with("program.o", object)?;
        // rustc leaves files of its own beside what it fails to write, so it does not write beside the output.
        let program = scratch.file("program");
        let mut command = rustc(job, scratch.folder(), &program)?;
        if tools.run_command(&mut command, b"#![no_main]\n").context("linking the program")? {
            output.write(&scratch::read(&program)?)?;
            output.executable()?;
            output.commit()?;
        }
    }
    Ok(())
}

/// The link command; the crate's source comes on standard input.
fn rustc(job: &Job, folder: &Path, output: &Path) -> Result<Command> {
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let _ = command
        .args(["--crate-name", "program", "--edition", "2021", "-l", "static:+verbatim=program.o", "-L"])
        .arg(format!("native={}", folder.display()))
        .args(runtime_arguments(job.runtime)?)
        .arg("-o")
        .arg(output)
        .arg("-");
    Ok(command)
}

/// The runtime's library, and for libomptarget LLVM's own.
fn runtime_arguments(runtime: Runtime) -> Result<Vec<String>> {
    let name = match runtime {
        Runtime::None => return Ok(Vec::new()),
        Runtime::Offloadrt => "offloadrt",
        Runtime::Omptarget => "offloadrt-omptarget",
    };
    let folder = runtime_folder(name)?;
    let mut arguments =
        vec!["-L".into(), format!("native={}", folder.display()), "-l".into(), format!("static={name}")];
    if runtime == Runtime::Omptarget {
        let lib = Path::new(env!("OFFLOADC_LLVM_PREFIX")).join("lib");
        let lib = lib.display();
        arguments.extend(["-L".into(), format!("native={lib}"), "-l".into(), "dylib=omptarget".into()]);
        arguments.extend(["-C".into(), format!("link-arg=-Wl,-rpath,{lib}")]);
    }
    Ok(arguments)
}

/// The folder of the runtime's static library: the environment's, or one beside this program.
fn runtime_folder(name: &str) -> Result<PathBuf> {
    let own = std::env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_path_buf)).unwrap_or_default();
    let asked = std::env::var_os("OFFLOADC_RUNTIME_DIR").map(PathBuf::from);
    let candidates: Vec<PathBuf> = match asked {
        Some(folder) => vec![folder],
        None => ["../lib/offloadc", "../lib", "../runtime"].iter().map(|f| own.join(f)).collect(),
    };
    let file = format!("lib{name}.a");
    let found = candidates.iter().find(|folder| folder.join(&file).is_file());
    let found = found.ok_or_else(|| {
        let tried: Vec<_> = candidates.iter().map(|c| format!("`{}`", c.display())).collect();
        Error::new(format!(
            "cannot find the runtime's `{file}` in {}; build it with `make runtime`, or set `OFFLOADC_RUNTIME_DIR`",
            tried.join(", ")
        ))
    })?;
    Ok(found.canonicalize().unwrap_or_else(|_| found.clone()))
}
