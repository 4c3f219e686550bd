//! The commands in the table of docs/builds.md, row by row, as a user types them.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use harness::{cargo, run_within, search_path, turns};

use crate::install::installed;
use crate::{baked, linker, manual};

/// The names of the rows, each with the command that then runs the built program.
const ROWS: [(&str, &str); 11] = [
    ("plain cargo", ""),
    ("plain cargo, for users of your library", "test -s baked.bin"),
    ("cargo, for GPUs", ""),
    ("cargo, for a processor's own vectors", ""),
    ("cargo, for devices that you do not know yet", ""),
    ("cargo, with a linker line of your own", ""),
    ("rustc alone", "./app"),
    ("rustc alone, without the crate", "./saxpy 1000"),
    ("CMake", "build/app"),
    ("make", "./app"),
    ("Bazel, Buck2, ninja", "offloadc inspect app.o | grep sm_80"),
];

/// The page with the table.
const PAGE: &str = "docs/builds.md";

/// Of so many rows of cargo, one runs.
const IN_TURN: usize = 3;

fn read(name: &str) -> String {
    std::fs::read_to_string(harness::root().join(name)).expect("the repository has it")
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("the folder is ours");
}

/// The rows of the table: the name, and the commands in the order in which they are typed.
fn rows(page: &str) -> Vec<(&str, Vec<&str>)> {
    let table = page.split("| you build with |").nth(1).and_then(|rest| rest.split("\n\n").next());
    let rows = table.expect("the page has the table").lines().filter(|line| line.starts_with("| "));
    let programs = ["cargo ", "rustc ", "offloadc ", "cmake ", "make ", "RUSTFLAGS="];
    rows.map(|line| {
        let name = line[2..].split(" |").next().unwrap_or_default();
        // Links follow the commands.
        let quoted = line.split(" ([").next().unwrap_or_default().split('`').skip(1).step_by(2);
        (name, quoted.filter(|text| programs.iter().any(|program| text.starts_with(program))).collect())
    })
    .collect()
}

/// The first block of this language below a heading of a page.
fn block(page: &str, heading: &str, language: &str) -> String {
    let text = read(page);
    let section = text.split(&format!("\n{heading}\n")).nth(1).unwrap_or_else(|| panic!("{page} has {heading}"));
    let block = section.split(&format!("```{language}\n")).nth(1).and_then(|rest| rest.split("```").next());
    block.unwrap_or_else(|| panic!("{page}: {heading} has no block {language}")).to_owned()
}

/// The environment of a shell: the programs under test, the installation, and folders for the build's output.
fn shell(folder: &Path, command: &str) -> String {
    let mut shell = Command::new("bash");
    cargo::prepare(&mut shell).args(["-ec", command]).current_dir(folder);
    let (installed_programs, programs) = (installed().join("bin"), harness::program_folder());
    let _ = shell
        .env("PATH", search_path(&[&installed_programs, &programs]))
        .env("PKG_CONFIG_PATH", folder.join("pkgconfig"));
    let _ = shell.env("OFFLOADC_NO_CACHE", "1").env("CMAKE_PREFIX_PATH", installed());
    for variable in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CARGO_MAKEFLAGS"] {
        let _ = shell.env_remove(variable);
    }
    // Cargo's output is shared with other tests; the row for rustc alone names its folder.
    if !command.contains("--manifest-path") {
        let _ = shell.env("CARGO_BUILD_TARGET_DIR", cargo::target());
    }
    run_within(&mut shell, Duration::from_secs(300)).success().stdout()
}

/// Runs the commands of the row, and then the program that they have built.
fn runs(name: &str, folder: &Path) {
    let page = read(PAGE);
    let rows = rows(&page);
    let (_, commands) = rows.iter().find(|row| row.0 == name).unwrap_or_else(|| panic!("{PAGE} has no row {name}"));
    assert!(!commands.is_empty(), "the row {name} has no command");
    let (_, after) = ROWS.iter().find(|row| row.0 == name).expect("the row has a test");
    for command in commands.iter().chain([after]) {
        let _ = shell(folder, command);
    }
}

#[test]
fn each_row_has_a_test() {
    let page = read(PAGE);
    assert_eq!(rows(&page).iter().map(|row| row.0).collect::<Vec<_>>(), ROWS.map(|row| row.0));
}

/// The project of README.md, with the crate beside it.
#[test]
fn rows_of_cargo() {
    let folder = harness::scratch();
    manual::prepare(folder.path());
    let of_cargo = ROWS.iter().filter(|row| row.0 == "plain cargo" || row.0.starts_with("cargo, "));
    for (_, (name, _)) in of_cargo.enumerate().filter(|(number, _)| turns::all() || turns::is_next(*number, IN_TURN)) {
        runs(name, folder.path());
    }
}

#[test]
fn row_of_a_library() {
    let project = baked::Project::new();
    runs("plain cargo, for users of your library", &project.folder.path().join("kernels"));
}

#[test]
fn rows_of_rustc() {
    let (root, folder) = (harness::root(), harness::scratch());
    for needed in ["rust/offload", "rust/offload-macros", "rust/manual", "examples/contract"] {
        std::fs::create_dir_all(folder.path().join(needed)).expect("the folder is ours");
        linker::copy(&root.join(needed), &folder.path().join(needed));
    }
    for file in ["rust/Cargo.toml", "rust/Cargo.lock"] {
        write(folder.path(), file, &read(file));
    }
    let program = read("README.md");
    let program = program.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next());
    write(folder.path(), "app.rs", program.expect("README.md has a program"));
    runs("rustc alone", folder.path());
    runs("rustc alone, without the crate", folder.path());
}

/// The program in C++ of docs/integration.md, and its kernel.
#[test]
fn rows_of_cmake_and_make() {
    let page = "docs/integration.md";
    for (name, file, heading, language) in
        [("CMake", "CMakeLists.txt", "## CMake", "cmake"), ("make", "Makefile", "## make", "make")]
    {
        let folder = harness::scratch();
        write(folder.path(), file, &block(page, heading, language));
        write(folder.path(), "main.cpp", &block(page, "## C++", "cpp"));
        write(folder.path(), "saxpy.rs", &block(page, "## C++", "rust,ignore"));
        // The installation is not in the folder that its files name.
        let about = std::fs::read_to_string(installed().join("lib/pkgconfig/offloadrt.pc")).expect("it is installed");
        let prefix = about.lines().find(|line| line.starts_with("prefix=")).expect("the file names the folder");
        std::fs::create_dir(folder.path().join("pkgconfig")).expect("the folder is ours");
        let about = about.replace(prefix, &format!("prefix={}", installed().display()));
        write(folder.path(), "pkgconfig/offloadrt.pc", &about);
        runs(name, folder.path());
    }
}

#[test]
fn row_of_build_systems() {
    let folder = harness::scratch();
    manual::prepare(folder.path());
    runs("Bazel, Buck2, ninja", folder.path());
}
