//! Levels of optimisation of device code, each with debug information in a debug build, and without it in a release
//! build, on the `cpu`.
//!
//! The tests that build the programs (`examples.rs`, `api.rs`) ask here for their options. `make test` builds one of
//! five programs at one level in turn, and `OFFLOADC_ALL_LEVELS=1` builds all programs at all levels.

use harness::turns;

/// The name of cargo's folder, and the options, of each.
type Level = (&'static str, &'static [&'static str]);

const ALL: [Level; 6] = [
    ("debug", &["--offloadc=-O3"]),
    ("release", &["--offloadc=-O0", "--release"]),
    ("debug", &["--offloadc=-O1"]),
    ("release", &["--offloadc=-O3", "--release"]),
    ("debug", &["--offloadc=-O0"]),
    ("release", &["--offloadc=-O1", "--release"]),
];

/// Of how many programs a run builds one.
const PROGRAMS: usize = 5;

/// The levels at which this run builds a program: none if it is the turn of others.
pub(crate) fn of(program: &str) -> Vec<Level> {
    match std::env::var_os("OFFLOADC_ALL_LEVELS") {
        Some(_) => ALL.to_vec(),
        None if turns::is_turn_of(program, PROGRAMS) => vec![*turns::of(program, &ALL)],
        None => Vec::new(),
    }
}
