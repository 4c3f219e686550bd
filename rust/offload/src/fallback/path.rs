//! Where a lane is in its kernel: which operations without a mask it reaches together with others.
//!
//! Such an operation is for the lanes that are in the same iteration of every enclosing loop. Host code does not know
//! its iterations, so `#[kernel]` counts them: it gives a table of the loops in the text of the function, and each
//! iteration calls [`crate::__private::iteration`]. The path of an operation has the places and iterations of the loops
//! around it, followed by its place in the text. In the text of one function, an operation with a lesser path is
//! executed first. So the group of lanes on the least path of a warp is complete: every other lane is past that
//! operation.
//!
//! The path of an operation elsewhere is unknown: in a function without `#[kernel]`, a closure, or a macro.

use core::cmp::Ordering;
use core::panic::Location;
use std::vec::Vec;

/// A line and a column, both from 1.
pub type Place = (u32, u32);

/// The facts that `#[kernel]` finds in the text of a function.
#[derive(Debug)]
pub struct Text {
    /// The file, as `file!()` names it.
    pub file: &'static str,
    /// The loops, in the order in which they begin.
    pub loops: &'static [(Place, Place)],
    /// The calls that may be operations of a warp, without those that are executed in another order than the text's, or
    /// any number of times: in closures, macros, and left sides of assignments.
    pub operations: &'static [Place],
}

fn contains((start, end): (Place, Place), place: Place) -> bool {
    (start..end).contains(&place)
}

/// The path of one lane. An empty one is unknown.
#[derive(Default)]
pub(super) struct Path {
    text: Option<&'static Text>,
    /// How often the kernel was entered.
    entered: u32,
    /// The current iteration of each loop.
    iterations: Vec<u64>,
    /// The path of the last operation, and how many operations of that path there were before it.
    last: Vec<(Place, u64)>,
    repeated: u64,
}

impl Path {
    /// The path of a thread that begins.
    #[inline]
    pub(super) fn reset(&mut self) {
        if self.text.is_some() || !self.last.is_empty() {
            *self = Path::default();
        }
    }

    /// A kernel with this text begins.
    pub(super) fn enter(&mut self, text: &'static Text) {
        self.text = Some(text);
        self.entered += 1;
        self.iterations = std::vec![0; text.loops.len()];
    }

    /// An iteration of a loop begins: the one with this index, whose inner loops have the indices up to `end`.
    pub(super) fn iterate(&mut self, index: usize, end: usize) {
        if let Some((own, inner)) = self.iterations.get_mut(index..end).and_then(<[u64]>::split_first_mut) {
            *own += 1;
            inner.fill(0);
        }
    }

    /// Sets the path of an operation at `location`.
    pub(super) fn reach(&mut self, location: &Location<'_>) {
        let place = (location.line(), location.column());
        let here = self.text.filter(|text| self.entered == 1 && text.file == location.file());
        let here = here.filter(|text| text.operations.contains(&place));
        let Some(text) = here else { return self.last.clear() };
        let around = text.loops.iter().zip(&self.iterations).filter(|(part, _)| contains(**part, place));
        let path: Vec<_> = around.map(|((start, _), iteration)| (*start, *iteration)).chain([(place, 0)]).collect();
        self.repeated = if path == self.last { self.repeated + 1 } else { 0 };
        self.last = path;
    }

    /// Why the path of the last operation is unknown.
    pub(super) fn unknown(&self) -> Option<&'static str> {
        match self.last[..] {
            [] if self.text.is_none() => Some("it is not in the text of a function with `#[kernel]`"),
            [] if self.entered > 1 => Some("one kernel has called another one"),
            [] => Some("it is not in the kernel's own text, but in another function, a closure or a macro"),
            _ => None,
        }
    }

    pub(super) fn cmp(&self, other: &Path) -> Ordering {
        (&self.last, self.repeated).cmp(&(&other.last, other.repeated))
    }
}

impl PartialEq for Path {
    fn eq(&self, other: &Path) -> bool {
        self.cmp(other).is_eq()
    }
}
