//! `docs/errors.md` must match the table of codes, and every code in the table must have a golden test. `make bless`
//! writes the file.

use std::path::Path;

use offloadc::diagnostics::{Code, document};

#[test]
fn the_document_is_the_table() {
    let file = harness::root().join("docs/errors.md");
    let text = document();
    if std::env::var_os("OFFLOADC_BLESS").is_some() {
        return std::fs::write(file, text).expect("the document can be written");
    }
    let written = std::fs::read_to_string(file).unwrap_or_default();
    let difference = text.lines().zip(written.lines()).find(|(a, b)| a != b);
    assert!(text == written, "docs/errors.md is out of date (table, written): {difference:?}; `make bless` writes it");
}

/// The text of every golden file.
fn goldens(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder).expect("the folder can be listed");
    let texts = entries.flatten().map(|entry| {
        let path = entry.path();
        if path.is_dir() { goldens(&path) } else { std::fs::read_to_string(path).unwrap_or_default() }
    });
    texts.collect()
}

#[test]
fn every_code_has_a_golden_test() {
    let text = goldens(&harness::root().join("tests/golden"));
    let lacking: Vec<_> = Code::ALL
        .iter()
        .filter(|code| !text.contains(&format!("{}[{code}]", code.severity().name())))
        .map(|code| format!("{code} {}", code.name()))
        .collect();
    assert!(lacking.is_empty(), "write golden tests in which these codes are said: {lacking:?}");
}
