//! Inputs that rustc and LLVM's own tools write: kinds, producers, concatenated modules, damage.

use offloadc::diagnostics::Diagnostic;
use offloadc::input::bitcode;
use offloadc::input::file::{Input, InputKind};
use offloadc::input::newer_llvm::{Caching, Reader, Toolchain};
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

/// Finds the LLVM of the rustc that tests use.
static READER: LazyLock<Reader> = LazyLock::new(|| Reader::new(Toolchain::default(), None));

fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Input, Diagnostic> {
    Input::from_bytes(path, bytes, &READER, Caching::No)
}

fn read(path: &Path) -> Result<Input, Diagnostic> {
    Input::read(path, &READER)
}

/// A folder with a small crate that rustc has compiled with `arguments`; the output is `out.o`.
fn compiled(arguments: &[&str]) -> (tempfile::TempDir, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.rs"), "#[unsafe(no_mangle)] pub fn f(x: u32) -> u32 { x + 1 }").unwrap();
    run(folder.path(), "rustc", &[&["--crate-type=lib", "--edition=2024", "-o", "out.o", "a.rs"], arguments].concat());
    let bytes = std::fs::read(folder.path().join("out.o")).unwrap();
    (folder, bytes)
}

fn run(folder: &Path, tool: &str, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(tool).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{tool} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn llvm(tool: &str) -> String {
    format!("{}/bin/{tool}", env!("OFFLOADC_LLVM_PREFIX"))
}

fn message(bytes: &[u8]) -> String {
    from_bytes(Path::new("x.bc"), bytes.to_vec()).unwrap_err().message
}

#[test]
fn bitcode_says_who_wrote_it() {
    let (_folder, bytes) = compiled(&["--emit=llvm-bc"]);
    let modules = bitcode::modules(&bytes).unwrap();
    assert_eq!(modules.len(), 1);
    let producer = &modules[0].1;
    let version = String::from_utf8(run(Path::new("/"), "rustc", &["-vV"])).unwrap();
    let of = |key: &str| version.lines().find_map(|line| line.strip_prefix(key)).unwrap();
    assert_eq!(producer.llvm_version(), Some(of("LLVM version: ")));
    // A distribution's rustc, with the distribution's LLVM, does not write its version.
    if let Some(rustc) = producer.rustc_version() {
        assert!(rustc.starts_with(of("release: ")), "{rustc}");
    }
    assert_eq!(producer.epoch, 0);
    let input = from_bytes(Path::new("-"), bytes.clone()).unwrap();
    assert_eq!((input.kind, input.modules().next()), (InputKind::Bitcode, Some(&bytes[..])));
}

#[test]
fn a_newer_llvm_is_named_with_ours_and_with_that_of_rustc() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.ll"), "define void @f() { ret void }\n").unwrap();
    run(folder.path(), &llvm("llvm-as"), &["a.ll", "-o", "a.bc"]);
    let bytes = std::fs::read(folder.path().join("a.bc")).unwrap();
    let ours = env!("OFFLOADC_LLVM_VERSION");
    // The string has 6 bits for each character, so it is found and changed by bits.
    let newer = replace_char6(&bytes, &format!("LLVM{ours}"), &format!("LLVM9{}", &ours[1..]));
    let refused = from_bytes(Path::new("x.bc"), newer).unwrap_err();
    let newer = format!("9{}", &ours[1..]);
    assert_eq!(
        refused.message,
        format!("`x.bc` was written by LLVM {newer}, which is newer than offloadc's LLVM {}", &ours[..2])
    );
    // The LLVM of the rustc in this test is older than that.
    let note = &refused.notes[0];
    assert!(note.contains("/lib/libLLVM") && note.ends_with(&format!(", which is older than {newer}")), "{note}");
}

fn replace_char6(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    const CHARS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    let encode = |text: &str| -> Vec<u8> {
        let codes = text.chars().map(|c| CHARS.find(c).unwrap());
        codes.flat_map(|code| (0..6).map(move |bit| (code >> bit & 1) as u8)).collect()
    };
    let mut bits: Vec<u8> = bytes.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1)).collect();
    let (from, to) = (encode(from), encode(to));
    let at = bits.windows(from.len()).position(|window| window == from).expect("the producer is in the file");
    bits[at..at + to.len()].copy_from_slice(&to);
    bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |value, bit| value << 1 | bit)).collect()
}

