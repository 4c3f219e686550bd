//! `make bench-generic`: the cost of the generic image in a build, its size, the cost of a launch whose device has no
//! other image, and the gain of code for the values of launches.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::compressed::first_launch;
use crate::generate::{self, KINDS};
use crate::measure::{Usage, median, run};
use crate::quality::output;
use crate::{Bench, KERNELS, Result, compare, host_programs, specialized};

const PAIRS: usize = 3;
const SMALL_PAIRS: usize = 15;
const STARTS: usize = 7;

/// A package of one file. Its own workspace keeps it out of this one.
const MANIFEST: &str = "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n
[[bin]]\nname = \"app\"\npath = \"app.rs\"\n\n[package.metadata.offload]\nkernels = true\n\n[workspace]\n";

/// Prints the tables.
pub(crate) fn table(bench: &Bench) -> Result<()> {
    println!("| a whole build | plain cargo | with `generic` | ratio | to reach |\n|---|---:|---:|---:|---:|");
    for kind in &host_programs::KINDS {
        let folder = bench.source(kind.name, &host_programs::source(kind, kind.copies))?;
        compare_builds(&folder, &format!("{}, and 4 kernels", kind.name), &[])?;
    }
    let mut folders = vec![("all kinds", bench.input(KERNELS)?)];
    for (number, kind) in KINDS.iter().enumerate() {
        folders.push((kind, bench.input_of(kind, &generate::of_kind(number, KERNELS))?));
    }
    let marked = bench.source("marked", &generate::source_with_launches(&generate::kernels(KERNELS), ""))?;
    compare_builds(&marked, &format!("{KERNELS} kernels alone"), &[])?;
    let exported = format!("{KERNELS} kernels that are exported, too");
    compare_builds(&folders[0].1, &exported, &["--offloadc=--kernel=bench_*"])?;
    small(bench)?;
    println!("\n| KiB | generic | sm_80 and gfx90a | ratio | to reach |\n|---|---:|---:|---:|---:|");
    for (kind, folder) in &folders {
        let (generic, archs) = (size(bench, folder, &["generic"])?, size(bench, folder, &["sm_80", "gfx90a"])?);
        let [small, large] = [generic, archs].map(|bytes| bytes as f64 / 1024.0);
        println!("| {KERNELS} kernels, {kind} | {small:.1} | {large:.1} | {:.2} | < 1 |", small / large);
    }
    starts(bench, &folders[0].1)?;
    specialized::table(bench)
}

/// Rows of builds in alternation: on the clock, and of all processors.
fn compare_builds(folder: &Path, what: &str, options: &[&str]) -> Result<()> {
    let pairs: Vec<_> = (0..PAIRS).map(|_| Ok((plain(folder)?, generic(folder, options)?))).collect::<Result<_>>()?;
    compare(&format!("{what}, wall s"), &pairs, |usage| usage.wall.as_secs_f64(), "≤ 1.10");
    compare(&format!("{what}, processor s"), &pairs, |usage| usage.cpu.as_secs_f64(), "≤ 1.10");
    Ok(())
}

/// Programs that take plain cargo less than three seconds.
fn small(bench: &Bench) -> Result<()> {
    println!("\n| a whole build, ms | plain cargo | with `generic` | difference | to reach |");
    println!("|---|---:|---:|---:|---:|");
    let few = |count| generate::source_with_launches(&generate::kernels(count), "");
    let programs = [("4 kernels", few(4)), ("16 kernels", few(16))];
    let parsers = &host_programs::KINDS[0];
    for (what, source) in programs.into_iter().chain([("4 parsers, and 4 kernels", host_programs::source(parsers, 4))])
    {
        let folder = bench.source("small", &source)?;
        let pairs: Vec<_> =
            (0..SMALL_PAIRS).map(|_| Ok((plain(&folder)?, generic(&folder, &[])?))).collect::<Result<_>>()?;
        row(&format!("{what}, wall"), &pairs, |usage| usage.wall.as_secs_f64() * 1e3);
        row(&format!("{what}, processor"), &pairs, |usage| usage.cpu.as_secs_f64() * 1e3);
    }
    Ok(())
}

/// A row of minima, because other work of the machine only adds to a time, and their difference.
fn row(what: &str, pairs: &[(Usage, Usage)], value: impl Fn(&Usage) -> f64) {
    let plain = pairs.iter().map(|(plain, _)| value(plain)).fold(f64::MAX, f64::min);
    let ours = pairs.iter().map(|(_, ours)| value(ours)).fold(f64::MAX, f64::min);
    println!("| {what} | {plain:.0} | {ours:.0} | {:+.0} | ≤ +60 |", ours - plain);
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
        // The configuration of cargo in this repository switches the cache off.
        command.env("OFFLOADC_CACHE_DIR", &cache).env("OFFLOADC_NO_CACHE", "0");
        command.env("OFFLOADRT_COMPILER", env!("CARGO_BIN_EXE_offloadc"));
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

/// The package as plain cargo builds it from nothing, with the kernels as functions of the host.
fn plain(folder: &Path) -> Result<Usage> {
    build(folder, "plain", &[], "--cfg plain -Awarnings")
}

/// The same with the generic image.
fn generic(folder: &Path, options: &[&str]) -> Result<Usage> {
    build(folder, "generic", &[&["offloadc"], options, &["--offload-arch=generic"]].concat(), "-Awarnings")
}

/// A release build into a target folder of this name, which holds the cache, too.
fn build(folder: &Path, target: &str, words: &[&str], flags: &str) -> Result<Usage> {
    std::fs::write(folder.join("Cargo.toml"), MANIFEST)?;
    let target = folder.join(target);
    if target.exists() {
        std::fs::remove_dir_all(&target)?;
    }
    let (command, options) = words.split_first().map_or((None, words), |(first, rest)| (Some(first), rest));
    let mut cargo = Command::new("cargo");
    cargo.current_dir(folder).args(command).args(["build", "--release", "--quiet"]).args(options);
    cargo.arg("--target-dir").arg(&target).env("RUSTFLAGS", flags).env("PATH", path()?);
    // As users have it; the configuration of cargo in this repository switches the cache off.
    cargo.env("OFFLOADC_NO_CACHE", "0").env_remove("CARGO_TARGET_DIR");
    Ok(run(&mut cargo)?)
}

/// The folders of programs, with those of this build first.
fn path() -> Result<OsString> {
    let own = Path::new(env!("CARGO_BIN_EXE_cargo-offloadc")).parent().map(Path::to_path_buf);
    let all = std::env::var_os("PATH").unwrap_or_default();
    Ok(std::env::join_paths(own.into_iter().chain(std::env::split_paths(&all)))?)
}

/// The bytes of the images, compressed where that makes the object smaller.
fn size(bench: &Bench, folder: &Path, archs: &[&str]) -> Result<u64> {
    let mut command = bench.compile_for(folder, archs);
    let _usage = run(command.args(["-o", "app.o"]))?;
    let listed = output(Command::new(bench.llvm.join("llvm-size")).arg("-A").arg(folder.join("app.o")))?;
    let images = listed.lines().filter(|line| line.starts_with(".offload.images"));
    images.map(|line| Ok(line.split_whitespace().nth(1).ok_or("a size")?.parse::<u64>()?)).sum()
}
