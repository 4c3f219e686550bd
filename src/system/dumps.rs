//! Text that parallel jobs print on standard error. The text is in the order of the jobs, whichever thread is first.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

/// The place of a job among those that print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The work that all archs share. It ends before another job prints.
    Shared,
    /// The arch of this number.
    Arch(usize),
    /// A part of the module, for the arch of this number.
    Part(usize, usize),
    /// The host module of this number.
    Host(usize),
}

impl Place {
    /// Whether no unfinished job is before it, so that its text need not wait, and is there if LLVM ends the process.
    fn is_first(self) -> bool {
        self <= Self::Arch(0)
    }
}

/// Collects the text of all jobs; a copy collects in the same place.
#[derive(Clone, Debug, Default)]
pub struct Dumps {
    waiting: Arc<Mutex<BTreeMap<Place, String>>>,
}

impl Dumps {
    /// Prints a job's text if it is the first one, or keeps it until all jobs have ended.
    pub fn print(&self, place: Place, text: &str) {
        if place.is_first() {
            write(text);
        } else {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.entry(place).or_default().push_str(text);
        }
    }

    /// Prints the texts that wait. All jobs have ended.
    pub fn finish(&self) {
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.into_values().for_each(|text| write(&text));
    }
}

/// Writes to standard error. If it is closed, the error cannot be shown.
fn write(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
