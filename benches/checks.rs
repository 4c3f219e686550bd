//! The cost of bounds checks in machine instructions, for each form of a panic.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::quality::{self, output};
use crate::{Bench, Result, rustc_with};

const ARCHS: [&str; 2] = ["gfx90a", "sm_80"];
/// The bounds checks that `checked.rs` writes down.
const CHECKS: u64 = 8;

/// The kernels, as the options of rustc and of offloadc make them.
const ROWS: [(&str, &[&str], &str); 4] = [
    ("`get_unchecked`", &["--cfg=unchecked"], "report"),
    ("indexing, `--device-panic=unreachable`", &[], "unreachable"),
    ("indexing, `--device-panic=trap`", &[], "trap"),
    ("indexing, `--device-panic=report`", &[], "report"),
];

/// Prints a table: instructions of all kernels, and how many more that is for each check.
pub(crate) fn table(bench: &Bench) -> Result<()> {
    let folder = bench.folder.join("checks");
    std::fs::create_dir_all(&folder)?;
    println!("| 3 kernels, {CHECKS} bounds checks | {} |", ARCHS.join(" | a check | ") + " | a check");
    println!("|---|{}", "---:|".repeat(2 * ARCHS.len()));
    let mut unchecked = [0; ARCHS.len()];
    for (name, flags, panic) in ROWS {
        let images = compile(&folder, flags, panic)?;
        let mut row = format!("| {name} |");
        for ((arch, image), without) in ARCHS.iter().zip(&images).zip(&mut unchecked) {
            let code = match arch.starts_with("gfx") {
                true => quality::amdgpu(&bench.llvm, image)?,
                false => quality::nvptx(&bench.llvm, &bench.ptxas, arch, image)?,
            };
            if !flags.is_empty() {
                *without = code.instructions;
            }
            let more = (code.instructions as f64 - *without as f64) / CHECKS as f64;
            row += &format!(" {} | {more:.1} |", code.instructions);
        }
        println!("{row}");
    }
    Ok(())
}

/// The images, in the order of the archs.
fn compile(folder: &Path, flags: &[&str], panic: &str) -> Result<Vec<PathBuf>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/checked.rs");
    rustc_with(flags, &source, &folder.join("checked.bc"))?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_offloadc"));
    command.current_dir(folder).args(["checked.bc", "-O3", "--kernel=bench_*", "--emit=image"]);
    command.arg(format!("--device-panic={panic}")).arg(format!("--offload-arch={}", ARCHS.join(",")));
    let _said = output(&mut command)?;
    Ok(ARCHS.iter().map(|arch| folder.join(format!("checked.image.{arch}.img"))).collect())
}
