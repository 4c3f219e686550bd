//! Objects of offloadc in the offload links of clang, whose `clang-linker-wrapper` takes images out of objects: it
//! leaves ours as they are.

use std::path::Path;
use std::process::Command;

use harness::{run, scratch};

const KERNEL: &str = "target triple = \"x86_64-unknown-linux-gnu\"\n\
    define ptx_kernel void @k(ptr %to, i32 %number) {\n  store i32 %number, ptr %to\n  ret void\n}\n";

/// The bytes of a section.
fn section<'a>(bytes: &'a [u8], name: &str) -> &'a [u8] {
    let elf = goblin::elf::Elf::parse(bytes).expect("it is ELF");
    let found = elf.section_headers.iter().find(|section| elf.shdr_strtab.get_at(section.sh_name) == Some(name));
    &bytes[found.and_then(|section| section.file_range()).expect("the file has the section")]
}

/// The names of all defined symbols of ours, in order.
fn symbols(bytes: &[u8]) -> Vec<String> {
    let elf = goblin::elf::Elf::parse(bytes).expect("it is ELF");
    let defined = elf.syms.iter().filter(|symbol| symbol.st_shndx != 0);
    let names = defined.filter_map(|symbol| elf.strtab.get_at(symbol.st_name));
    let mut names: Vec<_> = names.filter(|name| name.starts_with("__offload_")).map(str::to_owned).collect();
    names.sort();
    names
}

fn clang(folder: &Path) -> Command {
    let mut clang = Command::new(harness::llvm_tool("clang"));
    clang.current_dir(folder).args(["-O1", "-fopenmp", "-fopenmp-targets=x86_64-unknown-linux-gnu"]);
    clang
}

#[test]
fn clang_leaves_our_images_alone() {
    let (folder, root) = (scratch(), harness::root());
    let here = folder.path();
    std::fs::write(here.join("kernel.ll"), KERNEL).expect("the folder is ours");
    for compress in ["--compress=none", "--compress=zstd"] {
        let mut offloadc = Command::new(harness::offloadc());
        offloadc.current_dir(here).args(["kernel.ll", "--offload-arch=cpu,sm_80,gfx90a", compress, "-o", "kernel.o"]);
        run(&mut offloadc).success();
        let source = root.join("tests/host_object/offload_region.c");
        run(clang(here).arg("-c").arg("-I").arg(root.join("runtime-c")).arg(source).args(["-o", "main.o"])).success();
        let mut link = clang(here);
        link.args(["main.o", "kernel.o"]).args(harness::program::runtime_libraries("offloadrt"));
        link.arg(format!("-Wl,-rpath,{}", harness::llvm_bin().join("../lib").display()));
        run(link.args(["-Xlinker", "--save-temps", "-o", "program"])).success();

        let [object, program] =
            ["kernel.o", "program"].map(|name| std::fs::read(here.join(name)).expect("it was made"));
        for name in [".offload.images", ".offload.table"] {
            assert_eq!(section(&object, name), section(&program, name), "{name} {compress}");
        }
        assert_eq!(symbols(&object), symbols(&program), "{compress}");
        let files = std::fs::read_dir(here).expect("the folder is ours").filter_map(|entry| entry.ok());
        let images = files.filter(|file| file.path().extension().is_some_and(|extension| extension == "img"));
        assert_eq!(images.count(), 1, "the wrapper links the image of the target region only");
        let mut program = Command::new(here.join("program"));
        let outcome = run(program.env("OMP_TARGET_OFFLOAD", "MANDATORY")).success();
        assert_eq!(outcome.stdout(), "7 42\n", "{}", outcome.report());
    }
}
