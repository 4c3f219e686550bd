//! The options about single passes: remarks for users, and the others for those who work on offloadc itself.

use crate::diagnostics::Topic;
use clap::Args;

/// The options about single passes.
#[derive(Args, Clone, Debug)]
pub struct PassArguments {
    /// Say of each kernel how it is executed, and why not faster, with the line of the cause: all remarks, or those of
    /// these steps
    ///
    /// The object is the same. Lines need debug information in the input: `-Cdebuginfo=line-tables-only`. Remarks are
    /// printed as the diagnostics are, also as JSON. docs/performance.md shows how to use them.
    #[arg(long, value_name = "PASS,...", value_enum, num_args = 0..=1, require_equals = true, value_delimiter = ',')]
    pub remarks: Option<Vec<Topic>>,

    /// Run LLVM's verifier after every pass and every stage
    #[arg(long)]
    pub verify_each: bool,

    /// Print the module on standard error before these passes, as text IR
    #[arg(long, value_name = "PASS,...", value_delimiter = ',')]
    pub print_before: Vec<String>,

    /// Print the module on standard error after these passes, as text IR
    #[arg(long, value_name = "PASS,...", value_delimiter = ',')]
    pub print_after: Vec<String>,

    /// Skip all passes after the Nth that only make code better, and print which run: to find the pass that breaks a
    /// kernel
    ///
    /// Needs one arch. The passes are LLVM's of its pipelines, and some of offloadc's. Code generation is not numbered.
    #[arg(long, value_name = "N")]
    pub bisect_passes: Option<u64>,

    /// Run one pass alone on the input, and print the module
    #[arg(long, value_name = "PASS", hide = true)]
    pub run_pass: Option<String>,
}
