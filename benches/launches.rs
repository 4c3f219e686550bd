//! The cost of an empty launch of one block on `cpu`, beside an empty target region on libomptarget's host device in
//! the same run: through the C interface (`runtime-c/tests/launch_time.c`) and through the crate (`benches/launch/`).

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::quality::output;
use crate::{Bench, Result};

/// Prints a table.
pub(crate) fn table(bench: &Bench) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    println!(
        "| an empty launch, ns | `cpu` | libomptarget's host device | ratio | to reach |\n|---|---:|---:|---:|---:|"
    );
    print(
        "C, `offloadrt_launch`",
        &output(Command::new("make").current_dir(root.join("runtime-c")).arg("launch-time"))?,
    )?;

    let program = built(bench, "launch", "cpu")?;
    print("Rust, `launch`", &output(Command::new(program).arg(root.join("target/runtime/tests/empty_target.so")))?)
}

/// The program of a folder here, as `cargo offloadc` builds it for an arch.
pub(crate) fn built(bench: &Bench, name: &str, arch: &str) -> Result<PathBuf> {
    let (folder, own) = (bench.folder.join(name), Path::new(env!("CARGO_BIN_EXE_cargo-offloadc")));
    let tools = own.parent().ok_or("a folder of programs")?;
    let mut path = vec![tools.to_path_buf()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let mut build = Command::new(env!("CARGO"));
    build.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches").join(name));
    build.args(["offloadc", "build", "--release"]).arg(format!("--offload-arch={arch}"));
    build.arg("--target-dir").arg(&folder).env("PATH", std::env::join_paths(path)?);
    output(&mut build)?;
    Ok(folder.join("x86_64-unknown-linux-gnu/release").join(name))
}

/// The row of a program's line: `empty launch: 174 ns ..., 1037 ns on libomptarget's host device, ratio 0.17`.
fn print(what: &str, said: &str) -> Result<()> {
    let line = said.lines().find(|line| line.starts_with("empty launch: ")).ok_or("the program said nothing")?;
    let numbers: Vec<&str> = line.split(' ').filter(|word| word.parse::<f64>().is_ok()).collect();
    let [ours, theirs, ratio] = numbers[..] else { return Err(format!("`{line}` has not three numbers").into()) };
    println!("| {what} | {ours} | {theirs} | {ratio} | ≤ 1.00 |");
    Ok(())
}
