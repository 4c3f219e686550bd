//! Tests of the fat binary, with NVIDIA's own tools (`scripts/deps tests`).

use super::*;
use std::path::Path;
use std::process::Command;

const PTX: &str = ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k() { ret; }\n";

fn image(kind: ImageKind, arch: &str, bytes: &[u8]) -> Image {
    Image { kind, triple: TRIPLE.into(), arch: arch.into(), strings: Vec::new(), bytes: bytes.into() }
}

fn ptx(arch: &str) -> Image {
    image(ImageKind::Ptx, arch, PTX.as_bytes())
}

/// Machine code, whose arch the tools compare.
fn cubin(arch: &str) -> Image {
    let folder = tempfile::tempdir().unwrap();
    let (text, code) = (folder.path().join("k.ptx"), folder.path().join("k.cubin"));
    std::fs::write(&text, PTX.replace("sm_90a", arch)).unwrap();
    run(tool("nvidia/cuda_nvcc/bin/ptxas").arg(format!("-arch={arch}")).arg(text).arg("-o").arg(&code));
    image(ImageKind::Cubin, arch, &std::fs::read(code).unwrap())
}

fn images() -> Vec<Image> {
    let other = Image { triple: "amdgcn-amd-amdhsa".into(), ..image(ImageKind::Object, "gfx90a", b"\x7fELF") };
    vec![cubin("sm_70"), other, cubin("sm_90a"), ptx("sm_90a"), ptx("sm_100f"), ptx("sm_75")]
}

fn tool(name: &str) -> Command {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools").join(name);
    assert!(path.is_file(), "`scripts/deps tests` installs `{}`", path.display());
    Command::new(path)
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {text}");
    text
}

#[test]
fn the_bytes_are_those_of_nvidia() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut command = tool("cuda/fatbinary");
    command.arg("-64").arg("--compress=false").arg("--compress-mode=none").arg("--create").arg(path("theirs"));
    let images = images();
    for (index, image) in images.iter().filter(|image| holds(image)).enumerate() {
        let (file, kind) = (path(&index.to_string()), if image.kind == ImageKind::Ptx { "ptx" } else { "elf" });
        std::fs::write(&file, &image.bytes).unwrap();
        let sm = image.arch.strip_prefix("sm_").unwrap();
        command.arg(format!("--image3=kind={kind},sm={sm},file={}", file.display()));
    }
    run(&mut command);
    assert!(write(&images).unwrap() == std::fs::read(path("theirs")).unwrap());
}

#[test]
fn nvidia_lists_the_images() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ours.fatbin");
    std::fs::write(&path, write(&[cubin("sm_70"), ptx("sm_90a")]).unwrap()).unwrap();
    let text = run(tool("cuda/cuobjdump").args(["--list-elf", "--list-ptx"]).arg(&path));
    assert!(text.contains("sm_70.cubin") && text.contains("sm_90a.ptx"), "{text}");
    let text = run(tool("cuda/cuobjdump").arg("--dump-ptx").arg(&path));
    assert!(text.contains("code version = [8,6]") && text.contains(PTX), "{text}");
}

#[test]
fn what_is_written_is_read() {
    let images = images();
    let bytes = write(&images).unwrap();
    let expected: Vec<_> = images.into_iter().filter(holds).collect();
    for padded in [bytes.clone(), [&bytes[..], &[0; 24], &bytes].concat()] {
        let read = read(&padded).unwrap();
        for (view, image) in read.iter().zip(expected.iter().cycle()) {
            assert_eq!((view.kind, view.triple, &*view.arch), (Some(image.kind), &*image.triple, &*image.arch));
            let (code, rest) = view.bytes.split_at(image.bytes.len());
            assert!(code == image.bytes && rest.len() < ALIGN && rest.iter().all(|byte| *byte == 0));
        }
        assert_eq!(read.len() % expected.len(), 0);
    }
    assert_eq!(read(&write(&[]).unwrap()).unwrap(), []);
}

#[test]
fn odd_images_are_errors() {
    let message = |image: Image| write(&[image]).unwrap_err().to_string();
    assert_eq!(message(ptx("sm_x")), "a fat binary cannot contain an image for `sm_x`");
    assert_eq!(message(ptx("gfx90a")), "a fat binary cannot contain an image for `gfx90a`");
    assert_eq!(message(image(ImageKind::Ptx, "sm_80", b"hello")), "the PTX for `sm_80` has no `.version`");
    assert_eq!(message(image(ImageKind::Cubin, "sm_80", b"\x7fELF")), "the machine code for `sm_80` is no ELF file");
}

#[test]
fn damage_is_an_error_and_never_a_panic() {
    let good = write(&images()).unwrap();
    // The rest is code.
    for at in (0..200).chain(good.len() - 600..good.len()) {
        let _either = read(&good[..at]);
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut bytes = good.clone();
            bytes[at] = value;
            let _either = read(&bytes);
        }
    }
    let message = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    assert_eq!(message(b"garbage"), "the fat binary at offset 0: its magic number is wrong");
    assert_eq!(message(&good[..good.len() - 8]), "the fat binary at offset 0: it is truncated");
    let mut odd = good.clone();
    odd[20] = 0;
    assert_eq!(message(&odd), "the fat binary at offset 0: an entry is damaged");
}
