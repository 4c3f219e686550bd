//! The options that add code to device code, or passes of others to its compilation.

use std::path::PathBuf;

use clap::Args;

/// Code that kernels have besides their own.
#[derive(Args, Clone, Debug, Default)]
pub struct DeviceCodeArguments {
    /// Let kernels call the host for `println!`, `eprintln!`, `std::time`, `std::env::var` and files
    ///
    /// The program needs the `offload` crate, which defines these functions for kernels.
    #[arg(long)]
    pub device_std: bool,

    /// Bitcode or IR text with bodies of functions that kernels call, for one arch or for all; can be repeated
    ///
    /// It is compiled for that arch, by `clang --target=nvptx64-nvidia-cuda -emit-llvm` for example. Only functions
    /// that are needed become part of the device code, and are optimised with the kernels. A file may call functions of
    /// the files after it. See docs/integration.md.
    #[arg(long, value_name = "[ARCH=]FILE")]
    pub device_bitcode: Vec<PathBuf>,

    /// A plugin of LLVM's pass manager for device code, as for `opt -load-pass-plugin`; can be repeated
    ///
    /// STAGE is `simplify`, which runs once for all archs, or `optimize`, which runs for each. What the plugin adds to
    /// LLVM's pipelines is added to the pipeline of that stage. PASSES, if given, run before that pipeline, and are
    /// written as for `opt -passes`. See docs/integration.md.
    #[arg(long, value_name = "FILE@STAGE[:PASSES]")]
    pub load_pass_plugin: Vec<String>,
}
