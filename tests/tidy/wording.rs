//! Rules for texts and names.

use std::path::Path;

use crate::source::{Source, none, sources};

#[test]
fn every_source_says_what_it_is() {
    let silent = |source: &Source| match Path::new(&source.name).extension()?.to_str()? {
        // The runner of the golden files reads their comments.
        "rs" if source.name.starts_with("tests/golden/") => {
            (!source.text.starts_with("// ")).then(|| source.name.clone())
        }
        "rs" => (!source.text.starts_with("//! ")).then(|| source.name.clone()),
        "c" | "h" => (!source.text.starts_with("/* ")).then(|| source.name.clone()),
        "cpp" => (!source.text.starts_with("/")).then(|| source.name.clone()),
        _ => None,
    };
    let faults = sources().iter().filter_map(silent).collect();
    none(faults, "begin these files with a comment (`//!` in Rust) that says what they do and do not do:");
}

#[test]
fn every_golden_file_has_a_reason() {
    let goldens = |source: &Source| source.name.starts_with("tests/golden/") && source.has_extension(&["ll", "rs"]);
    let silent = |source: &Source| {
        let first = source.text.lines().next().unwrap_or_default();
        let sentence = first.strip_prefix("; ").or(first.strip_prefix("// ")).unwrap_or_default();
        let good = sentence.split(' ').count() > 3 && !sentence.contains("RUN");
        (!good).then(|| format!("{}: `{first}`", source.name))
    };
    let faults = sources().iter().filter(|source| goldens(source)).filter_map(silent).collect();
    none(faults, "put a sentence on the first line of these golden files that says which behaviour they hold:");
}

#[test]
fn names_say_something() {
    let empty = ["manager", "helper", "utils", "util", "misc"];
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| source.has_extension(&["rs", "c", "h", "cpp"])) {
        let low = source.name.to_lowercase();
        if empty.iter().any(|word| low.contains(word)) {
            faults.push(source.name.clone());
        }
        for (number, line) in source.code() {
            let defines =
                ["struct ", "enum ", "trait ", "mod ", "fn "].iter().filter_map(|k| line.split_once(*k)).next();
            let name = defines.map(|(_, rest)| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next());
            let name = name.flatten().unwrap_or_default().to_lowercase();
            if empty.iter().any(|word| name.contains(word)) {
                faults.push(format!("{}:{number}: {name}", source.name));
            }
        }
    }
    none(faults, "name these after what they do:");
}

#[test]
fn no_path_of_one_machine() {
    // .cargo/config.toml contains the only default, LLVM's prefix; this file contains the patterns.
    let allowed = [".cargo/config.toml", "tests/tidy/wording.rs"];
    let starts = ["/home/", "/root/", "/Users/", "/work/", "/usr/lib/llvm"];
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| !allowed.contains(&source.name.as_str())) {
        for (index, line) in source.text.lines().enumerate() {
            if starts.iter().any(|start| line.contains(start)) {
                faults.push(format!("{}:{}: {}", source.name, index + 1, line.trim()));
            }
        }
    }
    none(faults, "derive the path from the environment or from .cargo/config.toml:");
}
