//! The numbers that decide how the vectoriser works are in one table, each with the reason for its value.

use crate::source::{none, program};

const TABLE: &str = "src/spmd/tuning.rs";

/// Numbers of `src/spmd/` that are not chosen, and why.
const FIXED: &[(&str, &str)] = &[
    ("ALIGN", "the alignment of slots, as the scheduler gives it"),
    ("FAULT_PARAMETERS", "the parameters of a function"),
    ("FEWEST_BITS", "narrower numbers could wrap"),
    ("LARGEST", "the largest element of a vector"),
    ("ONE_WARP", "the lanes of the largest warp"),
    ("PARAMETERS", "the parameters for a position"),
    ("SLOT_PARAMETERS", "the parameters of a region"),
    ("THREADS_MULTIPLE", "the layout of slots"),
    ("WAITS", "a bit of a state"),
];

/// The name of the number that a line defines.
fn number(line: &str) -> Option<&str> {
    let (name, rest) = line.trim_start().trim_start_matches("pub(crate) ").strip_prefix("const ")?.split_once(": ")?;
    let numbers = ["usize", "u32", "u64", "i64", "f64", "(i64, usize)"];
    numbers.iter().any(|ty| rest.strip_prefix(ty).is_some_and(|rest| rest.starts_with(" ="))).then_some(name)
}

#[test]
fn thresholds_are_in_one_table() {
    let (mut faults, mut seen, mut count) = (Vec::new(), Vec::new(), 0);
    for source in &program() {
        if !source.name.starts_with("src/spmd/") {
            continue;
        }
        let lines: Vec<_> = source.text.lines().collect();
        for (at, name) in lines.iter().enumerate().filter_map(|(at, line)| Some((at, number(line)?))) {
            if source.name == TABLE {
                count += 1;
                let is_explained = at > 0 && lines[at - 1].starts_with("/// ");
                faults.extend((!is_explained).then(|| format!("{TABLE}: `{name}` has no comment")));
            } else if FIXED.iter().any(|(fixed, _)| *fixed == name) {
                seen.push(name.to_owned());
            } else {
                faults.push(format!("{}:{}: `{name}`", source.name, at + 1));
            }
        }
    }
    assert!(count > 50, "{count} numbers are in {TABLE}");
    let unused = FIXED.iter().filter(|(fixed, _)| !seen.iter().any(|name| name == fixed));
    faults.extend(unused.map(|(fixed, _)| format!("`{fixed}`: there is no such number")));
    none(
        faults,
        "move these to src/spmd/tuning.rs and say what was measured, or say in `FIXED` why they are no choice:",
    );
}
