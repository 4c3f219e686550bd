//! The operating system: output files, temporary folders, external tools, who may change a file, time, the tokens of
//! make's job server.

pub mod dumps;
pub mod identity;
pub mod installation;
pub mod output;
pub mod own_files;
pub mod reproducer;
pub mod scratch;
pub mod status_line;
pub mod time_trace;
pub mod tokens;
pub mod tool;
