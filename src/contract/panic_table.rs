//! The effect of a panic in a kernel, and the table that translates a panic's numbers into text.
//!
//! A device stores only numbers: a message, a source location, operands. Their texts are on the host, in the
//! registration object, where `runtime-c/panics.c` reads them.

use super::abi::PanicText;

/// The effect of a panic in a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
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
    /// As it was passed to rustc.
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
    /// The locations in order.
    pub fn places(&self) -> &[SourceLocation] {
        &self.places
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

/// The literal pieces of a `core::fmt::Arguments` template, with `{}` where values were.
///
/// Format (rustc 1.93 and later): a sequence of instructions. 0 is the end; 1 to 127 is the length of the piece that
/// follows; 128 is followed by a length of 2 bytes and a piece; 192 and above is a value, whose bits 0 to 3 say whether
/// 4 bytes of flags, 2 of width, 2 of precision and 2 of the argument's index follow.
pub fn literal_pieces(template: &[u8]) -> Option<String> {
    let mut text = String::new();
    let mut rest = template;
    loop {
        let (&first, tail) = rest.split_first()?;
        let length = match first {
            0 => return Some(text),
            1..=127 => usize::from(first),
            128 => usize::from(u16::from_le_bytes([*tail.first()?, *tail.get(1)?])),
            192.. => {
                text += "{}";
                let sizes = [(1, 4), (2, 2), (4, 2), (8, 2)];
                let bytes: usize = sizes.iter().filter(|(bit, _)| first & bit != 0).map(|(_, size)| size).sum();
                rest = tail.get(bytes..)?;
                continue;
            }
            _ => return None,
        };
        let tail = if first == 128 { tail.get(2..)? } else { tail };
        text += std::str::from_utf8(tail.get(..length)?).ok()?;
        rest = &tail[length..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_what_rustc_writes() {
        let pieces = |template: &[u8]| literal_pieces(template);
        assert_eq!(pieces(b"\x06value \xc0\x0b too large \xc0\0").as_deref(), Some("value {} too large {}"));
        let all = b"\x01a\xc7 \0\08\x08\0\x03\0\x01b\xc0\x01c\xc3 \0\0i\x02\0\x01d\0";
        assert_eq!(pieces(all).as_deref(), Some("a{}b{}c{}d"));
        assert_eq!(pieces(b"\xc1 \0\x80`\xc3 \0 i\x08\0\x02{}\xe5 \0\0p\x03\0\0").as_deref(), Some("{}{}{}{}"));
        let long = [&b"\x80\x2c\x01"[..], &[b'x'; 300], b"\xc0\0"].concat();
        assert_eq!(pieces(&long).map(|text| text.len()), Some(302));
        assert_eq!(
            [pieces(b""), pieces(b"mid > len"), pieces(b"\xc1\0"), pieces(b"\x02\xff\xff\0")],
            [const { None }; 4]
        );
    }

    #[test]
    fn a_message_is_there_once() {
        let mut table = PanicTable::default();
        assert_eq!([table.message("a"), table.message("b"), table.message("a")], [1, 2, 1]);
        assert_eq!(table.messages(), ["a", "b"]);
    }
}
