//! Links that must fail, and leave no program.

use std::path::Path;
use std::process::Command;

use harness::{Outcome, cargo, run, run_within};

use super::{linkers, plugin, rustc_for_program, with_offloadc};

/// lld, which ignores `-plugin`.
fn lld() -> [String; 2] {
    [format!("-B{}", harness::llvm_bin().display()), "-fuse-ld=lld".to_owned()]
}

/// A link that fails, and whose program does not exist.
fn refused(command: &mut Command, program: &Path) -> Outcome {
    let outcome = run(command);
    assert!(outcome.code() != 0 && !program.exists(), "{}", outcome.report());
    outcome
}

#[test]
fn lld_makes_no_program_of_the_contract() {
    let folder = harness::scratch();
    let program = folder.path().join("program");
    for (option, reason) in [
        (Some("-Clink-arg=-Wl,-plugin-opt=offload-arch=cpu"), "unknown plugin option 'offload-arch=cpu'"),
        (None, "undefined symbol: __offload_kernel"),
    ] {
        let mut command = rustc_for_program(folder.path());
        command.arg(format!("-Clinker-plugin-lto={}", plugin())).args(option);
        command.args(lld().map(|word| format!("-Clink-arg={word}")));
        let outcome = refused(&mut command, &program);
        assert!(outcome.stderr().contains(reason), "{}", outcome.report());
    }
}

/// cargo for a program with the crate `offload`.
fn cargo_with(flags: &[&str], folder: &Path) -> Outcome {
    let mut command = cargo::cargo(&harness::root().join("tests/linker_plugin/app"));
    command.args(["rustc", "--locked", "--target", "x86_64-unknown-linux-gnu", "--"]).args(flags);
    command.env("RUSTFLAGS", format!("-Clinker-features=-lld -Clinker-plugin-lto={}", plugin()));
    command.env("CARGO_TARGET_DIR", folder).env("OFFLOADC_RUNTIME_DIR", harness::runtime_dir());
    run_within(&mut command, std::time::Duration::from_secs(300))
}

/// The crate has stand-ins for the contract, so that programs link without offloadc.
#[test]
fn lld_makes_no_program_with_the_crate() {
    let of_crate = std::fs::read_to_string(harness::root().join("rust/offload/src/contract.rs"));
    assert!(of_crate.expect("the crate is here").contains(offloadc::contract::builtin::BITCODE_FOR_LINKER));
    let folder = harness::scratch();
    let program = folder.path().join("x86_64-unknown-linux-gnu/debug/app");
    let [folder_of_lld, lld] = lld().map(|word| format!("-Clink-arg={word}"));
    let option = "-Clink-arg=-Wl,-plugin-opt=offload-arch=cpu,-plugin-opt=offload-arch=sm_80";
    for (flags, reason) in [
        (&[][..], "undefined symbol: kernels of this program: the linker has not run offloadc"),
        (&[option], "unknown plugin option 'offload-arch=cpu'"),
    ] {
        let outcome = cargo_with(&[&[&*folder_of_lld, &*lld], flags].concat(), folder.path());
        assert!(outcome.code() != 0 && !program.exists(), "{}", outcome.report());
        assert!(outcome.stderr().contains(reason), "{}", outcome.report());
    }
    // Some linkers refuse two definitions of a name, and others take one of them.
    for linker in linkers(folder.path()) {
        let words: Vec<String> = linker.words.iter().map(|word| format!("-Clink-arg={word}")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).chain([option]).collect();
        let _ = cargo_with(&words, folder.path()).success();
        let outcome = run(&mut with_offloadc(Command::new(&program))).success();
        assert_eq!(outcome.stdout(), "[2.0, 4.0, 6.0]\n", "{}", linker.name);
        let images = super::inspect(&program);
        assert!(images.contains("app::double") && images.contains("sm_80"), "{}: {images}", linker.name);
        std::fs::remove_file(&program).expect("it has just run");
    }
}

/// Links `refused.o` with each linker and these words.
fn refused_by_each(words: &[&str], folder: &Path) -> Vec<(&'static str, String)> {
    let program = folder.join("program");
    let link = |linker: &super::Linker| {
        let mut command = with_offloadc(Command::new("cc"));
        command.args(&linker.words).arg(format!("-Wl,-plugin,{}", plugin())).args(words);
        command.arg(folder.join("refused.o")).arg("-o").arg(&program);
        let outcome = refused(&mut command, &program);
        (linker.name, [outcome.stderr(), outcome.stdout()].concat())
    };
    linkers(folder).iter().map(link).collect()
}

#[test]
fn errors_of_kernels_and_of_options_end_the_link() {
    let folder = harness::scratch();
    let text = "target triple = \"x86_64-unknown-linux-gnu\"
        declare ptr @__offload_kernel(ptr)
        declare void @nobody()
        define internal void @lost() {
          call void @nobody()
          ret void
        }
        define i32 @main() {
          %handle = call ptr @__offload_kernel(ptr @lost)
          ret i32 0
        }";
    let source = folder.path().join("refused.ll");
    std::fs::write(&source, text).expect("the folder is ours");
    let object = folder.path().join("refused.o");
    run(Command::new(harness::llvm_tool("llvm-as")).arg(&source).arg("-o").arg(&object)).success();
    for (linker, said) in refused_by_each(&["-Wl,-plugin-opt=offload-arch=cpu"], folder.path()) {
        assert_eq!(said.matches("error[OFC0008]").count(), 1, "{linker}: {said}");
        assert!(said.contains("offloadc has found the error above, and nothing is linked"), "{linker}: {said}");
    }
    for (linker, said) in refused_by_each(&[], folder.path()) {
        assert!(said.contains("needs an option such as `-plugin-opt=offload-arch=cpu`"), "{linker}: {said}");
    }
    let wrong = ["-Wl,-plugin-opt=offload-arch=cpu,-plugin-opt=offload-nothing=1"];
    for (linker, said) in refused_by_each(&wrong, folder.path()) {
        assert!(said.contains("--offload-nothing"), "{linker}: {said}");
    }
}
