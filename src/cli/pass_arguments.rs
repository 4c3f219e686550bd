//! The options about single passes, for those who work on offloadc itself.

use clap::Args;

/// What is done around passes.
#[derive(Args, Clone, Debug)]
pub struct PassArguments {
    /// Run LLVM's verifier after every pass and every stage
    #[arg(long)]
    pub verify_each: bool,

    /// Print the module on standard error before these passes, as text IR
    #[arg(long, value_name = "PASS,...", value_delimiter = ',')]
    pub print_before: Vec<String>,

    /// Print the module on standard error after these passes, as text IR
    #[arg(long, value_name = "PASS,...", value_delimiter = ',')]
    pub print_after: Vec<String>,

    /// Run one pass alone on the input, and print the module
    #[arg(long, value_name = "PASS", hide = true)]
    pub run_pass: Option<String>,
}