#[test]
fn a_wrapper_is_taken_off() {
    let (_folder, bytes) = compiled(&["--emit=llvm-bc"]);
    let mut wrapped = bitcode::WRAPPER_MAGIC.to_vec();
    for number in [0, 20, bytes.len() as u32, 7] {
        wrapped.extend(number.to_le_bytes());
    }
    wrapped.extend(&bytes);
    assert_eq!(bitcode::unwrap(&wrapped), Some(&bytes[..]));
    assert_eq!(bitcode::modules(&wrapped).unwrap()[0].0, wrapped);
    assert_eq!(bitcode::unwrap(&wrapped[..100]), None);
    assert!(message(&wrapped[..100]).starts_with("`x.bc` is truncated bitcode; expected LLVM bitcode"));
}

#[test]
fn objects_give_the_modules_that_a_link_put_together() {
    let (folder, bytes) = compiled(&["--emit=obj,link", "-Cembed-bitcode=yes", "-Ccodegen-units=1"]);
    let input = from_bytes(Path::new("x.o"), bytes).unwrap();
    assert_eq!((input.kind, input.modules().count()), (InputKind::Object, 1));
    let alone = input.modules().next().unwrap().to_vec();

    std::fs::write(folder.path().join("b.ll"), "define void @g() { ret void }\n").unwrap();
    run(folder.path(), &llvm("llvm-as"), &["b.ll", "-o", "b.bc"]);
    run(folder.path(), "cc", &["-x", "c", "-c", "/dev/null", "-o", "empty.o"]);
    run(folder.path(), "objcopy", &["--add-section", ".llvmbc=b.bc", "empty.o", "b.o"]);
    run(folder.path(), "ld", &["-r", "out.o", "b.o", "-o", "both.o"]);
    let both = read(&folder.path().join("both.o")).unwrap();
    let modules: Vec<_> = both.modules().collect();
    assert_eq!(modules.len(), 2);
    assert_eq!(modules[0], alone);
    assert_eq!(modules[1], std::fs::read(folder.path().join("b.bc")).unwrap());

    let without = read(&folder.path().join("empty.o")).unwrap_err();
    assert!(without.message.contains("is an ELF file without bitcode; expected"), "{without:?}");
}

#[test]
fn text_is_ir_by_its_first_line() {
    for ir in
        ["; only comments\n", "\n; c\n\n  define void @f() { ret void }", "target triple = \"x\"", "@a = global i32 0"]
    {
        let input = from_bytes(Path::new("x.ll"), ir.into()).unwrap();
        assert_eq!(input.kind, InputKind::Text, "{ir}");
    }
    assert!(message(b"hello\n").starts_with("`x.bc` is text but not LLVM IR; expected"));
    let rust = from_bytes(Path::new("x.rs"), b"fn main() {}".to_vec()).unwrap_err();
    assert_eq!(rust.help, ["compile it first: `rustc --emit=llvm-bc x.rs`"]);
}

#[test]
fn what_cannot_be_read_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let read = |path: &Path| read(path).unwrap_err().message;
    let shown = folder.path().display();
    let directory = read(folder.path());
    assert!(directory.starts_with(&format!("cannot read `{shown}`: it is a directory; expected")), "{directory}");
    assert_eq!(read(&folder.path().join("no")), format!("cannot read `{shown}/no`: no such file or directory"));
    assert!(message(b"").starts_with("`x.bc` is empty; expected"));
    assert!(message(b"\x01\x02\xff\xfe").starts_with("`x.bc` has an unknown format; expected"));
    assert!(message(b"!<arch>\n").contains("is an archive"));
    assert!(message(b"BC\xc0\xde").contains("contains no module"));
    assert!(message(b"\x7fELF\x02\x01").contains("broken or truncated ELF"));
}

#[test]
fn every_truncation_and_flipped_bit_is_refused_or_passed_on() {
    let (_folder, bytes) = compiled(&["--emit=llvm-bc"]);
    for length in 0..bytes.len() {
        // The bytes are complete blocks only if they end with one; then LLVM decides.
        let _ = from_bytes(Path::new("x"), bytes[..length].to_vec());
    }
    assert!(message(&bytes[..bytes.len() / 2]).contains("truncated"));
    for bit in 0..8 * bytes.len().min(400) {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let _ = from_bytes(Path::new("x"), flipped);
    }
}
