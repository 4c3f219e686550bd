//! Links LLVM's shared library, whose disassembler decodes instructions.

use std::process::Command;

/// The variable with LLVM's prefix, which offloadc's own build has too.
const PREFIX: &str = "LLVM_SYS_221_PREFIX";

fn main() {
    println!("cargo:rerun-if-env-changed={PREFIX}");
    let prefix = std::env::var(PREFIX).expect(".cargo/config.toml sets the variable");
    let tool = format!("{prefix}/bin/llvm-config");
    let answer = Command::new(&tool).arg("--libdir").output();
    let answer = answer.unwrap_or_else(|error| panic!("cannot run {tool}: {error}; run `make deps`"));
    let folder = String::from_utf8_lossy(&answer.stdout).trim().to_owned();
    println!("cargo:rustc-link-search=native={folder}");
    println!("cargo:rustc-link-lib=dylib=LLVM-22");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    // The name that programs ask for.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libamdhip64.so");
}
