//! The commands in the console blocks of README.md and of the manual are run, one page after the other, each in a
//! folder with the program that the page describes. The pages share cargo's target folder with other tests. Commands of
//! `make` and benchmarks take minutes or install something, so only their names are checked. The Rust examples of the
//! pages are tests of `rust/offload` (see `documentation.rs`).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use harness::{cargo, run_within};

/// The pages: the README, and the manual.
fn pages() -> Vec<PathBuf> {
    let files = ["docs", "docs/internals"].map(|folder| harness::root().join(folder)).into_iter().flat_map(|folder| {
        std::fs::read_dir(folder).expect("there is a manual").map(|entry| entry.expect("it can be listed").path())
    });
    let mut pages: Vec<_> = files.filter(|file| file.extension().is_some_and(|extension| extension == "md")).collect();
    pages.push(harness::root().join("README.md"));
    pages.sort();
    pages
}

/// Returns the blocks of a page with this language.
fn blocks<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let fenced = text.split("```").skip(1).step_by(2);
    fenced.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n')).collect()
}

/// Returns the commands of a page.
fn commands(text: &str) -> Vec<&str> {
    let blocks = blocks(text, "console");
    let lines = blocks.into_iter().flat_map(str::lines);
    lines.map(|line| line.strip_prefix("$ ").unwrap_or_else(|| panic!("`{line}` is no command"))).collect()
}

/// Fills a folder with everything that the commands of the pages use: a program of the contract, the Cargo project of
/// the README, the distributors, and the runtime.
pub(crate) fn prepare(folder: &Path) {
    let (root, read) = (harness::root(), |path: PathBuf| std::fs::read_to_string(path).expect("the repository has it"));
    let example = read(root.join("examples/contract/saxpy.rs"));
    let common = format!("#[path = \"{}\"]", root.join("examples/contract/common/offload.rs").display());
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("it is below")).expect("the folder is ours");
        std::fs::write(path, text).expect("the folder is ours");
    };
    write("app.rs", &example.replace("#[path = \"common/offload.rs\"]", &common));
    let readme = read(root.join("README.md"));
    let dependency = blocks(&readme, "toml")[0];
    write("Cargo.toml", &format!("[package]\nname = \"app\"\nedition = \"2024\"\n\n{dependency}"));
    // The file that `cargo offloadc setup` writes.
    let krate = root.join("rust/offload");
    let patch = format!("[patch.crates-io]\noffload-kernels = {{ path = \"{}\" }}\n", krate.display());
    write(".cargo/config.toml", &patch);
    // These versions are already downloaded. cargo keeps those of the packages that it needs.
    write("Cargo.lock", &read(root.join("examples/Cargo.lock")));
    write("src/main.rs", blocks(&readme, "rust")[0]);
    std::os::unix::fs::symlink(root.join("scripts"), folder.join("scripts")).expect("the folder is ours");
    std::fs::create_dir(folder.join("target")).expect("the folder is ours");
    std::os::unix::fs::symlink(harness::runtime_dir(), folder.join("target/runtime")).expect("the folder is ours");
}

fn run_in(folder: &Path, target: &Path, line: &str) {
    let mut command = Command::new("bash");
    cargo::prepare(&mut command).args(["-ec", line]).current_dir(folder);
    // A configuration above this repository may name another target folder.
    command.env("CARGO_BUILD_TARGET_DIR", target);
    run_within(&mut command, Duration::from_secs(300)).success();
}

#[test]
fn the_commands_run() {
    let read = |file: &str| std::fs::read_to_string(harness::root().join(file)).expect("the repository has it");
    let makefile = ["Makefile", "packaging/install.mk"].map(read).concat();
    let (mut ran, target) = (0, cargo::target());
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page is text");
        let folder = harness::scratch();
        prepare(folder.path());
        for line in commands(&text) {
            match line.split_once(' ').expect("a command has words") {
                ("make", target) => assert!(makefile.contains(&format!("\n{target}:")), "{}: {line}", page.display()),
                ("cargo", words) if words.starts_with("bench ") => {}
                _ => {
                    run_in(folder.path(), &target, line);
                    ran += 1;
                }
            }
        }
    }
    assert!(ran >= 10, "only {ran} commands were found");
}

/// Every page is a chapter of the book, and the list of pages has it.
#[test]
fn the_lists_have_every_page() {
    let (root, docs) = (harness::root(), harness::root().join("docs"));
    for page in pages() {
        let Ok(name) = page.strip_prefix(&docs) else { continue };
        let name = name.to_str().expect("a page has a name");
        for list in ["docs/SUMMARY.md", "docs/README.md"] {
            let text = std::fs::read_to_string(root.join(list)).expect("the repository has it");
            let is_list = ["SUMMARY.md", "README.md"].contains(&name);
            assert!(is_list || text.contains(&format!("]({name})")), "{list} lacks {name}");
        }
    }
}
