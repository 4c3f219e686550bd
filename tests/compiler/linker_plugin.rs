//! The linker plugin in four linkers: the images, results and symbols of programs, and the processes of each linker.

mod archives;
mod bodies;
mod refusals;

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::program::{rustc, rustc_version};
use harness::{Outcome, run};

/// A linker, and the words with which a compiler driver runs it.
struct Linker {
    name: &'static str,
    words: Vec<String>,
}

/// The linkers that load plugins. wild has the name of the system's linker in a separate folder, because not every gcc
/// supports it.
fn linkers(folder: &Path) -> Vec<Linker> {
    let named = |name: &'static str| Linker { name, words: vec![format!("-fuse-ld={name}")] };
    let mut all = vec![named("bfd"), named("gold"), named("mold")];
    let wild = harness::root().join("target/tools/wild/bin/wild");
    if wild.is_file() {
        let own = folder.join("wild");
        std::fs::create_dir_all(&own).expect("the folder is ours");
        if !own.join("ld").exists() {
            std::os::unix::fs::symlink(&wild, own.join("ld")).expect("the folder is ours");
        }
        all.push(Linker { name: "wild", words: vec![format!("-B{}", own.display())] });
    } else {
        // `scripts/deps tests` installs it where rustc is new enough.
        assert!(rustc_version() < WILD_NEEDS, "run `scripts/deps tests`");
        eprintln!("skipped: wild, which needs rustc 1.{WILD_NEEDS}");
    }
    all
}

/// The oldest minor version of rustc that builds wild.
const WILD_NEEDS: u32 = 94;

fn plugin() -> String {
    harness::runtime_dir().join("liboffloadc_plugin.so").display().to_string()
}

fn source(name: &str) -> PathBuf {
    harness::root().join("tests/linker_plugin").join(name)
}

/// A command that finds `offloadc`, which is not beside the plugin here.
fn with_offloadc(mut command: Command) -> Command {
    command.env("PATH", harness::search_path(&[&harness::program_folder()])).env("OFFLOADRT_DEVICE", "cpu");
    command.env("OFFLOADC_RUNTIME_DIR", harness::runtime_dir());
    command
}

/// The crate of machine code that kernels call.
fn scale(folder: &Path) -> PathBuf {
    let library = folder.join("libscale.rlib");
    let words = ["--edition=2021", "--crate-type=lib", "-O", "-Cembed-bitcode=yes"];
    run(rustc().args(words).arg(source("scale.rs")).arg("-o").arg(&library)).success();
    library
}

/// rustc for `program.rs`, without a linker.
fn rustc_for_program(folder: &Path) -> Command {
    let mut command = with_offloadc(rustc());
    command.args(["--edition=2021", "-Copt-level=3", "-Cno-prepopulate-passes", "-Clinker-features=-lld"]);
    command.arg(source("program.rs")).arg("--extern").arg(format!("scale={}", scale(folder).display()));
    command.arg("-o").arg(folder.join("program"));
    command
}

/// rustc for `program.rs` with the plugin in a linker.
fn rustc_with_plugin(folder: &Path, linker: &Linker) -> Command {
    let mut command = rustc_for_program(folder);
    command.arg(format!("-Clinker-plugin-lto={}", plugin()));
    command.args(linker.words.iter().map(|word| format!("-Clink-arg={word}")));
    command.arg("-Clink-arg=-Wl,-plugin-opt=offload-arch=cpu,-plugin-opt=offload-arch=sm_80");
    command
}

/// Runs a command under strace. Returns the command lines of the programs that it started.
fn programs_of(command: &Command, folder: &Path) -> Vec<String> {
    let log = folder.join("strace");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-s", "4000", "-e", "trace=execve", "-e", "signal=none", "-o"]).arg(&log);
    strace.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        let _ = value.map(|value| strace.env(name, value));
    }
    run(&mut strace).success();
    let text = std::fs::read_to_string(&log).expect("strace writes it");
    text.lines().filter(|line| line.ends_with(" = 0")).map(str::to_owned).collect()
}

/// Asserts that a link has one process of the linker and one of offloadc.
fn assert_links_once(programs: &[String], linker: &Linker) {
    let count = |part: &str| programs.iter().filter(|line| line.contains(part)).count();
    // `123 execve("/usr/bin/ld.bfd", ["/usr/bin/ld.bfd", …`
    let name = |line: &String| line.split('"').nth(1).and_then(|path| path.rsplit('/').next()).map(str::to_owned);
    let names = ["ld", "ld.bfd", "ld.gold", "ld.mold", "mold", "wild"];
    let linking = programs.iter().filter_map(name).filter(|name| names.contains(&&**name));
    assert_eq!(linking.count(), 1, "{}: {programs:#?}", linker.name);
    assert_eq!(count("\"linker-plugin\""), 1, "{}: {programs:#?}", linker.name);
    assert_eq!(count("--:lto-pass2"), 0, "{}: {programs:#?}", linker.name);
}

