//! The commands of README.md for rustc alone.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use harness::{run_within, search_path};

use super::copy;

/// The commands in the rows of the table of builds that begin with `name`, in the order in which they are typed.
fn commands(readme: &str, name: &str) -> Vec<String> {
    let row = readme.lines().find(|line| line.starts_with(&format!("| {name} |"))).expect("README.md has the row");
    let quoted: Vec<String> = row.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    assert_eq!(quoted.len(), 2, "{row}");
    if row.contains(", after `") { quoted.into_iter().rev().collect() } else { quoted }
}

fn shell(folder: &Path, command: &str) -> String {
    let mut shell = Command::new("bash");
    let _ = shell.args(["-ec", command]).current_dir(folder).env("PATH", search_path(&[&harness::program_folder()]));
    let _ = shell.env_remove("CARGO_TARGET_DIR").env_remove("RUSTFLAGS").env("OFFLOADC_NO_CACHE", "1");
    run_within(&mut shell, Duration::from_secs(300)).success().stdout()
}

#[test]
fn rustc_alone_builds_what_the_readme_shows() {
    let (root, folder) = (harness::root(), harness::scratch());
    let readme = std::fs::read_to_string(root.join("README.md")).expect("README.md can be read");
    for needed in ["rust/offload", "rust/offload-macros", "rust/manual", "examples/contract"] {
        std::fs::create_dir_all(folder.path().join(needed)).expect("the folder is ours");
        copy(&root.join(needed), &folder.path().join(needed));
    }
    for file in ["rust/Cargo.toml", "rust/Cargo.lock"] {
        std::fs::copy(root.join(file), folder.path().join(file)).expect("the folder is ours");
    }
    let program =
        readme.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the first program");
    std::fs::write(folder.path().join("app.rs"), program).expect("the folder is ours");
    for (row, program) in [("rustc alone", "./app"), ("rustc alone, without the crate", "./saxpy 1000")] {
        for command in commands(&readme, row) {
            let _ = shell(folder.path(), &command);
        }
        let _ = shell(folder.path(), program);
    }
}
