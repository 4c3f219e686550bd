//! `offloadc-ld` as rustc's linker: workspaces built by `cargo offloadc`, and by cargo with `linker = "offloadc-ld"`.

mod again;
mod rustc;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use harness::{Outcome, cargo, run, run_within};

/// The target that `cargo offloadc` names if the command line names none.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// The output of `app`.
const RESULT: &str = "[3.0, 5.0] 1498500\n";

/// A copy of `tests/linker/` that a test may change, and its target folder.
struct Workspace {
    folder: tempfile::TempDir,
    /// The folder of `cargo-offloadc`.
    programs: PathBuf,
}

impl Workspace {
    fn new() -> Self {
        let folder = harness::scratch();
        let from = harness::root().join("tests/linker");
        copy(&from, folder.path());
        let text = std::fs::read_to_string(from.join("gpu/src/lib.rs")).expect("the test's own file");
        let common = harness::root().join("examples/contract/common/offload.rs");
        let text = text.replace("../../../../examples/contract/common/offload.rs", &common.display().to_string());
        std::fs::write(folder.path().join("gpu/src/lib.rs"), text).expect("the folder is ours");
        Self { folder, programs: harness::program_folder() }
    }

    /// The same with copies of offloadc's programs and of the runtime, which can be changed.
    fn with_own_offloadc() -> Self {
        let mut workspace = Self::new();
        let (programs, libraries) = (workspace.folder.path().join("bin"), workspace.folder.path().join("lib/offloadc"));
        for folder in [&programs, &libraries] {
            std::fs::create_dir_all(folder).expect("the folder is ours");
        }
        let program = |name| (workspace.programs.join(name), programs.join(name));
        let library = "liboffloadrt.a";
        let library = (harness::runtime_dir().join(library), libraries.join(library));
        for (from, to) in [
            program("cargo-offloadc"),
            program("offloadc"),
            program("offloadc-ld"),
            program("offloadc-dis"),
            program("offloadc-rustc"),
            library,
        ] {
            std::fs::copy(from, to).expect("the programs and the runtime are built");
        }
        workspace.programs = programs;
        workspace
    }

    /// Replaces the first `old` in a file by `new`.
    fn alter(&self, file: &str, old: &[u8], new: &[u8]) {
        let path = self.folder.path().join(file);
        let mut bytes = std::fs::read(&path).expect("a file of the workspace");
        let at = place(&bytes, old).expect("the file has these bytes");
        bytes[at..at + new.len()].copy_from_slice(new);
        std::fs::write(path, bytes).expect("the folder is ours");
    }

    fn cargo(&self, words: &[&str]) -> Command {
        let mut command = cargo::cargo(self.folder.path());
        command.args(words).env("OFFLOADRT_DEVICE", "cpu").env("PATH", harness::search_path(&[&self.programs]));
        // A configuration above this repository may name another one.
        command.env("CARGO_BUILD_TARGET_DIR", self.folder.path().join("target"));
        command
    }

    /// `cargo offloadc` with these arguments.
    fn offloadc(&self, words: &[&str]) -> Outcome {
        finish(self.cargo(&["offloadc"]).args(words))
    }

    /// A program that `cargo offloadc` has built.
    fn program(&self, profile: &str, name: &str) -> PathBuf {
        self.folder.path().join("target/offloadc").join(TRIPLE).join(profile).join(name)
    }

    /// Adds a library with these dependencies, which `app` uses.
    fn add_library(&self, name: &str, source: &str, dependencies: &str) {
        let folder = self.folder.path().join(name);
        std::fs::create_dir_all(folder.join("src")).expect("the folder is ours");
        let package = format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
        let manifest = format!("{package}\n[dependencies]\n{dependencies}\n");
        std::fs::write(folder.join("Cargo.toml"), manifest).expect("the folder is ours");
        std::fs::write(folder.join("src/lib.rs"), source).expect("the folder is ours");
        self.replace("Cargo.toml", "members = [", &format!("members = [\"{name}\", "));
        self.replace(
            "app/Cargo.toml",
            "[dependencies]",
            &format!("[dependencies]\n{name} = {{ path = \"../{name}\" }}"),
        );
    }

