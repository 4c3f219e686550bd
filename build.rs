//! Compiles the C++ file that holds what LLVM's C API lacks.
use std::path::PathBuf;
use std::process::Command;

fn llvm_config(prefix: &str, question: &str) -> String {
    let tool = PathBuf::from(prefix).join("bin/llvm-config");
    let answer = Command::new(&tool)
        .arg(question)
        .output()
        .unwrap_or_else(|e| panic!("cannot run {}: {e}; run `make deps`", tool.display()));
    String::from_utf8_lossy(&answer.stdout).trim().to_owned()
}

fn main() {
    println!("cargo:rerun-if-changed=src/llvm/shim.cpp");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let prefix = std::env::var("LLVM_SYS_221_PREFIX").expect(".cargo/config.toml sets LLVM's prefix");
    println!("cargo:rustc-env=OFFLOADC_LLVM_PREFIX={prefix}");
    println!("cargo:rustc-env=OFFLOADC_LLVM_VERSION={}", llvm_config(&prefix, "--version"));
    let mut shim = cc::Build::new();
    let _ = shim
        .cpp(true)
        .std("c++17")
        .flag("-fno-exceptions")
        .flag("-fno-rtti")
        .flag("-isystem")
        .flag(llvm_config(&prefix, "--includedir"))
        .opt_level(2)
        .debug(false)
        .file("src/llvm/shim.cpp");
    shim.compile("offloadc_shim");
}
