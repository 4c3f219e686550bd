//! Device code from bodies that rustc has optimised for the host, against the same bodies as rustc first writes them.
//!
//! `cargo offloadc` leaves crates without kernels to rustc, and takes the bodies that kernels call from the bitcode
//! beside their machine code. The programs are those of `tests/crates/`.

use std::path::Path;

use crate::quality::{self, Quality};
use crate::{Bench, Result, corpus};

const ARCHS: [&str; 2] = ["sm_80", "gfx90a"];

/// Prints a table: the sums over all programs for each arch, and the programs that change most.
pub(crate) fn table(bench: &Bench) -> Result<()> {
    let (optimised, programs) = corpus::compile_as(bench, "crates", "", "image")?;
    let (plain, _) = corpus::compile_as(bench, "crates-plain", "'-Cno-prepopulate-passes'", "image")?;
    println!("| {} programs with crates | bodies as written | optimised by rustc | ratio |", programs.len());
    println!("|---|---:|---:|---:|");
    for arch in ARCHS {
        let of = |folder: &Path, program: &str| -> Result<Quality> {
            let image = folder.join(format!("{program}.image.{arch}.img"));
            Ok(match arch.starts_with("gfx") {
                true => quality::amdgpu(&bench.llvm, &image)?,
                false => quality::nvptx(&bench.llvm, &bench.ptxas, arch, &image)?,
            })
        };
        let mut sums = [Quality::default(); 2];
        let mut ratios = Vec::new();
        for program in &programs {
            let both = [of(&plain, program)?, of(&optimised, program)?];
            for (sum, own) in sums.iter_mut().zip(both) {
                sum.instructions += own.instructions;
                sum.registers += own.registers;
                sum.spills += own.spills;
            }
            ratios.push((both[1].instructions as f64 / both[0].instructions as f64, program));
        }
        for (name, of) in [
            ("machine instructions", (|sum| sum.instructions) as fn(&Quality) -> u64),
            ("registers", |sum| sum.registers),
            ("spills", |sum| sum.spills),
        ] {
            let [plain, optimised] = [of(&sums[0]), of(&sums[1])];
            println!("| {arch}, {name} | {plain} | {optimised} | {:.3} |", optimised as f64 / plain as f64);
        }
        ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
        let shown = |(ratio, program): &(f64, &String)| format!("`{program}` {ratio:.2}");
        let (Some(least), Some(most)) = (ratios.first(), ratios.last()) else { continue };
        println!("| {arch}, instructions of the programs | | {} to {} | |", shown(least), shown(most));
    }
    Ok(())
}
