//! `make bench-compressed`: the bytes that `--compress=zstd` saves, its cost in offloadc, and its cost at the first
//! launch of a program, on the emulated gfx90a.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::measure::{median, run};
use crate::quality::output;
use crate::{Bench, KERNELS, Result};

const PAIRS: usize = 21;
const HOWS: [&str; 2] = ["none", "zstd"];

/// Prints a table.
pub(crate) fn table(bench: &Bench) -> Result<()> {
    println!(
        "| kernels, for 4 archs | `--compress=none` | `--compress=zstd` | | to reach |\n|---|---:|---:|---:|---:|"
    );
    for count in [4, KERNELS] {
        let folder = bench.input(count)?;
        let sizes = HOWS.map(|how| size(bench, &folder, how));
        let [none, zstd] = sizes;
        let (none, zstd) = (none?, zstd?);
        let ratio = zstd as f64 / none as f64;
        let goal = if count == KERNELS { "≤ 0.35" } else { "" };
        println!("| {count}: images, KiB | {:.1} | {:.1} | {ratio:.3} | {goal} |", kibibytes(none), kibibytes(zstd));
    }
    let folder = bench.input(KERNELS)?;
    let compile = |how: &str| -> Result<f64> {
        let mut command = bench.compile(&folder);
        Ok(run(command.args([&format!("--compress={how}"), "-o", "app.o"]))?.wall.as_secs_f64())
    };
    let pairs: Vec<_> = (0..3).map(|_| Ok((compile("none")?, compile("zstd")?))).collect::<Result<_>>()?;
    row(&format!("{KERNELS}: offloadc, s"), &pairs, "");
    let programs = HOWS.map(|how| program(bench, &folder, how));
    let [none, zstd] = &programs;
    let start = |program: &Result<PathBuf>| -> Result<f64> {
        let program = program.as_ref().map_err(|error| error.to_string())?;
        let emulators = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/emulators");
        let mut command = Command::new(program);
        command.env("LD_LIBRARY_PATH", emulators).env("OFFLOAD_EMULATED", "gfx90a").env("OFFLOADRT_DEVICE", "hip:0");
        Ok(output(&mut command)?.trim().parse()?)
    };
    let pairs: Vec<_> = (0..PAIRS).map(|_| Ok((start(none)?, start(zstd)?))).collect::<Result<_>>()?;
    row(&format!("{KERNELS}: first launch on the emulated gfx90a, ms"), &pairs, "+ 5 at most");
    Ok(())
}

/// A row of medians, and the median of the pairs' differences.
fn row(what: &str, pairs: &[(f64, f64)], goal: &str) {
    let none = median(pairs.iter().map(|pair| pair.0).collect());
    let zstd = median(pairs.iter().map(|pair| pair.1).collect());
    let difference = median(pairs.iter().map(|pair| pair.1 - pair.0).collect());
    println!("| {what} | {none:.2} | {zstd:.2} | {difference:+.2} | {goal} |");
}

fn kibibytes(bytes: u64) -> f64 {
    bytes as f64 / 1024.0
}

/// The bytes of the section with the images.
fn size(bench: &Bench, folder: &Path, how: &str) -> Result<u64> {
    let mut command = bench.compile(folder);
    let _usage = run(command.args([&format!("--compress={how}"), "-o", "app.o"]))?;
    let listed = output(Command::new(bench.llvm.join("llvm-size")).arg("-A").arg(folder.join("app.o")))?;
    let images = listed.lines().filter(|line| line.starts_with(".offload.images"));
    images.map(|line| Ok(line.split_whitespace().nth(1).ok_or("a size")?.parse::<u64>()?)).sum()
}

/// The program that measures its first launch.
fn program(bench: &Bench, folder: &Path, how: &str) -> Result<PathBuf> {
    let object = format!("{how}.o");
    let mut command = bench.compile(folder);
    let _usage = run(command.args([&format!("--compress={how}"), "-o", &object]))?;
    link(folder, &object, &format!("first-launch-{how}"))
}

/// The same program with the images for these archs.
pub(crate) fn first_launch(bench: &Bench, folder: &Path, name: &str, archs: &[&str]) -> Result<PathBuf> {
    let object = format!("{name}.o");
    let _usage = run(bench.compile_for(folder, archs).args(["-o", &object]))?;
    link(folder, &object, &format!("first-launch-{name}"))
}

fn link(folder: &Path, object: &str, program: &str) -> Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let measure = "first_launch.o";
    let mut compiler = Command::new("cc");
    compiler.current_dir(folder).args(["-O2", "-c", "-o", measure, "-I"]).arg(root.join("runtime-c"));
    let _usage = run(compiler.arg(root.join("benches/first_launch.c")))?;
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let library = output(Command::new(rustc).args(["--print", "target-libdir"]))?;
    let library = Path::new(library.trim());
    let std = std::fs::read_dir(library)?.flatten().map(|entry| entry.path());
    let is_std = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("libstd-") && name.ends_with(".so")
    };
    let std = std.into_iter().find(is_std).ok_or("rustc has a shared standard library")?;
    let mut linker = Command::new("cc");
    linker.current_dir(folder).args([object, measure, "-Wl,--wrap=main", "-o", program]).arg(std);
    linker.arg(format!("-Wl,-rpath,{}", library.display())).arg(root.join("target/runtime/liboffloadrt.a"));
    let _usage = run(linker.args(["-pthread", "-lm", "-ldl"]))?;
    Ok(folder.join(program))
}
