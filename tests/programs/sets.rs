//! The sets of rustc's flags with which a program runs.

use harness::program::{FLAG_SETS, FlagSet, RECOMMENDED};
use harness::turns;

use crate::{Program, stem};

/// Programs whose compilation takes longest, each of them with one further set in every other run.
const LARGE: [&str; 5] = ["alloc", "format", "library", "simd", "sort"];

/// Sets of which every other program has one beside the recommended one, in turn; the rest of the programs has none.
const IN_TURN: [Option<&str>; 16] = [
    Some("O0-g"),
    None,
    Some("facts-g"),
    None,
    Some("O0-g"),
    None,
    Some("O-g"),
    None,
    Some("O0-g"),
    None,
    Some("O"),
    None,
    Some("O0-g"),
    None,
    Some("O0"),
    None,
];

/// How the names of programs begin that have a kernel for each pair of features. Random kernels have these pairs at all
/// other sets.
const PAIRS: &str = "pairs_";

/// The set with which threads are executed together on the CPU wherever that is possible.
const ALWAYS_VECTORIZED: &str = "O0-g";

/// The set with which programs are linked with a generic image, and get the images for GPUs and OpenCL afterwards.
pub(crate) const FINISHED_LATER: &str = "O";

/// The levels of offloadc. With a further set, a program is compiled at one of them, in turn.
const LEVELS: [&str; 5] = ["-O0", "-O2", "-Oz", "-O3", "-O1"];

/// Programs that are not compiled at `-O0`: the first needs more stack there than a thread has by default, and the
/// texts of the others' panics are known only where functions are inlined.
const NOT_AT_O0: [&str; 4] = ["recursion", "panics", "panics_deep", "parts_panics"];

/// Whether each program runs with all sets of flags.
pub(crate) fn all_flags() -> bool {
    std::env::var_os("OFFLOADC_ALL_FLAGS").is_some()
}

/// Whether rustc may optimise a program, or does not with this set.
pub(crate) fn may_optimize(program: &Program, set: FlagSet) -> bool {
    !(program.unoptimized && set.flags.contains(&"-O"))
}

/// Whether a program runs with a set of flags; `number` is its place in the list.
pub(crate) fn runs_with(program: &Program, number: usize, set: FlagSet) -> bool {
    if !may_optimize(program, set) {
        return false;
    }
    if all_flags() || set.name == RECOMMENDED.name {
        return true;
    }
    let name = stem(program.source);
    if name.starts_with(PAIRS) {
        return false;
    }
    match LARGE.iter().position(|large| *large == name) {
        Some(large) => set.name == FLAG_SETS[1 + large].name && turns::is_next(large, 2),
        None => {
            let mut places = (number..).zip(IN_TURN);
            places.any(|(place, name)| name == Some(set.name) && turns::is_next(place, IN_TURN.len()))
        }
    }
}

impl Program {
    /// The options for offloadc, besides those of a place.
    pub(crate) fn options(&self, set: FlagSet) -> Vec<&'static str> {
        // Most of the time of a compilation is the optimisation of the host's code.
        let optimises_host = set.name == RECOMMENDED.name || all_flags();
        let more = if optimises_host { &[][..] } else { &["--host-opt-level=0"] };
        // The vectoriser of the CPU must be right where it does not pay, too.
        let always = if set.name == ALWAYS_VECTORIZED { &["--cpu-vectorize=always"][..] } else { &[] };
        let level = turns::of(&format!("{} {}", stem(self.source), set.name), &LEVELS);
        let usual = set.name == RECOMMENDED.name || (*level == "-O0" && NOT_AT_O0.contains(&&*stem(self.source)));
        let level = if usual { "-O2" } else { *level };
        [self.options, more, always, &[level]].concat()
    }
}