/// The defined symbols of a program that are the program's own: those of the start files and those that linkers add are
/// at other places in each linker.
fn own_symbols(program: &Path) -> Vec<String> {
    let nm =
        run(Command::new(harness::llvm_tool("llvm-nm")).args(["--defined-only", "--format=just-symbols"]).arg(program));
    let text = nm.success().stdout();
    // mold 3 names the entries of tables that it makes.
    let is_added = |line: &str| line.ends_with("$got") || line.ends_with("$plt");
    let own = |line: &&str| ["offload", "scale", "kernel"].iter().any(|part| line.contains(part)) && !is_added(line);
    let mut symbols: Vec<_> = text.lines().filter(own).map(str::to_owned).collect();
    symbols.sort();
    symbols.dedup();
    assert!(symbols.iter().any(|symbol| symbol.starts_with("offloadrt_")), "{text}");
    symbols
}

fn inspect(program: &Path) -> String {
    harness::without_folders(&run(Command::new(harness::offloadc()).arg("inspect").arg(program)).success().stdout())
}

fn run_program(folder: &Path) -> Outcome {
    run(&mut with_offloadc(Command::new(folder.join("program")))).success()
}

#[test]
fn a_rust_program_is_the_one_that_offloadc_ld_makes() {
    let folder = harness::scratch();
    let here = folder.path();
    let mut command = rustc_for_program(here);
    command.env("OFFLOADC_LINK_OPTIONS", "--offload-arch=cpu,sm_80");
    command.arg(format!("-Clinker={}", env!("CARGO_BIN_EXE_offloadc-ld")));
    command.args(["-Clinker-flavor=gcc", "-Clinker-plugin-lto", "-Clink-arg=-fuse-ld=bfd"]);
    run(&mut command).success();
    let wanted = own_symbols(&here.join("program"));
    for linker in linkers(here) {
        std::fs::remove_file(here.join("program")).expect("the last link has written it");
        let programs = programs_of(&rustc_with_plugin(here, &linker), here);
        assert_links_once(&programs, &linker);
        assert_eq!(run_program(here).stdout(), "[2.5, 5.0, 7.5]\n", "{}", linker.name);
        let images = inspect(&here.join("program"));
        assert!(images.contains("sm_80") && images.contains("scale_kernel"), "{}: {images}", linker.name);
        assert_eq!(own_symbols(&here.join("program")), wanted, "{}", linker.name);
    }
}

/// Compiles the host in C, and the kernels as bitcode.
fn c_and_rust(folder: &Path) {
    let mut command = Command::new("cc");
    command.arg(format!("-I{}", harness::root().join("runtime-c").display())).arg("-c").arg(source("main.c"));
    run(command.arg("-o").arg(folder.join("main.o"))).success();
    let mut command = rustc();
    command.args(["--edition=2021", "--crate-type=lib", "--emit=obj", "-Copt-level=3", "-Cno-prepopulate-passes"]);
    command.args(["-Clinker-plugin-lto", "-Ccodegen-units=1", "-Cpanic=abort"]).arg(source("kernels.rs"));
    command.arg("--extern").arg(format!("scale={}", scale(folder).display()));
    run(command.arg("-o").arg(folder.join("kernels.o"))).success();
}

#[test]
fn a_c_program_with_kernels_in_rust_is_the_one_that_offloadc_ld_makes() {
    let folder = harness::scratch();
    let here = folder.path();
    c_and_rust(here);
    let files = ["main.o", "kernels.o", "libscale.rlib"].map(|name| here.join(name));
    let mut command = with_offloadc(Command::new(env!("CARGO_BIN_EXE_offloadc-ld")));
    command
        .args(["-fuse-ld=bfd", "-Wl,--gc-sections", "--offload-arch=cpu,sm_80"])
        .args(&files)
        .arg("-o")
        .arg(here.join("program"));
    run(&mut command).success();
    let wanted = own_symbols(&here.join("program"));
    for linker in linkers(here) {
        std::fs::remove_file(here.join("program")).expect("the last link has written it");
        let mut command = with_offloadc(Command::new("cc"));
        let temporary = here.join(format!("temporary-{}", linker.name));
        std::fs::create_dir(&temporary).expect("the folder is ours");
        command.env("TMPDIR", &temporary);
        // wild removes sections by default.
        command.args(&linker.words).arg("-Wl,--gc-sections").arg(format!("-Wl,-plugin,{}", plugin()));
        command
            .arg("-Wl,-plugin-opt=offload-arch=cpu,-plugin-opt=offload-arch=sm_80")
            .args(&files)
            .arg("-o")
            .arg(here.join("program"));
        let programs = programs_of(&command, here);
        assert_links_once(&programs, &linker);
        let left: Vec<_> = std::fs::read_dir(&temporary).expect("the folder is ours").collect();
        assert!(left.is_empty(), "{}: {left:?}", linker.name);
        assert_eq!(run_program(here).stdout(), "7.5\n", "{}", linker.name);
        let images = inspect(&here.join("program"));
        assert!(images.contains("sm_80") && images.contains("scale_kernel"), "{}: {images}", linker.name);
        assert_eq!(own_symbols(&here.join("program")), wanted, "{}", linker.name);
    }
}
