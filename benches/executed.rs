//! The executed instructions of the kernels of `benches/gpu_code/` and of their twins, on the emulated GPUs. All sides
//! have the same arguments, and the program checks all results.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::gpu_code::KERNELS;
use crate::quality::output;

/// The newest version of PTX that the emulated GPU reads. nvcc writes a newer one, although these kernels need nothing
/// of it.
const PTX_VERSION: &str = ".version 8.8";

/// The executed instructions of each kernel.
type Counts = BTreeMap<&'static str, u64>;

/// Where the programs and the twins are.
pub(crate) struct Programs<'a> {
    /// The program without checks, and with them.
    pub(crate) programs: [PathBuf; 2],
    /// A folder for the twins as the emulated GPU reads them.
    pub(crate) folder: &'a Path,
}

impl Programs<'_> {
    /// Prints the table of one arch. `twins` are the names of the compilers, and the folders with their output.
    pub(crate) fn table(&self, arch: &str, twins: &[(&str, PathBuf)]) -> Result<()> {
        let mut others = Vec::new();
        for (name, folder) in twins {
            others.push((*name, self.count(0, arch, Some(&self.readable(name, folder)?))?));
        }
        let [own, checked] = [self.count(0, arch, None)?, self.count(1, arch, None)?];
        let names: Vec<_> = others.iter().map(|(name, _)| *name).collect();
        let ratios = names.iter().map(|name| format!("/ {name}")).collect::<Vec<_>>().join(" | ");
        println!("| executed | {} | offloadc | {ratios} | checked | / offloadc |", names.join(" | "));
        println!("|---|{}", "---:|".repeat(2 * names.len() + 3));
        let mut sums = vec![0.0; names.len() + 1];
        for kernel in KERNELS {
            let ratio = |a: u64, b: u64| a as f64 / b as f64;
            let mut all: Vec<_> = others.iter().map(|(_, counts)| ratio(own[kernel], counts[kernel])).collect();
            all.push(ratio(checked[kernel], own[kernel]));
            sums.iter_mut().zip(&all).for_each(|(sum, ratio)| *sum += ratio.ln());
            let counts: Vec<_> = others.iter().map(|(_, counts)| counts[kernel].to_string()).collect();
            let ratios: Vec<_> = all.iter().map(|ratio| format!("{ratio:.2}")).collect();
            let (last, ratios) = ratios.split_last().expect("one side is ours");
            let (counts, ratios) = (counts.join(" | "), ratios.join(" | "));
            println!("| {kernel} | {counts} | {} | {ratios} | {} | {last} |", own[kernel], checked[kernel]);
        }
        let means: Vec<_> = sums.iter().map(|sum| format!("**{:.2}**", (sum / KERNELS.len() as f64).exp())).collect();
        let (last, means) = means.split_last().expect("one side is ours");
        println!("| geometric mean |{} | {} | | {last} |", " |".repeat(names.len()), means.join(" | "));
        Ok(())
    }

    /// Copies PTX of one compiler with a version that the emulated GPU reads; code objects stay where they are.
    fn readable(&self, name: &str, folder: &Path) -> Result<PathBuf> {
        let copies = self.folder.join(format!("executed-{name}"));
        std::fs::create_dir_all(&copies)?;
        for kernel in KERNELS {
            let ptx = folder.join(format!("{kernel}.ptx"));
            if !ptx.exists() {
                return Ok(folder.to_owned());
            }
            let text = std::fs::read_to_string(ptx)?;
            let lowered =
                |line: &str| if line.starts_with(".version") { PTX_VERSION.to_owned() } else { line.to_owned() };
            let text: Vec<_> = text.lines().map(lowered).collect();
            std::fs::write(copies.join(format!("{kernel}.ptx")), text.join("\n"))?;
        }
        Ok(copies)
    }

    /// Runs all kernels on the emulated GPU of this arch, or their twins.
    fn count(&self, program: usize, arch: &str, twins: Option<&Path>) -> Result<Counts> {
        let device = if arch.starts_with("sm_") { "cuda:0" } else { "hip:0" };
        let emulators = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/emulators");
        let mut command = Command::new(&self.programs[program]);
        command.env("LD_LIBRARY_PATH", emulators).env("OFFLOAD_EMULATED", arch).env("OFFLOADRT_DEVICE", device);
        command.env("OFFLOAD_EMULATED_COUNTS", "1");
        if let Some(twins) = twins {
            command.env("GPU_CODE_TWINS", OsStr::new(twins));
        }
        let mut counts = Counts::new();
        for line in output(&mut command)?.lines() {
            let Some((name, rest)) = line.split_once("kernel `").and_then(|(_, rest)| rest.split_once("`: ")) else {
                continue;
            };
            let kernel = KERNELS.iter().find(|kernel| name.rsplit("::").next() == Some(**kernel));
            let count = rest.split(' ').next().and_then(|number| number.parse().ok());
            counts.extend(kernel.copied().zip(count));
        }
        match KERNELS.iter().find(|kernel| !counts.contains_key(**kernel)) {
            Some(lacking) => Err(format!("`{lacking}` has no count on the emulated {arch}").into()),
            None => Ok(counts),
        }
    }
}
