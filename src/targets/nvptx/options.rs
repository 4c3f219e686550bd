//! The options of images for NVIDIA's GPUs.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ptx::{PtxVersion, versions};
use crate::targets::option_name::option_name;

/// The options of images for NVIDIA's GPUs.
#[derive(Clone, Debug, Default, Args)]
pub struct NvptxOptions {
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

impl NvptxOptions {
    /// Those that decide bytes, as text for the key of the cache. Folders decide nothing themselves; the library that
    /// is found in one does.
    pub fn deciding(&self) -> String {
        let Self { nvptx_image, ptx_version, ptxas_arg, cuda_path: _ } = self;
        format!("{nvptx_image:?} {ptx_version:?} {ptxas_arg:?}")
    }

    /// The options in force as words of a command line, without folders, which are those of a machine.
    pub fn words(&self) -> Vec<String> {
        let Self { nvptx_image, ptx_version, ptxas_arg, cuda_path: _ } = self;
        let image = nvptx_image.map(|image| format!("--nvptx-image={}", option_name(&image)));
        let version = ptx_version.map(|version| format!("--ptx-version={version}"));
        let ptxas = ptxas_arg.iter().map(|argument| format!("--ptxas-arg={argument}"));
        image.into_iter().chain(version).chain(ptxas).collect()
    }

    /// These options, and those of a build where they are not given.
    pub fn or(self, build: Self) -> Self {
        Self {
            nvptx_image: self.nvptx_image.or(build.nvptx_image),
            ptx_version: self.ptx_version.or(build.ptx_version),
            ptxas_arg: if self.ptxas_arg.is_empty() { build.ptxas_arg } else { self.ptxas_arg },
            cuda_path: build.cuda_path,
        }
    }
}

fn parse_version(text: &str) -> Result<PtxVersion, String> {
    let number = |part: &str| part.parse::<u32>().ok().filter(|n| *n < 100);
    let parts = text.split_once('.').and_then(|(major, minor)| Some((number(major)?, number(minor)?)));
    let version = parts.map(|(major, minor)| PtxVersion(major * 10 + minor));
    let known = versions();
    version.filter(|v| known.contains(v)).ok_or_else(|| {
        let names: Vec<_> = known.iter().map(ToString::to_string).collect();
        format!("the versions are {}", names.join(", "))
    })
}
