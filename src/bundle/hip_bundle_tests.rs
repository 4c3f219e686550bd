//! Tests of the bundle, with LLVM's own tool.

use super::*;
use std::path::Path;
use std::process::Command;

fn image(arch: &str, bytes: &[u8]) -> Image {
    let triple = "amdgcn-amd-amdhsa".into();
    Image { kind: ImageKind::Object, triple, arch: arch.into(), strings: Vec::new(), bytes: bytes.into() }
}

fn images() -> Vec<Image> {
    let other = Image { triple: "x86_64-unknown-linux-gnu".into(), ..image("cpu", b"\x7fELF") };
    vec![image("gfx906:sramecc+:xnack-", &[1; 5000]), other, image("gfx90a", &[2; 7]), image("gfx9-4-generic", b"last")]
}

fn bundler(arguments: &[&str], folder: &Path) -> String {
    let tool = concat!(env!("OFFLOADC_LLVM_PREFIX"), "/bin/clang-offload-bundler");
    let output = Command::new(tool).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_bytes_are_those_of_llvm() {
    let folder = tempfile::tempdir().unwrap();
    let mut ids = vec!["host-x86_64-unknown-linux-gnu".to_owned()];
    let mut files = vec!["-input=/dev/null".to_owned()];
    let images = images();
    for (index, image) in images.iter().filter(|image| holds(image)).enumerate() {
        std::fs::write(folder.path().join(index.to_string()), &image.bytes).unwrap();
        ids.push(format!("hipv4-amdgcn-amd-amdhsa--{}", image.arch));
        files.push(format!("-input={index}"));
    }
    let targets = format!("-targets={}", ids.join(","));
    let mut arguments = vec!["-type=o", "-bundle-align=4096", "-output=theirs", &targets];
    arguments.extend(files.iter().map(String::as_str));
    bundler(&arguments, folder.path());
    assert!(write(&images) == std::fs::read(folder.path().join("theirs")).unwrap());
}

#[test]
fn llvm_lists_and_extracts_the_images() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ours"), write(&images())).unwrap();
    let list = bundler(&["-type=o", "-list", "-input=ours"], folder.path());
    let mut lines: Vec<_> = list.lines().filter(|line| line.starts_with("hip")).collect();
    lines.sort_unstable();
    let archs = ["gfx9-4-generic", "gfx906:sramecc+:xnack-", "gfx90a"];
    assert_eq!(lines, archs.map(|arch| format!("hipv4-amdgcn-amd-amdhsa--{arch}")));
    let target = "-targets=hip-amdgcn-amd-amdhsa--gfx90a";
    bundler(&["-type=o", "-unbundle", "-input=ours", "-output=code", target], folder.path());
    assert_eq!(std::fs::read(folder.path().join("code")).unwrap(), [2; 7]);
}

#[test]
fn what_is_written_is_read() {
    let images = images();
    let bytes = write(&images);
    let expected: Vec<_> = images.iter().filter(|image| holds(image)).collect();
    let apart = bytes.len().next_multiple_of(ALIGN) - bytes.len();
    let twice = [&bytes[..], &vec![0; apart], &bytes, &[0; 8]].concat();
    for (file, times) in [(&bytes, 1), (&twice, 2)] {
        let read = read(file).unwrap();
        assert_eq!(read.len(), times * expected.len());
        for (view, image) in read.iter().zip(expected.iter().cycle()) {
            assert_eq!((view.triple, &*view.arch, &*view.bytes), (&*image.triple, &*image.arch, &*image.bytes));
        }
    }
    assert_eq!(read(&write(&[])).unwrap(), []);
}

#[test]
fn damage_is_an_error_and_never_a_panic() {
    let good = write(&images());
    for at in (0..400).chain(4090..4100) {
        let _either = read(&good[..at]);
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut bytes = good.clone();
            bytes[at] = value;
            let _either = read(&bytes);
        }
    }
    let message = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    assert_eq!(message(b"garbage"), "the bundle at offset 0: its magic number is wrong");
    assert_eq!(message(&good[..good.len() - 1]), "the bundle at offset 0: it is damaged or truncated");
}
