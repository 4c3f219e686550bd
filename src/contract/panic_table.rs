//! The effect of a panic in a kernel, and the table that translates a panic's numbers into text.
//!
//! A device stores only numbers: a message, a source location, operands. Their texts are on the host, in the
//! registration object, where `runtime-c/launch/panics.c` reads them.

use super::abi::PanicText;

/// The effect of a panic in a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DevicePanic {
    /// The first panicking thread is recorded, every panicking thread leaves the kernel, and the launch returns an
    /// error.
    #[default]
    Report,
    /// The thread traps, which ends the kernel and may end the program.
    Trap,
    /// The checks are removed, and a panic is undefined behaviour.
    Unreachable,
}

/// A source location, with the fields of `core::panic::Location`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLocation {
    /// As it was passed to rustc. If the user's lines lead to a panic in a library, they precede it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

/// The character in a message for the first operand of the panic, in decimal. The next two characters are the other
/// operands. Tables of messages write them as `\u{1}`, `\u{2}` and `\u{3}`.
pub const OPERAND: char = PanicText::Operand as u8 as char;
const _: () = assert!(OPERAND == '\u{1}', "tables of messages have these characters");
/// The number of operands.
pub const OPERANDS: usize = PanicText::LastOperand as usize - PanicText::Operand as usize + 1;
/// The character in a message for `: ` and the message whose number is the first operand. If that number is 0, there is
/// no text.
pub const MORE: char = PanicText::More as u8 as char;
/// A whole message: an invalid range of a slice. The operands are its start, its end, and the slice's length.
pub const SLICE_RANGE: char = PanicText::SliceRange as u8 as char;

/// Locations and messages, numbered from 1; 0 is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PanicTable {
    places: Vec<SourceLocation>,
    messages: Vec<String>,
}

impl PanicTable {
    /// The table with these locations and messages.
    pub fn new(places: Vec<SourceLocation>, messages: Vec<String>) -> Self {
        Self { places, messages }
    }

    /// The locations in order.
    pub fn places(&self) -> &[SourceLocation] {
        &self.places
    }

    /// The location with this number.
    pub fn place(&self, number: u64) -> Option<&SourceLocation> {
        self.places.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// The messages in order.
    pub fn messages(&self) -> &[String] {
        &self.messages
    }

    /// Adds a location. Returns its number.
    pub fn add_place(&mut self, place: SourceLocation) -> u32 {
        self.places.push(place);
        self.places.len() as u32
    }

    /// Returns the number of a message, and adds the message if it is new.
    pub fn message(&mut self, text: &str) -> u32 {
        let known = self.messages.iter().position(|message| message == text);
        let at = known.unwrap_or_else(|| {
            self.messages.push(text.to_owned());
            self.messages.len() - 1
        });
        at as u32 + 1
    }
}

/// A number of messages, and of locations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PanicCounts {
    /// Messages.
    pub messages: u32,
    /// Locations.
    pub places: u32,
}

impl PanicTable {
    /// How many messages and locations there are.
    pub fn counts(&self) -> PanicCounts {
        PanicCounts { messages: self.messages.len() as u32, places: self.places.len() as u32 }
    }

    /// Adds the messages and locations of another table, with numbers after those that are here.
    pub fn append(&mut self, other: Self) {
        self.places.extend(other.places);
        self.messages.extend(other.messages);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_there_once() {
        let mut table = PanicTable::default();
        assert_eq!([table.message("a"), table.message("b"), table.message("a")], [1, 2, 1]);
        assert_eq!(table.messages(), ["a", "b"]);
    }
}
