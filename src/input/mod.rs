//! What is read before LLVM reads it: files by kind, archives, bitcode's frame, libraries with bodies.

pub mod archive;
pub mod bitcode;
pub mod bodies;
pub mod file;
pub mod newer_llvm;
pub mod sysroot;
