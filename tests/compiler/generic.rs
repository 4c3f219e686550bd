//! The generic image: images made from it have the bytes of a direct compile, refusals keep their lines, and images go
//! into and out of programs of every linker.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::emulators;
use harness::program::{RECOMMENDED, bitcode};
use harness::{Outcome, run, scratch};
use offloadc::bundle::{Compression, Image, ImageView, LinkedFile};
use offloadc::error::Result;

/// A kernel that stores a number.
const KERNEL: &str = "target triple = \"x86_64-unknown-linux-gnu\"\n\
    define ptx_kernel void @k(ptr %to, i32 %number) {\n  store i32 %number, ptr %to\n  ret void\n}\n";
/// A kernel that no device but NVIDIA's runs.
const NVIDIA_ONLY: &str = "target triple = \"x86_64-unknown-linux-gnu\"\n\
    declare i32 @__offload_intrinsic.llvm.nvvm.read.ptx.sreg.clock()\n\
    define ptx_kernel void @k(ptr %to) {\n  %now = call i32 @__offload_intrinsic.llvm.nvvm.read.ptx.sreg.clock()\n  \
    store i32 %now, ptr %to\n  ret void\n}\n";

fn offloadc(folder: &Path, words: &[&str]) -> Outcome {
    run(Command::new(harness::offloadc()).args(words).current_dir(folder))
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("the folder is ours");
}

