//! Options for the images of one target. They are flattened into the command line's options, so no other file names a
//! target.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::amdgpu::options::AmdgpuOptions;
use super::cpu::options::{CpuOptions, CpuVectorize};
use super::nvptx::options::NvptxOptions;
use super::option_name::option_name;
use crate::llvm::{FastMath, Without};

/// The options of targets.
#[derive(Clone, Debug, Default, Args)]
pub struct TargetOptions {
    /// The options of NVIDIA's GPUs.
    #[command(flatten)]
    pub nvptx: NvptxOptions,

    /// The options of AMD's GPUs.
    #[command(flatten)]
    pub amdgpu: AmdgpuOptions,

    /// Stack bytes per thread for recursive functions on GPUs [default: 12288]
    ///
    /// Only kernels that recurse have such a stack. A thread that needs more panics.
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1024..=1 << 30))]
    pub device_stack: Option<u32>,

    /// The options of the CPU.
    #[command(flatten)]
    pub cpu: CpuOptions,

    /// Compile without these work-arounds for faults of LLVM, which docs/llvm.md lists, or without all of them
    #[arg(long, value_name = "NAME,...|all", value_parser = Without::parse, hide = true)]
    pub without_workaround: Option<Without>,

    /// Options for floating-point code, for all targets.
    #[command(flatten)]
    pub math: MathOptions,

    /// The vendor's math library, where a command line names the file itself.
    #[arg(skip)]
    pub math_library: Option<PathBuf>,
}

/// Options for floating-point code.
#[derive(Clone, Debug, Default, Args)]
pub struct MathOptions {
    /// The library of math functions
    #[arg(long = "math", value_name = "LIBRARY", value_enum, default_value_t)]
    pub library: MathLibrary,

    /// Whether a product and a sum may become one operation that rounds once
    #[arg(long, value_name = "RULE", value_enum)]
    pub fp_contract: Option<Contract>,

    /// Allow reassociation and approximation of floating-point code, and ignore infinities, NaNs and signed zeros
    #[arg(long)]
    pub fast_math: bool,

    /// Treat subnormal `f32` values as zero if that is faster
    #[arg(long)]
    pub ftz: bool,
}

/// `--math`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MathLibrary {
    /// One library for all devices, with the same results on each.
    #[default]
    Portable,
    /// The vendor's library, if there is one: libdevice, ocml, OpenCL's
    Vendor,
}

/// `--fp-contract`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Contract {
    /// Never; the default.
    Off,
    /// Where the source allows it, with `llvm.fmuladd`.
    On,
    /// Everywhere; the default with `--fast-math`.
    Fast,
}

impl MathOptions {
    /// The rule, by default the one that gives the same results on each job.
    pub fn contract(&self) -> Contract {
        self.fp_contract.unwrap_or(if self.fast_math { Contract::Fast } else { Contract::Off })
    }

    /// The flags of all floating-point operations, if they have any.
    pub fn flags(&self) -> Option<FastMath> {
        match self.contract() {
            _ if self.fast_math => Some(FastMath::All),
            Contract::Fast => Some(FastMath::Contract),
            Contract::On | Contract::Off => None,
        }
    }

    /// The options in force, as text for the key of the cache. All of them decide bytes.
    pub fn deciding(&self) -> String {
        let Self { library, fp_contract: _, fast_math, ftz } = self;
        format!("{library:?} {:?} {fast_math} {ftz}", self.contract())
    }

    /// The options in force as words of a command line.
    fn words(&self) -> Vec<String> {
        let Self { library, fp_contract: _, fast_math, ftz } = self;
        let named =
            [format!("--math={}", option_name(library)), format!("--fp-contract={}", option_name(&self.contract()))];
        let flags = [(fast_math, "--fast-math"), (ftz, "--ftz")];
        let flags = flags.into_iter().filter(|(given, _)| **given).map(|(_, flag)| flag.to_owned());
        named.into_iter().chain(flags).collect()
    }

    /// Whether each target chooses bodies for itself.
    pub fn by_target(&self) -> bool {
        self.fast_math || self.library == MathLibrary::Vendor
    }
}

/// See [`TargetOptions::stack_bytes`].
///
/// Intel's OpenCL for CPUs makes 32 lanes of a thread's locals, and has 512 KiB for them. If a kernel with lanes needs
/// more, it allows only blocks of one thread. A kernel has 4 KiB in addition to its stack.
const STACK_BYTES: u32 = 12 << 10;

