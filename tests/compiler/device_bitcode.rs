//! `--device-bitcode`: a kernel in Rust calls a function in C, which clang has compiled for each device.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::program::{self, RECOMMENDED};
use harness::{emulators, llvm_tool, run, scratch};

/// The archs, and clang's options for each.
const ARCHS: [(&str, &[&str]); 4] = [
    ("cpu", &["--target=x86_64-unknown-linux-gnu"]),
    ("sm_80", &["--target=nvptx64-nvidia-cuda", "-nogpulib"]),
    ("gfx90a", &["--target=amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-nogpulib"]),
    ("spirv64", &["--target=spirv64"]),
];

/// The bitcode of the function for an arch.
fn bitcode(arch: &str, options: &[&str], folder: &Path) -> PathBuf {
    let output = folder.join(format!("{arch}.bc"));
    let mut clang = Command::new(llvm_tool("clang"));
    clang.args(options).args(["-O2", "-Wall", "-Werror", "-emit-llvm", "-c"]);
    run(clang.arg(harness::root().join("tests/device_bitcode/scale.c")).arg("-o").arg(&output)).success();
    output
}

#[test]
fn a_function_in_c_runs_on_each_device() {
    let folder = scratch();
    let program = program::bitcode("tests/device_bitcode/app.rs", RECOMMENDED, folder.path());
    let (object, linked) = (folder.path().join("app.o"), folder.path().join("app"));
    let files = ARCHS.map(|(arch, options)| {
        let file = bitcode(arch, options, folder.path());
        format!("--device-bitcode={arch}={}", file.display())
    });
    let archs = format!("--offload-arch={}", ARCHS.map(|(arch, _)| arch).join(","));
    let mut options = vec![&archs[..]];
    options.extend(files.iter().map(String::as_str));
    program::compile(&program, &object, &options).success();
    program::link_rust(&object, "offloadrt", &linked);
    let expected = "41 of 41 elements\n";
    assert_eq!(run(&mut Command::new(&linked)).success().stdout(), expected);
    for emulated in emulators::all().filter(|emulated| ARCHS.iter().any(|(arch, _)| *arch == emulated.arch)) {
        let outcome = run(emulators::choose(&mut Command::new(&linked), emulated)).success();
        assert_eq!(outcome.stdout(), expected, "{emulated:?}");
    }
}
