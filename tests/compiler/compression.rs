//! Compressed images in programs: they are decompressed once, damage is an error, and small images stay as they are.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::emulators::{self, Emulated};
use harness::{Outcome, run, scratch};

/// A kernel that stores a number.
const KERNEL: &str = "target triple = \"x86_64-unknown-linux-gnu\"\n\
    define ptx_kernel void @k(ptr %to, i32 %number) {\n  store i32 %number, ptr %to\n  ret void\n}\n";

/// Compiles IR text to an object.
fn object(text: &str, folder: &Path, options: &[&str]) -> PathBuf {
    let (input, output) = (folder.join("kernel.ll"), folder.join("kernel.o"));
    std::fs::write(&input, text).expect("the folder is ours");
    let mut command = Command::new(harness::offloadc());
    run(command.arg(input).args(options).arg("-o").arg(&output)).success();
    output
}

/// The program that launches the kernel from several threads.
fn program(folder: &Path) -> PathBuf {
    let object = object(KERNEL, folder, &["--offload-arch=sm_80,gfx90a,gfx1100", "--compress=zstd"]);
    let (root, program) = (harness::root(), folder.join("program"));
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-pthread", "-I"]).arg(root.join("runtime-c"));
    cc.arg(root.join("tests/host_object/launches_at_once.c")).arg(object);
    run(cc.args(harness::program::runtime_libraries("offloadrt")).arg("-o").arg(&program)).success();
    program
}

fn started(program: &Path, emulated: Emulated) -> Outcome {
    run(emulators::choose(&mut Command::new(program), emulated).env("OFFLOADRT_LOG", "1"))
}

#[test]
fn threads_that_launch_at_once_decompress_once() {
    let folder = scratch();
    let program = program(folder.path());
    for emulated in emulators::all() {
        let outcome = started(&program, emulated).success();
        let log = outcome.stderr();
        assert_eq!(log.matches("decompressed ").count(), 1, "{log}");
        assert_eq!(log.matches("loading the image").count(), 8, "{log}");
        assert!(log.contains(", compressed, for kernel `k`"), "{log}");
    }
}

#[test]
fn damaged_compressed_images_are_an_error_of_the_launch() {
    let folder = scratch();
    let program = program(folder.path());
    let good = std::fs::read(&program).expect("it was linked");
    let elf = goblin::elf::Elf::parse(&good).expect("it was linked");
    let section = elf.section_headers.iter().find(|s| elf.shdr_strtab.get_at(s.sh_name) == Some(".offload.images"));
    let section = section.and_then(|section| section.file_range()).expect("the program has images");
    let frame = memchr::memmem::find(&good[section.clone()], &[0x28, 0xb5, 0x2f, 0xfd]).expect("zstd's magic number");
    let frame = section.start + frame..section.end - 8;
    let emulated = emulators::all().next().expect("`make emulators` builds them");
    let (mut refused, mut unreadable) = (0, 0);
    // Most of the frame are literals and sequences; the rest are headers, with bits that change no content.
    let places: Vec<usize> = frame.clone().take(16).chain(frame.step_by(61)).collect();
    for at in &places {
        let mut bytes = good.clone();
        bytes[*at] ^= 1 << (at % 8);
        std::fs::write(&program, bytes).expect("the folder is ours");
        let outcome = started(&program, emulated);
        let inspected = run(Command::new(harness::offloadc()).arg("inspect").arg(&program));
        assert!(outcome.code() < 2 && inspected.code() < 2, "byte {at}: {}{}", outcome.report(), inspected.report());
        let expected = "the compressed images: they are damaged";
        unreadable += usize::from(inspected.stderr().contains(expected));
        if outcome.code() == 0 {
            continue;
        }
        refused += 1;
        let expected = "error: the compressed images in this program are damaged; build the program again";
        assert_eq!(outcome.stderr().matches(expected).count(), 8, "byte {at}: {}", outcome.report());
    }
    assert!(refused + 2 >= places.len() && unreadable + 4 >= places.len(), "{refused} {unreadable} {}", places.len());
}

/// Whether these options compress the images of a module with so many kernels.
fn is_compressed(kernels: usize, options: &[&str]) -> bool {
    let folder = scratch();
    let one = |i: usize| {
        format!(
            "define ptx_kernel void @kernel_{i}(ptr %to, i32 %n) {{\n  %x = mul i32 %n, {i}\n  store i32 %x, ptr %to\n  \
             ret void\n}}\n"
        )
    };
    let text =
        format!("{}{}", KERNEL.split("define").next().unwrap_or_default(), (0..kernels).map(one).collect::<String>());
    let object = object(&text, folder.path(), &[options, &["--offload-arch=sm_80,sm_90"]].concat());
    let json = run(Command::new(harness::offloadc()).args(["inspect", "--json"]).arg(object)).success().stdout();
    let json: serde_json::Value = serde_json::from_str(&json).expect("the output is JSON");
    let images = json["objects"][0]["images"].as_array().expect("there are images");
    assert!(images.iter().all(|image| image["bytes"].as_u64() > Some(200)), "{json}");
    images.iter().all(|image| image["compressed_bytes"].is_u64())
}

#[test]
fn release_builds_compress_what_is_large() {
    assert!(is_compressed(60, &["-O3"]));
    assert!(!is_compressed(60, &["-O3", "-g"]));
    assert!(!is_compressed(60, &["-O0"]));
    assert!(!is_compressed(60, &["-O3", "--compress=none"]));
    assert!(!is_compressed(60, &["-O3", "--runtime=none"]));
    assert!(!is_compressed(1, &["-O3"]));
    assert!(is_compressed(1, &["-O0", "--compress=zstd"]));
}
