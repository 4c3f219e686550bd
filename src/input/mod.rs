//! Reads inputs before LLVM does: kinds of files, archives, the structure of bitcode, libraries with bodies.

pub mod archive;
pub mod bitcode;
pub mod bodies;
pub mod file;
pub(crate) mod library_folders;
pub mod newer_llvm;
pub mod recompile;
pub mod recorded_command;
pub mod sysroot;
