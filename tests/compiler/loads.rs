//! The check of `build.rs` for LLVM's fault #208611: the code of our LLVM passes it, and that of an LLVM with the
//! fault, which rustc 1.95 contains, does not.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use harness::{llvm_tool, run, scratch};

fn check(name: &str) -> PathBuf {
    harness::root().join("src/llvm/checks").join(name)
}

/// Links an object with the program that calls it, and runs that.
fn ran(object: &Path) -> ExitStatus {
    let program = object.with_extension("");
    run(Command::new("cc").arg(check("loads.c")).arg(object).arg("-o").arg(&program)).success();
    run(&mut Command::new(program)).status
}

#[test]
fn our_llvm_reads_nothing_outside() {
    let folder = scratch();
    let object = folder.path().join("ours.o");
    let mut compiler = Command::new(llvm_tool("llc"));
    compiler.args(["-O2", "-filetype=obj", "-relocation-model=pic"]).arg(check("loads.ll")).arg("-o").arg(&object);
    run(&mut compiler).success();
    assert!(ran(&object).success());
}

#[test]
fn an_llvm_with_the_fault_is_found() {
    let rustc = harness::root().join("target/toolchains/toolchains/1.95.0-x86_64-unknown-linux-gnu");
    let library = rustc.join("lib/libLLVM.so.22.1-rust-1.95.0-stable");
    if !library.is_file() {
        return eprintln!("skipped: rustc 1.95.0 is not installed; see `make toolchains`");
    }
    let folder = scratch();
    let (bitcode, object) = (folder.path().join("loads.bc"), folder.path().join("theirs.o"));
    run(Command::new(llvm_tool("llvm-as")).arg(check("loads.ll")).arg("-o").arg(&bitcode)).success();
    let mut compiler = Command::new(harness::program_folder().join("offloadc-dis"));
    let (seconds, bytes) = ("100", (1u64 << 40).to_string());
    compiler.arg(library).args([seconds, &bytes, "default<O2>", "x86-64", "2", "-misched-limit=100"]);
    let input = std::fs::File::open(&bitcode).expect("it was written");
    let output = compiler.stdin(input).stderr(Stdio::inherit()).output().expect("the program is there");
    assert!(output.status.success(), "{compiler:?}");
    let end = output.stdout.iter().position(|byte| *byte == b'\n').expect("the first line is the version");
    std::fs::write(&object, &output.stdout[end + 1..]).expect("the folder is ours");
    assert!(!ran(&object).success());
}
