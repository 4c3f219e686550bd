//! Unit tests of `dump.rs`: its text and JSON, and damaged files.

use super::*;
use crate::bundle::registration::example;
use crate::bundle::{Bundle, Image, ImageKind, Registration, Runtime};

fn bundle() -> Bundle {
    let image = |kind, triple: &str, arch: &str, size| Image {
        kind,
        triple: triple.into(),
        arch: arch.into(),
        strings: Vec::new(),
        bytes: vec![7; size],
    };
    Bundle::new(vec![
        image(ImageKind::Ptx, "nvptx64-nvidia-cuda", "sm_80", 1234),
        image(ImageKind::None, "x86_64-unknown-linux-gnu", "cpu", 0),
    ])
}

fn object(runtime: Runtime) -> Vec<u8> {
    let kernels = example::kernels();
    let rows = example::rows(&kernels);
    let images = bundle();
    Registration { images: &images, ..example::registration(runtime, &rows) }.object().unwrap()
}

/// An archive with the format of `ar rc`.
fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, content) in members {
        let size = content.len();
        bytes.extend(format!("{:16}{:12}{:6}{:6}{:8}{size:<10}`\n", format!("{name}/"), 0, 0, 0, 644).bytes());
        bytes.extend_from_slice(content);
        bytes.resize(bytes.len().next_multiple_of(2), b'\n');
    }
    bytes
}

const TEXT: &str = "\
a.o: object, 2 images, 4 kernels

images
  arch   triple                    kind  bytes
  sm_80  nvptx64-nvidia-cuda       ptx   1234
  cpu    x86_64-unknown-linux-gnu  none  0

kernels of 0123456789abcdef, for omptarget
  saxpy (app::saxpy): 16 argument bytes, 256 shared bytes
    parameter  offset  size  align  kind
    0          0       4     4      value
    1          8       8     8      pointer
  closure$1 (app::closure$1): 48 argument bytes, 256 shared bytes
    parameter  offset  size  align  kind
    0          0       48    16     block
  saxpy_twin (app::saxpy_twin): 16 argument bytes, 256 shared bytes
    parameter  offset  size  align  kind
    0          0       4     4      value
    1          8       8     8      pointer; reads 4096 bytes
  nothing (app::nothing): 0 argument bytes, 256 shared bytes
";

#[test]
fn an_object_is_a_table() {
    let bytes = object(Runtime::Omptarget);
    assert_eq!(Contents::read(&bytes).unwrap().to_text("a.o"), TEXT);
}

#[test]
fn resources_are_of_kernels_by_their_own_names() {
    let bytes = object(Runtime::Offloadrt);
    let mut contents = Contents::read(&bytes).unwrap();
    let of = |name: &str| Resources {
        kernel: name.into(),
        registers: 8,
        scalar_registers: 0,
        spill_bytes: 0,
        shared_bytes: 256,
        stack_bytes: 0,
    };
    let find =
        |image: &ImageView<'_>| Ok(if image.arch == "cpu" { vec![] } else { vec![of("saxpy"), of("not_listed")] });
    contents.find_resources(&find).unwrap();
    let text = contents.to_text("a.o");
    let rows: Vec<_> = text.lines().filter(|line| line.contains(" sm_80  ptx   8")).collect();
    assert!(rows.len() == 2 && rows[0].starts_with("  app::saxpy ") && rows[1].starts_with("  not_listed "), "{text}");
}

#[test]
fn json_says_the_same() {
    let bytes = object(Runtime::None);
    let text = Contents::read(&bytes).unwrap().to_json("a.o");
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&json["file"], &json["form"]), (&json!("a.o"), &json!("object")));
    let part = &json["objects"][0];
    assert_eq!(
        part["images"][0],
        json!({"arch": "sm_80", "triple": "nvptx64-nvidia-cuda", "kind": "ptx", "bytes": 1234, "compressed_bytes": null, "strings": {}, "code": [], "resources": []})
    );
    assert_eq!(part["tables"][0]["runtime"], "none");
    let parameter = &part["tables"][0]["kernels"][1]["parameters"][0];
    assert_eq!(*parameter, json!({"offset": 0, "size": 48, "align": 16, "kind": "block"}));
    let parameter = &part["tables"][0]["kernels"][2]["parameters"][1];
    assert_eq!(parameter["extent"], json!({"bytes": 4096, "direction": "to"}));
}

#[test]
fn archives_and_containers_are_read() {
    let object = object(Runtime::Offloadrt);
    let bytes = archive(&[("x.txt", b"odd"), ("a.o", &object), ("lib.o", &object)]);
    let text = Contents::read(&bytes).unwrap().to_text("lib.a");
    assert!(text.starts_with("lib.a: archive, 4 images, 8 kernels\n\nmember a.o\n\nimages\n"), "{text}");
    assert!(text.contains("\nmember lib.o\n"), "{text}");
    let containers = bundle().containers();
    let text = Contents::read(&containers).unwrap().to_text("b.bin");
    assert!(text.starts_with("b.bin: image container, 2 images, no kernels\n"), "{text}");
}

#[test]
fn what_cannot_be_read_is_said() {
    let message = |bytes: &[u8]| Contents::read(bytes).unwrap_err().to_string();
    assert_eq!(message(b""), format!("the file is empty; {EXPECTED}"));
    assert_eq!(message(b"hello"), format!("the file has an unknown format; {EXPECTED}"));
    assert_eq!(message(b"\x7fELF"), "the ELF file is broken or truncated");
    assert!(message(b"!<thin>\n").starts_with("a thin archive"));
    let containers = bundle().containers();
    assert_eq!(message(&containers[..40]), "the image container at offset 0: it is truncated");
}

#[test]
fn damage_is_never_a_panic() {
    let object = object(Runtime::Offloadrt);
    let archive = archive(&[("a.o", &object)]);
    // A small random number generator with a fixed seed.
    let mut state = 1u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for good in [&object, &archive] {
        for _ in 0..2_000 {
            let mut bytes = good.clone();
            for _ in 0..=next(4) {
                let at = next(bytes.len());
                bytes[at] = [0, 1, 0x7f, 0x80, 0xff, next(256) as u8][next(6)];
            }
            bytes.truncate(bytes.len() - if next(4) == 0 { next(good.len()) } else { 0 });
            if let Ok(contents) = Contents::read(&bytes) {
                let _text = contents.to_text("x");
                let _json = contents.to_json("x");
            }
        }
        for end in 0..good.len().min(400) {
            let _either = Contents::read(&good[..end]);
        }
    }
}
