//! Cargo accepts `links` only in a package with a build script.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
