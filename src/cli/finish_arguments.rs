//! The command lines of `offloadc finish` and `offloadc add`: options of a compilation, for an image that is compiled
//! in part already. And that of `offloadc strip`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::command_line_end::CommandLineEnd;
use super::options::{Emit, MessageFormat, Options};
use crate::diagnostics::ColorChoice;
use crate::stage::Stage;

/// The words of a command line.
#[derive(Args, Clone, Debug)]
pub struct FinishArguments {
    /// The file, and options of a compilation: `--offload-arch`, `-o`, `--emit`, `-O`, `--ptxas`, …
    ///
    /// Options that are not given are those of the build that wrote the generic image. `offloadc --help` explains them.
    #[arg(value_name = "FILE|OPTION", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

impl FinishArguments {
    /// The options of the command line, after those of the build.
    pub fn options(&self, of_build: &[String]) -> Result<Options, CommandLineEnd> {
        let build = ["offloadc".to_owned()].into_iter().chain(of_build.iter().cloned()).map(OsString::from);
        let mut options = Options::parse_from_arguments(build.chain(self.words.iter().cloned()).collect())?;
        if options.emit.is_empty() {
            options.emit.push(Emit { stage: Stage::Image, path: None });
        }
        if options.ptxas.is_none() && !of_build.is_empty() {
            let own = Options::parse_from_arguments([&["offloadc".into()], &self.words[..]].concat())?;
            options.target_options.take_images_of(&own.target_options);
        }
        options.finishes = true;
        Ok(options)
    }

    /// The options of `offloadc add`, whose images are in no separate file.
    pub fn options_of_add(&self, of_build: &[String]) -> Result<Options, CommandLineEnd> {
        let options = self.options(of_build)?;
        Ok(Options { emit: vec![Emit { stage: Stage::Bundle, path: None }], output: None, ..options })
    }
}

/// The arguments of `offloadc strip`.
#[derive(Args, Clone, Debug)]
pub struct StripArguments {
    /// The program or shared object
    pub file: PathBuf,
    /// The archs whose images stay: `sm_80,generic`; none, to take all out
    ///
    /// The code for the CPU is a part of the program, and always stays.
    #[arg(long, value_name = "LIST", value_delimiter = ',', num_args = 0..)]
    pub keep: Vec<String>,
    /// Take out the pages of images that the linker has placed between other data
    ///
    /// Without this option they are filled with zeros. The addresses of what is loaded stay in both cases. The table of
    /// segments moves, so GNU's `strip` and `objcopy` must not change the file after this: use them before, or use
    /// LLVM's.
    #[arg(long)]
    pub compact: bool,
    /// The file with the result [default: the file itself]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The form of diagnostics on standard error
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    pub message_format: MessageFormat,
    /// Colour in diagnostics
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub color: ColorChoice,
}
