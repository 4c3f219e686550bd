//! An emulated AMD GPU: `libamdhip64.so` with HIP's module interface, which loads code objects as ROCm does and
//! executes their machine code. It does not depend on their compiler: the instructions follow AMD's public ISA
//! documents ("RDNA3", "AMD Instinct MI200"), and everything else follows LLVM's "User Guide for AMDGPU Backend".
//!
//! `api/` has HIP's functions, `object/` code objects, `dispatch/` launches, `vector/`, `scalar/` and `memory/` the
//! instructions, found by their mnemonic in `table.rs`.

#![allow(non_snake_case, reason = "functions have the names of HIP")]

pub mod api;
mod disassembler;
mod dispatch;
mod environment;
mod generation;
mod instruction;
mod memory;
mod mode;
mod object;
mod operand;
mod parse;
mod registers;
mod scalar;
mod table;
mod text;
mod touch;
mod vector;
mod wave;
mod wrong;

/// Adds the mnemonics of a code object that are not emulated to `all`, with the number of their uses.
pub fn lacking(file: &[u8], processor: &str, all: &mut std::collections::BTreeMap<String, usize>) {
    object::lacking::lacking(file, processor, all);
}
