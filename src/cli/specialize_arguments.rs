//! The options for code that is compiled for values of launches.

use std::path::PathBuf;

use clap::Args;

use crate::contract::specialization::{LateConstant, Specialization, SpecializeOptions};

/// Code for values that all launches have.
#[derive(Args, Clone, Debug, Default)]
pub struct SpecializeArguments {
    /// A value for which a kernel of a slice is compiled: `KERNEL:PARAMETER=HEXBYTES`; can be repeated
    ///
    /// PARAMETER is the number of a parameter, or in a kernel that takes one struct of a scalar in it, from 0;
    /// `@OFFSET`, an offset in the packed arguments; or `block_dim`, the size of the block as `X,Y,Z`. The lowest byte
    /// comes first. Launches with other values are wrong.
    #[arg(long, value_name = "VALUE")]
    pub specialize: Vec<Specialization>,

    /// The value of a constant of `late_const!` in a slice, as in `app::TILE=20000000`; can be repeated
    ///
    /// `@KERNEL=HEXBYTES` names the constant by the kernel that writes it, as the runtime does. A constant that the
    /// code does not use, or of which it uses parts, is as without the option.
    #[arg(long, value_name = "VALUE")]
    pub late_constant: Vec<LateConstant>,

    /// All constants of `late_const!` without a value of `--late-constant` have their initial values
    #[arg(long)]
    pub late_constants_are_set: bool,

    /// Compile only the kernels that `--specialize` names
    #[arg(long, requires = "specialize")]
    pub specialized_only: bool,

    /// Compile only the kernel with this name in the images; can be repeated
    #[arg(long, value_name = "KERNEL")]
    pub only_kernel: Vec<String>,

    /// A program, shared object or generic image whose functions the kernels may be given as values; can be repeated
    ///
    /// Only `offloadc finish` links them, from the generic image of the file.
    #[arg(long, value_name = "FILE")]
    pub link: Vec<PathBuf>,
}

impl SpecializeArguments {
    /// The values.
    pub fn options(&self) -> SpecializeOptions {
        let Self { specialize, late_constant, late_constants_are_set, specialized_only, only_kernel, link: _ } =
            self.clone();
        SpecializeOptions {
            values: specialize,
            constants: late_constant,
            others_initial: late_constants_are_set,
            only: specialized_only,
            kernels: only_kernel,
        }
    }
}
