//! The emulated AMD GPU of the archive: the functions of the crate, linked with LLVM's disassembler.

extern crate amdhip64;
