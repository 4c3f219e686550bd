//! The options of images for AMD's GPUs.

use std::path::PathBuf;

use clap::Args;

/// The options of images for AMD's GPUs. They decide nothing themselves; the library that is found in the folder does.
#[derive(Clone, Debug, Default, Args)]
pub struct AmdgpuOptions {
    /// The folder of ROCm, for `--math=vendor` [default: `ROCM_PATH`, or else `/opt/rocm`, or Debian's folder of its
    /// bitcode]
    #[arg(long, value_name = "DIR")]
    pub rocm_path: Option<PathBuf>,
}
