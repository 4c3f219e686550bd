//! Options for the images of one target. They are flattened into the command line's options, so no other file names a
//! target.

use crate::llvm::{FastMath, Without};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The options of targets.
#[derive(Clone, Debug, Default, Args)]
pub struct TargetOptions {
    /// The images for NVIDIA archs: PTX, machine code or both [default: both if `--ptxas` names an assembler, otherwise
    /// PTX]
    ///
    /// For one arch, `sm_80-virtual` and `sm_80-real` in `--offload-arch` select PTX and machine code.
    #[arg(long, value_name = "KIND", value_enum)]
    pub nvptx_image: Option<NvptxImage>,

    /// The PTX version of the output, such as 7.8 [default: the lowest that the arch and the code need]
    #[arg(long, value_name = "VERSION", value_parser = parse_version)]
    pub ptx_version: Option<PtxVersion>,

    /// An argument for NVIDIA's assembler, such as `--maxrregcount=64`; can be repeated
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    pub ptxas_arg: Vec<String>,

    /// The folder of CUDA, for `--math=vendor` [default: `CUDA_PATH`, or else `/usr/local/cuda`]
    #[arg(long, value_name = "DIR")]
    pub cuda_path: Option<PathBuf>,

    /// The folder of ROCm, for `--math=vendor` [default: `ROCM_PATH`, or else `/opt/rocm`, or Debian's folder of its
    /// bitcode]
    #[arg(long, value_name = "DIR")]
    pub rocm_path: Option<PathBuf>,

    /// Stack bytes per thread for recursive functions on GPUs [default: 12288]
    ///
    /// Only kernels that recurse have such a stack. A thread that needs more panics.
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1024..=1 << 30))]
    pub device_stack: Option<u32>,

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
        let named = [format!("--math={}", name_of(library)), format!("--fp-contract={}", name_of(&self.contract()))];
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
/// more, it allows only blocks of one thread. A kernel has 4 KiB beside its stack.
const STACK_BYTES: u32 = 12 << 10;

/// The default of [`TargetOptions::cpu_warp_size`]. It is the size on NVIDIA GPUs and some AMD GPUs, so that code for
/// them is correct.
const CPU_WARP_SIZE: u32 = 32;

impl TargetOptions {
    /// Those of the options that decide bytes, as text for the key of the cache, without those for floating-point code.
    /// Folders decide nothing themselves; the library that is found in one does.
    pub fn deciding(&self) -> String {
        let Self {
            nvptx_image,
            ptx_version,
            ptxas_arg,
            cuda_path: _,
            rocm_path: _,
            device_stack: _,
            cpu_warp_size: _,
            cpu_vectorize: _,
            without_workaround: _,
            math: _,
            math_library: _,
        } = self;
        let sizes = (self.stack_bytes(), self.cpu_warp_size());
        let (vectorize, without) = (self.cpu_vectorize(), self.without().text());
        format!("{nvptx_image:?} {ptx_version:?} {ptxas_arg:?} {sizes:?} {vectorize:?} {without}")
    }

    /// The options in force as words of a command line. Folders and files are those of a machine, and not of a build.
    pub fn words(&self) -> Vec<String> {
        let Self {
            nvptx_image,
            ptx_version,
            ptxas_arg,
            cuda_path: _,
            rocm_path: _,
            device_stack: _,
            cpu_warp_size: _,
            cpu_vectorize: _,
            without_workaround,
            math,
            math_library: _,
        } = self;
        let image = nvptx_image.map(|image| format!("--nvptx-image={}", name_of(&image)));
        let version = ptx_version.map(|version| format!("--ptx-version={version}"));
        let sizes =
            [format!("--device-stack={}", self.stack_bytes()), format!("--cpu-warp-size={}", self.cpu_warp_size())];
        let vectorize = format!("--cpu-vectorize={}", name_of(&self.cpu_vectorize()));
        let ptxas = ptxas_arg.iter().map(|argument| format!("--ptxas-arg={argument}"));
        let without = without_workaround.map(|without| format!("--without-workaround={}", without.text()));
        let of_code = sizes.into_iter().chain([vectorize]).chain(without);
        image.into_iter().chain(version).chain(ptxas).chain(of_code).chain(math.words()).collect()
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
            nvptx_image: own.nvptx_image.or(of_build.nvptx_image),
            ptx_version: own.ptx_version.or(of_build.ptx_version),
            ptxas_arg: if own.ptxas_arg.is_empty() { of_build.ptxas_arg } else { own.ptxas_arg },
            device_stack: own.device_stack.or(of_build.device_stack),
            cpu_warp_size: own.cpu_warp_size.or(of_build.cpu_warp_size),
            cpu_vectorize: own.cpu_vectorize.or(of_build.cpu_vectorize),
            without_workaround: own.without_workaround.or(of_build.without_workaround),
            math,
            ..of_build
        };
        let known = build.words();
        together.words().into_iter().find(|word| !known.contains(word))
    }

    /// The number of lanes in a warp on the CPU.
    pub fn cpu_warp_size(&self) -> u32 {
        self.cpu_warp_size.unwrap_or(CPU_WARP_SIZE)
    }

    /// When the CPU executes threads together.
    pub fn cpu_vectorize(&self) -> CpuVectorize {
        self.cpu_vectorize.unwrap_or_default()
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
        self.nvptx_image = own.nvptx_image;
        self.ptxas_arg.clone_from(&own.ptxas_arg);
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

/// `--nvptx-image`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NvptxImage {
    /// Text that a driver compiles for its device.
    Ptx,
    /// Machine code.
    Cubin,
    /// Both; a driver uses the machine code if it fits.
    Both,
}

/// A version of the PTX language: 78 is 7.8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PtxVersion(pub u32);

impl PtxVersion {
    /// LLVM's feature for this version.
    pub fn feature(self) -> String {
        format!("+ptx{}", self.0)
    }
}

impl std::fmt::Display for PtxVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.0 / 10, self.0 % 10)
    }
}

/// The name of an option's value on the command line.
fn name_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

fn parse_warp_size(text: &str) -> Result<u32, String> {
    let size = text.parse().ok().filter(|size| [64, 32, 1].contains(size));
    size.ok_or_else(|| "a warp on the CPU has 64, 32 or 1 lanes".to_owned())
}

fn parse_version(text: &str) -> Result<PtxVersion, String> {
    let number = |part: &str| part.parse::<u32>().ok().filter(|n| *n < 100);
    let parts = text.split_once('.').and_then(|(major, minor)| Some((number(major)?, number(minor)?)));
    let version = parts.map(|(major, minor)| PtxVersion(major * 10 + minor));
    let known = super::nvptx::versions();
    version.filter(|v| known.contains(v)).ok_or_else(|| {
        let names: Vec<_> = known.iter().map(ToString::to_string).collect();
        format!("the versions are {}", names.join(", "))
    })
}
