//! The options of code for the CPU.

use clap::{Args, ValueEnum};

use crate::targets::option_name::option_name;

/// The options of code for the CPU.
#[derive(Clone, Debug, Default, Args)]
pub struct CpuOptions {
    /// Lanes per warp on the CPU: 64, 32 or 1 [default: 32]
    ///
    /// With 1, each thread is a warp: shuffles and votes cost nothing and return the thread's own value.
    #[arg(long, value_name = "LANES", value_parser = parse_warp_size)]
    pub cpu_warp_size: Option<u32>,

    /// Whether the CPU executes threads of a block together, in vectors of eight [default: auto]
    ///
    /// The results are the same to the bit. Threads are executed together from `-O1` on, and not with `-Oz` and
    /// `--sanitize`. LLVM's vectoriser, which takes threads of straight code, is not affected.
    #[arg(long, value_name = "WHEN", value_enum)]
    pub cpu_vectorize: Option<CpuVectorize>,
}

/// `--cpu-vectorize`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CpuVectorize {
    /// Where it is faster, as far as can be known beforehand
    #[default]
    Auto,
    /// Wherever it is possible, which tests the compiler
    Always,
    /// Nowhere
    Never,
}

/// The default of [`CpuOptions::warp_size`]. It is the size on NVIDIA GPUs and some AMD GPUs, so that code for
/// them is correct.
const CPU_WARP_SIZE: u32 = 32;

impl CpuOptions {
    /// The number of lanes in a warp.
    pub fn warp_size(&self) -> u32 {
        self.cpu_warp_size.unwrap_or(CPU_WARP_SIZE)
    }

    /// When threads are vectorised.
    pub fn vectorize(&self) -> CpuVectorize {
        self.cpu_vectorize.unwrap_or_default()
    }

    /// The options in force as words of a command line.
    pub fn words(&self) -> [String; 2] {
        [format!("--cpu-warp-size={}", self.warp_size()), format!("--cpu-vectorize={}", option_name(&self.vectorize()))]
    }

    /// These options, and those of a build where they are not given.
    pub fn or(self, build: Self) -> Self {
        Self {
            cpu_warp_size: self.cpu_warp_size.or(build.cpu_warp_size),
            cpu_vectorize: self.cpu_vectorize.or(build.cpu_vectorize),
        }
    }
}

fn parse_warp_size(text: &str) -> Result<u32, String> {
    let size = text.parse().ok().filter(|size| [64, 32, 1].contains(size));
    size.ok_or_else(|| "a warp on the CPU has 64, 32 or 1 lanes".to_owned())
}
