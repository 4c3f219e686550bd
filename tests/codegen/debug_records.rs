//! Debug information in any code: the inputs of golden tests with a line for each instruction and a variable for each
//! value, compiled for the device of their folder.
//!
//! A function without a subprogram may have lines and variables, too: rustc writes such functions in a crate without
//! debug information that inlines functions of a crate that has it.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::{Outcome, run, turns};

/// The functions that have no subprogram: none, every second one, or all.
const BARE: [fn(usize) -> bool; 3] = [|_| false, |number| number % 2 == 0, |_| true];
const LEVELS: [&str; 3] = ["-O0", "-O1", "-O3"];

/// The modules in a folder of golden tests.
fn inputs(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(harness::root().join("tests/golden").join(folder)).expect("the folder is ours");
    let paths = entries.map(|entry| entry.expect("the folder is ours").path());
    let mut modules: Vec<_> = paths.filter(|path| path.extension().is_some_and(|end| end == "ll")).collect();
    modules.sort();
    modules
}

/// The text of a module with debug information. Functions whose number is `bare` lose their subprograms. None if the
/// commands of the golden test replace a part of the module first.
fn described(input: &Path, bare: fn(usize) -> bool) -> Option<String> {
    let mut opt = Command::new(harness::llvm_tool("opt"));
    let written = run(opt.args(["-S", "-passes=debugify"]).arg(input));
    let text = (written.code() == 0).then(|| written.stdout())?;
    let mut number = 0;
    let mut without_subprogram = |line: &str| {
        number += usize::from(line.starts_with("define "));
        let (start, rest) = line.split_once(" !dbg ").filter(|_| line.starts_with("define ") && bare(number))?;
        let (_, end) = rest.split_once(' ').expect("a body follows");
        Some(format!("{start} {end}\n"))
    };
    Some(text.lines().map(|line| without_subprogram(line).unwrap_or_else(|| format!("{line}\n"))).collect())
}

/// The options of a golden test's commands that name its kernels.
fn kernels(input: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(input).expect("the file is ours");
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let words = text.split_whitespace().filter(|word| word.strip_prefix("--kernel=").is_some_and(is_name));
    let mut kernels: Vec<_> = words.map(str::to_owned).collect();
    kernels.sort();
    kernels.dedup();
    kernels
}

fn compile(input: &Path, options: &[&str], kernels: &[String], output: &Path) -> Outcome {
    let mut command = Command::new(harness::offloadc());
    run(command.arg(input).args(options).args(kernels).arg("--verify-each").arg("-o").arg(output))
}

/// Compiles the modules of a folder. In `make test`, each has one level and one choice of bare functions in turn.
fn check_folder(folder: &str, arch: &str) {
    let arch = format!("--offload-arch={arch}");
    let scratch = harness::scratch();
    let output = scratch.path().join("out.o");
    let (mut compiled, mut refused) = (0, 0);
    let all: Vec<_> = LEVELS.iter().flat_map(|level| BARE.map(|bare| (*level, bare))).collect();
    for golden in inputs(folder) {
        let name = golden.file_name().expect("it is a file").to_string_lossy().into_owned();
        let own = if turns::all() { &all[..] } else { std::slice::from_ref(turns::of(&name, &all)) };
        let kernels = kernels(&golden);
        for (level, bare) in own {
            let Some(text) = described(&golden, *bare) else { break };
            let input = scratch.path().join(&name);
            std::fs::write(&input, text).expect("the folder is ours");
            let outcome = compile(&input, &[&arch, level, "-g"], &kernels, &output);
            if outcome.code() == 0 {
                compiled += 1;
                continue;
            }
            // A golden test may show how its input is refused.
            refused += 1;
            let plain = compile(&golden, &[&arch, level], &kernels, &output);
            assert_eq!(outcome.code(), plain.code(), "{name} at {level}: {}", outcome.report());
        }
    }
    println!("{folder}: {compiled} modules compiled, {refused} refused");
    assert!(compiled > 5 * refused, "{folder}: {refused} modules are refused, and {compiled} compiled");
}

#[test]
fn passes_of_the_processor_keep_debug_information_valid() {
    check_folder("cpu", "cpu");
}

#[test]
fn passes_of_gpus_keep_debug_information_valid() {
    for (folder, arch) in [("nvptx", "sm_80"), ("amdgpu", "gfx90a"), ("spirv", "spirv64")] {
        check_folder(folder, arch);
    }
}
