//! The operating system: files written, folders for temporary files, external tools, time.

pub mod output;
pub mod scratch;
pub mod time_trace;
pub mod tool;
