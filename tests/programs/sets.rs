//! The sets of rustc's flags with which a program runs.

use harness::program::{FLAG_SETS, FlagSet, RECOMMENDED};
use harness::turns;

use crate::{Program, stem};

/// Programs whose compilation takes longest, each of them with one further set.
const LARGE: [&str; 5] = ["alloc", "format", "library", "simd", "sort"];

/// Sets of which every other program has one beside the recommended one, in turn.
const IN_TURN: [&str; 8] = ["O0-g", "facts-g", "O0-g", "O-g", "O0-g", "O", "O0-g", "O0"];

/// How the names of programs begin that have a kernel for each pair of features. Random kernels have these pairs at all
/// other sets.
const PAIRS: &str = "pairs_";

/// The set with which threads are executed together on the CPU wherever that is possible.
const ALWAYS_VECTORIZED: &str = "O0-g";

/// The set with which programs are linked with a generic image, and get the images for GPUs and OpenCL afterwards.
pub(crate) const FINISHED_LATER: &str = "O";

/// Whether each program runs with all sets of flags.
pub(crate) fn all_flags() -> bool {
    std::env::var_os("OFFLOADC_ALL_FLAGS").is_some()
}

/// Whether a program runs with a set of flags; `number` is its place in the list.
pub(crate) fn runs_with(program: &Program, number: usize, set: FlagSet) -> bool {
    if all_flags() || set.name == RECOMMENDED.name {
        return true;
    }
    let name = stem(program.source);
    if name.starts_with(PAIRS) {
        return false;
    }
    match LARGE.iter().position(|large| *large == name) {
        Some(large) => set.name == FLAG_SETS[1 + large].name,
        None => (number..).zip(IN_TURN).any(|(place, name)| name == set.name && turns::is_next(place, IN_TURN.len())),
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
        [self.options, more, always].concat()
    }
}
