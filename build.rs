//! Compiles the C++ files that hold what LLVM's C API lacks, and the scheduler that travels in x86 images.
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
    for file in ["shim.cpp", "retype.cpp", "expand.cpp", "link.cpp"] {
        println!("cargo:rerun-if-changed=src/llvm/{file}");
    }
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
        .file("src/llvm/shim.cpp")
        .file("src/llvm/retype.cpp")
        .file("src/llvm/expand.cpp")
        .file("src/llvm/link.cpp");
    shim.compile("offloadc_shim");
    compile_scheduler();
}

/// Puts `cpu_scheduler.o` into the output folder; `src/targets/cpu/omptarget.rs` includes it.
fn compile_scheduler() {
    for file in ["drivers/cpu_scheduler.c", "drivers/cpu_scheduler.h", "offloadrt.h"] {
        println!("cargo:rerun-if-changed=runtime-c/{file}");
    }
    let mut scheduler = cc::Build::new();
    let _ = scheduler
        .std("c11")
        .pic(true)
        .opt_level(2)
        .debug(false)
        .flag("-pthread")
        .flag("-fvisibility=hidden")
        .file("runtime-c/drivers/cpu_scheduler.c");
    let objects = scheduler.compile_intermediates();
    let to = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets it")).join("cpu_scheduler.o");
    std::fs::copy(&objects[0], to).expect("the output folder can be written");
}
