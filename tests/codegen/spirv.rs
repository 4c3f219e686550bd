//! SPIR-V modules: Khronos' validator accepts them, they have only the capabilities that a kernel needs, and constructs
//! that SPIR-V lacks are refused.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::gpu::{Setup, in_order, kernel};
use harness::program::{self, FLAG_SETS, RECOMMENDED};
use harness::run;
use offloadc::bundle::ImageKind;
use offloadc::contract::kernel::ParameterKind::{Pointer, Value};
use offloadc::llvm::OptLevel;

/// All sources of kernels, with the options that they need.
const PROGRAMS: [(&str, &str); 16] = [
    ("examples/contract/saxpy.rs", ""),
    ("examples/contract/histogram.rs", ""),
    ("examples/contract/matmul.rs", ""),
    ("examples/contract/reduction.rs", ""),
    ("examples/contract/mandelbrot.rs", ""),
    ("tests/run/barriers.rs", ""),
    ("tests/run/closure.rs", ""),
    ("tests/run/glob.rs", "--kernel=glob_*"),
    ("tests/run/grid.rs", ""),
    ("tests/run/large.rs", ""),
    ("tests/run/section.rs", ""),
    ("tests/run/slice.rs", ""),
    ("tests/run/threaded.rs", ""),
    ("tests/run/twins.rs", ""),
    ("tests/run/unswitched.rs", ""),
    ("tests/run/vector.rs", ""),
];

/// Numbers in SPIR-V's specification.
const OP_CAPABILITY: u32 = 17;
const GENERIC_POINTER: u32 = 38;
const FLOAT16: u32 = 9;
const INT64_ATOMICS: u32 = 12;

/// The words of a module.
fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    bytes.chunks_exact(4).map(word).collect()
}

/// The numbers of the capabilities a module declares.
fn capabilities(bytes: &[u8]) -> BTreeSet<u32> {
    let words = words(bytes);
    let mut found = BTreeSet::new();
    let mut at = 5;
    while at < words.len() {
        if words[at] & 0xffff == OP_CAPABILITY {
            found.insert(words[at + 1]);
        }
        at += (words[at] >> 16).max(1) as usize;
    }
    found
}

/// Validates for OpenCL 2.2, or for SPIR-V only if a module needs an optional feature of OpenCL.
#[track_caller]
fn validate(what: &str, bytes: &[u8], folder: &Path) {
    let (words, capabilities) = (words(bytes), capabilities(bytes));
    let environment = match words[1] {
        0x0001_0200 if capabilities.contains(&FLOAT16) || capabilities.contains(&INT64_ATOMICS) => "spv1.2",
        0x0001_0200 => "opencl2.2",
        0x0001_0300 => "spv1.3",
        version => panic!("{what}: version {version:#x}"),
    };
    let file = folder.join("module.spv");
    std::fs::write(&file, bytes).expect("the folder can be written");
    let outcome = run(Command::new("spirv-val").args(["--target-env", environment]).arg(&file));
    assert!(outcome.code() == 0, "{what}: {}", outcome.report());
}

/// Every program with every set of flags is valid SPIR-V or refused. With the recommended flags, programs are refused
/// only for their barriers.
#[test]
fn the_validator_takes_every_program() {
    let folder = harness::scratch();
    for (source, option) in PROGRAMS {
        for set in FLAG_SETS {
            let bitcode = program::bitcode(source, set, folder.path());
            let output = folder.path().join("out.spv");
            let emit = format!("--emit=image={}", output.display());
            let mut options = vec!["--offload-arch=spirv64", &emit];
            options.extend(Some(option).filter(|o| !o.is_empty()));
            let outcome = run(Command::new(harness::offloadc()).arg(&bitcode).args(&options));
            let what = format!("{source} at {}", set.name);
            if outcome.code() == 1 && outcome.stderr().contains("error[OFC0012]") {
                continue;
            }
            assert!(outcome.code() == 0, "{what}: {}", outcome.report());
            validate(&what, &std::fs::read(&output).expect("the image was written"), folder.path());
        }
    }
}

/// SPIR-V has no function pointers, so calls through pointers become direct calls.
#[test]
fn dynamic_calls_are_calls_by_name() {
    let folder = harness::scratch();
    let bitcode = program::bitcode("tests/run/dynamic.rs", RECOMMENDED, folder.path());
    let output = folder.path().join("out.spv");
    let emit = format!("--emit=image={}", output.display());
    run(Command::new(harness::offloadc()).arg(bitcode).args(["--offload-arch=spirv64", &emit])).success();
    validate("dynamic", &std::fs::read(&output).expect("the image was written"), folder.path());
}

const SAXPY: &str = "
declare i32 @__offload_thread_id_x()
define void @saxpy(float %a, ptr readonly %x, ptr %y) {
  %t = call i32 @__offload_thread_id_x()
  %i = zext i32 %t to i64
  %px = getelementptr float, ptr %x, i64 %i
  %py = getelementptr float, ptr %y, i64 %i
  %vx = load float, ptr %px
  %m = fmul float %a, %vx
  store float %m, ptr %py
  ret void
}";

/// Global pointers keep their address space, and the module has only the declarations that the kernel needs.
#[test]
fn a_plain_kernel_needs_little() {
    let folder = harness::scratch();
    for level in [OptLevel::O0, OptLevel::O1, OptLevel::O2, OptLevel::O3, OptLevel::Os, OptLevel::Oz] {
        let rows = [(Value, 4), (Pointer, 8), (Pointer, 8)];
        let setup = Setup { level, ..Setup::new(SAXPY, vec![kernel("saxpy", &rows)]) };
        let compiled = setup.expect("spirv64");
        in_order(&compiled.flavored, &["define spir_kernel void @saxpy(float %a, ptr addrspace(1) readonly %x"]);
        let image = &compiled.images[0];
        assert_eq!((image.kind, image.triple.as_str()), (ImageKind::Spirv, "spirv64-unknown-unknown"));
        validate(&format!("{level:?}"), &image.bytes, folder.path());
        if level != OptLevel::O0 {
            assert!(!capabilities(&image.bytes).contains(&GENERIC_POINTER), "{level:?}");
        }
    }
}
