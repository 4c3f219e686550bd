//! Invalid input and unwritable outputs: one clear error, the right exit status, and no files that remain.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::program::{self, FlagSet, RECOMMENDED};
use harness::{Outcome, run};

/// A small host module with one kernel and one ordinary function.
const KERNEL: &str = "\
target triple = \"x86_64-unknown-linux-gnu\"
define ptx_kernel void @fill(ptr %out) {
  store i32 7, ptr %out
  ret void
}
define void @ordinary() {
  ret void
}
";

/// A stream whose identification block has an array of billions of elements that have no bits.
const ENDLESS: &[u8] = &[
    0x42, 0x43, 0xc0, 0xde, 0x35, 0x14, 0x00, 0xff, 0x05, 0x00, 0x00, 0x00, 0x62, 0x0c, 0xb0, 0x32, 0x24, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x4a, 0xd6, 0x00, 0x00, 0x05, 0x00, 0x29, 0x2b, 0x40, 0x21, 0xca, 0xeb, 0x10,
    0x00, 0x02, 0x21, 0xfc,
];

/// The files in a folder, by name.
fn listing(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).expect("the folder can be listed");
    entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).expect("the folder can be written");
}

/// Compiles `name` in `folder` to `out.o`, with temporary files in the same folder.
fn compile(folder: &Path, name: &str, options: &[&str]) -> Outcome {
    let mut command = Command::new(harness::offloadc());
    command.arg(name).args(options).args(["-o", "out.o"]);
    run(command.current_dir(folder).env("TMPDIR", folder).env("NO_COLOR", "1"))
}

/// The number of errors that were printed.
fn errors(outcome: &Outcome) -> usize {
    outcome.stderr().lines().filter(|line| line.starts_with("error")).count()
}

/// Asserts a single error that contains `parts`, status 1, and an unchanged folder.
#[track_caller]
fn refused(folder: &Path, name: &str, parts: &[&str]) {
    let before = listing(folder);
    let outcome = compile(folder, name, &[]);
    assert_eq!(outcome.code(), 1, "{}", outcome.report());
    assert_eq!(errors(&outcome), 1, "{}", outcome.report());
    for part in parts {
        assert!(outcome.stderr().contains(part), "`{part}` is not said:\n{}", outcome.report());
    }
    assert_eq!(listing(folder), before, "files were left behind");
}

#[test]
fn inputs_that_are_no_ir() {
    let folder = harness::scratch();
    let here = folder.path();
    let bitcode = program::bitcode("examples/contract/saxpy.rs", RECOMMENDED, here);
    let bytes = std::fs::read(&bitcode).expect("rustc wrote it");
    write(&here.join("empty"), b"");
    write(&here.join("truncated.bc"), &bytes[..bytes.len() / 2]);
    write(&here.join("short.bc"), &bytes[..6]);
    write(&here.join("endless.bc"), ENDLESS);
    let random: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    write(&here.join("random"), &random);
    write(&here.join("prose.ll"), b"This is no IR, it is prose.\n");
    write(&here.join("empty.c"), b"int x;\n");
    run(Command::new("cc").args(["-c", "empty.c"]).current_dir(here)).success();
    std::fs::create_dir(here.join("folder")).expect("the folder can be written");
    for name in
        ["missing.bc", "empty", "truncated.bc", "short.bc", "endless.bc", "random", "prose.ll", "empty.o", "folder"]
    {
        refused(here, name, &[name]);
    }
    refused(here, "empty.o", &["without bitcode"]);
}

#[test]
fn bitcode_of_a_newer_llvm() {
    let folder = harness::scratch();
    let bitcode = program::bitcode("examples/contract/saxpy.rs", RECOMMENDED, folder.path());
    let bytes = std::fs::read(bitcode).expect("rustc wrote it");
    let newer = replace_text(&bytes, "LLVM22", "LLVM99");
    write(&folder.path().join("newer.bc"), &newer.expect("the producer stands in the identification block"));
    refused(folder.path(), "newer.bc", &["newer.bc", "99", "22"]);
}

/// Replaces `from` by `to` in bitcode. A producer's characters have six bits each if all of them are in LLVM's `Char6`,
/// and otherwise they are integers of variable width in groups of six bits.
fn replace_text(bytes: &[u8], from: &str, to: &str) -> Option<Vec<u8>> {
    let mut bits: Vec<bool> = bytes.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1)).collect();
    let (at, to) = [short as fn(u8) -> _, wide].into_iter().find_map(|letter| {
        let [from, to] = [from, to].map(|text| text.bytes().flat_map(letter).collect::<Vec<bool>>());
        Some((bits.windows(from.len()).position(|window| window == from)?, to))
    })?;
    bits[at..at + to.len()].copy_from_slice(&to);
    let byte = |bits: &[bool]| bits.iter().enumerate().fold(0, |byte, (at, bit)| byte | u8::from(*bit) << at);
    Some(bits.chunks(8).map(byte).collect())
}