fn read(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The images that `inspect` lists for a file, by the names of archs.
fn archs(folder: &Path, file: &str) -> Vec<String> {
    let json = offloadc(folder, &["inspect", "--json", file]).success().stdout();
    let contents: serde_json::Value = serde_json::from_str(&json).expect("inspect prints JSON");
    let objects = contents["objects"].as_array().expect("there are objects");
    let images = objects.iter().flat_map(|object| object["images"].as_array().expect("they have images"));
    images.map(|image| image["arch"].as_str().expect("an image has an arch").to_owned()).collect()
}

/// The program that launches the kernel of [`KERNEL`], linked with these options.
fn link(folder: &Path, object: &str, options: &[&str], output: &str) -> Outcome {
    let root = harness::root();
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-D_GNU_SOURCE", "-pthread", "-I"]).arg(root.join("runtime-c")).current_dir(folder);
    cc.arg(root.join("tests/host_object/launches_at_once.c")).arg(object).args(options);
    run(cc.args(harness::program::runtime_libraries("offloadrt")).arg("-o").arg(output))
}

/// The options for each linker.
fn linkers() -> Vec<Vec<String>> {
    let lld = format!("-B{}", harness::llvm_bin().display());
    let linkers: [&[&str]; 8] = [
        &["-fuse-ld=bfd"],
        &["-fuse-ld=bfd", "-no-pie"],
        &["-fuse-ld=bfd", "-Wl,-z,pack-relative-relocs"],
        &["-fuse-ld=gold"],
        &["-fuse-ld=mold"],
        &["-fuse-ld=lld", &lld],
        &["-fuse-ld=lld", &lld, "-no-pie"],
        &["-fuse-ld=lld", &lld, "-Wl,-z,pack-relative-relocs", "-Wl,--pack-dyn-relocs=relr"],
    ];
    linkers.iter().map(|options| options.iter().map(|&option| option.to_owned()).collect()).collect()
}

/// The devices on which a program can be started: the variables that choose them.
fn starts(program: &Path) {
    for emulated in emulators::all() {
        let _said = run(emulators::choose(&mut Command::new(program), emulated)).success();
    }
}

#[test]
fn what_is_finished_has_the_bytes_of_a_direct_compile() {
    let folder = scratch();
    let at = folder.path();
    const ARCHS: [&str; 5] = ["cpu", "sm_80", "gfx90a:xnack-", "gfx1100", "spirv64"];
    for source in ["panics", "lanes", "recursion", "fast", "pairs_statics"] {
        let input = bitcode(&format!("tests/run/{source}.rs"), RECOMMENDED, at).display().to_string();
        let list = format!("--offload-arch=generic,{}", ARCHS.join(","));
        offloadc(at, &[&input, &list, "--no-cache", "--emit=bundle=all.bin", "--emit=object=all.o"]).success();
        offloadc(at, &[&input, "--offload-arch=generic", "--no-cache", "--emit=bundle=generic.bin"]).success();
        let list = format!("--offload-arch={}", ARCHS.join(","));
        offloadc(at, &["finish", "all.o", &list, "--no-cache", "--emit=bundle=later.bin"]).success();
        offloadc(at, &["finish", "generic.bin", &list, "--no-cache", "--emit=bundle", "-o", "alone.bin"]).success();
        let images = |file: &str| {
            let bytes = read(at, file);
            let contents = offloadc::bundle::Contents::read(&bytes).expect("it is a bundle");
            // The code of the CPU is in the object of a build, and in a separate image later.
            ARCHS[1..].iter().map(|arch| contents.images_of(arch)).collect::<Vec<_>>()
        };
        assert!(images("all.bin").iter().all(|images| images.len() == 1 && !images[0].is_empty()), "{source}");
        assert_eq!(images("all.bin"), images("later.bin"), "{source}");
        assert_eq!(images("later.bin"), images("alone.bin"), "{source}");
        assert_eq!(archs(at, "alone.bin").len(), ARCHS.len(), "{source}");
    }
}

/// The smallest program of all is the one in which the names of archs and the like matter most.
#[test]
fn the_image_is_smaller_than_those_of_two_archs() {
    let folder = scratch();
    let at = folder.path();
    let size = |input: &str, archs: &str| {
        let arch = format!("--offload-arch={archs}");
        offloadc(at, &[input, &arch, "--compress=zstd", "--no-cache", "-o", "app.o"]).success();
        let object = read(at, "app.o");
        let elf = goblin::elf::Elf::parse(&object).expect("offloadc writes objects");
        let is_images = |name: &str| name.starts_with(".offload.images");
        let sections = elf.section_headers.iter();
        let images = sections.filter(|header| elf.shdr_strtab.get_at(header.sh_name).is_some_and(is_images));
        images.map(|header| header.sh_size).sum::<u64>()
    };
    for source in ["pairs", "panics", "format"] {
        let input = bitcode(&format!("tests/run/{source}.rs"), RECOMMENDED, at).display().to_string();
        let (generic, archs) = (size(&input, "generic"), size(&input, "sm_80,gfx90a"));
        assert!(generic < archs, "{source}: {generic} bytes, and {archs} for the archs");
    }
}

#[test]
fn code_knows_whether_it_was_made_later() {
    let folder = scratch();
    let at = folder.path();
    let asks = KERNEL.replace(
        "store i32 %number",
        "%g = call i1 @__offload_is_generic()\n  %n = select i1 %g, i32 7, i32 9\n  store i32 %n",
    );
    write(at, "in.ll", &(asks + "declare i1 @__offload_is_generic()\n"));
    offloadc(at, &["in.ll", "--offload-arch=generic,sm_80", "--emit=codegen=built.s", "-o", "in.o"]).success();
    offloadc(at, &["finish", "in.o", "--offload-arch=sm_80", "--emit=codegen=later.s"]).success();
    let [built, later] = ["built.s", "later.s"].map(|name| String::from_utf8(read(at, name)).expect("it is text"));
    assert!(built.contains(", 9;") && !built.contains(", 7;"), "{built}");
    assert!(later.contains(", 7;") && !later.contains(", 9;"), "{later}");
}

#[test]
fn options_that_are_not_given_are_those_of_the_build() {
    let folder = scratch();
    let at = folder.path();
    write(at, "in.ll", KERNEL);
    offloadc(at, &["in.ll", "--offload-arch=generic,sm_80", "-O3", "--ftz", "--emit=image=a.ptx", "-o", "in.o"])
        .success();
    offloadc(at, &["finish", "in.o", "--offload-arch=sm_80", "-o", "b.ptx"]).success();
    assert_eq!(read(at, "a.ptx"), read(at, "b.ptx"));
    offloadc(at, &["finish", "in.o", "--offload-arch=sm_80", "-MD", "-MF", "b.d", "-o", "b.ptx"]).success();
    assert_eq!(read(at, "b.d"), b"b.ptx: \\\n  in.o\n");
    // Every stage after the image that was kept can be written, and standard input is a file as well.
    offloadc(at, &["finish", "in.o", "--offload-arch=gfx90a", "--emit=flavor=-"]).success();
    let text =
        offloadc(at, &["finish", "in.o", "--offload-arch=sm_90", "--emit=codegen", "-o", "-"]).success().stdout();
    assert!(text.contains(".target sm_90"), "{text}");
    for (words, said) in [
        (&["in.o"][..], "error: no arch is named"),
        (&["in.o", "--offload-arch=sm_8"], "error: the LLVM in use cannot compile for `sm_8`"),
        (&["in.o", "--offload-arch=generic"], "error: `generic` is what images are made of"),
        (
            &["in.o", "--offload-arch=sm_80", "--runtime=cuda"],
            "error: the kernels of `in.o` are for `--runtime=offloadrt`",
        ),
        (&["in.o", "--offload-arch=sm_80", "--device-print"], "error: `--device-print` decides what is in the generic"),
        (&["in.o", "--offload-arch=sm_80", "--device-std"], "error: `--device-std` decides what is in the generic"),
        (&["in.o", "--offload-arch=sm_80", "--extern-rlib=a"], "error: `--extern-rlib` decides what is in the generic"),
        (
            &["in.o", "--offload-arch=sm_80", "--load-pass-plugin=a@simplify"],
            "error: `--load-pass-plugin=FILE@simplify`",
        ),
        (&["in.o", "--offload-arch=sm_80", "--distributor=a"], "error: `--distributor` is an option of a build"),
        (&["in.o", "--offload-arch=sm_80", "--emit=object"], "error: `--emit` names one of flavor"),
        (&["--offload-arch=sm_80"], "error: no file is named"),
    ] {
        let outcome = offloadc(at, &[&["finish"], words].concat());
        assert_eq!(outcome.code(), 2, "{words:?}: {}", outcome.report());
        assert!(outcome.stderr().starts_with(said), "{words:?}: {}", outcome.report());
    }
    let none = offloadc(at, &["finish", "in.ll", "--offload-arch=sm_80"]);
    assert!(none.code() == 1 && none.stderr().contains("the file has an unknown format"), "{}", none.report());
}

#[test]
fn what_only_some_archs_refuse_is_an_error_when_it_is_finished() {
    let folder = scratch();
    let at = folder.path();
    write(at, "in.ll", NVIDIA_ONLY);
    let refused = offloadc(at, &["in.ll", "--offload-arch=generic,sm_80", "-o", "in.o"]);
    let first = |outcome: &Outcome| outcome.stderr().lines().next().unwrap_or_default().to_owned();
    assert!(refused.code() == 1 && first(&refused).contains("error[OFC0028]"), "{}", refused.report());
    assert!(refused.stderr().contains("spirv64") && !at.join("in.o").exists(), "{}", refused.report());
    // Without the promise that most devices run the code, only `finish` refuses it.
    offloadc(at, &["in.ll", "--offload-arch=generic,sm_80", "--skip-refused-archs", "-o", "in.o"]).success();
    offloadc(at, &["finish", "in.o", "--offload-arch=sm_90", "-o", "out"]).success();
    let direct = offloadc(at, &["in.ll", "--offload-arch=gfx90a", "-o", "direct.o"]);
    let later = offloadc(at, &["finish", "in.o", "--offload-arch=gfx90a:xnack+", "-o", "late"]);
    assert!(direct.code() == 1 && later.code() == 1 && !at.join("late").exists(), "{}", later.report());
    assert_eq!(later.stderr().replace("gfx90a:xnack+", "gfx90a"), direct.stderr());
    let added = offloadc(at, &["finish", "in.o", "--offload-arch=sm_80,spirv64", "--emit=bundle", "-o", "late"]);
    assert!(added.code() == 1 && !at.join("late").exists(), "{}", added.report());
}

#[test]
fn damage_and_other_versions_are_errors() {
    let folder = scratch();
    let at = folder.path();
    write(at, "in.ll", KERNEL);
    offloadc(at, &["in.ll", "--offload-arch=generic", "--emit=bundle=in.bin", "--compress=none"]).success();
    let bundle = read(at, "in.bin");
    let good = offloadc::bundle::Contents::read(&bundle).expect("it is a bundle").images_of("generic").remove(0);
    let finish = |bytes: &[u8]| {
        fs::write(at.join("image"), bytes).expect("the folder is ours");
        offloadc(at, &["finish", "image", "--offload-arch=sm_80", "-o", "out"])
    };
    finish(&good).success();
    for place in (0..good.len()).step_by(good.len() / 12) {
        let mut bytes = good.clone();
        bytes[place] ^= 0x40;
        let outcome = finish(&bytes);
        assert_eq!(outcome.code(), 1, "byte {place}: {}", outcome.report());
        assert!(outcome.stderr().starts_with("error"), "byte {place}: {}", outcome.report());
    }
    // The version is read before anything else.
    let start = b"offloadc generic image\n".len();
    let mut bytes = good[..good.len() - 32].to_vec();
    bytes[start] = 9;
    bytes.extend(blake3::hash(&bytes).as_bytes());
    let outcome = finish(&bytes);
    let said = outcome.stderr();
    assert!(outcome.code() == 1 && said.contains("is of another offloadc"), "{}", outcome.report());
    assert!(said.contains("version 9 of the image") && said.contains("version 3 of the image"), "{said}");
}

#[test]
fn images_go_into_and_out_of_programs_of_every_linker() {
    let folder = scratch();
    let at = folder.path();
    write(at, "in.ll", KERNEL);
    offloadc(at, &["in.ll", "--offload-arch=generic,sm_80", "-o", "in.o"]).success();
    for (number, options) in linkers().iter().enumerate() {
        let options = &options.iter().map(String::as_str).collect::<Vec<_>>();
        let (program, edited) = (format!("p{number}"), format!("e{number}"));
        let _said = link(at, "in.o", options, &program).success();
        if number % 2 == 1 {
            let _said = run(Command::new("strip").arg(&program).current_dir(at)).success();
        }
        let words = ["add", &program, "--offload-arch=gfx90a,cpu", "-o", &edited];
        offloadc(at, &words).success();
        offloadc(at, &["add", &edited, "--offload-arch=gfx1100"]).success();
        assert_eq!(archs(at, &edited), ["gfx1100", "gfx90a", "sm_80", "generic", "cpu"], "{options:?}");
        let _said =
            run(Command::new(at.join(&edited)).env("OFFLOADRT_DEVICE", "cpu").env("OFFLOADRT_JIT", "never")).success();
        starts(&at.join(&edited));
        assert_eq!(archs(at, &program), ["sm_80", "generic"], "{options:?}");
        // Nothing but headers, the descriptor and the old images has changed.
        assert!(
            !fs::read_dir(at).expect("it is a folder").flatten().any(|f| f.path().extension() == Some("img".as_ref()))
        );
        let (old, new) = (read(at, &program), read(at, &edited));
        assert!(new.len() > old.len(), "{options:?}");
        let differing = old.iter().zip(&new).filter(|(old, new)| old != new).count();
        let images = offloadc(at, &["inspect", "--json", &program]).success().stdout().len();
        assert!(images > 0 && differing < 16 << 10, "{options:?}: {differing} bytes differ");
        // Without images the file is as short as before, and the emulated devices have no code.
        offloadc(at, &["strip", &edited, "--keep=gfx90a,gfx1100,sm_80"]).success();
        assert_eq!(archs(at, &edited), ["gfx1100", "gfx90a", "sm_80"], "{options:?}");
        starts(&at.join(&edited));
        offloadc(at, &["strip", &edited, "--keep", "-o", "none"]).success();
        assert_eq!(archs(at, "none"), [""; 0], "{options:?}");
        assert!(read(at, "none").len() < read(at, &edited).len(), "{options:?}");
        let emulated = emulators::all().next().expect("`make emulators` builds them");
        let outcome = run(emulators::choose(&mut Command::new(at.join("none")), emulated));
        assert!(outcome.stderr().contains("has no code for device"), "{}", outcome.report());
    }
}

/// The pages of images that the linker has placed go out of the file on demand. The program still runs, also after
/// other edits, and a shared object does, too.
#[test]
fn pages_of_images_go_out_of_programs_of_every_linker() {
    let folder = scratch();
    let at = folder.path();
    let kernel = |n: usize| {
        let name = if n == 7 { "k".to_owned() } else { format!("k{n}") };
        format!("define ptx_kernel void @{name}(ptr %to, i32 %n) {{\n  store i32 %n, ptr %to\n  ret void\n}}\n")
    };
    let kernels: String = (0..40).map(kernel).collect();
    write(at, "in.ll", &format!("target triple = \"x86_64-unknown-linux-gnu\"\n{kernels}"));
    let all = "--offload-arch=generic,sm_80,gfx90a,gfx1100,cpu";
    offloadc(at, &["in.ll", all, "--compress=none", "-o", "in.o"]).success();
    let start = |program: &str, arch: &str| {
        let mut command = Command::new(at.join(program));
        command.env("OFFLOADRT_JIT", "never");
        let device = emulators::all().find(|emulated| emulated.arch == arch);
        match device {
            Some(emulated) => drop(run(emulators::choose(&mut command, emulated)).success()),
            None => drop(run(command.env("OFFLOADRT_DEVICE", "cpu")).success()),
        }
    };
    let size = |name: &str| read(at, name).len();
    for (number, options) in linkers().iter().enumerate() {
        let mut options = options.iter().map(String::as_str).collect::<Vec<_>>();
        if number == 3 || number == 5 {
            let library = &[&options[..], &["-shared", "-fPIC"]].concat();
            let _said = link(at, "in.o", library, "libkernels.so").success();
            let words = ["strip", "libkernels.so", "--keep=gfx90a,generic", "--compact"];
            offloadc(at, &words).success();
            // The library has `main`.
            let mut cc = Command::new("cc");
            let _said = run(cc.args(["libkernels.so", "-Wl,-rpath,$ORIGIN", "-o", "uses"]).current_dir(at)).success();
            start("uses", "gfx90a");
            options.push("-s");
        }
        let _said = link(at, "in.o", &options, "program").success();
        let said = offloadc(at, &["strip", "program", "--keep=gfx90a,generic", "-o", "zeros"]).success().stderr();
        let zeros = said.strip_prefix("note: ").and_then(|said| said.split(' ').next()?.parse::<usize>().ok());
        let zeros = zeros.unwrap_or_else(|| panic!("{options:?}: {said}"));
        assert!(size("zeros") == size("program") && zeros > 40 << 10, "{options:?}: {said}");
        let said = offloadc(at, &["strip", "program", "--keep=gfx90a,generic", "--compact", "-o", "compact"]);
        let said = said.success().stderr();
        assert!(said.is_empty() && size("compact") + zeros - size("program") < 3 * 4096, "{options:?}: {said}");
        assert_eq!(archs(at, "compact"), ["gfx90a", "generic", "cpu"], "{options:?}");
        for arch in ["cpu", "gfx90a"] {
            start("zeros", arch);
            start("compact", arch);
        }
        // There is nothing more to take.
        offloadc(at, &["strip", "compact", "--keep=gfx90a,generic", "--compact", "-o", "again"]).success();
        assert_eq!(read(at, "again"), read(at, "compact"), "{options:?}");
        offloadc(at, &["add", "again", "--offload-arch=gfx1100"]).success();
        start("again", "gfx1100");
        // The images that were added go, too, and the place of the old ones.
        offloadc(at, &["strip", "again", "--keep", "--compact"]).success();
        assert!(size("again") < size("compact"), "{options:?}");
        start("again", "cpu");
        let _said = run(Command::new(harness::llvm_tool("llvm-strip")).arg("compact").current_dir(at)).success();
        start("compact", "gfx90a");
    }
}

#[test]
fn files_that_cannot_be_edited_stay_as_they_are() {
    let folder = scratch();
    let at = folder.path();
    write(at, "in.ll", KERNEL);
    offloadc(at, &["in.ll", "--offload-arch=generic", "-o", "in.o"]).success();
    offloadc(at, &["in.ll", "--offload-arch=cpu,sm_80", "-o", "without.o"]).success();
    offloadc(at, &["in.ll", "--offload-arch=cpu,sm_80", "--runtime=cuda", "-o", "cuda.o"]);
    let _said = link(at, "without.o", &[], "without").success();
    let _said = link(at, "in.o", &[], "program").success();
    let before = read(at, "program");
    fs::write(at.join("short"), &before[..before.len() / 2]).expect("the folder is ours");
    write(at, "text", "no program");
    for (words, said) in [
        (&["add", "in.o", "--offload-arch=sm_80"][..], "it is not linked"),
        (&["add", "text", "--offload-arch=sm_80"], "it is no ELF file"),
        (&["add", "short", "--offload-arch=sm_80"], "error"),
        (&["add", "absent", "--offload-arch=sm_80"], "cannot read `absent`"),
        (&["add", "without", "--offload-arch=sm_90"], "`without` has no generic image"),
        (&["add", "program", "--offload-arch=sm_80", "-o", "no/such/folder"], "cannot write"),
        (&["strip", "program", "--keep=sm_30"], "`program` has no image for `sm_30`"),
        (&["strip", "text", "--keep=sm_30"], "it is no ELF file"),
    ] {
        let outcome = offloadc(at, words);
        assert_eq!(outcome.code(), 1, "{words:?}: {}", outcome.report());
        assert!(outcome.stderr().contains(said), "{words:?}: {}", outcome.report());
    }
    let usage = offloadc(at, &["add", "program", "--offload-arch=sm_80", "--emit=codegen"]);
    assert!(usage.code() == 2 && usage.stderr().contains("omit `--emit`"), "{}", usage.report());
    assert_eq!(read(at, "program"), before);
}

/// Kernels with static shared memory of different sizes. The first and the last share a static, so the parts of an
/// image have another order than the kernels.
#[test]
fn sizes_of_shared_memory_are_in_the_order_of_the_kernels() {
    let folder = scratch();
    let at = folder.path();
    let kernel = |name: &str, words: usize, counts: bool| {
        let count = if counts { "  %old = atomicrmw add ptr @count, i32 1 monotonic\n" } else { "" };
        format!(
            "@tile_{name} = internal global [{words} x i32] undef, section \".offload.shared\"\n\
             define ptx_kernel void @{name}(ptr %to, i64 %i) {{\n{count}  %p = getelementptr i32, ptr @tile_{name}, i64 %i\n  \
             store volatile i32 7, ptr %p\n  %v = load volatile i32, ptr %p\n  store i32 %v, ptr %to\n  ret void\n}}\n"
        )
    };
    let text = "target triple = \"x86_64-unknown-linux-gnu\"\n\
        @count = internal global i32 0, section \".offload.static\"\n"
        .to_owned()
        + &[kernel("first", 16, true), kernel("middle", 512, false), kernel("last", 64, true)].concat();
    write(at, "in.ll", &text);
    offloadc(at, &["in.ll", "--offload-arch=generic,cpu", "--parts=2", "-o", "in.o"]).success();
    offloadc(at, &["finish", "in.o", "--offload-arch=cpu", "--emit=bundle", "-o", "cpu.bin"]).success();
    let bundle = read(at, "cpu.bin");
    let images = offloadc::bundle::read_images(&bundle).expect("it is a bundle");
    let sizes = images[0].strings.iter().find(|(key, _)| *key == "shared-bytes").map(|(_, value)| *value);
    assert_eq!(sizes, Some("64,2048,256"));
}

/// Other tools may change a program between two edits, and a program without a runtime reads its images itself.
#[test]
fn edits_keep_what_other_tools_and_programs_need() {
    let folder = scratch();
    let at = folder.path();
    write(at, "in.ll", KERNEL);
    offloadc(at, &["in.ll", "--offload-arch=generic,sm_80", "-o", "in.o"]).success();
    let _said = link(at, "in.o", &[], "program").success();
    offloadc(at, &["add", "program", "--offload-arch=gfx90a"]).success();
    let _said = run(Command::new(harness::llvm_tool("llvm-strip")).arg("-g").arg("program").current_dir(at)).success();
    offloadc(at, &["add", "program", "--offload-arch=gfx1100"]).success();
    starts(&at.join("program"));
    let listed = run(Command::new("nm").arg("program").current_dir(at)).success().stdout();
    assert!(listed.contains(" T main"), "{listed}");
    // The text of many kernels would be compressed.
    let kernels: String =
        (0..40).map(|n| KERNEL.replace("@k(", &format!("@k{n}(")).replace("target triple", "; ")).collect();
    let kernels = format!("target triple = \"x86_64-unknown-linux-gnu\"\n{kernels}");
    write(at, "many.ll", &kernels);
    let words = ["many.ll", "--offload-arch=generic,sm_80,sm_90", "--runtime=none", "-o", "many.o"];
    offloadc(at, &words).success();
    let mut cc = Command::new("cc");
    let _said =
        run(cc.args(["-shared", "many.o", "-Wl,-u,__offload_handle", "-o", "many.so"]).current_dir(at)).success();
    offloadc(at, &["strip", "many.so", "--keep=sm_80,sm_90"]).success();
    let told = offloadc(at, &["inspect", "many.so"]).success().stdout();
    assert!(!told.contains("compressed"), "{told}");
}

/// Bytes of headers, tables and descriptors that are wrong: the file is refused, or edited, and nothing crashes.
#[test]
fn damaged_programs_are_refused_or_edited() {
    let folder = scratch();
    let at = folder.path();
    write(at, "in.ll", KERNEL);
    offloadc(at, &["in.ll", "--offload-arch=generic,sm_80", "-o", "in.o"]).success();
    let _said = link(at, "in.o", &[], "program").success();
    let good = read(at, "program");
    let elf = goblin::elf::Elf::parse(&good).expect("it was linked");
    let sections = elf.header.e_shoff as usize;
    let relocations = elf.section_headers.iter().find(|s| elf.shdr_strtab.get_at(s.sh_name) == Some(".rela.dyn"));
    let relocations = relocations.and_then(|section| section.file_range()).expect("it is position-independent");
    let data = elf.section_headers.iter().find(|s| elf.shdr_strtab.get_at(s.sh_name) == Some(".data"));
    let data = data.and_then(|section| section.file_range()).expect("it has descriptors");
    let headers = (0..64 + 56 * elf.program_headers.len()).step_by(5);
    let places =
        headers.chain((sections..good.len()).step_by(37)).chain(relocations.step_by(41)).chain(data.step_by(7));
    let (mut refused, mut edited) = (0, 0);
    let edit = |bytes: &[u8], size: usize| {
        let file = LinkedFile::read(bytes)?;
        let image = |image: &ImageView<'_>| Ok(Image { bytes: vec![7; size], ..image.to_image()? });
        let images = |images: &Vec<ImageView<'_>>| images.iter().map(image).collect();
        let images = file.objects()?.iter().map(images).collect::<Result<Vec<_>>>()?;
        match size {
            1 => Ok(file.with_part_of_images(&images, Compression::None, true)?.bytes),
            _ => file.with_images(&images, Compression::None),
        }
    };
    for place in places {
        let mut bytes = good.clone();
        bytes[place] ^= [0xff, 0x80, 0x01][place % 3];
        for size in [1, 100_000] {
            match edit(&bytes, size) {
                Ok(_) => edited += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 10 && edited > 10, "{refused} {edited}");
}

/// A shared object of two host objects with the same kernel's name in other numbers.
#[test]
fn each_object_of_a_shared_object_has_its_own_images() {
    let folder = scratch();
    let at = folder.path();
    write(at, "in.ll", KERNEL);
    write(at, "other.ll", &KERNEL.replace("@k(", "@other("));
    let mut objects: Vec<PathBuf> = Vec::new();
    for name in ["in", "other"] {
        let object = format!("{name}.o");
        offloadc(at, &[&format!("{name}.ll"), "--offload-arch=generic", "-o", &object]).success();
        objects.push(object.into());
    }
    let mut cc = Command::new("cc");
    cc.arg("-shared").args(&objects).args(harness::program::runtime_libraries("offloadrt")).current_dir(at);
    let _said = run(cc.args(["-o", "both.so"])).success();
    let refused = offloadc(at, &["finish", "both.so", "--offload-arch=sm_80", "-o", "one"]);
    assert!(refused.code() == 2 && refused.stderr().contains("has 2 generic images"), "{}", refused.report());
    offloadc(at, &["finish", "both.so", "--offload-arch=sm_80", "--emit=bundle", "-o", "two.bin"]).success();
    assert_eq!(archs(at, "two.bin"), ["sm_80", "sm_80"]);
    offloadc(at, &["add", "both.so", "--offload-arch=sm_80"]).success();
    assert_eq!(archs(at, "both.so"), ["sm_80", "generic", "sm_80", "generic"]);
}
