//! Programs of `--emit=exe` that call crates in libraries. A crate that names the device contract is compiled with the
//! inputs, and others are linked as rustc has compiled them.

use std::path::Path;
use std::process::Command;

use harness::program::rustc;
use harness::{Outcome, run, scratch};

/// A crate that only computes.
const PLAIN: &str = "#[inline(never)] pub fn doubled(x: i32) -> i32 { std::hint::black_box(2 * x) }";

/// The contents of the crate `offload`: functions that call the runtime, and stand-ins for it.
const RUNTIME: &str = r#"
use std::ffi::{c_char, c_int, c_void};
#[no_mangle]
#[link_section = ".text.offload.stand_in.offloadrt_device_open"]
#[inline(never)]
pub extern "C" fn offloadrt_device_open(name: *const c_char, device: *mut *mut c_void) -> c_int {
    std::hint::black_box((name, device));
    std::hint::black_box(77)
}
#[inline(never)]
pub fn open(name: &std::ffi::CStr) -> i32 {
    offloadrt_device_open(name.as_ptr(), &mut std::ptr::null_mut())
}
"#;

/// A crate that names nothing of the contract and calls the one above.
const BETWEEN: &str = "#[inline(never)] pub fn opened() -> i32 { plain::doubled(runtime::open(c\"cpu\")) }";

const MAIN: &str = r#"fn main() { println!("{} {}", between::opened(), plain::doubled(21)) }"#;

/// Compiles a crate that calls `others`.
fn compile(folder: &Path, name: &str, source: &str, others: &[&str], arguments: &[&str]) -> Outcome {
    std::fs::write(folder.join(format!("{name}.rs")), source).expect("the folder is ours");
    let mut command = rustc();
    command.current_dir(folder).args(["--edition=2021", "-O", "-Ccodegen-units=1", "-L."]).args(arguments);
    for other in others {
        command.arg("--extern").arg(format!("{other}=lib{other}.rlib"));
    }
    run(command.arg(format!("{name}.rs"))).success()
}

fn link(folder: &Path, arguments: &[&str]) -> Outcome {
    let mut offloadc = Command::new(harness::offloadc());
    run(offloadc.current_dir(folder).arg("main.bc").args(arguments).args(["--offload-arch=cpu", "--emit=exe=main"]))
}

#[test]
fn a_crate_that_calls_the_runtime_is_compiled_with_the_program() {
    let folder = scratch();
    let here = folder.path();
    let library = |name: &str, source: &str, others: &[&str], bitcode: &str| {
        let flag = format!("-Cembed-bitcode={bitcode}");
        compile(here, name, source, others, &["--crate-type=rlib", &flag]);
    };
    library("plain", PLAIN, &[], "no");
    library("runtime", RUNTIME, &[], "yes");
    library("between", BETWEEN, &["plain", "runtime"], "yes");
    compile(here, "main", MAIN, &["plain", "between"], &["--emit=llvm-bc"]);
    let libraries = ["--extern-rlib=libbetween.rlib", "--extern-rlib=libruntime.rlib"];
    for arguments in [&["-L."][..], &libraries, &["libbetween.rlib", "-L."]] {
        let _linked = link(here, arguments).success();
        let ran = run(&mut Command::new(here.join("main"))).success();
        assert_eq!(ran.stdout(), "0 42\n", "{arguments:?}: the runtime opens the device");
    }
    library("between", BETWEEN, &["plain", "runtime"], "no");
    let refused = link(here, &["-L."]);
    assert_eq!(refused.code(), 1, "{}", refused.report());
    let said = refused.stderr();
    assert!(said.starts_with("error[OFC0048]: the crate `between` has kernels or launches"), "{said}");
    assert!(said.contains("`./libbetween.rlib`") && said.contains("-C embed-bitcode=yes"), "{said}");
}
