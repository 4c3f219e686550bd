//! Reads the resources of kernels from a code object's notes.
//!
//! The note is `NT_AMDGPU_METADATA`, a MessagePack map (AMDGPUUsage, "Code Object V3 Metadata" and later). Only
//! requested values are kept. Damaged notes have no resources.

use crate::bundle::Resources;
use goblin::elf::Elf;

/// `NT_AMDGPU_METADATA`.
const METADATA: u32 = 32;
/// The largest nesting depth of maps and arrays.
const DEPTH: u32 = 16;
/// The size of a register in bytes.
const REGISTER: u32 = 4;

/// The resources of every kernel, by name.
pub(super) fn resources(code_object: &[u8]) -> Vec<Resources> {
    let Ok(elf) = Elf::parse(code_object) else { return Vec::new() };
    let notes = elf.iter_note_headers(code_object).into_iter().flatten().filter_map(|note| note.ok());
    let ours = notes.filter(|note| note.n_type == METADATA && note.name.trim_end_matches('\0') == "AMDGPU");
    // A code object that was linked from several objects has a note of each.
    let mut kernels: Vec<_> = ours.flat_map(|note| kernels(note.desc)).collect();
    kernels.sort_by(|a, b| a.kernel.cmp(&b.kernel));
    kernels
}

/// The kernels of a note.
fn kernels(note: &[u8]) -> Vec<Resources> {
    let root = Reader { rest: note }.value(0);
    match root.as_ref().and_then(|root| root.get("amdhsa.kernels")) {
        Some(Packed::Array(kernels)) => kernels.iter().filter_map(of_kernel).collect(),
        _ => Vec::new(),
    }
}

fn of_kernel(kernel: &Packed<'_>) -> Option<Resources> {
    let number = |key: &str| match kernel.get(key) {
        Some(Packed::Number(number)) => u32::try_from(*number).unwrap_or(u32::MAX),
        _ => 0,
    };
    let Some(Packed::Text(name)) = kernel.get(".name") else { return None };
    Some(Resources {
        kernel: (*name).to_owned(),
        registers: number(".vgpr_count"),
        scalar_registers: number(".sgpr_count"),
        spill_bytes: number(".vgpr_spill_count").saturating_mul(REGISTER),
        shared_bytes: number(".group_segment_fixed_size"),
        stack_bytes: number(".private_segment_fixed_size"),
    })
}

/// A MessagePack value.
enum Packed<'a> {
    Number(u64),
    Text(&'a str),
    Array(Vec<Packed<'a>>),
    Map(Vec<(Packed<'a>, Packed<'a>)>),
    /// A value that is not needed: nil, a float, bytes, a negative number.
    Other,
}

impl Packed<'_> {
    fn get(&self, key: &str) -> Option<&Self> {
        let Packed::Map(pairs) = self else { return None };
        pairs.iter().find(|(name, _)| matches!(name, Packed::Text(text) if *text == key)).map(|(_, value)| value)
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    /// A big-endian number with this number of bytes.
    fn number(&mut self, bytes: usize) -> Option<u64> {
        Some(self.take(bytes)?.iter().fold(0, |number, byte| (number << 8) | u64::from(*byte)))
    }

    fn length(&mut self, bytes: usize) -> Option<usize> {
        usize::try_from(self.number(bytes)?).ok()
    }

    fn text(&mut self, length: usize) -> Option<Packed<'a>> {
        Some(Packed::Text(std::str::from_utf8(self.take(length)?).ok()?))
    }

    fn skip(&mut self, length: usize) -> Option<Packed<'a>> {
        self.take(length).map(|_| Packed::Other)
    }

    fn array(&mut self, count: usize, depth: u32) -> Option<Packed<'a>> {
        (0..count).map(|_| self.value(depth + 1)).collect::<Option<_>>().map(Packed::Array)
    }

    fn map(&mut self, count: usize, depth: u32) -> Option<Packed<'a>> {
        (0..count)
            .map(|_| Some((self.value(depth + 1)?, self.value(depth + 1)?)))
            .collect::<Option<_>>()
            .map(Packed::Map)
    }

    /// The next value; its first byte is the type.
    fn value(&mut self, depth: u32) -> Option<Packed<'a>> {
        if depth > DEPTH {
            return None;
        }
        let kind = self.number(1)? as usize;
        match kind {
            0x00..=0x7f => Some(Packed::Number(kind as u64)),
            0x80..=0x8f => self.map(kind & 0x0f, depth),
            0x90..=0x9f => self.array(kind & 0x0f, depth),
            0xa0..=0xbf => self.text(kind & 0x1f),
            0xc2 | 0xc3 => Some(Packed::Number(kind as u64 & 1)),
            0xc4..=0xc6 => self.length(1 << (kind - 0xc4)).and_then(|length| self.skip(length)),
            0xca => self.skip(4),
            0xcb => self.skip(8),
            0xcc..=0xcf => self.number(1 << (kind - 0xcc)).map(Packed::Number),
            0xd0..=0xd3 => self.skip(1 << (kind - 0xd0)),
            0xd9..=0xdb => self.length(1 << (kind - 0xd9)).and_then(|length| self.text(length)),
            0xdc | 0xdd => self.length(2 << (kind - 0xdc)).and_then(|count| self.array(count, depth)),
            0xde | 0xdf => self.length(2 << (kind - 0xde)).and_then(|count| self.map(count, depth)),
            0xc0 | 0xe0..=0xff => Some(Packed::Other),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_kind_are_read_and_damage_gives_nothing() {
        let bytes = b"\x84\xa1a\xcd\x01\x02\xa1b\x93\x01\xc0\xc3\xd9\x01c\xa2hi\xa1d\xde\x00\x01\xff\xcb12345678";
        let root = Reader { rest: bytes }.value(0).unwrap();
        assert!(matches!(root.get("a"), Some(Packed::Number(0x102))));
        assert!(matches!(root.get("b"), Some(Packed::Array(all)) if all.len() == 3));
        assert!(matches!(root.get("c"), Some(Packed::Text("hi"))));
        assert!(matches!(root.get("d"), Some(Packed::Map(all)) if all.len() == 1));
        for end in 0..bytes.len() {
            assert!(Reader { rest: &bytes[..end] }.value(0).is_none(), "{end}");
        }
        assert!(Reader { rest: &[0x91; 100] }.value(0).is_none());
        assert!(resources(b"\x7fELF").is_empty());
    }
}