impl TargetOptions {
    /// Those of the options that decide bytes, as text for the key of the cache, without those for floating-point code.
    pub fn deciding(&self) -> String {
        let sizes = (self.stack_bytes(), self.cpu_warp_size());
        let (nvptx, vectorize, without) = (self.nvptx.deciding(), self.cpu_vectorize(), self.without().text());
        format!("{nvptx} {sizes:?} {vectorize:?} {without}")
    }

    /// The options in force as words of a command line. Folders and files are those of a machine, and not of a build.
    pub fn words(&self) -> Vec<String> {
        let Self { nvptx, amdgpu: _, device_stack: _, cpu, without_workaround, math, math_library: _ } = self;
        let stack = format!("--device-stack={}", self.stack_bytes());
        let without = without_workaround.map(|without| format!("--without-workaround={}", without.text()));
        let of_code = [stack].into_iter().chain(cpu.words()).chain(without);
        nvptx.words().into_iter().chain(of_code).chain(math.words()).collect()
    }

    /// The first option here that a build was not made with, as a word of the command line. An option that is not given
    /// is that of the build.
    pub fn differing_from(&self, build: &Self) -> Option<String> {
        let (own, of_build) = (self.clone(), build.clone());
        let library = if own.math.library == MathLibrary::default() { of_build.math.library } else { own.math.library };
        let math = MathOptions {
            library,
            fp_contract: own.math.fp_contract.or(of_build.math.fp_contract),
            fast_math: own.math.fast_math || of_build.math.fast_math,
            ftz: own.math.ftz || of_build.math.ftz,
        };
        let together = Self {
            nvptx: own.nvptx.or(of_build.nvptx),
            device_stack: own.device_stack.or(of_build.device_stack),
            cpu: own.cpu.or(of_build.cpu),
            without_workaround: own.without_workaround.or(of_build.without_workaround),
            math,
            ..of_build
        };
        let known = build.words();
        together.words().into_iter().find(|word| !known.contains(word))
    }

    /// The number of lanes in a warp on the CPU.
    pub fn cpu_warp_size(&self) -> u32 {
        self.cpu.warp_size()
    }

    /// When the CPU executes threads together.
    pub fn cpu_vectorize(&self) -> CpuVectorize {
        self.cpu.vectorize()
    }

    /// The work-arounds that are switched off.
    pub fn without(&self) -> Without {
        self.without_workaround.unwrap_or_default()
    }

    /// The stack size of a thread that recurses, in bytes; a multiple of 16.
    pub fn stack_bytes(&self) -> u32 {
        self.device_stack.unwrap_or(STACK_BYTES).next_multiple_of(16)
    }

    /// Takes the kinds of images from other options. The assembler that these need is a program of one machine.
    pub fn take_images_of(&mut self, own: &Self) {
        self.nvptx.nvptx_image = own.nvptx.nvptx_image;
        self.nvptx.ptxas_arg.clone_from(&own.nvptx.ptxas_arg);
    }

    /// Takes the vendors' folders and files from other options, because they are those of a machine.
    pub fn take_folders_of(&mut self, own: &Self) {
        self.nvptx.cuda_path.clone_from(&own.nvptx.cuda_path);
        self.amdgpu.rocm_path.clone_from(&own.amdgpu.rocm_path);
        self.math_library.clone_from(&own.math_library);
    }

    /// The vendor's math library: the file that is named, or else the one that is found.
    pub(super) fn library(&self, find: impl FnOnce() -> Option<PathBuf>) -> Option<PathBuf> {
        self.math_library.clone().or_else(find)
    }

    /// The first of `places` that is a file below the folder in the option or the environment variable, or else below
    /// one of `folders`.
    pub(super) fn find(named: Option<&PathBuf>, variable: &str, folders: &[&str], places: &[&str]) -> Option<PathBuf> {
        let usual = std::env::var_os(variable).map(PathBuf::from).into_iter();
        let usual = usual.chain(folders.iter().map(PathBuf::from));
        let folders: Vec<PathBuf> = named.map_or_else(|| usual.collect(), |folder| vec![folder.clone()]);
        let all = folders.iter().flat_map(|folder| places.iter().map(|place| folder.join(place)));
        all.into_iter().find(|path| path.is_file())
    }
}
