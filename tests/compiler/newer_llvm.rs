//! Input of a newer LLVM: bitcode and text of a newer rustc in this repository, so that no toolchain is needed. If
//! `scripts/toolchains` has installed that rustc, its LLVM is tested, too.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::{Outcome, run};

/// The folder of the input, and the rustc that has written it.
const FOLDER: &str = "tests/newer_llvm";
const RUSTC: &str = "1.99.1";

fn offloadc(input: &str, words: &[&str]) -> Outcome {
    let mut command = Command::new(harness::offloadc());
    command.current_dir(harness::root().join(FOLDER)).arg(input);
    run(command.args(["--kernel=scale", "--offload-arch=cpu,sm_80,gfx90a,spirv64"]).args(words))
}

/// The sysroot of that rustc.
fn sysroot() -> Option<PathBuf> {
    let folder = harness::root().join("target/toolchains/toolchains").join(format!("{RUSTC}-x86_64-unknown-linux-gnu"));
    if !folder.is_dir() {
        eprintln!("skipped: rustc {RUSTC} is not installed; see `make toolchains`");
    }
    folder.is_dir().then_some(folder)
}

#[test]
#[cfg_attr(feature = "llvm23", ignore = "LLVM 23 reads these files itself")]
fn text_needs_no_toolchain() {
    let folder = harness::scratch();
    let object = folder.path().join("kernel.o");
    offloadc("kernel.ll", &["-o", &object.display().to_string()]).success();
    let read = offloadc("kernel.ll", &["--emit=read=-"]).success().stdout();
    // 0.7 as an `f32`, and an infinity.
    for constant in ["0x3FE6666660000000", "0xFFF0000000000000"] {
        assert!(read.contains(constant), "{constant} is missing in\n{read}");
    }
    assert!(
        !read.contains("target_mem") && read.contains("memory(read, argmem: none, inaccessiblemem: none)"),
        "{read}"
    );
}

#[test]
#[cfg_attr(feature = "llvm23", ignore = "LLVM 23 reads these files itself")]
fn bitcode_without_the_newer_llvm_is_refused() {
    let folder = harness::scratch();
    let object = folder.path().join("kernel.o");
    let refused = offloadc("kernel.bc", &["--sysroot=.", "-o", &object.display().to_string()]);
    assert_eq!(refused.code(), 1, "{}", refused.report());
    let said = refused.stderr();
    assert!(said.contains("`kernel.bc` was written by LLVM 23.1.1 (rustc 1.99.1-stable)"), "{said}");
    assert!(said.contains("but there is no libLLVM in the sysroot `.`"), "{said}");
    assert!(!object.exists());
}

#[test]
#[cfg_attr(feature = "llvm23", ignore = "LLVM 23 reads these files itself")]
fn bitcode_means_what_its_text_means() {
    let Some(sysroot) = sysroot() else { return };
    let sysroot = format!("--sysroot={}", sysroot.display());
    let of_text = offloadc("kernel.ll", &["--emit=read=-"]).success();
    let of_bitcode = offloadc("kernel.bc", &[&sysroot, "--emit=read=-"]).success();
    // The first lines contain the module's name, and metadata has numbers in the order in which it is read.
    let functions = |outcome: &Outcome| {
        let text = outcome.stdout();
        let code = text.split_once("target triple").expect("a module has a triple").1;
        code.split("\n!").next().unwrap_or_default().to_owned()
    };
    assert_eq!(functions(&of_bitcode), functions(&of_text));
}

#[test]
fn a_damaged_module_ends_neither_process_by_a_signal() {
    let Some(sysroot) = sysroot() else { return };
    let whole = std::fs::read(harness::root().join(FOLDER).join("kernel.bc")).expect("the test's own file");
    let folder = harness::scratch();
    let damaged = folder.path().join("damaged.bc");
    for at in (600..whole.len()).step_by(whole.len() / 40) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        std::fs::write(&damaged, bytes).expect("the folder is ours");
        let outcome = compile(&damaged, &sysroot, folder.path());
        assert!([0, 1].contains(&outcome.code()), "byte {at}: {}", outcome.report());
    }
}

fn compile(input: &Path, sysroot: &Path, folder: &Path) -> Outcome {
    let mut command = Command::new(harness::offloadc());
    command.arg(input).arg("--sysroot").arg(sysroot).arg("-o").arg(folder.join("out.o"));
    run(command.args(["--kernel=scale", "--offload-arch=cpu"]))
}
