//! Rules for code that only one folder may contain: unsafe code, names of LLVM, names of targets.

use std::collections::BTreeSet;

use crate::source::{Source, has_word, none, program, sources, without_strings};

/// Words that belong to one target. `ptxas` is not included: it is a program, and an option for it.
const TARGET_WORDS: &[&str] = &["nvptx", "ptx", "amd", "spirv", "spir-v", "\"gfx", "\"sm_"];

/// Files that may name targets, and why.
const NAMES_TARGETS: &[(&str, &str)] = &[
    ("src/targets/", "the targets themselves"),
    ("src/contract/triples.rs", "all triples are there"),
    ("src/llvm/workarounds.rs", "a fault of LLVM is one of some back ends"),
    ("src/diagnostics/code.rs", "explanations are read by people who know one target"),
    ("src/stages/bundle.rs", "a warning says which images a runtime does not load"),
    (
        "src/bundle/fatbinary.rs",
        "a container of one vendor, whose format has numbers for its archs and kinds of images",
    ),
    ("src/bundle/mgpu.rs", "a module has the form of one vendor's driver"),
    ("src/cli/values.rs", "the help says whose a runtime is"),
    ("src/bundle/hip_bundle.rs", "a container of one vendor, in which an image has the name of its triple"),
    ("src/bundle/mod.rs", "LLVM's offload binary has a number for each kind of image"),
    ("src/bundle/dump.rs", "`inspect` prints what a target says of its image, by the names of the container's strings"),
    ("rust/offload/src/contract/intrinsics.rs", "an intrinsic has the name of its vendor"),
    ("rust/offload/src/thread/clock.rs", "each vendor's devices have other clocks"),
    ("rust/offload/src/target.rs", "a program asks for the vendor of its device"),
    ("rust/offload/src/device.rs", "the compute capability is a number of one vendor"),
];

#[test]
fn target_names_stay_in_targets() {
    let neutral = |source: &Source| {
        let folder = ["src/", "rust/", "tests/run/"].iter().any(|folder| source.name.starts_with(folder));
        folder && source.has_extension(&["rs", "ll"]) && !source.name.ends_with("_tests.rs")
    };
    let mut faults = Vec::new();
    let mut excused = Vec::new();
    for source in sources().iter().filter(|source| neutral(source)) {
        let reason = NAMES_TARGETS.iter().find(|(name, _)| source.name.starts_with(name));
        for (number, line) in source.code().filter(|(_, line)| !line.trim_start().starts_with(';')) {
            let low = line.to_lowercase().replace("ptxas", "");
            match reason {
                _ if !TARGET_WORDS.iter().any(|word| low.contains(word)) => {}
                Some((name, _)) => excused.push(*name),
                None => faults.push(format!("{}:{number}: {}", source.name, line.trim())),
            }
        }
    }
    let unused = NAMES_TARGETS.iter().filter(|(name, _)| !excused.contains(name));
    faults.extend(unused.map(|(name, _)| format!("{name}: names no target, and needs no exception")));
    none(faults, "ask a `Target` instead of naming one; only src/targets/ knows their names:");
}

#[test]
fn triples_have_one_file() {
    const PARTS: [&str; 5] = ["-amd-amdhsa", "\"nvptx64-", "\"spirv64-", "\"spirv64v", "-unknown-linux"];
    let mut faults = Vec::new();
    for source in program().iter().filter(|source| source.name != "src/contract/triples.rs") {
        let spelled = source.code().filter(|(_, line)| PARTS.iter().any(|part| line.contains(part)));
        faults.extend(spelled.map(|(number, line)| format!("{}:{number}: {}", source.name, line.trim())));
    }
    none(faults, "take the triple from src/contract/triples.rs:");
}

#[test]
fn names_of_llvm_sys_stay_behind_the_wall() {
    let mut faults = Vec::new();
    for source in program().iter().filter(|source| !source.name.starts_with("src/llvm/")) {
        let lines = source.text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        faults.extend(
            lines.filter(|(_, line)| line.contains("::LLVM")).map(|(at, _)| format!("{}:{}", source.name, at + 1)),
        );
    }
    none(faults, "src/llvm/enums.rs has names for these:");
}

#[test]
fn unsafe_stays_behind_one_wall() {
    let mut faults = Vec::new();
    for source in program().iter().filter(|source| !source.name.starts_with("src/llvm/")) {
        let lines = source.code().filter(|(_, line)| has_word(&without_strings(line), "unsafe"));
        faults.extend(lines.map(|(number, line)| format!("{}:{number}: {}", source.name, line.trim())));
    }
    none(faults, "move these into src/llvm/ behind a safe function:");
}

