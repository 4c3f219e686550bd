//! The command line of `offloadc inspect`.

use std::path::PathBuf;

use clap::Args;

/// The arguments of `offloadc inspect`.
#[derive(Args, Clone, Debug)]
pub struct InspectArguments {
    /// The object, program, shared object or image container
    #[arg(required_unless_present = "diff")]
    pub file: Option<PathBuf>,
    /// Print the differences between two files: images, kernels, sizes and resources
    ///
    /// The exit status is 0 if there are none, 1 if there are some, and 2 if a file cannot be read.
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], conflicts_with = "file")]
    pub diff: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// NVIDIA's assembler, which reports the resources of kernels in PTX
    #[arg(long, value_name = "PATH")]
    pub ptxas: Option<PathBuf>,
}
