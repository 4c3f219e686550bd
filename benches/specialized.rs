//! Kernels of `benches/specialized/` that the runtime compiles again for the sizes in their launches, against the
//! general code. Both are made of the generic image for the same device.

use std::path::Path;
use std::process::Command;

use crate::measure::median;
use crate::quality::output;
use crate::{Bench, Result, launches};

const PAIRS: usize = 5;

/// Where the program runs.
#[derive(Clone, Copy, PartialEq)]
enum Device {
    Cpu,
    OpenCl,
}

struct Program<'a> {
    path: &'a Path,
    cache: &'a Path,
}

impl Program<'_> {
    fn command(&self, mut command: Command, device: Device, is_special: bool) -> Command {
        command.env("OFFLOADC_CACHE_DIR", self.cache).env("OFFLOADRT_COMPILER", env!("CARGO_BIN_EXE_offloadc"));
        command.env("OFFLOADRT_VARIANTS", if is_special { "8,wait" } else { "0" }).env("OFFLOADRT_CPU_THREADS", "1");
        command.env("OFFLOADRT_DEVICE", "cpu");
        if device == Device::OpenCl {
            let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools/opencl");
            command.env("OCL_ICD_FILENAMES", tools.join("libintelocl.so")).env("OCL_ICD_VENDORS", &tools);
            command.env("LD_LIBRARY_PATH", &tools).env("OFFLOADRT_DEVICE", "opencl:intel");
        }
        command
    }

    /// The median of a launch's time in milliseconds.
    fn time(&self, kernel: &str, device: Device, is_special: bool) -> Result<f64> {
        let mut command = self.command(Command::new(self.path), device, is_special);
        Ok(output(command.arg(kernel))?.trim().parse()?)
    }

    /// The instructions of a launch on the CPU: half the difference between a program with two more launches and one
    /// without them.
    fn instructions(&self, kernel: &str, is_special: bool) -> Result<f64> {
        let run = |launches: &str| -> Result<f64> {
            let mut command = Command::new("valgrind");
            // valgrind runs no code for the next level.
            command.env("OFFLOADRT_CPU_LEVEL", "x86-64-v3");
            command
                .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
                .arg(self.path)
                .args([kernel, launches]);
            let ran = self.command(command, Device::Cpu, is_special).output()?;
            let said = String::from_utf8_lossy(&ran.stderr).into_owned();
            let number = said.split("Collected : ").nth(1).and_then(|rest| rest.split_whitespace().next());
            Ok(number.ok_or_else(|| format!("callgrind said: {said}"))?.parse()?)
        };
        run("0").map(drop)?; // the variant is compiled
        Ok((run("2")? - run("0")?) / 2.0)
    }
}

/// Prints the tables.
pub(crate) fn table(bench: &Bench) -> Result<()> {
    let (path, cache) = (launches::built(bench, "specialized", "generic")?, bench.folder.join("specialized-cache"));
    let program = Program { path: &path, cache: &cache };
    println!(
        "\n| instructions of a launch on `cpu`, 10^6 | general | variant | ratio | to reach |\n|---|---:|---:|---:|---:|"
    );
    for (kernel, name) in [("stencil", "a stencil of 5 points, 640 x 240"), ("window", "the mean of 5 x 5 points")] {
        let [general, variant] = [program.instructions(kernel, false)?, program.instructions(kernel, true)?];
        println!("| {name} | {:.2} | {:.2} | {:.2} | ≤ 0.80 |", general / 1e6, variant / 1e6, variant / general);
    }
    println!("\n| a launch, ms | general | variant | ratio | to reach |\n|---|---:|---:|---:|---:|");
    for (device, on) in [(Device::Cpu, "`cpu`"), (Device::OpenCl, "Intel's OpenCL")] {
        let rows = [
            ("batch", "256 products of 16 x 16 matrices", "≤ 0.70"),
            ("large", "one product of 192 x 192 matrices", ""),
            ("window", "the mean of 5 x 5 points", ""),
        ];
        for (kernel, name, goal) in rows {
            let pair = || Ok((program.time(kernel, device, false)?, program.time(kernel, device, true)?));
            let pairs = (0..PAIRS).map(|_| pair()).collect::<Result<Vec<_>>>()?;
            let [general, variant] = [|pair: &(f64, f64)| pair.0, |pair: &(f64, f64)| pair.1]
                .map(|side| median(pairs.iter().map(side).collect()));
            let ratio = median(pairs.iter().map(|(general, variant)| variant / general).collect());
            println!("| {name}, {on} | {general:.2} | {variant:.2} | {ratio:.2} | {goal} |");
        }
    }
    Ok(())
}
