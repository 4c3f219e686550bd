//! `--bisect-passes`: passes that only make code better are numbered, and those after the Nth are skipped. A search by
//! halves then finds the pass that breaks a kernel, as with `-opt-bisect-limit` of LLVM's `opt`.

use std::ffi::{c_char, c_int, c_void};
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

/// The numbers of one compilation, whose passes run one after another.
#[derive(Debug)]
pub struct Bisect {
    last: u64,
    count: AtomicU64,
    skipped: AtomicU64,
}

impl Bisect {
    /// Skips the passes after the one with the number `last`. The first one has the number 1.
    pub fn new(last: u64) -> Self {
        Self { last, count: AtomicU64::new(0), skipped: AtomicU64::new(0) }
    }

    /// Numbers a pass on a function or a module, and prints whether it runs.
    pub fn runs(&self, pass: &str, unit: &str) -> bool {
        let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        let runs = number <= self.last;
        if !runs {
            self.skipped.fetch_add(1, Ordering::Relaxed);
        }
        let word = if runs { "running" } else { "NOT running" };
        // If standard error is closed, the error cannot be reported.
        let _ = writeln!(std::io::stderr(), "BISECT: {word} pass ({number}) {pass} on {unit}");
        runs
    }

    /// Whether a pass was skipped.
    pub fn has_skipped(&self) -> bool {
        self.skipped.load(Ordering::Relaxed) > 0
    }

    /// A function that numbers a pass of LLVM, and its first argument; null pointers if nothing is numbered.
    pub(super) fn callback(bisect: Option<&Self>) -> (*const c_void, Option<Callback>) {
        match bisect {
            Some(bisect) => (std::ptr::from_ref(bisect).cast(), Some(runs)),
            None => (std::ptr::null(), None),
        }
    }
}

/// The names of a pass and of the code that it works on, as pointers and lengths; whether it runs.
pub(super) type Callback = extern "C" fn(*const c_void, *const c_char, usize, *const c_char, usize) -> c_int;

extern "C" fn runs(
    bisect: *const c_void,
    pass: *const c_char,
    pass_length: usize,
    unit: *const c_char,
    unit_length: usize,
) -> c_int {
    // SAFETY: LLVM's names live during the call, and the first argument is the one of `callback`, which is borrowed
    // while the passes run.
    let (bisect, [pass, unit]) = unsafe {
        let text = |start: *const c_char, length| std::slice::from_raw_parts(start.cast::<u8>(), length);
        (&*bisect.cast::<Bisect>(), [text(pass, pass_length), text(unit, unit_length)].map(String::from_utf8_lossy))
    };
    bisect.runs(&pass, &unit).into()
}