/// LLVM's `Char6`, for letters and digits.
fn short(letter: u8) -> Vec<bool> {
    let code = match letter {
        b'a'..=b'z' => letter - b'a',
        b'A'..=b'Z' => letter - b'A' + 26,
        _ => letter - b'0' + 52,
    };
    (0..6).map(|bit| code >> bit & 1 == 1).collect()
}

/// LLVM's `VBR6`.
fn wide(letter: u8) -> Vec<bool> {
    let code = u32::from(letter & 31 | 32) | u32::from(letter >> 5) << 6;
    (0..12).map(|bit| code >> bit & 1 == 1).collect()
}

#[test]
fn no_kernel_is_a_warning() {
    let folder = harness::scratch();
    write(&folder.path().join("plain.ll"), KERNEL.replace("ptx_kernel ", "").as_bytes());
    let outcome = compile(folder.path(), "plain.ll", &[]).success();
    for part in ["warning", "__offload_kernel", ".offload.kernels", "--kernel"] {
        assert!(outcome.stderr().contains(part), "`{part}` is not said:\n{}", outcome.report());
    }
    assert!(folder.path().join("out.o").exists());
}

#[test]
fn unknown_archs_are_a_wrong_command_line() {
    let folder = harness::scratch();
    write(&folder.path().join("kernel.ll"), KERNEL.as_bytes());
    for (arch, near) in [("sm_81", "sm_80"), ("gfx90b", "gfx900"), ("cpv", "cpu")] {
        let outcome = compile(folder.path(), "kernel.ll", &[&format!("--offload-arch={arch}")]);
        assert_eq!(outcome.code(), 2, "{}", outcome.report());
        assert!(outcome.stderr().contains(arch) && outcome.stderr().contains(near), "{}", outcome.report());
        assert!(!folder.path().join("out.o").exists());
    }
}

/// Every kernel that reaches code which no device can run has its own error, all in one run.
#[test]
fn what_no_device_has() {
    for set in [FlagSet { name: "debug", flags: &["-Copt-level=3", "-Cno-prepopulate-passes", "-g"] }, RECOMMENDED] {
        let folder = harness::scratch();
        program::bitcode("tests/run/refused/reaches.rs", set, folder.path());
        let outcome = compile(folder.path(), &format!("reaches.{}.bc", set.name), &["--offload-arch=cpu,gfx90a"]);
        assert_eq!(outcome.code(), 1, "{}", outcome.report());
        let text = outcome.stderr();
        for kernel in ["prints", "reads", "counts", "clocks", "assembles"] {
            let of_kernel = |block: &&str| block.starts_with("error") && block.contains(&format!("reaches::{kernel}"));
            let block = text.split("\n\n").flat_map(blocks).find(|block| of_kernel(&block.as_str()));
            let block = block.unwrap_or_else(|| panic!("no error names {kernel}:\n{text}"));
            if set.name == "debug" {
                assert!(block.contains("reaches.rs:"), "no source line for {kernel}:\n{block}");
            }
        }
        assert!(text.contains("reaches::report"), "the call chain is not shown:\n{text}");
        assert!(!text.contains("17h") && !text.contains("_ZN"), "names are not demangled:\n{text}");
        assert_eq!(listing(folder.path()).len(), 1, "files were left behind");
    }
}

/// The diagnostics in `text`, each with its lines.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.starts_with("error") || line.starts_with("warning") || blocks.is_empty() {
            blocks.push(String::new());
        }
        let last = blocks.last_mut().expect("there is one");
        *last += line;
        last.push('\n');
    }
    blocks
}

#[test]
fn barriers_that_some_threads_miss() {
    let folder = harness::scratch();
    let set = FlagSet { name: "debug", flags: &["-Copt-level=3", "-Cno-prepopulate-passes", "-g"] };
    program::bitcode("tests/run/refused/divergent.rs", set, folder.path());
    refused(folder.path(), "divergent.debug.bc", &["divergent::diverges", "divergent.rs:8:", "divergent.rs:10:"]);
}

