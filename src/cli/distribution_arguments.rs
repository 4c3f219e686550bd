//! The options for compilation by other programs, and the command that they run.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser};

use super::options::{MessageFormat, Options};
use super::specialize_arguments::SpecializeArguments;
use crate::diagnostics::ColorChoice;
use crate::stage::Stage;

/// Compilation by other programs.
#[derive(Args, Clone, Debug, Default)]
pub struct DistributionArguments {
    /// A program that has the images compiled, on other machines for example, as for LLVM's DTLTO
    ///
    /// It is run once, and gets the name of a JSON file with all jobs as its last argument. See docs/scale.md.
    #[arg(long, value_name = "PROGRAM")]
    pub distributor: Option<PathBuf>,

    /// An argument of that program before the name of the file; can be repeated
    #[arg(long, value_name = "ARG", requires = "distributor", allow_hyphen_values = true)]
    pub distributor_arg: Vec<OsString>,

    /// Code for values that launches pass.
    #[command(flatten)]
    pub specialize: SpecializeArguments,
}

/// `offloadc job`.
#[derive(Args, Clone, Debug)]
pub struct JobArguments {
    /// The output of `--emit=slice`
    slice: PathBuf,
    /// The vendor's math library, if the slice was made with `--math=vendor`
    math_library: Option<PathBuf>,
    /// The arch
    #[arg(long, value_name = "ARCH")]
    offload_arch: String,
    /// The file with the image, for the build that wrote the slice
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Code for values that launches pass.
    #[command(flatten)]
    specialize: SpecializeArguments,
    /// NVIDIA's assembler
    #[arg(long, value_name = "PATH")]
    ptxas: Option<PathBuf>,
    /// LLVM's linker
    #[arg(long, value_name = "PATH")]
    lld: Option<PathBuf>,
    /// Print each step and the tools that run
    #[arg(short, long)]
    verbose: bool,
    /// The form of diagnostics on standard error
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    message_format: MessageFormat,
    /// Colour in diagnostics
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: ColorChoice,
}

impl JobArguments {
    /// The same as options of a compilation.
    pub fn options(&self) -> Options {
        let mut options = Options::try_parse_from(["offloadc"]).expect("every option has a default");
        let Self { slice, math_library, offload_arch, output, specialize, ptxas, lld, verbose, message_format, color } =
            self.clone();
        options.inputs = vec![slice];
        options.from = Some(Stage::Slice);
        options.offload_arch = vec![offload_arch];
        options.image_file = Some(output);
        options.distribution.specialize = specialize;
        options.target_options.math_library = math_library;
        (options.ptxas, options.lld, options.verbose) = (ptxas, lld, verbose);
        (options.message_format, options.color) = (message_format, color);
        // The program that asks for the job has its own cache.
        options.cache.no_cache = true;
        options
    }
}
