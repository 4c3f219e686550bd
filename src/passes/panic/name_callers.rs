//! Puts the user's line in front of the place of a panic in a library.
//!
//! The place of a panic is the line that panics, or the line that calls a function with `#[track_caller]`. Where a
//! kernel calls other code of a library, this is a line that the user has not written. The debug location of the panic
//! has the calls that were inlined, and a function that was not inlined has calls in the module. The innermost of
//! the user's lines among them gets the number of a new place, whose text begins with this line:
//!
//! ```text
//! src/main.rs:8:19, in …/registry/src/index/grid-1.2.0/src/lib.rs:40:9
//! src/main.rs:8:19 or src/main.rs:12:5, in …                  the function is not inlined, and called from two lines
//! ```
//!
//! So the device stores nothing more than before. The user's files are those that rustc read in the folder in which it
//! compiled a kernel: the packages of its workspace.
//!
//! Before: `resolve_panics.rs`. Without debug information, nothing changes.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use crate::analysis::location::{is_library_source, outermost_frame, user_frame};
use crate::contract::builtin::PANIC;
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::{PanicTable, SourceLocation};
use crate::llvm::{Frame, Function, Module, Value};

/// The most lines in front of a place. A function that is called from more lines is a part of everything.
const MOST_LINES: usize = 3;
/// The most functions through which callers are looked for.
const MOST_FUNCTIONS: usize = 64;

/// Gives panics in libraries the numbers of places that begin with the user's lines. Adds these places to `table`.
pub fn name_callers(module: &Module<'_>, kernels: &KernelSet, table: &mut PanicTable) {
    let Some(panic) = module.function(PANIC).filter(|_| module.has_debug_information()) else { return };
    let sources = Sources::of(kernels.functions(module));
    let mut numbers = HashMap::new();
    // LLVM lists uses in reverse order.
    for call in panic.calls().into_iter().rev() {
        let number = call.arguments()[1].as_u64().unwrap_or_default();
        let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let Some(place) = index.and_then(|index| table.places().get(index)).cloned() else { continue };
        if sources.have_written(&place, &call.frames()) {
            continue;
        }
        let Some(lines) = sources.lines_before(call) else { continue };
        let text = format!("{}, in {}", lines.join(" or "), place.file);
        let new =
            *numbers.entry((number, lines)).or_insert_with(|| table.add_place(SourceLocation { file: text, ..place }));
        call.set_operand(1, call.arguments()[1].ty().constant(new.into()));
    }
}

/// The user's sources.
struct Sources<'c> {
    /// The functions of the kernels.
    kernels: Vec<Function<'c>>,
    /// The folders in which rustc compiled kernels.
    folders: BTreeSet<String>,
}

impl<'c> Sources<'c> {
    fn of(kernels: impl Iterator<Item = Function<'c>>) -> Self {
        let kernels: Vec<_> = kernels.filter(|kernel| !kernel.is_declaration()).collect();
        let outermost = |i: Value<'c>| {
            let frames = i.frames();
            let frame = outermost_frame(&frames).filter(|frame| Path::new(&frame.file).is_relative());
            frame.map(|frame| frame.folder.clone())
        };
        let folders = kernels.iter().flat_map(|kernel| kernel.instructions()).filter_map(outermost).collect();
        Self { kernels, folders }
    }

    fn have(&self, frame: &Frame) -> bool {
        Path::new(&frame.file).is_relative() && self.folders.contains(&frame.folder)
    }

    /// Whether the place of a panic, of which these are the frames, is in the user's sources.
    fn have_written(&self, place: &SourceLocation, frames: &[Frame]) -> bool {
        // Two packages may have a file `src/lib.rs`.
        let inside = frames.iter().find(|frame| is_in(frame, place));
        let is_elsewhere = || is_library_source(&place.file) || !self.may_have(Path::new(&place.file));
        inside.map_or_else(|| !is_elsewhere(), |frame| self.have(frame))
    }

    fn may_have(&self, file: &Path) -> bool {
        file.is_relative() || self.folders.iter().any(|folder| file.starts_with(folder))
    }

    /// The user's lines from which a panic is reached, in their order; none if they are unknown or too many.
    fn lines_before(&self, panic: Value<'c>) -> Option<Vec<String>> {
        let (mut lines, mut seen) = (Vec::new(), HashSet::new());
        let mut open = vec![panic];
        while let Some(call) = open.pop() {
            let frames = call.frames();
            if let Some(frame) = frames.iter().filter(|frame| self.have(frame)).find_map(user_line) {
                if !lines.contains(&frame) {
                    lines.push(frame);
                }
                continue;
            }
            let function = call.function();
            if !seen.insert(function) {
                continue;
            }
            let has_callers = function.is_only_called() && !self.kernels.contains(&function);
            if !has_callers || seen.len() > MOST_FUNCTIONS || lines.len() > MOST_LINES {
                return None;
            }
            open.extend(function.calls());
        }
        lines.sort();
        let lines: Vec<_> = lines.into_iter().map(|(file, line, column)| format!("{file}:{line}:{column}")).collect();
        (1..=MOST_LINES).contains(&lines.len()).then_some(lines)
    }
}

/// A frame in a user's function, as file, line and column, which is the order in which lines are named.
fn user_line(frame: &Frame) -> Option<(String, u32, u32)> {
    user_frame(std::slice::from_ref(frame)).map(|frame| (frame.file.clone(), frame.line, frame.column))
}

/// Whether a place is in the file of a frame.
fn is_in(frame: &Frame, place: &SourceLocation) -> bool {
    frame.file == place.file || Path::new(&frame.folder).join(&frame.file) == Path::new(&place.file)
}
