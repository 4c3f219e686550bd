//! Compiles the files of the runtime that the targets `containers` and `panics` call.

fn main() {
    let runtime = "../runtime-c";
    println!("cargo:rerun-if-changed={runtime}");
    let prefix = std::env::var("LLVM_SYS_221_PREFIX").expect(".cargo/config.toml sets the variable");
    let mut build = cc::Build::new();
    build.compiler(format!("{prefix}/bin/clang")).include(runtime).flag("-std=c11").opt_level(1);
    build.flag("-fsanitize=fuzzer-no-link");
    if std::env::var("CARGO_CFG_SANITIZE").is_ok_and(|names| names.contains("address")) {
        build.flag("-fsanitize=address");
    }
    let sources = [("containers", "objects"), ("panics", "launch")]
        .into_iter()
        .flat_map(|(name, folder)| [format!("{name}.c"), format!("{runtime}/{folder}/{name}.c")]);
    for source in sources {
        println!("cargo:rerun-if-changed={source}");
        build.file(source);
    }
    build.compile("runtime");
}
