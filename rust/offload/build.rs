//! Says whether the crate becomes bitcode for a linker. Cargo also accepts `links` only in a package with a build
//! script.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    println!("cargo::rustc-check-cfg=cfg(offload_linker_plugin)");
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    if flags.contains("linker-plugin-lto") {
        println!("cargo::rustc-cfg=offload_linker_plugin");
    }
}
