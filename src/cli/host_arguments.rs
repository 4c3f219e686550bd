//! The options for host code.

use clap::{Args, ValueEnum};

/// How host code is compiled.
#[derive(Clone, Debug, Default, Args)]
pub struct HostArguments {
    /// The LLVM that compiles host code
    ///
    /// The LLVM of rustc is faster, and is used for modules of at least 24 KiB that rustc wrote. The two may be
    /// different versions, whose code differs.
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    pub host_llvm: HostLlvm,
}

/// `--host-llvm`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum HostLlvm {
    /// The LLVM of rustc for large modules, if it is not older than that of offloadc
    #[default]
    Rustc,
    /// The LLVM of offloadc for all modules
    Own,
}
