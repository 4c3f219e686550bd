//! The documents for those who work on offloadc: they name files that exist, and a number in words is one that a test
//! counts.

use std::collections::BTreeSet;

use crate::source::{Source, none, sources};

/// Ends of names that are files.
const EXTENSIONS: &[&str] = &["rs", "c", "h", "cpp", "hpp", "ll", "md", "toml", "py", "mk"];

/// Things of the repository that the pages count in no sentence, because the number changes.
const COUNTED: &[&str] = &["methods", "rooms", "crates", "passes", "stages", "targets", "drivers", "files", "folders"];

const NUMBERS: &[&str] = &["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

fn pages(all: &[Source]) -> Vec<&Source> {
    let is_one = |name: &str| {
        ["ARCHITECTURE.md", "CONTRIBUTING.md"].contains(&name)
            || name.starts_with("docs/internals/") && name.ends_with(".md")
    };
    let found: Vec<_> = all.iter().filter(|source| is_one(&source.name)).collect();
    assert!(found.len() > 10, "{} pages", found.len());
    found
}

/// The words of a page that may be files: those in backquotes, and those of its drawings.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").enumerate().flat_map(|(number, part)| -> Vec<&str> {
        if number % 2 == 1 { part.split_whitespace().collect() } else { part.split('`').skip(1).step_by(2).collect() }
    })
}

/// Whether a word is a file or folder of the repository by its form. `NAME.rs` stands for any file, and `target/` has
/// the output of builds.
fn is_file(word: &str, folders: &BTreeSet<&str>) -> bool {
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    let placeholder = word.split(['/', '.']).any(|part| ["NAME", "TOPIC", "target"].contains(&part));
    let named = word.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && EXTENSIONS.contains(&end));
    let below = word.split_once('/').is_some_and(|(first, _)| folders.contains(first));
    plain && !placeholder && (named || below)
}

#[test]
fn named_files_exist() {
    let all = sources();
    let folders: BTreeSet<&str> = all.iter().filter_map(|s| s.name.split_once('/')).map(|(first, _)| first).collect();
    // The end of a path is enough where the sentence names the folder.
    let exists = |word: &str| {
        let end = format!("/{word}");
        harness::root().join(word).exists() || all.iter().any(|source| source.name.ends_with(&end))
    };
    let (mut count, mut faults) = (0, Vec::new());
    for page in pages(&all) {
        for word in words(&page.text).filter(|word| is_file(word, &folders)) {
            count += 1;
            if !exists(word) {
                faults.push(format!("{}: {word}", page.name));
            }
        }
    }
    assert!(count > 300, "{count} names of files");
    none(faults, "these files do not exist; mend the names:");
}

#[test]
fn sentences_count_nothing_that_changes() {
    let mut faults = Vec::new();
    for page in pages(&sources()) {
        let words: Vec<&str> = page.text.split_whitespace().collect();
        for two in words.windows(2) {
            let (number, noun) = (two[0].to_lowercase(), two[1].trim_end_matches([',', '.', ':', ';']));
            if NUMBERS.contains(&number.as_str()) && COUNTED.contains(&noun) {
                faults.push(format!("{}: {number} {noun}", page.name));
            }
        }
    }
    none(faults, "name them instead of counting them, or count them in a test:");
}

/// ARCHITECTURE.md lists the methods that a target must define.
#[test]
fn required_methods_are_listed() {
    let read = |name: &str| std::fs::read_to_string(harness::root().join(name)).expect("the file is here");
    let targets = read("src/targets/mod.rs");
    let body = targets.split("pub trait Target").nth(1).and_then(|rest| rest.split("\n}\n").next());
    // A signature ends its statement only where no default follows.
    let functions = body.expect("the trait is there").split("\n    fn ").skip(1);
    let required = functions.filter(|function| {
        function.split_once(['{', ';']).is_some_and(|(signature, _)| function[signature.len()..].starts_with(';'))
    });
    let required: BTreeSet<&str> = required.filter_map(|function| function.split('(').next()).collect();
    let page = read("ARCHITECTURE.md");
    let sentence = page.split("The trait requires").nth(1).and_then(|rest| rest.split(". ").next());
    let listed: BTreeSet<&str> = sentence.expect("the sentence is there").split('`').skip(1).step_by(2).collect();
    assert!(required.len() > 3, "{required:?}");
    assert_eq!(listed, required, "list these methods in ARCHITECTURE.md, \"A target\"");
}
