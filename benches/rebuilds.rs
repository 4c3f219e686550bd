//! One arch on all cores, and builds of which the cache has most: after an edit of host code, and of one kernel.

use std::path::Path;

use crate::measure::{Usage, median, run};
use crate::{AMDGPU, Bench, KERNELS, NVPTX, Result, compare, generate, rustc};

const ARCH: &str = "gfx90a";
/// The measurements of each row.
const ROUNDS: usize = 3;

/// The difference from the program of the cold build.
#[derive(Clone, Copy)]
enum Edit {
    /// A function of the host above the kernels.
    HostLine,
    /// The constants of one kernel.
    Kernel,
}

pub(crate) fn table(bench: &Bench) -> Result<()> {
    let folder = bench.input(KERNELS)?;
    bench.prepare_by_hand(&folder)?;
    let by_hand = || bench.by_hand_for(&folder, &format!("{ARCH} host"));
    let offloadc = || run(bench.compile_for(&folder, &[ARCH]).args(["-o", "app.o"]));
    let pairs: Vec<(Usage, Usage)> = (0..ROUNDS).map(|_| Ok((by_hand()?, offloadc()?))).collect::<Result<_>>()?;
    println!("| {KERNELS} kernels, {ARCH} alone | by hand | offloadc | ratio | to reach |\n|---|---:|---:|---:|---:|");
    compare("wall time, s", &pairs, |usage| usage.wall.as_secs_f64(), "≤ 0.55");
    compare("processor time, s", &pairs, |usage| usage.cpu.as_secs_f64(), "≤ 0.95");
    println!();
    println!("| {KERNELS} kernels, 4 archs, with a cache | cold, wall s | after the edit | ratio | to reach |");
    println!("|---|---:|---:|---:|---:|");
    for (what, edit, goal) in
        [("a line of the host", Edit::HostLine, "≤ 0.05"), ("one kernel changed", Edit::Kernel, "≤ 0.10")]
    {
        let pairs: Vec<_> = (0..ROUNDS).map(|round| rebuild(bench, &folder, edit, round)).collect::<Result<_>>()?;
        compare(what, &pairs, |usage| usage.wall.as_secs_f64(), goal);
        let cpu = |of: &dyn Fn(&(Usage, Usage)) -> Usage| {
            median(pairs.iter().map(|pair| of(pair).cpu.as_secs_f64()).collect())
        };
        let (cold, warm) = (cpu(&|pair| pair.0), cpu(&|pair| pair.1));
        println!("| {what}, processor s | {cold:.2} | {warm:.2} | {:.2} | |", warm / cold);
    }
    // The folder is also that of other tables.
    bench.input(KERNELS).map(|_| ())
}

/// Builds with an empty cache, then again after an edit.
fn rebuild(bench: &Bench, folder: &Path, edit: Edit, round: usize) -> Result<(Usage, Usage)> {
    let cache = folder.join("cache");
    if cache.exists() {
        std::fs::remove_dir_all(&cache)?;
    }
    let archs = [AMDGPU, NVPTX].concat();
    let build = || {
        let mut command = bench.command_for(folder, Path::new("app.bc"), &archs);
        run(command.args(["-o", "app.o", "--cache-dir=cache"]))
    };
    let write = |text: String| -> Result<()> {
        std::fs::write(folder.join("app.rs"), text)?;
        rustc(&folder.join("app.rs"), &folder.join("app.bc"))
    };
    let mut kernels = generate::kernels(KERNELS);
    write(generate::source_with_launches(&kernels, ""))?;
    let cold = build()?;
    match edit {
        Edit::HostLine => write(generate::source_with_launches(
            &kernels,
            &format!("#[unsafe(no_mangle)]\npub extern \"C\" fn host_line() -> usize {{\n    {round}\n}}\n"),
        ))?,
        Edit::Kernel => {
            kernels[0] = generate::other_first(KERNELS + round);
            write(generate::source_with_launches(&kernels, ""))?;
        }
    }
    Ok((cold, build()?))
}
