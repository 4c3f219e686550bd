//! The commands of `offloadc`.

use clap::Subcommand;

use super::cache_arguments::CacheCommand;
use super::distribution_arguments::JobArguments;
use super::finish_arguments::{FinishArguments, StripArguments};
use super::inspect_arguments::InspectArguments;
use super::plugin_arguments::PluginArguments;

/// The commands of `offloadc` other than compiling.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Print or remove what the cache contains
    Cache {
        /// The command.
        #[command(subcommand)]
        what: CacheCommand,
    },
    /// Make images for archs from the generic image in a program, object or file
    Finish(FinishArguments),
    /// Put images for more archs into a linked program or shared object that has a generic image
    Add(FinishArguments),
    /// Take images out of a linked program or shared object
    Strip(StripArguments),
    /// Compile a slice for one arch: a job of `--distributor`, or of a build system
    Job(JobArguments),
    /// The work of the linker plugin, which runs this command
    #[command(hide = true)]
    LinkerPlugin(PluginArguments),
    /// Print the images, kernels, parameters and sizes in an object or program
    Inspect(InspectArguments),
}
