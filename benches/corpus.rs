//! The programs in `tests/crates/`, whose kernels call published crates, compiled for the archs of the benchmark.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::quality::output;
use crate::{Bench, Result};

/// Writes the assembly of every program; returns its folder and the programs' names.
pub(crate) fn compile(bench: &Bench) -> Result<(PathBuf, Vec<String>)> {
    compile_as(bench, "crates", "", "codegen")
}

/// Writes the output of a stage for every program. The crates that they call are built with `flags`, the items of a
/// list in TOML, in the folder `name` of the target folder.
pub(crate) fn compile_as(bench: &Bench, name: &str, flags: &str, stage: &str) -> Result<(PathBuf, Vec<String>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (folder, target) = (bench.folder.join(name), root.join("target").join(name));
    std::fs::create_dir_all(&folder)?;
    let mut programs = Vec::new();
    for entry in std::fs::read_dir(root.join("tests/crates/src/bin"))? {
        let name = entry?.file_name().to_string_lossy().trim_end_matches(".rs").to_owned();
        let input = folder.join(format!("{name}.bc"));
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root.join("tests/crates")).env("CARGO_TARGET_DIR", &target);
        // Cargo joins this list and the one in the folder's configuration.
        cargo.arg(format!("--config=build.rustflags=[{flags}]"));
        cargo.args(["rustc", "--locked", "--quiet", "--release", "--bin", &name, "--"]);
        cargo.arg(format!("--emit=llvm-bc={}", input.display())).args(["-Cno-prepopulate-passes", "-Clinker=true"]);
        let _said = output(&mut cargo)?;
        let mut command = bench.command(&folder, &input);
        let _said = output(command.arg("-L").arg(target.join("release")).arg(format!("--emit={stage}")))?;
        programs.push(name);
    }
    programs.sort();
    Ok((folder, programs))
}
