//! Other programs accept the device images: NVIDIA's assembler, and LLVM's readers of objects and containers.

use std::path::Path;
use std::process::Command;

use harness::program::{self, RECOMMENDED};
use harness::run;

const EXAMPLES: [&str; 5] = ["saxpy", "histogram", "matmul", "reduction", "mandelbrot"];

/// The output of `--emit` for an example and an arch.
fn emit(example: &str, stage: &str, arch: &str, folder: &Path) -> std::path::PathBuf {
    let bitcode = program::bitcode(&format!("examples/contract/{example}.rs"), RECOMMENDED, folder);
    let output = folder.join(format!("{example}.{arch}.{stage}"));
    let (stage, arch) = (format!("--emit={stage}"), format!("--offload-arch={arch}"));
    program::compile(&bitcode, &output, &[&stage, &arch]).success();
    output
}

/// NVIDIA's assembler accepts the PTX of every example, for old and new archs.
#[test]
fn ptxas_accepts_every_ptx() {
    let ptxas = harness::ptxas().expect("`make test-deps` installs NVIDIA's assembler");
    let folder = harness::scratch();
    for arch in ["sm_70", "sm_80", "sm_90", "sm_100"] {
        for example in EXAMPLES {
            let ptx = emit(example, "codegen", arch, folder.path());
            let text = std::fs::read_to_string(&ptx).expect("PTX is text");
            assert!(text.contains(".visible .entry"), "{example} for {arch} has no entry:\n{text}");
            let output = folder.path().join("cubin");
            run(Command::new(&ptxas).arg(format!("-arch={arch}")).arg(&ptx).arg("-o").arg(&output)).success();
        }
    }
}

/// Every code object has AMD's notes, and a descriptor of 64 bytes for each kernel.
#[test]
fn code_objects_have_notes_and_descriptors() {
    let folder = harness::scratch();
    for (arch, machine) in [("gfx90a", "EF_AMDGPU_MACH_AMDGCN_GFX90A"), ("gfx1100", "EF_AMDGPU_MACH_AMDGCN_GFX1100")] {
        for example in EXAMPLES {
            let image = emit(example, "image", arch, folder.path());
            let mut command = Command::new(harness::llvm_tool("llvm-readobj"));
            let text = run(command.args(["--headers", "--notes", "--dyn-symbols"]).arg(&image)).success().stdout();
            let wanted =
                ["AMDGPU_HSA", "SharedObject", machine, "NT_AMDGPU_METADATA", "amdhsa.kernels", "amdhsa.target"];
            for part in wanted {
                assert!(text.contains(part), "{example} for {arch} lacks {part}:\n{text}");
            }
            // LLVM 23 names the part of the triple that is empty.
            let targets = ["", "unknown"].map(|environment| format!("amdgcn-amd-amdhsa-{environment}-{arch}"));
            let is_named = targets.iter().any(|target| text.contains(target));
            assert!(is_named, "{example}'s notes name none of {targets:?}:\n{text}");
            assert!(text.contains(".kd"), "{example} for {arch} has no kernel descriptor:\n{text}");
        }
    }
}

/// The notes contain the size of matmul's two tiles in workgroup memory, and that reduction has no static workgroup
/// memory.
#[test]
fn notes_state_shared_memory() {
    let folder = harness::scratch();
    for (example, bytes) in [("matmul", 2048), ("reduction", 0)] {
        let image = emit(example, "image", "gfx90a", folder.path());
        let text = run(Command::new(harness::llvm_tool("llvm-readobj")).arg("--notes").arg(&image)).success().stdout();
        let line = format!(".group_segment_fixed_size: {bytes}");
        assert!(text.contains(&line), "{example}: no `{line}` in\n{text}");
    }
}

