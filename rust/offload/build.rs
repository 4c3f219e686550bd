//! Compiles the runtime for GPUs, if the feature `devices` asks for it, finds the version of rustc, and says whether
//! the crate becomes bitcode for a linker, which then adds the runtime. Cargo also accepts `links` only in a package
//! with a build script.
//!
//! There is no crate for this: the files need only a compiler and `ar`, and no option that depends on the machine.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable in which cargo finds a program that runs rustc. `cargo offloadc` always sets it to its own program. Its
/// linker adds the runtime.
const WRAPPER: &str = "RUSTC_WRAPPER";

/// Whether `cargo offloadc` builds the crate.
fn is_offloadc() -> bool {
    env::var_os(WRAPPER).is_some_and(|path| Path::new(&path).file_stem().is_some_and(|name| name == "offloadc-rustc"))
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(offload_bake, offload_devices, offload_linker_plugin)");
    println!("cargo::rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    let is_bitcode = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().contains("linker-plugin-lto");
    if is_bitcode {
        println!("cargo::rustc-cfg=offload_linker_plugin");
    }
    println!("cargo::rustc-env=OFFLOAD_RUSTC={}", rustc());
    println!("cargo::rerun-if-env-changed={WRAPPER}");
    if env::var_os("CARGO_FEATURE_DEVICES").is_some() && !is_offloadc() && !is_bitcode {
        compile_runtime(Path::new("runtime-c"));
        println!("cargo::rustc-cfg=offload_devices");
    }
}

/// The version of rustc with its commit.
fn rustc() -> String {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    output(Command::new(rustc).arg("-V")).trim().to_owned()
}

/// The standard output of a command that must succeed.
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| {
        panic!("cannot run {command:?}, which the feature `devices` of `offload-kernels` needs: {error}")
    });
    assert!(output.status.success(), "{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn compile_runtime(source: &Path) {
    println!("cargo::rerun-if-changed={}", source.display());
    println!("cargo::rerun-if-env-changed=CC");
    println!("cargo::rerun-if-env-changed=AR");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let renames: Vec<String> =
        functions(source).iter().map(|name| format!("-D{name}=offload_devices_{name}")).collect();
    let mut objects = Vec::new();
    for file in files(source) {
        let object = out.join(format!("{}.o", file.to_string_lossy().replace(['/', '.'], "_")));
        let mut command = Command::new(&compiler);
        command.args(["-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-fstack-clash-protection", "-pthread", "-c"]);
        // The package has no source of zstd, and `cargo offloadc bake` compresses nothing.
        command.arg("-DOFFLOADRT_WITHOUT_ZSTD");
        // The crate has functions with the public names.
        if file.ends_with("forward.c") {
            command.args(&renames);
        }
        output(command.arg(&file).arg("-o").arg(&object));
        objects.push(object);
    }
    let archive = out.join("liboffload_devices.a");
    let _ = std::fs::remove_file(&archive);
    output(Command::new(env::var_os("AR").unwrap_or_else(|| "ar".into())).arg("rcsD").arg(&archive).args(&objects));
    println!("cargo::rustc-link-search=native={}", out.display());
    println!("cargo::rustc-link-lib=static=offload_devices");
}

/// The files of the runtime, without the drivers of other libraries.
fn files(source: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in ["", "check", "drivers", "finish", "launch", "objects", "trace"].map(|name| source.join(name)) {
        let entries = folder.read_dir().unwrap_or_else(|error| panic!("cannot read `{}`: {error}", folder.display()));
        let other = |path: &Path| path.ends_with("drivers/omptarget.c") || path.ends_with("drivers/liboffload.c");
        let ours = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "c") && !other(path);
        files.extend(entries.flatten().map(|entry| entry.path()).filter(ours));
    }
    files.sort();
    files
}

/// The public functions: the names that `own.h` replaces.
fn functions(source: &Path) -> Vec<String> {
    let names = std::fs::read_to_string(source.join("own.h")).expect("it is part of the package");
    let rename = |line: &str| Some(line.strip_prefix("#define ")?.split_once(" offloadrt_own_")?.0.to_owned());
    names.lines().filter_map(rename).collect()
}
