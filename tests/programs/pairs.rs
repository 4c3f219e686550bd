//! The table of pairs of features: a kernel of `tests/run/pairs_*.rs` uses both features that its name has.

use std::collections::BTreeMap;
use std::fmt::Write;

const FEATURES: [&str; 12] = [
    "position",
    "barrier",
    "warp",
    "shared",
    "dynamic",
    "atomics",
    "heap",
    "panic",
    "print",
    "recursion",
    "functions",
    "statics",
];

const SOURCES: [&str; 6] = ["blocks", "calls", "faults", "functions", "print", "statics"];

const INTRODUCTION: &str = "\
# Pairs of features

`OFFLOADC_BLESS=1 cargo test --test run every-pair` writes this file from the kernels of `pairs_*.rs`. A cell names
the program whose kernel uses both features: the kernel of `heap` and `recursion` is `heap_recursion`. Every program
runs on each device with four of six sets of flags (`make test-all`: with all), and its host computes what each
thread shall store, which is the same on all devices. `dynamic` is shared memory of a size that the launch chooses.

";

/// The names of the kernels that a program lists, and the program.
fn kernels() -> BTreeMap<String, &'static str> {
    let mut found = BTreeMap::new();
    for source in SOURCES {
        let path = harness::root().join(format!("tests/run/pairs_{source}.rs"));
        let text = std::fs::read_to_string(path).expect("the repository has it");
        let (_, list) = text.split_once("\npairs! {\n").expect("the program lists its kernels");
        let list = list.split("\n}").next().expect("splitting gives a part");
        for line in
            list.lines().filter_map(|line| line.strip_prefix("    ")).filter(|line| !line.starts_with([' ', '}']))
        {
            let name = line.split(':').next().expect("splitting gives a part");
            assert!(found.insert(name.to_owned(), source).is_none(), "{name} is listed twice");
        }
    }
    found
}

/// No pair of features lacks a kernel, no kernel is beside the table, and the document has the table.
pub(crate) fn every_pair_has_a_kernel() {
    let mut kernels = kernels();
    let mut text = format!("{INTRODUCTION}| | {} |\n|---|{}\n", FEATURES[..11].join(" | "), "---|".repeat(11));
    for (row, second) in FEATURES.iter().enumerate().skip(1) {
        let _infallible = write!(text, "| {second} |");
        for (column, first) in FEATURES[..11].iter().enumerate() {
            let names = [format!("{first}_{second}"), format!("{second}_{first}")];
            let cell = names.iter().filter(|_| column < row).find_map(|name| kernels.remove(name)).unwrap_or("");
            assert!(column >= row || !cell.is_empty(), "no kernel is named `{}`", names[0]);
            let _infallible = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    assert!(kernels.is_empty(), "kernels of no pair, or of one that has another: {kernels:?}");
    let file = harness::root().join("tests/run/pairs.md");
    if std::env::var_os("OFFLOADC_BLESS").is_some() {
        return std::fs::write(file, text).expect("the document can be written");
    }
    let written = std::fs::read_to_string(file).unwrap_or_default();
    assert!(text == written, "tests/run/pairs.md is out of date; `OFFLOADC_BLESS=1` writes it");
}