/// LLVM's own tools list and extract images from the containers in a host object.
#[test]
fn llvm_tools_read_the_container() {
    let folder = harness::scratch();
    let bitcode = program::bitcode("examples/contract/saxpy.rs", RECOMMENDED, folder.path());
    let containers = folder.path().join("saxpy.bin");
    program::compile(&bitcode, &containers, &["--offload-arch=cpu,sm_80,gfx90a", "--emit=bundle"]).success();
    let listing = run(Command::new(harness::llvm_tool("llvm-objdump")).arg("--offloading").arg(&containers));
    let listing = listing.success().stdout();
    for arch in ["sm_80", "gfx90a"] {
        assert!(listing.contains(arch), "{arch} is not listed:\n{listing}");
    }
    let image = folder.path().join("extracted");
    let mut command = Command::new(harness::llvm_tool("llvm-offload-binary"));
    let choice = format!("--image=file={},arch=gfx90a", image.display());
    run(command.arg(&containers).arg(choice)).success();
    let bytes = std::fs::read(&image).expect("the image was extracted");
    assert_eq!(&bytes[..4], b"\x7fELF");
    let direct = emit("saxpy", "image", "gfx90a", folder.path());
    assert_eq!(bytes, std::fs::read(direct).expect("the image was written"), "container and --emit=image differ");
}

/// `inspect` shows images, kernels and parameters of an object and of a linked program, as text and as JSON.
#[test]
fn inspect_shows_images_kernels_and_parameters() {
    let folder = harness::scratch();
    let bitcode = program::bitcode("examples/contract/saxpy.rs", RECOMMENDED, folder.path());
    let (object, linked) = (folder.path().join("saxpy.o"), folder.path().join("saxpy"));
    program::compile(&bitcode, &object, &["--offload-arch=cpu,sm_80,gfx90a"]).success();
    program::link_rust(&object, "offloadrt", &linked);
    for file in [&object, &linked] {
        let text = run(Command::new(harness::offloadc()).arg("inspect").arg(file)).success().stdout();
        for part in ["cpu", "sm_80", "gfx90a", "saxpy"] {
            assert!(text.contains(part), "{part} is not shown for {}:\n{text}", file.display());
        }
        let json = run(Command::new(harness::offloadc()).args(["inspect", "--json"]).arg(file)).success().stdout();
        let value: serde_json::Value = serde_json::from_str(&json).expect("the output is JSON");
        assert!(value.to_string().contains("gfx90a"), "{json}");
    }
}

/// The range of a section in a file.
fn section(bytes: &[u8], name: &str) -> std::ops::Range<usize> {
    let elf = goblin::elf::Elf::parse(bytes).expect("it was linked");
    let found = elf.section_headers.iter().find(|section| elf.shdr_strtab.get_at(section.sh_name) == Some(name));
    found.and_then(|section| section.file_range()).expect("the program has it")
}

/// If a bit flips in data of a program that the runtime reads, there is an error or the result is the same, and memory
/// accesses are safe.
#[test]
fn a_damaged_program_does_not_crash() {
    let folder = harness::scratch();
    let bitcode = program::bitcode("examples/contract/saxpy.rs", RECOMMENDED, folder.path());
    let (object, linked) = (folder.path().join("saxpy.o"), folder.path().join("saxpy"));
    program::compile(&bitcode, &object, &["--offload-arch=cpu,sm_80"]).success();
    program::link_rust(&object, "offloadrt", &linked);
    let mut bytes = std::fs::read(&linked).expect("it was linked");
    let mut refused = 0;
    for name in [".offload.table", ".offload.images"] {
        let range = section(&bytes, name);
        // The start of an image determines where everything else is.
        for at in range.take(300) {
            bytes[at] ^= 1 << (at % 8);
            std::fs::write(&linked, &bytes).expect("the folder is ours");
            bytes[at] ^= 1 << (at % 8);
            let outcome = run(Command::new(&linked).arg("100"));
            assert!(outcome.code() < 128, "byte {at} of the file, in {name}: {}", outcome.report());
            refused += usize::from(outcome.code() != 0);
        }
    }
    assert!(refused > 50, "{refused}");
}
