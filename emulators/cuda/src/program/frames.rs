//! The functions around an instruction, from the line directives in front of it.
//!
//! `.loc 1 20 5, function_name NAME, inlined_at 2 7 9` says that the line is of a function that was inlined at another
//! place, and the last directive before it with that place says the same of the function there.

use emulator_core::{Frame, Place};

use crate::parser::{Inlined, Location, Module, Position, Statement};

impl Module {
    /// The functions at a statement of a function, the innermost first. The last one is the function itself.
    pub(crate) fn frames(&self, function: usize, statement: usize) -> Vec<Frame> {
        let function = &self.functions[function];
        let body = function.body.as_deref().unwrap_or_default();
        let mut before = body.get(..statement).unwrap_or(body);
        let mut frames = Vec::new();
        let mut wanted: Option<Position> = None;
        loop {
            // Code without a line is shown with the line before it.
            let is_it = |location: &Location| match wanted {
                None => location.position.line != 0,
                Some(position) => location.position == position,
            };
            let found = before.iter().enumerate().rev().find_map(|(at, statement)| match statement {
                Statement::Location(location) if is_it(location) => Some((at, location)),
                _ => None,
            });
            let position = found.map(|(_, location)| location.position).or(wanted);
            let place = position.and_then(|position| self.place(position));
            let Some((at, Inlined { name, place: outer })) =
                found.and_then(|(at, location)| Some((at, location.inlined.as_ref()?)))
            else {
                frames.push(Frame { function: function.name.clone(), place });
                return frames;
            };
            let (label, offset) = name;
            frames.push(Frame { function: self.names.get(label, *offset).unwrap_or_default(), place });
            (before, wanted) = (&before[..at], Some(*outer));
        }
    }

    fn place(&self, position: Position) -> Option<Place> {
        let file = self.files.get(&position.file).filter(|_| position.line != 0)?;
        Some(Place { file: file.clone(), line: position.line })
    }
}
