//! The arguments of `offloadc linker-plugin`, which only the linker plugin runs.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// `offloadc linker-plugin`.
#[derive(Args, Clone, Debug)]
pub struct PluginArguments {
    /// The version of the plugin's messages
    pub protocol: u32,
    /// The linker's output
    pub output: PathBuf,
    /// The linker's number for the kind of its output; 0 is an object
    pub output_kind: u32,
    /// 1 if modules must define all names of added objects that machine code uses
    pub must_define: u32,
    /// What follows `-plugin-opt=` on the linker's command line
    #[arg(last = true)]
    pub options: Vec<OsString>,
}
