//! Damaged PTX: it is translated or refused, and never ends in a panic, a stack overflow or a lack of memory.

#[path = "../../core/tests/common/damage.rs"]
mod damage;

use std::process::Command;

use cuda::translate;

/// PTX with one statement of each kind.
const TEXT: &str = include_str!("damaged.ptx");

/// The number of copies; `OFFLOADC_ALL_MUTATIONS` makes them ten times as many.
const COPIES: u64 = 1000;

/// The PTX of LLVM for the kernels that the runtime is tested with.
fn of_llvm() -> String {
    let prefix = std::env::var("LLVM_SYS_221_PREFIX").expect(".cargo/config.toml sets the variable");
    let kernels = concat!(env!("CARGO_MANIFEST_DIR"), "/../../runtime-c/tests/kernels_nvptx.ll");
    let output = Command::new(format!("{prefix}/bin/llc")).args(["-mcpu=sm_70", "-o", "-", kernels]).output();
    let output = output.expect("LLVM's tools are there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("PTX is text")
}

#[test]
fn damaged_ptx_never_panics() {
    let originals = [TEXT.to_owned(), of_llvm()];
    let copies = COPIES * if std::env::var_os("OFFLOADC_ALL_MUTATIONS").is_some() { 10 } else { 1 };
    let mut valid = 0;
    for original in &originals {
        assert!(translate(original), "an undamaged text is refused");
        for seed in 0..copies {
            let copy = damage::words(original, seed);
            let result = std::panic::catch_unwind(|| translate(&copy));
            valid += u64::from(result.unwrap_or_else(|_| panic!("seed {seed}:\n{copy}")));
        }
    }
    assert!((copies / 10..2 * copies).contains(&valid), "{valid} of {} copies are PTX", 2 * copies);
}

#[test]
fn depth_and_size_have_limits() {
    let module = |text: &str| format!(".version 8.0\n.target sm_80\n.address_size 64\n{text}");
    let body = |text: &str| module(&format!(".visible .entry k() {{ {text} ret; }}"));
    let deep = "{".repeat(100_000);
    for text in [
        module(&format!(".global .b32 a[1] = {deep}")),
        body(&format!("mov.b64 {deep}")),
        body(&format!("call {}", "(".repeat(100_000))),
        body(".reg .b32 %r<4294967295>;"),
        body(".reg .b32 %r<-1>;"),
        module(".global .b8 a[99999999999];"),
        module(".global .b64 a[4294967296][4294967296];"),
        module(".global .align 3 .b8 a;"),
        module(".global .align -1 .b8 a;"),
        body(".local .b8 a[4294967296];"),
        module(".visible .entry k(.param .align 1 .b8 p[0]) { ret; }"),
    ] {
        assert!(!translate(&text), "{}", &text[..text.len().min(200)]);
    }
    assert!(translate(&module(".global .b128 a[2] = {1, -1};")));
    assert!(translate(&body(&format!("{} {}", "{".repeat(100_000), "}".repeat(100_000)))));
}
