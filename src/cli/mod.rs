//! The command line and its answers: options, response files, `--version`, the dependency file.

pub mod bundle_arguments;
pub mod cache_arguments;
pub mod command;
pub mod command_line_end;
pub mod depfile;
pub mod device_code_arguments;
pub mod distribution_arguments;
pub mod finish_arguments;
pub mod host_arguments;
pub mod inspect_arguments;
pub mod options;
pub mod pass_arguments;
pub mod plugin_arguments;
pub mod response_file;
pub mod specialize_arguments;
mod values;
pub mod version;
