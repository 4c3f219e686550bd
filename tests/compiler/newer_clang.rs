//! Files of clang 23, which spells AMD's triples in a new way: text and bitcode of a C function for devices, and
//! containers with a code object. `scripts/llvm23 fixtures` has made them.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::program::{self, RECOMMENDED};
use harness::{emulators, run, scratch};

/// The files with the function, in text.
const FILES: [(&str, &str); 3] =
    [("sm_80", "scale.nvptx64.ll"), ("gfx90a", "scale.amdgpu.ll"), ("spirv64", "scale.spirv64.ll")];

fn fixture(name: &str) -> PathBuf {
    harness::root().join("tests/newer_llvm/clang").join(name)
}

/// Compiles the program that calls the function, for `archs`.
fn compile(archs: &str, files: &[String], more: &[&str], folder: &Path) -> harness::Outcome {
    let program = program::bitcode("tests/device_bitcode/app.rs", RECOMMENDED, folder);
    let archs = format!("--offload-arch={archs}");
    let options: Vec<_> =
        [&archs[..]].into_iter().chain(files.iter().map(String::as_str)).chain(more.iter().copied()).collect();
    program::compile(&program, &folder.join("app.o"), &options)
}

fn named(arch: &str, file: &Path) -> String {
    format!("--device-bitcode={arch}={}", file.display())
}

/// Runs the program on the emulated GPUs for which it has images.
fn right_on(archs: &[&str], folder: &Path) {
    program::link_rust(&folder.join("app.o"), "offloadrt", &folder.join("app"));
    for emulated in emulators::all().filter(|emulated| archs.contains(&emulated.arch)) {
        let ran = run(emulators::choose(&mut Command::new(folder.join("app")), emulated)).success();
        assert_eq!(ran.stdout(), "41 of 41 elements\n", "{emulated:?}");
    }
}

#[test]
fn text_of_each_target_is_device_code() {
    let folder = scratch();
    let files = FILES.map(|(arch, file)| named(arch, &fixture(file)));
    compile("sm_80,gfx90a,spirv64", &files, &[], folder.path()).success();
    right_on(&["sm_80", "gfx90a"], folder.path());
}

#[test]
fn the_processor_in_a_triple_decides_which_archs_can_use_the_file() {
    let folder = scratch();
    let text = std::fs::read_to_string(fixture("scale.amdgpu.ll")).expect("the file is there");
    let file = folder.path().join("scale.ll");
    let compile_as = |architecture: &str, arch: &str| {
        std::fs::write(&file, text.replace("amdgpu9.0a-", &format!("{architecture}-"))).expect("the folder is ours");
        compile(arch, &[named(arch, &file)], &["--host-opt-level=0"], folder.path())
    };
    for (architecture, arch) in [
        ("amdgcn", "gfx906"),
        ("amdgpu", "gfx906"),
        ("amdgpu9.06", "gfx906"),
        ("amdgpu9", "gfx906"),
        ("amdgpu9", "gfx9-generic"),
    ] {
        compile_as(architecture, arch).success();
    }
    for (architecture, arch) in
        [("amdgpu9.0a", "gfx906"), ("amdgpu9", "gfx90a"), ("amdgpu11", "gfx906"), ("r600", "gfx906")]
    {
        let refused = compile_as(architecture, arch);
        let said = format!("is compiled for `{architecture}-amd-amdhsa`, and `{arch}` needs `amdgcn-amd-amdhsa`");
        assert!(refused.code() == 1 && refused.stderr().contains(&said), "{}", refused.report());
    }
}

/// If `scripts/toolchains` has installed a rustc with that LLVM.
#[test]
fn bitcode_is_converted() {
    let sysroot = harness::root().join("target/toolchains/toolchains/1.99.1-x86_64-unknown-linux-gnu/lib");
    let libraries = std::fs::read_dir(&sysroot).into_iter().flatten().flatten().map(|entry| entry.path());
    let of_rustc = |path: &PathBuf| path.to_string_lossy().contains("libLLVM.so.23");
    let Some(library) = libraries.into_iter().find(of_rustc) else {
        return eprintln!("skipped: rustc 1.99.1 is not installed; see `make toolchains`");
    };
    let folder = scratch();
    let library = format!("--rustc-llvm={}", library.display());
    compile("gfx90a", &[named("gfx90a", &fixture("scale.amdgpu.bc"))], &[&library], folder.path()).success();
    right_on(&["gfx90a"], folder.path());
}

#[test]
fn containers_name_the_processor_in_the_triple() {
    for file in ["named.hipfb", "triple.hipfb", "triple.offload"] {
        let shown = run(Command::new(harness::offloadc()).arg("inspect").arg(fixture(file))).success().stdout();
        let row = shown.lines().find(|line| line.starts_with("  gfx90a")).unwrap_or_else(|| panic!("{file}:\n{shown}"));
        // `llvm-offload-binary` does not print the kind of an image.
        let kind = if file == "triple.offload" { "none" } else { "object" };
        assert!(row.contains("amdgpu9.0a-amd-amdhsa") && row.contains(kind), "{file}:\n{shown}");
        // One container of version 2 has both images.
        assert!(shown.contains(if file == "triple.offload" { "2 images" } else { "1 image" }), "{file}:\n{shown}");
        // The registers of the kernel.
        assert!(shown.contains("scale"), "{file}:\n{shown}");
    }
}
