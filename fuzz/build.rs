//! Compiles the runtime's reader of containers, and what it calls, for the target `containers`.

fn main() {
    let runtime = "../runtime-c";
    println!("cargo:rerun-if-changed={runtime}");
    let prefix = std::env::var("LLVM_SYS_221_PREFIX").expect(".cargo/config.toml sets the variable");
    let mut build = cc::Build::new();
    build.compiler(format!("{prefix}/bin/clang")).include(runtime).flag("-std=c11").opt_level(1);
    build.flag("-fsanitize=fuzzer-no-link");
    build.file("containers.c").file(format!("{runtime}/containers.c")).compile("containers");
}
