//! `--device-bitcode` and `--load-pass-plugin` in a build by cargo: a kernel calls a function in C, whose file for the
//! host is made by the package's build script.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use harness::{cargo, emulators, llvm_tool, run, run_within, scratch};

const SUM: &str = "[1.5, 4.5, 9.5, 16.5, 5.5]\n";

/// The bitcode of the function for a device.
fn bitcode(options: &[&str], output: &Path) -> String {
    let mut clang = Command::new(llvm_tool("clang"));
    clang.args(options).args(["-O2", "-emit-llvm", "-c"]).arg(harness::root().join("tests/device_bitcode/scale.c"));
    run(clang.arg("-o").arg(output)).success();
    output.display().to_string()
}

fn build(options: &[String], target: &Path) -> PathBuf {
    let mut command = cargo::cargo(&harness::root().join("tests/device_bitcode/cargo"));
    command.args(["offloadc", "build", "--offload-arch=cpu,sm_80", "--target-dir"]).arg(target).args(options);
    let _ = run_within(&mut command, Duration::from_secs(300)).success();
    target.join("x86_64-unknown-linux-gnu/debug/scale")
}

#[test]
fn cargo_builds_a_kernel_that_calls_c() {
    let (folder, target) = (scratch(), cargo::offloadc_target());
    let cpu = bitcode(&[], &folder.path().join("cpu.bc"));
    let nvidia = bitcode(&["--target=nvptx64-nvidia-cuda", "-nogpulib"], &folder.path().join("nvidia.bc"));
    let options =
        [format!("--offloadc=--device-bitcode=cpu={cpu}"), format!("--offloadc=--device-bitcode=sm_80={nvidia}")];
    let program = build(&options, &target);
    assert_eq!(run(&mut Command::new(&program)).success().stdout(), SUM);
    for emulated in emulators::all().filter(|emulated| emulated.arch == "sm_80") {
        let outcome = run(emulators::choose(&mut Command::new(&program), emulated)).success();
        assert_eq!(outcome.stdout(), SUM);
    }
    // A file that has changed is linked again.
    let other = "--target=x86_64-unknown-linux-gnu";
    let _same_path = bitcode(&[other, "-Dscaled=renamed"], &folder.path().join("cpu.bc"));
    let mut command = cargo::cargo(&harness::root().join("tests/device_bitcode/cargo"));
    command.args(["offloadc", "build", "--offload-arch=cpu,sm_80", "--target-dir"]).arg(&target).args(&options);
    let outcome = run_within(&mut command, Duration::from_secs(300));
    let said = outcome.stderr();
    assert!(outcome.code() != 0 && said.contains("kernel `scale::scale` reaches `scaled`"), "{said}");
}
