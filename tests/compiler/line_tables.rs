//! `-g`: every target's line tables are accepted by the tools that read them, and no build fails or passes because of it.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::program::{self, FLAG_SETS, FlagSet, RECOMMENDED};
use harness::{Outcome, run};

/// One of each vendor, and the others for one set of flags.
const ARCHS: [&str; 2] = ["sm_90", "gfx90a"];
const MORE_ARCHS: [&str; 2] = ["sm_70", "gfx1100"];

/// Programs whose code is for the most part the sysroot's and takes seconds: at one set of flags, for one arch.
const LARGE: [&str; 4] = ["alloc", "library", "simd", "sort"];
/// The same, but it takes NVIDIA's assembler half a minute.
const LEFT_OUT: &str = "tests/run/format.rs";

/// The examples and the programs that run, by their paths in the repository.
fn sources() -> Vec<String> {
    let mut all = Vec::new();
    for folder in ["examples/contract", "tests/run"] {
        let entries = std::fs::read_dir(harness::root().join(folder)).expect("the folder can be listed");
        let names = entries.map(|entry| entry.expect("the folder can be listed").file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned()).filter(|name| name.ends_with(".rs"));
        all.extend(names.map(|name| format!("{folder}/{name}")));
    }
    all.retain(|source| source != LEFT_OUT);
    all.sort();
    all
}

/// Compiles for all archs at once; the images are files in `folder` whose names hold the arch.
fn images(bitcode: &Path, folder: &Path, archs: &[&str], debug: bool) -> Outcome {
    std::fs::create_dir_all(folder).expect("the scratch folder can be written");
    let mut command = Command::new(harness::offloadc());
    let archs = format!("--offload-arch={}", archs.join(","));
    command.current_dir(folder).arg(bitcode).args([&archs, "--emit=image"]);
    if bitcode.to_string_lossy().contains("/glob.") {
        command.arg("--kernel=glob_*");
    }
    run(if debug { command.arg("-g") } else { &mut command })
}

fn check_flags(plain: FlagSet, debug: FlagSet) {
    let folder = harness::scratch();
    let recommended = plain.name == RECOMMENDED.name;
    let every = [&ARCHS[..], if recommended { &MORE_ARCHS } else { &[] }].concat();
    let mut checked = 0;
    for source in sources() {
        let stem = Path::new(&source).file_stem().expect("a source has a name").to_string_lossy().into_owned();
        let large = LARGE.contains(&&*stem);
        if large && !recommended {
            continue;
        }
        let archs = if large { &ARCHS[..1] } else { &every };
        let [plain, debug] = [plain, debug].map(|set| program::bitcode(&source, set, folder.path()));
        let (without, with) = (folder.path().join("plain"), folder.path().join("debug"));
        let (plain, debug) = (images(&plain, &without, archs, false), images(&debug, &with, archs, true));
        assert_eq!(plain.code(), debug.code(), "-g decides over {source}:\n{}\n{}", plain.report(), debug.report());
        if debug.code() == 0 {
            archs.iter().for_each(|arch| check_image(&image(&with, arch), arch, &stem));
            checked += 1;
        }
        for folder in [without, with] {
            std::fs::remove_dir_all(folder).expect("the scratch folder is ours");
        }
    }
    assert!(checked > 10, "only {checked} programs were compiled");
}

fn image(folder: &Path, arch: &str) -> PathBuf {
    let part = format!(".image.{arch}.");
    let files = std::fs::read_dir(folder).expect("the folder was made").flatten().map(|entry| entry.path());
    let mut files = files.filter(|path| path.to_string_lossy().contains(&part));
    files.next().unwrap_or_else(|| panic!("no image for {arch}"))
}

/// The tools accept the image, and its lines lead to the program's source.
fn check_image(image: &Path, arch: &str, stem: &str) {
    let elf = if arch.starts_with("sm_") {
        let ptxas = harness::ptxas().expect("`make test-deps` installs NVIDIA's assembler");
        let cubin = image.with_extension("cubin");
        let mut command = Command::new(ptxas);
        run(command.args(["-lineinfo", "-arch", arch]).arg(image).arg("-o").arg(&cubin)).success();
        cubin
    } else {
        run(Command::new(harness::llvm_tool("llvm-dwarfdump")).arg("--verify").arg(image)).success();
        image.to_path_buf()
    };
    let lines =
        run(Command::new(harness::llvm_tool("llvm-dwarfdump")).arg("--debug-line").arg(&elf)).success().stdout();
    assert!(lines.contains(&format!("{stem}.rs\"")) && lines.contains("is_stmt"), "{stem} for {arch}:\n{lines}");
}

/// The set of this name.
fn set(name: &str) -> FlagSet {
    FLAG_SETS.into_iter().find(|set| set.name == name).expect("the harness has the set")
}

#[test]
fn with_rustcs_facts_alone() {
    check_flags(set("facts"), set("facts-g"));
}

#[test]
fn with_llvms_host_passes() {
    check_flags(set("O"), set("O-g"));
}

#[test]
fn without_optimisation() {
    check_flags(set("O0"), set("O0-g"));
}

/// Machine code that offloadc has assembled has a line table too, and the merged host object is sound.
#[test]
fn machine_code_and_the_host_object() {
    let folder = harness::scratch();
    let ptxas = harness::ptxas().expect("`make test-deps` installs NVIDIA's assembler");
    let bitcode = program::bitcode("examples/contract/matmul.rs", set("facts-g"), folder.path());
    let (cubin, object) = (folder.path().join("matmul.cubin"), folder.path().join("matmul.o"));
    let ptxas = ptxas.to_string_lossy();
    program::compile(&bitcode, &cubin, &["-g", "--ptxas", &ptxas, "--offload-arch=sm_80-real", "--emit=image"])
        .success();
    check_lines(&cubin, "matmul.rs");
    program::compile(&bitcode, &object, &["-g", "--offload-arch=cpu,gfx90a"]).success();
    run(Command::new(harness::llvm_tool("llvm-dwarfdump")).arg("--verify").arg(&object)).success();
    check_lines(&object, "matmul.rs");
}

fn check_lines(file: &Path, source: &str) {
    let lines =
        run(Command::new(harness::llvm_tool("llvm-dwarfdump")).arg("--debug-line").arg(file)).success().stdout();
    assert!(lines.contains(source), "{}:\n{lines}", file.display());
}