#[test]
fn nothing_panics_on_purpose() {
    let calls = [".unwrap()", "panic!(", "todo!(", "unimplemented!(", "dbg!("];
    let mut faults = Vec::new();
    for source in program() {
        let lines = source.code().filter(|(_, line)| calls.iter().any(|call| line.contains(call)));
        faults.extend(lines.map(|(number, line)| format!("{}:{number}: {}", source.name, line.trim())));
    }
    none(faults, "return an `Error` or a `Diagnostic`, or say in `expect(\"...\")` why it cannot happen:");
}

/// The last identifier in a text: `let mut seen` has `seen`.
fn last_name(text: &str) -> &str {
    let text = text.trim_end();
    text.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// The names of hash maps and sets in a file: variables, parameters and fields.
fn hashed_names(source: &Source) -> BTreeSet<&str> {
    let declared = |line: &'_ str, at: usize| {
        let before = line[..at].trim_end_matches(['&', ' ']).trim_end_matches("mut");
        before.trim_end().ends_with([':', '=']).then_some(before.len())
    };
    let mut names = BTreeSet::new();
    for (_, line) in source.code() {
        for (at, _) in line.match_indices("HashMap").chain(line.match_indices("HashSet")) {
            if let Some(end) = declared(line, at) {
                // In `let name: Type = value`, the name is before the type.
                let before = line[..end].trim_end_matches([':', '=', ' ']);
                names.insert(last_name(before.split_once(": ").map_or(before, |(name, _)| name)));
            }
        }
    }
    names.remove("");
    names
}

#[test]
fn hash_maps_do_not_become_lists() {
    // Lints find the other iterations; see `iter_over_hash_type` in Cargo.toml, and clippy.toml.
    let mut faults = Vec::new();
    let mut found = 0;
    for source in program() {
        let names = hashed_names(&source);
        found += names.len();
        let lines: Vec<(usize, &str)> = source.code().collect();
        for (index, (number, line)) in lines.iter().enumerate() {
            let calls = |name: &&&str| line.contains(&format!("{name}.into_iter()")) && has_word(line, name);
            // A name may have several meanings in a file; the nearest declaration above is the right one.
            let meant = |name: &&&str| {
                let declared = |line: &str| {
                    line.contains(&format!("{name}: "))
                        || ["let ", "let mut "].iter().any(|word| line.contains(&format!("{word}{name} =")))
                };
                let above = lines[..index].iter().rev().find(|(_, line)| declared(line));
                above.is_none_or(|(_, line)| line.contains("Hash"))
            };
            let sorted = lines[index..].iter().take(3).any(|(_, line)| line.contains("sort") || line.contains("Hash"));
            if let Some(name) = names.iter().filter(calls).find(meant).filter(|_| !sorted) {
                faults.push(format!("{}:{number}: `{name}` has no order", source.name));
            }
        }
    }
    none(faults, "their order differs from run to run; use a `BTreeMap` or a `Vec`, or sort the list:");
    assert!(found > 50, "{found} hash maps and sets");
}

#[test]
fn references_of_llvm_have_no_order() {
    let mut faults = Vec::new();
    let mut found = 0;
    for source in program().iter().filter(|source| source.name.starts_with("src/llvm/")) {
        let mut derived = "";
        for (number, line) in source.code() {
            let start = line.trim_start();
            if start.starts_with("#[derive(") {
                derived = start;
            } else if start.starts_with('}') {
                derived = "";
            } else if start.contains("raw: LLVM") && line.starts_with("    ") && start.ends_with("Ref,") {
                found += 1;
                if has_word(derived, "Ord") || has_word(derived, "PartialOrd") {
                    faults.push(format!("{}:{number}: {}", source.name, start));
                }
            }
        }
    }
    none(faults, "these compare addresses, whose order differs from run to run; derive no `Ord`:");
    assert!(found > 2, "{found} references");
}

/// A thread that waits for others must give its token away first.
#[test]
fn only_tokens_give_work_to_threads() {
    let mut faults = Vec::new();
    for source in program() {
        if !source.name.starts_with("src/") || source.name == "src/system/tokens.rs" {
            continue;
        }
        let starts = |line: &str| line.contains("rayon::") && !line.contains("rayon::ThreadPool");
        let wrong = source.code().filter(|(_, line)| starts(line));
        faults.extend(wrong.map(|(number, _)| format!("{}:{number}: uses rayon", source.name)));
    }
    none(faults, "use the functions of `system/tokens.rs`, which know the tokens of make's job server:");
}
