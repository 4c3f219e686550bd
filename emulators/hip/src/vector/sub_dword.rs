//! SDWA: sources and results that are a byte or a word of a register (CDNA2 ISA, "Sub-Dword Addressing").

use emulator_core::bits;

use crate::registers::Bits;
use crate::text::Text;

/// A part of a register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    shift: u32,
    width: u32,
}

impl Part {
    const WHOLE: Part = Part { shift: 0, width: 32 };

    fn parse(text: &str) -> Part {
        let number = |text: &str| text.parse().unwrap_or(0);
        match text.split_once('_') {
            Some(("BYTE", byte)) => Part { shift: 8 * number(byte), width: 8 },
            Some(("WORD", word)) => Part { shift: 16 * number(word), width: 16 },
            _ => Part::WHOLE,
        }
    }

    /// The part of a source, extended to 32 bits.
    pub(crate) fn of(self, source: Bits, extends_sign: bool) -> Bits {
        let take = |value: u64| {
            let part = value >> self.shift & bits::ones(self.width);
            if extends_sign { bits::sign_extended(part, self.width) as u32 as u64 } else { part }
        };
        Bits { value: take(source.value), undefined: take(source.undefined) }
    }
}

/// The rest of the result's register.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rest {
    Zero,
    Sign,
    Kept,
}

/// The modifiers of SDWA.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SubDword {
    result: Part,
    rest: Rest,
    pub(crate) sources: [Part; 2],
}

impl SubDword {
    /// Reads `dst_sel` and its like; none where the instruction has none.
    pub(crate) fn parse(text: &Text<'_>) -> Option<SubDword> {
        let part = |name| text.modifier(name).map(Part::parse);
        let first = part("src0_sel")?;
        let rest = match text.modifier("dst_unused") {
            Some("UNUSED_SEXT") => Rest::Sign,
            Some("UNUSED_PRESERVE") => Rest::Kept,
            _ => Rest::Zero,
        };
        let result = part("dst_sel").unwrap_or(Part::WHOLE);
        Some(SubDword { result, rest, sources: [first, part("src1_sel").unwrap_or(Part::WHOLE)] })
    }

    /// The whole register with the result in its place; `before` is the old value.
    pub(crate) fn insert(&self, result: Bits, before: Bits) -> Bits {
        let Part { shift, width } = self.result;
        let mask = bits::ones(width) << shift;
        let place = |value: u64, before: u64| {
            let part = (value & bits::ones(width)) << shift;
            match self.rest {
                Rest::Zero => part,
                Rest::Kept => part | before & !mask,
                Rest::Sign => (bits::sign_extended(value, width) << shift) as u64 & 0xffff_ffff,
            }
        };
        Bits { value: place(result.value, before.value), undefined: place(result.undefined, before.undefined) }
    }
}
