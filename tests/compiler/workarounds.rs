//! `docs/llvm.md` must match the table of work-arounds for faults of LLVM, and every row must have a test that switches
//! it off. `make bless` writes the file.

use offloadc::llvm::workarounds::{Remedy, WORKAROUNDS, document};
use offloadc::passes::table::Row;

#[test]
fn the_document_is_the_table() {
    let file = harness::root().join("docs/llvm.md");
    let text = document();
    if std::env::var_os("OFFLOADC_BLESS").is_some() {
        return std::fs::write(file, text).expect("the document can be written");
    }
    let written = std::fs::read_to_string(file).unwrap_or_default();
    let difference = text.lines().zip(written.lines()).find(|(a, b)| a != b);
    assert!(text == written, "docs/llvm.md is out of date (table, written): {difference:?}; `make bless` writes it");
}

#[test]
fn every_row_has_its_remedy() {
    let mut faults = Vec::new();
    for row in WORKAROUNDS {
        match row.remedy {
            Remedy::Pass if Row::named(row.name).is_none() => faults.push(format!("`{}` is no pass", row.name)),
            Remedy::Code(file) => {
                let text = std::fs::read_to_string(harness::root().join(file)).unwrap_or_default();
                if !text.contains(&format!("lacks({})", row.name.to_uppercase())) {
                    faults.push(format!("{file} does not ask for `{}`", row.name));
                }
            }
            Remedy::Pass | Remedy::MachinePass | Remedy::Pipeline(_) => {}
        }
    }
    assert!(faults.is_empty(), "{faults:?}");
}

/// The option that a test passes to compile without one work-around.
fn option(name: &str) -> String {
    format!("--without-workaround={name}")
}

#[test]
fn every_row_has_a_test_that_switches_it_off() {
    let switches_off = |test: &str, name: &str| {
        let text = std::fs::read_to_string(harness::root().join(test)).unwrap_or_default();
        text.split(|c: char| !c.is_alphanumeric() && !"-_=".contains(c)).any(|word| word == option(name))
    };
    let lacking: Vec<_> = WORKAROUNDS.iter().filter(|row| !switches_off(row.test, row.name)).collect();
    assert!(lacking.is_empty(), "write `{}` in the tests of these: {lacking:?}", option("NAME"));
}