    fn replace(&self, file: &str, from: &str, to: &str) {
        let path = self.folder.path().join(file);
        let text = std::fs::read_to_string(&path).expect("a file of the workspace");
        assert!(text.contains(from));
        std::fs::write(path, text.replace(from, to)).expect("the folder is ours");
    }
}

fn finish(command: &mut Command) -> Outcome {
    run_within(command, Duration::from_secs(300))
}

pub(crate) fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("the test's own folder") {
        let path = entry.expect("it can be listed").path();
        let place = to.join(path.file_name().expect("an entry has a name"));
        if path.file_name().is_some_and(|name| name == "target") {
            continue;
        }
        if path.is_dir() {
            std::fs::create_dir(&place).expect("the folder is ours");
            copy(&path, &place);
        } else {
            std::fs::copy(&path, &place).expect("the folder is ours");
        }
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    place(bytes, part).is_some()
}

fn place(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

fn inspect(program: &Path) -> String {
    harness::without_folders(&run(Command::new(harness::offloadc()).arg("inspect").arg(program)).success().stdout())
}

#[test]
fn kernels_of_two_libraries_run_in_one_program() {
    let workspace = Workspace::new();
    let built = workspace.offloadc(&["run", "-p", "app", "--offload-arch=cpu,sm_80,gfx90a"]).success();
    assert_eq!(built.stdout(), RESULT);
    let images = inspect(&workspace.program("debug", "app"));
    for text in ["sm_80", "gfx90a", "3 kernels", "sum::kernel::sum_kernel", "scale::scale_kernel"] {
        assert!(images.contains(text), "{text}:\n{images}");
    }
    let tested = workspace.offloadc(&["test", "-p", "app", "--offload-arch=cpu,sm_80,gfx90a"]).success();
    assert!(tested.stdout().contains("test tests::kernels_run_in_tests ... ok"), "{}", tested.report());
    assert_eq!(workspace.offloadc(&["run", "-p", "app", "--release"]).success().stdout(), RESULT);
    assert!(!workspace.folder.path().join("target/debug").exists(), "the user's own target folder is not touched");
}

#[test]
fn what_changes_is_built_again_and_nothing_else() {
    let workspace = Workspace::with_own_offloadc();
    let build = |arch: &str| workspace.offloadc(&["run", "-p", "app", "--offload-arch", arch]).success();
    assert_eq!(build("cpu").stdout(), RESULT);
    let program = workspace.program("debug", "app");
    let written = || program.metadata().and_then(|m| m.modified()).expect("it was built");
    let first = written();
    let again = build("cpu");
    assert!(!again.mentions("Compiling") && written() == first, "{}", again.report());
    // The function is called by a kernel of another library.
    workspace.replace("scale/src/lib.rs", "a * b", "a * b * b");
    let words = ["build", "-p", "app", "--offload-arch=cpu"];
    let _ = workspace.offloadc(&words).success();
    let changed = run(Command::new(&program).env("OFFLOADRT_DEVICE", "cpu"));
    assert!(changed.stderr().contains("assertion failed"), "{}", changed.report());
    workspace.replace("scale/src/lib.rs", "a * b * b", "a * b");
    assert!(!inspect(&program).contains("sm_80"));
    assert_eq!(build("cpu,sm_80").stdout(), RESULT);
    assert!(inspect(&program).contains("sm_80"));
    // Another runtime, and another linker of the same version. The note of a build id: lengths of name and id, type,
    // name.
    let note = [4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, b'G', b'N', b'U', 0];
    workspace.alter("lib/offloadc/liboffloadrt.a", b"OFFLOADRT_DEVICE\0", b"OFFLOADRT_DEVICF\0");
    let _ = build("cpu");
    let linked = std::fs::read(&program).expect("it was built");
    assert!(contains(&linked, b"OFFLOADRT_DEVICF\0"), "the program has the old runtime");
    let before = written();
    workspace.alter("bin/offloadc-ld", &note, &[&note[..], b"another"].concat());
    let _ = build("cpu");
    assert!(written() != before, "another linker links again");
    let before = written();
    let _ = build("cpu");
    assert!(written() == before, "nothing has changed");
}

/// Options reach only links: no library is built again.
#[test]
fn other_options_only_link_again() {
    let workspace = Workspace::with_own_offloadc();
    let file = |name: &str| workspace.folder.path().join(name);
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(file(name).parent().expect("a folder")).expect("the folder is ours");
        std::fs::write(file(name), text).expect("the folder is ours");
    };
    let package = |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    let crate_folder = harness::root().join("rust/offload");
    let dependencies = format!("[dependencies]\noffload-kernels.path = {crate_folder:?}\nother.path = \"../other\"\n");
    write("one/Cargo.toml", &format!("{}{dependencies}[workspace]\n", package("one")));
    write("other/Cargo.toml", &format!("{}[workspace]\n", package("other")));
    write("other/src/lib.rs", "pub fn seven() -> u32 { 7 }\n");
    write(
        "one/src/main.rs",
        "use offload::{Device, DisjointSlice, Grid, kernel, prelude::*, thread};
        #[kernel]
        fn fill(mut out: DisjointSlice<u32>) {
            if let Some(out) = out.get_mut(thread::index_1d()) { *out = other::seven(); }
        }
        fn main() {
            let stream = Device::new().unwrap().default_stream();
            let mut out = [0; 8];
            fill.launch(&stream, Grid::for_len(8, 4), (&mut out[..],)).unwrap();
            println!(\"{out:?}\");
        }",
    );
    let build = |options: &[&str]| {
        let mut cargo = workspace.cargo(&["offloadc", "run"]);
        cargo.current_dir(file("one")).env("CARGO_BUILD_TARGET_DIR", file("one/target"));
        let built = finish(cargo.args(options)).success();
        assert_eq!(built.stdout(), "[7, 7, 7, 7, 7, 7, 7, 7]\n");
        let compiled = |name: &str| built.stderr().contains(&format!("Compiling {name} v"));
        ["one", "offload-kernels", "other"].map(compiled)
    };
    let program = file("one/target/offloadc").join(TRIPLE).join("debug/one");
    assert_eq!(build(&[]), [true; 3]);
    assert_eq!(build(&[]), [false; 3]);
    assert_eq!(build(&["--offload-arch=cpu,sm_80"]), [true, false, false]);
    assert!(inspect(&program).contains("sm_80"));
    assert_eq!(build(&["--offload-arch=cpu,sm_80"]), [false; 3]);
    workspace.alter("lib/offloadc/liboffloadrt.a", b"OFFLOADRT_DEVICE\0", b"OFFLOADRT_DEVICF\0");
    assert_eq!(build(&["--offload-arch=cpu,sm_80"]), [true, false, false]);
    // A line of the program itself.
    let main = std::fs::read_to_string(file("one/src/main.rs")).expect("it was written");
    write("one/src/main.rs", &format!("// changed\n{main}"));
    assert_eq!(build(&["--offload-arch=cpu,sm_80"]), [true, false, false]);
    // rustc has made machine code of the other crate, as always.
    let profile = file("one/target/offloadc").join(TRIPLE).join("debug");
    let members = |name: &str| {
        let library = cargo::rlib(&profile, name);
        run(Command::new(harness::llvm_tool("llvm-readelf")).arg("--sections").arg(library)).stdout()
    };
    assert!(members("other").contains(".text") && !members("other").contains(".llvmbc"));
    assert!(!members("offload").contains(".text"));
}

#[test]
fn every_linker_can_be_the_real_one() {
    let workspace = Workspace::new();
    // The last one also for a program that contains the C library.
    for (linker, more) in
        [("bfd", ""), ("gold", ""), ("mold", ""), ("lld", ""), ("bfd", "-Ctarget-feature=+crt-static")]
    {
        let program = workspace.program("debug", "app");
        let flags = format!("{more} -Clink-arg=-fuse-ld={linker} -Clink-arg=-B{}", harness::llvm_bin().display());
        let mut cargo = workspace.cargo(&["offloadc", "build", "-p", "app"]);
        let _ = finish(cargo.env("RUSTFLAGS", flags)).success();
        let ran = run(Command::new(&program).env("OFFLOADRT_DEVICE", "cpu")).success();
        assert_eq!(ran.stdout(), RESULT, "{linker}");
    }
}

/// A profile with many settings that a link overrides or must support.
#[test]
fn a_shared_library_has_kernels_of_its_own() {
    let workspace = Workspace::new();
    let profile = "[profile.release]\nlto = \"fat\"\npanic = \"abort\"\nstrip = true\ncodegen-units = 1\n";
    workspace.replace("Cargo.toml", "[workspace]", &format!("{profile}[workspace]"));
    for (profile, words) in [("debug", &[][..]), ("release", &["--release"])] {
        let _ = workspace.offloadc(&[&["build", "-p", "plugin"], words].concat()).success();
        let library = workspace.program(profile, "libplugin.so");
        let text = format!("import ctypes; print(ctypes.CDLL('{}').answer())", library.display());
        let ran = run(Command::new("python3").args(["-c", &text]).env("OFFLOADRT_DEVICE", "cpu")).success();
        assert_eq!(ran.stdout(), "42\n");
    }
    // A library for Rust programs: its kernels, its users' kernels, and one runtime for both.
    workspace.replace("sum/Cargo.toml", "[dependencies]", "[lib]\ncrate-type = [\"dylib\"]\n[dependencies]");
    assert_eq!(workspace.offloadc(&["run", "-p", "app"]).success().stdout(), RESULT);
}

/// The linkers of other languages cannot read its bitcode, so a warning names the linker that can.
#[test]
fn a_static_library_is_linked_by_offloadc_ld() {
    let workspace = Workspace::new();
    workspace.replace("plugin/Cargo.toml", "cdylib", "staticlib");
    let built = workspace.offloadc(&["build", "-p", "plugin"]).success();
    let warning = "warning: `libplugin.a` has bitcode in place of machine code";
    assert!(built.stderr().matches(warning).count() == 1 && built.mentions("link it with `offloadc-ld`"));
    let file = |name: &str| workspace.folder.path().join(name);
    std::fs::write(file("main.c"), "int answer(void);\nint main(void) { return answer() != 42; }\n")
        .expect("the folder is ours");
    let _ = run(Command::new("cc").arg("-c").arg(file("main.c")).arg("-o").arg(file("main.o"))).success();
    let mut link = Command::new(env!("CARGO_BIN_EXE_offloadc-ld"));
    link.arg(file("main.o")).arg(workspace.program("debug", "libplugin.a")).arg("-o").arg(file("main"));
    let _ = run(link.args(["-lpthread", "-ldl", "-lm"])).success();
    let _ = run(Command::new(file("main")).env("OFFLOADRT_DEVICE", "cpu")).success();
}

/// Only `linker` and `-C linker-plugin-lto`, without `cargo offloadc`: rustc assumes that the linker is not a driver.
#[test]
fn plain_cargo_with_two_lines_of_configuration() {
    let workspace = Workspace::new();
    let mut cargo = workspace.cargo(&["run", "-p", "app", "--target", TRIPLE]);
    let _ = cargo.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER", env!("CARGO_BIN_EXE_offloadc-ld"));
    let _ = cargo.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS", "-Clinker-plugin-lto");
    assert_eq!(finish(&mut cargo).success().stdout(), RESULT);
}

/// The recipe in docs/cargo.md, with an option for the linker that rustc's driver starts.
#[test]
fn plain_cargo_as_the_documents_have_it() {
    let workspace = Workspace::new();
    let text = std::fs::read_to_string(harness::root().join("docs/cargo.md")).expect("the page is there");
    let mut blocks = text.split("```toml").skip(1).filter_map(|rest| rest.split("```").next());
    let recipe = blocks.find(|block| block.contains("linker =")).expect("the page has it");
    assert!(recipe.contains("\"offloadc-ld\"") && recipe.contains("=cpu,sm_80\""), "{recipe}");
    let recipe = recipe.replace("=cpu,sm_80\"", "=cpu\", \"-Clink-arg=-Wl,--defsym=of_the_user=42\"");
    std::fs::create_dir(workspace.folder.path().join(".cargo")).expect("the folder is ours");
    std::fs::write(workspace.folder.path().join(".cargo/config.toml"), recipe).expect("the folder is ours");
    let ran = finish(&mut workspace.cargo(&["run", "-p", "app", "--target", TRIPLE])).success();
    assert_eq!(ran.stdout(), RESULT);
    let program = workspace.folder.path().join("target").join(TRIPLE).join("debug/app");
    let symbols = run(Command::new(harness::llvm_tool("llvm-nm")).arg(program)).success().stdout();
    assert!(symbols.contains(" A of_the_user"), "{symbols}");
}

/// rustc has compiled all crates to machine code, and nothing replaces the markers.
#[test]
fn a_link_without_modules_says_so() {
    let workspace = Workspace::new();
    let mut cargo = workspace.cargo(&["build", "-p", "app", "--target", TRIPLE]);
    let _ = cargo.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER", env!("CARGO_BIN_EXE_offloadc-ld"));
    let failed = finish(&mut cargo);
    assert_eq!(failed.code(), 101, "{}", failed.report());
    let words = ["error[OFC0048]: the crate `sum` uses `__offload_kernel`", "is machine code", "-C linker-plugin-lto"];
    assert!(words.iter().all(|words| failed.stderr().contains(words)), "{}", failed.report());
}

/// The contract without the crate `offload`, and without a word in the manifest: the crate is compiled like any other.
#[test]
fn a_crate_that_does_not_say_that_it_has_kernels_is_refused() {
    let workspace = Workspace::new();
    let build = || workspace.offloadc(&["build", "-p", "app"]);
    let _ = build().success();
    workspace.replace("gpu/Cargo.toml", "kernels = true", "kernels = false");
    let failed = build();
    assert_eq!(failed.code(), 101, "{}", failed.report());
    for words in [
        "error[OFC0048]: the crate `sum` uses `__offload_kernel`",
        "error[OFC0048]: the crate `app` uses",
        "`kernels = true`",
    ] {
        assert!(failed.stderr().contains(words), "{}", failed.report());
    }
    workspace.replace("gpu/Cargo.toml", "kernels = false", "kernels = true");
    assert_eq!(workspace.offloadc(&["run", "-p", "app"]).success().stdout(), RESULT);
}

/// `gpu` has another name in `scale`, and `app` uses it only through another crate that re-exports it.
#[test]
fn crates_are_known_by_what_they_are() {
    let workspace = Workspace::new();
    workspace.replace("scale/Cargo.toml", "gpu = { path", "device = { package = \"gpu\", path");
    workspace.replace("scale/src/lib.rs", "use std::ops::Mul;", "pub extern crate device as gpu;\nuse std::ops::Mul;");
    workspace.replace("app/Cargo.toml", "gpu = { path = \"../gpu\" }\n", "");
    workspace.replace("app/src/main.rs", "use gpu::offload::Device;", "use scale::gpu::offload::Device;");
    assert_eq!(workspace.offloadc(&["run", "-p", "app"]).success().stdout(), RESULT);
}

/// The launch is in a generic function that `app` instantiates through another one of a second crate.
#[test]
fn a_generic_launcher_is_two_crates_away() {
    let workspace = Workspace::new();
    let library = "use scale::gpu::offload::Device;\n\
                   pub fn twice<T: scale::Element>(device: &Device, values: &[T], by: T) -> Vec<T> {\n    \
                   scale::scale(device, &scale::scale(device, values, by), by)\n}\n";
    workspace.add_library("far", library, "scale = { path = \"../scale\" }");
    workspace.replace("scale/src/lib.rs", "use std::ops::Mul;", "pub extern crate gpu;\nuse std::ops::Mul;");
    workspace.replace(
        "app/src/main.rs",
        "scale::scale(&device, &[1.5f32, 2.5], 2.0)",
        "far::twice(&device, &[1.5f32], 2.0)",
    );
    let built = workspace.offloadc(&["run", "-p", "app", "--offload-arch=cpu,gfx90a"]).success();
    assert_eq!(built.stdout(), "[6.0] 1498500\n");
}

#[test]
fn a_program_without_kernels_gets_nothing_of_ours() {
    let workspace = Workspace::new();
    std::fs::create_dir(workspace.folder.path().join(".cargo")).expect("the folder is ours");
    workspace.replace("plain/src/main.rs", "fn main() {", "fn main() {\n    assert!(cfg!(heard));");
    // A list, and one string; for all builds, and for the target.
    for flags in ["[build]\nrustflags = [\"--cfg=heard\"]", "[target.'cfg(unix)']\nrustflags = \"--cfg=heard\""] {
        std::fs::write(workspace.folder.path().join(".cargo/config.toml"), flags).expect("the folder is ours");
        let built = workspace.offloadc(&["run", "-p", "plain"]).success();
        assert_eq!(built.stdout(), "true\n");
    }
    let readelf = |what: &str| {
        let program = workspace.program("debug", "plain");
        run(Command::new(harness::llvm_tool("llvm-readelf")).arg(what).arg(program)).success().stdout()
    };
    for what in ["--sections", "--symbols"] {
        let all = readelf(what);
        let ours: Vec<_> = all.lines().filter(|line| line.contains("offload")).collect();
        assert!(ours.is_empty(), "{ours:?}");
    }
}

#[test]
fn a_fault_in_a_kernel_is_shown_by_cargo() {
    let workspace = Workspace::new();
    workspace.replace("scale/src/lib.rs", "a * b", "{ println!(\"scaling\"); a * b }");
    let failed = workspace.offloadc(&["build", "-p", "app"]);
    assert_eq!(failed.code(), 101, "{}", failed.report());
    let said = failed.stderr();
    assert!(said.contains("error[OFC") && said.contains("scale::product"), "{said}");
    assert!(!workspace.program("debug", "app").exists());
}

#[test]
fn an_arch_whose_code_is_refused_can_be_left_out() {
    let workspace = Workspace::new();
    let arch = "#[inline(never)]\nfn product";
    workspace.replace("scale/src/lib.rs", arch, &format!("extern \"C\" {{ fn __offload_arch() -> u32; }}\n{arch}"));
    workspace.replace(
        "scale/src/lib.rs",
        "a * b",
        "if unsafe { __offload_arch() } >> 24 == 2 { println!(\"\") }\n a * b",
    );
    let words = ["-p", "app", "--skip-refused-archs"];
    let built = workspace.offloadc(&[&["run", "--offload-arch=cpu,sm_80,gfx90a"], &words[..]].concat()).success();
    assert_eq!(built.stdout(), RESULT);
    for text in ["warning[OFC0007]", "warning[OFC0040]: `sm_80` is left out: the output has no code for it"] {
        assert!(built.stderr().contains(text), "{}", built.report());
    }
    let images = inspect(&workspace.program("debug", "app"));
    assert!(images.contains("gfx90a") && !images.contains("sm_80"), "{images}");
    // Only this arch may be left out, and not the one without which the build fails.
    let optional = |more: [&str; 2]| workspace.offloadc(&[&["build", "-p", "app"], &more[..]].concat());
    let built = optional(["--offload-arch=cpu", "--offload-arch-optional=sm_80"]).success();
    assert!(built.stderr().contains("warning[OFC0040]: `sm_80` is left out"), "{}", built.report());
    let failed = optional(["--offload-arch=cpu,sm_80", "--offload-arch-optional=gfx90a"]);
    assert!(failed.code() == 101 && failed.stderr().contains("error[OFC0007]"), "{}", failed.report());
    // The refused arch is the CPU: there is a program, and it reports that it has no device.
    workspace.replace("scale/src/lib.rs", "== 2", "== 1");
    let built = workspace.offloadc(&[&["run", "--offload-arch=cpu,sm_80"], &words[..]].concat());
    assert_eq!(built.code(), 1, "{}", built.report());
    for text in ["`cpu` is left out", "has no code for device `cpu` in this program, which has code for sm_80"] {
        assert!(built.stderr().contains(text), "{}", built.report());
    }
    let none = workspace.offloadc(&[&["build", "--offload-arch=cpu"], &words[..]].concat());
    assert!(none.code() == 101 && none.stderr().contains("error[OFC0007]"), "{}", none.report());
}