/// Failed writes do not change the old output, and leave no other file.
#[test]
fn places_that_cannot_be_written() {
    let folder = harness::scratch();
    let here = folder.path();
    write(&here.join("kernel.ll"), KERNEL.as_bytes());
    write(&here.join("out.o"), b"old");
    // A limit on file sizes acts like a full disk, and needs no privileges.
    let limited = format!("trap '' XFSZ; ulimit -f 1; exec '{}' kernel.ll -o out.o", harness::offloadc().display());
    let mut command = Command::new("bash");
    let outcome = run(command.args(["-c", &limited]).current_dir(here).env("TMPDIR", here).env("NO_COLOR", "1"));
    assert_eq!((outcome.code(), errors(&outcome)), (1, 1), "{}", outcome.report());
    assert_eq!(std::fs::read(here.join("out.o")).expect("it is still there"), b"old");
    assert_eq!(listing(here), BTreeSet::from(["kernel.ll".to_owned(), "out.o".to_owned()]));

    std::fs::create_dir(here.join("folder.o")).expect("the folder can be written");
    for output in ["folder.o", "missing/out.o", "/proc/out.o"] {
        let mut command = Command::new(harness::offloadc());
        let outcome = run(command.args(["kernel.ll", "-o", output]).current_dir(here).env("TMPDIR", here));
        assert_eq!((outcome.code(), errors(&outcome)), (1, 1), "{}", outcome.report());
        assert!(outcome.stderr().contains(output), "{}", outcome.report());
    }
    assert_eq!(listing(here).len(), 3, "files were left behind: {:?}", listing(here));
    assert!(listing(&here.join("folder.o")).is_empty());
}

/// A device, a pipe and standard output are written in place, and not replaced by a file.
#[test]
fn outputs_that_are_no_files() {
    let folder = harness::scratch();
    write(&folder.path().join("kernel.ll"), KERNEL.as_bytes());
    let mut command = Command::new(harness::offloadc());
    let outcome = run(command.args(["kernel.ll", "-o", "-"]).current_dir(folder.path())).success();
    assert!(outcome.stdout.starts_with(b"\x7fELF"), "{}", outcome.report());
    let mut command = Command::new(harness::offloadc());
    run(command.args(["kernel.ll", "-o", "/dev/null"]).current_dir(folder.path())).success();
    use std::os::unix::fs::FileTypeExt;
    assert!(std::fs::metadata("/dev/null").expect("it exists").file_type().is_char_device());
    assert_eq!(listing(folder.path()), BTreeSet::from(["kernel.ll".to_owned()]));
}

#[test]
fn what_a_failing_linker_leaves_is_not_beside_the_output() {
    let folder = tempfile::tempdir().expect("the system has a folder for temporary files");
    let (path, out) = (folder.path(), folder.path().join("out"));
    std::fs::create_dir(&out).expect("the folder can be written");
    write(&path.join("kernel.ll"), KERNEL.as_bytes());
    write(&out.join("program"), b"old");
    // rustc does this if the disk is full: it leaves another file next to its output.
    write(&path.join("rustc"), b"#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\n: > \"$2.rcgu.o\"\nexit 1\n");
    let mut command = Command::new("chmod");
    assert_eq!(run(command.arg("+x").arg(path.join("rustc"))).code(), 0);
    let mut command = Command::new(harness::offloadc());
    command.args(["kernel.ll", "--runtime=none", "--offload-arch=cpu", "--emit=exe=out/program"]);
    let outcome = run(command.current_dir(path).env("RUSTC", path.join("rustc")));
    assert_eq!(outcome.code(), 1, "{}", outcome.report());
    assert_eq!(listing(&out), BTreeSet::from(["program".to_owned()]));
    assert_eq!(std::fs::read(out.join("program")).ok().as_deref(), Some(b"old".as_slice()));
}

#[test]
fn kernels_come_from_bitcode_text_object_and_standard_input() {
    let folder = harness::scratch();
    let here: PathBuf = folder.path().to_path_buf();
    write(&here.join("kernel.ll"), KERNEL.as_bytes());
    // Symbols contain a hash of the input, so only equal bitcode has equal output.
    let script = "set -e; llvm-as kernel.ll -o kernel.bc; offloadc kernel.bc -o a.o; offloadc - -o b.o < kernel.bc; \
        llvm-objcopy --add-section=.llvmbc=kernel.bc --set-section-flags=.llvmbc=exclude empty.o with.o; \
        offloadc with.o -o c.o; cmp a.o b.o; cmp b.o c.o; mkdir folder; cp kernel.ll folder; \
        offloadc kernel.ll -o d.o; offloadc folder/kernel.ll -o e.o; cmp d.o e.o; \
        offloadc - -o f.o < kernel.ll; offloadc inspect f.o | grep -q fill";
    write(&here.join("empty.c"), b"");
    run(Command::new("cc").args(["-c", "empty.c"]).current_dir(&here)).success();
    let own = harness::offloadc();
    let path = harness::search_path(&[own.parent().expect("a program lies in a folder")]);
    run(Command::new("bash").args(["-c", script]).current_dir(&here).env("PATH", path)).success();
}
