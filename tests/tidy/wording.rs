//! Rules for texts and names.

use std::path::Path;

use crate::source::{Source, has_word, none, sources};

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
            // The names of an interface of C are given.
            if !line.contains("extern \"C\"") && empty.iter().any(|word| name.contains(word)) {
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

/// Words that stand for a noun which the sentence does not name, and the most lines of prose with each. All have
/// correct uses, so the limits are above 0.
const VAGUE: [(&str, usize); 3] = [("what", 27), ("of its own", 15), ("behind", 15)];

#[test]
fn sentences_name_their_nouns() {
    let sources = sources();
    let mut faults = Vec::new();
    for (words, most) in VAGUE {
        let found = sources.iter().flat_map(|source| {
            let lines = prose(source).into_iter().filter(move |(_, line)| has_word(line, words));
            lines.map(|(number, line)| format!("{}:{number}: {}", source.name, line.trim()))
        });
        let found: Vec<_> = found.collect();
        if found.len() > most {
            faults.push(format!(
                "`{words}` is in {} lines, and {most} are allowed:\n  {}",
                found.len(),
                found.join("\n  ")
            ));
        }
    }
    none(faults, "name the noun (\"the file that is missing\", \"its own stack\", \"after the loop\"):");
}

/// Lines of comments and documents with their numbers, in lower case, without code, messages and pages of messages.
fn prose(source: &Source) -> Vec<(usize, String)> {
    let is_page = source.has_extension(&["md"]) && !source.is_written_page();
    let is_golden = source.name.starts_with("tests/golden/");
    let is_code = source.has_extension(&["rs", "c", "h", "cpp"]);
    if !is_page && !is_code && !is_golden {
        return Vec::new();
    }
    let (mut is_example, mut is_comment) = (false, false);
    let mut found = Vec::new();
    for (index, line) in source.text.lines().enumerate() {
        let start = line.trim_start();
        if is_golden && (start.starts_with(";;;") || start.starts_with("//// ")) {
            break;
        }
        let text = if is_page { start } else { start.trim_start_matches(['/', '!', '*', ' ', ';']) };
        is_example ^= text.starts_with("```");
        is_comment |= start.starts_with("/*");
        let is_prose = is_page || start.starts_with("//") || is_comment || (is_golden && start.starts_with("; "));
        if is_prose && !is_example && !text.starts_with("RUN") {
            let words: String = line.split('`').step_by(2).collect();
            found.push((index + 1, words.to_lowercase()));
        }
        is_comment &= !line.contains("*/");
    }
    found
}
