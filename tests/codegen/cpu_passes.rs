//! Each pass from a kernel to its entry, alone: `--run-pass` reads the module that the pass before it has printed.
//!
//! The results of a pass for the next one are in the module. If something were missing there, the pass alone would not
//! do the same as in a compilation, which has the same functions.

use std::path::Path;
use std::process::Command;

use offloadc::passes::table::{PASSES, Runs};

/// Modules of golden tests in which each of the passes does something.
const MODULES: [&str; 12] = [
    "aligned",
    "array-read",
    "block-counts",
    "block-loads",
    "cells",
    "exchange",
    "iterations",
    "prefetch",
    "selections",
    "warp-masks",
    "warp-rows",
    "wraps",
];

/// The names of the passes, in their order.
fn passes() -> Vec<&'static str> {
    let called = PASSES.iter().filter(|row| !matches!(row.runs, Runs::Inside(_)));
    let names = called.map(|row| row.name).skip_while(|name| *name != "internalize_kernels");
    let mut all: Vec<_> = names.take_while(|name| *name != "emit_entries").collect();
    all.push("emit_entries");
    all
}

#[test]
fn a_pass_alone_does_what_it_does_in_a_compilation() {
    let (folder, passes) = (harness::scratch(), passes());
    let mut changed = vec![false; passes.len()];
    for name in MODULES {
        let input = harness::root().join("tests/golden/cpu").join(name).with_extension("ll");
        let printed = printed(&input, &passes);
        assert_eq!(printed.len(), passes.len(), "{name}: a pass was not printed");
        for (number, pass) in passes.iter().enumerate().skip(1) {
            let [before, after] = [&printed[number - 1], &printed[number]];
            let file = folder.path().join("module.ll");
            std::fs::write(&file, before).expect("the folder can be written");
            let mut alone = offloadc(&file);
            let alone = harness::run(alone.arg(format!("--run-pass={pass}"))).success().stdout();
            let [expected, made] = [after, &alone].map(|text| without_names(text));
            let place = expected.iter().zip(&made).position(|(a, b)| a != b);
            let place = place.or((expected.len() != made.len()).then_some(expected.len().min(made.len())));
            if let Some(place) = place {
                let [expected, made] = [&expected, &made].map(|lines| lines[place..].first());
                panic!("`{pass}` alone on {name}, line {place}: {made:?}\nin a compilation: {expected:?}");
            }
            changed[number] |= without_names(before) != expected;
        }
    }
    let idle: Vec<_> = passes.iter().zip(changed).skip(1).filter(|(_, changed)| !changed).collect();
    assert!(idle.is_empty(), "the modules have nothing for these passes: {idle:?}");
}

#[test]
fn a_table_that_does_not_fit_is_an_error() {
    let folder = harness::scratch();
    let run = |text: &str| {
        let file = folder.path().join("module.ll");
        std::fs::write(&file, text).expect("the folder can be written");
        let outcome = harness::run(offloadc(&file).arg("--run-pass=vectorize"));
        assert_eq!(outcome.code(), 1, "{}", outcome.report());
        outcome.stderr()
    };
    let code = "define void @k.thread(ptr %block, i32 %x, i32 %y, i32 %z) {\n  ret void\n}\n";
    assert!(run(code).contains("has no metadata `offload.spmd.code`"));
    let faults = [
        // The code of a kernel with an argument lacks the parameter.
        "!{!\"k\", !{!{i64 0, i64 4, i32 poison}}, i64 8, i64 8, !{!\"one\", !{ptr @k.thread, !{}, i1 false}}}",
        // A field is missing, a number is a text, a function is none, and nothing is below itself.
        "!{!\"k\", !{}, i64 8, !{!\"one\", !{ptr @k.thread, !{}, i1 false}}}",
        "!{!\"k\", !{}, !\"8\", i64 8, !{!\"one\", !{ptr @k.thread, !{}, i1 false}}}",
        "!{!\"k\", !{}, i64 8, i64 8, !{!\"one\", !{null, !{}, i1 false}}}",
        "distinct !{!0, !0, !0, !0, !0}",
    ];
    for fault in faults {
        let text = format!("{code}!offload.spmd.code = !{{!0}}\n!0 = {fault}\n");
        assert!(run(&text).contains("is not what the passes write"), "{fault}");
    }
}

fn offloadc(input: &Path) -> Command {
    let mut command = Command::new(harness::offloadc());
    command.arg(input).args(["-O2", "--offload-arch=cpu"]);
    command
}

/// The module after each pass of a compilation.
fn printed(input: &Path, passes: &[&str]) -> Vec<String> {
    let mut command = offloadc(input);
    command.args(["--emit=flavor=/dev/null".to_owned(), format!("--print-after={}", passes.join(","))]);
    let said = harness::run(&mut command).success().stderr();
    let parts = said.split("; *** IR Dump After ").skip(1);
    // A message may follow the last one.
    let module = |part: &str| {
        let (_, text) = part.split_once('\n').expect("a title is a line");
        let end = ["\nwarning", "\nnote"].iter().filter_map(|next| text.find(next)).min();
        text[..end.unwrap_or(text.len())].to_owned() + "\n"
    };
    parts.map(module).collect()
}

/// The lines of a module without the parts that reading it again may change: the names of values and blocks, the
/// numbers of metadata and attributes, and the program's hash.
fn without_names(text: &str) -> Vec<String> {
    let is_left_out = |line: &str| {
        ["; ModuleID", "source_filename", "attributes ", "uselistorder"].iter().any(|start| line.starts_with(start))
    };
    text.lines().filter(|line| !is_left_out(line)).map(without_name).filter(|line| !line.is_empty()).collect()
}

fn without_name(line: &str) -> String {
    let line = line.split("; preds").next().unwrap_or_default().split("; No predecessors").next().unwrap_or_default();
    if !line.starts_with([' ', '!']) && line.trim_end().ends_with(':') {
        return "label".to_owned();
    }
    let (mut kept, mut rest) = (String::new(), line.trim());
    while let Some(next) = rest.chars().next() {
        rest = &rest[next.len_utf8()..];
        kept.push(next);
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || "._$-".contains(c);
        match next {
            '%' => {
                rest = match rest.strip_prefix('"') {
                    Some(quoted) => quoted.split_once('"').map_or("", |(_, after)| after),
                    None => rest.trim_start_matches(is_of_name),
                }
            }
            '!' | '#' => rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()),
            '@' => {
                if let Some(after) = rest.strip_prefix("__offload_cpu.") {
                    rest = after.trim_start_matches(|c: char| c.is_ascii_hexdigit());
                }
            }
            _ => {}
        }
    }
    kept
}
