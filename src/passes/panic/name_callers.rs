//! Puts the user's line in front of the place of a panic in a library.
//!
//! The place of a panic is the line that panics, or the line that calls a function with `#[track_caller]`. Where a
//! kernel calls other code of a library, this is a line that the user has not written. The innermost of the user's
//! lines that lead to it gets the number of a new place, whose text begins with this line:
//!
//! ```text
//! src/main.rs:8:19, in …/registry/src/index/grid-1.2.0/src/lib.rs:40:9
//! src/main.rs:8:19 or src/main.rs:12:5, in …                  the function is not inlined, and called from two lines
//! ```
//!
//! The number of a place is an argument of the panic, or one of several values of a `phi` or `select`, or the optimiser
//! has made it an argument of the function. Where a function gets a `Location`, its number is in the static that a
//! caller passes, and this caller gets a copy with another number. So the device stores nothing more than before.
//!
//! Before: `resolve_panics.rs`. Without debug information, nothing changes.

use std::collections::HashMap;

use super::hide_lines::copy_location;
use crate::analysis::source_locations::{NumberedLocation, numbered_locations};
use crate::analysis::user_lines::{PlaceUse, UserSources, WrittenLines, is_in, uses_of_location, uses_of_numbers};
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::{PanicTable, SourceLocation};
use crate::llvm::Module;

/// Gives panics in libraries the numbers of places that begin with the user's lines. Adds these places to `table`.
/// `written` has the lines before the module was optimised.
pub fn name_callers(module: &Module<'_>, kernels: &KernelSet, written: &WrittenLines, table: &mut PanicTable) {
    if !module.has_debug_information() {
        return;
    }
    let sources = UserSources::of(module, kernels);
    let uses = uses_of_numbers(module, &sources);
    let mut callers = Callers { sources, written, table, numbers: HashMap::new() };
    for place in uses {
        let new = place.number().and_then(|number| callers.number(number, &place));
        if let Some(new) = new {
            place.user.set_operand(place.at, place.user.operand(place.at).ty().constant(new.into()));
        }
    }
    for location in numbered_locations(module) {
        callers.copy(module, &location);
    }
}

struct Callers<'a, 'c> {
    sources: UserSources<'c>,
    written: &'a WrittenLines,
    table: &'a mut PanicTable,
    /// The new number for a number and lines.
    numbers: HashMap<(u64, Vec<String>), u32>,
}

impl<'c> Callers<'_, 'c> {
    /// Gives each instruction that uses the static of a place in a library the copy of its line.
    fn copy(&mut self, module: &Module<'c>, location: &NumberedLocation<'c>) {
        let mut copies = HashMap::new();
        for place in uses_of_location(location.variable) {
            let Some(number) = self.number(location.number, &place) else { continue };
            let copy = *copies.entry(number).or_insert_with(|| copy_location(module, location.variable, number));
            place.user.set_operand(place.at, copy);
        }
    }

    /// The number of the place that begins with the user's lines; none if the place keeps its number.
    fn number(&mut self, number: u64, at: &PlaceUse<'c>) -> Option<u32> {
        let place = self.table.place(number)?.clone();
        let lines = self.lines(number, &place, at)?;
        let text = format!("{}, in {}", lines.join(" or "), place.file);
        let add = || self.table.add_place(SourceLocation { file: text, ..place });
        Some(*self.numbers.entry((number, lines)).or_insert_with(add))
    }

    /// The user's lines; none if the place is in the user's sources, or if they are unknown.
    fn lines(&self, number: u64, place: &SourceLocation, at: &PlaceUse<'c>) -> Option<Vec<String>> {
        let origin = at.origin();
        let frames = origin.frames();
        if self.sources.have_written(place, &frames) {
            return None;
        }
        // A branch or a `select` may belong to the user's line around two calls.
        let is_exact = origin == at.call || frames.iter().any(|frame| is_in(frame, place));
        let exact = is_exact.then(|| self.sources.lines_before(origin)).flatten();
        exact.or_else(|| self.written.within(number, &at.call.frames()))
    }
}
