//! The operating system: output files, temporary folders, external tools, time.

pub mod dumps;
pub mod output;
pub mod scratch;
pub mod time_trace;
pub mod tool;
