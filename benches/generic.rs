//! `make bench-generic`: what the generic image costs in a build, how large it is, and what a launch costs whose device
//! has no other image, and what code for the values of launches gains.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::compressed::first_launch;
use crate::generate::{self, KINDS};
use crate::measure::{Usage, median, run};
use crate::quality::output;
use crate::{Bench, KERNELS, Result, compare, specialized};

const PAIRS: usize = 5;
const SMALL_PAIRS: usize = 15;
const STARTS: usize = 7;

/// Prints the tables.
pub(crate) fn table(bench: &Bench) -> Result<()> {
    println!("| a whole build | `rustc -O` | with `generic` | ratio | to reach |\n|---|---:|---:|---:|---:|");
    let mut folders = vec![("all kinds", bench.input(KERNELS)?)];
    for (number, kind) in KINDS.iter().enumerate() {
        folders.push((kind, bench.input_of(kind, &generate::of_kind(number, KERNELS))?));
    }
    for (kind, folder) in &folders {
        let pairs: Vec<_> = (0..PAIRS).map(|_| Ok((rustc(folder)?, generic(bench, folder)?))).collect::<Result<_>>()?;
        compare(&format!("{KERNELS} kernels, {kind}, wall s"), &pairs, |usage| usage.wall.as_secs_f64(), "≤ 1.10");
        compare(&format!("{KERNELS} kernels, {kind}, processor s"), &pairs, |usage| usage.cpu.as_secs_f64(), "");
    }
    println!(
        "\n| a whole build, ms | `rustc -O` | with `generic` | difference | to reach |\n|---|---:|---:|---:|---:|"
    );
    for count in [4, 16] {
        let folder = bench.input(count)?;
        let one = |usage: Usage| usage.wall.as_secs_f64() * 1e3;
        let pairs = (0..SMALL_PAIRS).map(|_| Ok((one(rustc(&folder)?), one(generic(bench, &folder)?))));
        let pairs: Vec<(f64, f64)> = pairs.collect::<Result<_>>()?;
        let [rust, ours] = [|pair: &(f64, f64)| pair.0, |pair: &(f64, f64)| pair.1]
            .map(|side| median(pairs.iter().map(side).collect()));
        let more = median(pairs.iter().map(|(rust, ours)| ours - rust).collect());
        println!("| {count} kernels | {rust:.0} | {ours:.0} | {more:+.0} | ≤ +60 |");
    }
    println!("\n| KiB | generic | sm_80 and gfx90a | ratio | to reach |\n|---|---:|---:|---:|---:|");
    for (kind, folder) in &folders {
        let (generic, archs) = (size(bench, folder, &["generic"])?, size(bench, folder, &["sm_80", "gfx90a"])?);
        let [small, large] = [generic, archs].map(|bytes| bytes as f64 / 1024.0);
        println!("| {KERNELS} kernels, {kind} | {small:.1} | {large:.1} | {:.2} | < 1 |", small / large);
    }
    starts(bench, &folders[0].1)?;
    specialized::table(bench)
}

/// The first launch of a program in which a kernel for the emulated gfx90a is, or can be made.
fn starts(bench: &Bench, folder: &Path) -> Result<()> {
    println!("\n| the first launch on the emulated gfx90a, ms | median |\n|---|---:|");
    let ahead = first_launch(bench, folder, "ahead", &["gfx90a"])?;
    let later = first_launch(bench, folder, "later", &["generic"])?;
    let cache = folder.join("cache");
    let start = |program: &Path, keeps: bool| -> Result<f64> {
        if !keeps && cache.exists() {
            std::fs::remove_dir_all(&cache)?;
        }
        let emulators = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/emulators");
        let mut command = Command::new(program);
        command.env("LD_LIBRARY_PATH", emulators).env("OFFLOAD_EMULATED", "gfx90a").env("OFFLOADRT_DEVICE", "hip:0");
        command.env("OFFLOADC_CACHE_DIR", &cache).env("OFFLOADRT_COMPILER", env!("CARGO_BIN_EXE_offloadc"));
        Ok(output(&mut command)?.trim().parse()?)
    };
    let row = |what: &str, program: &PathBuf, keeps| -> Result<()> {
        let times = (0..STARTS).map(|_| start(program, keeps)).collect::<Result<Vec<_>>>()?;
        println!("| {what} | {:.1} |", median(times));
        Ok(())
    };
    row("image of the build", &ahead, true)?;
    row("generic image, first start", &later, false)?;
    let _kept = start(&later, true)?;
    row("generic image, later starts", &later, true)
}

/// A program as rustc builds it alone.
fn rustc(folder: &Path) -> Result<Usage> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    Ok(run(Command::new(rustc).current_dir(folder).args(["--edition=2021", "-O", "app.rs", "-o", "host"]))?)
}

/// The same program with the generic image: rustc writes bitcode, and offloadc the program.
fn generic(bench: &Bench, folder: &Path) -> Result<Usage> {
    let first = crate::rustc_timed(&[], &folder.join("app.rs"), &folder.join("timed.bc"))?;
    let mut command = bench.command_for(folder, Path::new("timed.bc"), &["generic"]);
    let second = run(command.args(["--kernel=bench_*", "--no-cache", "--emit=exe", "-o", "program"]))?;
    let (wall, cpu) = (first.wall + second.wall, first.cpu + second.cpu);
    Ok(Usage { wall, cpu, peak: first.peak.max(second.peak) })
}

/// The bytes of the images, compressed where that makes the object smaller.
fn size(bench: &Bench, folder: &Path, archs: &[&str]) -> Result<u64> {
    let mut command = bench.compile_for(folder, archs);
    let _usage = run(command.args(["-o", "app.o"]))?;
    let listed = output(Command::new(bench.llvm.join("llvm-size")).arg("-A").arg(folder.join("app.o")))?;
    let images = listed.lines().filter(|line| line.starts_with(".offload.images"));
    images.map(|line| Ok(line.split_whitespace().nth(1).ok_or("a size")?.parse::<u64>()?)).sum()
}
