//! Operands: registers of either kind, constants, and the modifiers of sources.

use crate::text::number;

/// The numbers of the scalar registers that have names, as the ISA documents encode them; `M0` and `NULL` change places
/// between generations, and have one place here.
pub(crate) mod scalar {
    /// The flat scratch base of GCN.
    pub(crate) const FLAT_SCRATCH: u16 = 102;
    /// The mask of page faults of GCN.
    pub(crate) const XNACK_MASK: u16 = 104;
    /// The condition mask.
    pub(crate) const VCC: u16 = 106;
    /// The trap handler's registers.
    pub(crate) const TTMP: u16 = 108;
    /// The memory register.
    pub(crate) const M0: u16 = 124;
    /// Reads as zero, and drops writes.
    pub(crate) const NULL: u16 = 125;
    /// The mask of active lanes.
    pub(crate) const EXEC: u16 = 126;
    /// How many there are.
    pub(crate) const COUNT: usize = 128;
}

/// Values that an instruction can read although they are in no register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Special {
    SharedBase,
    SharedLimit,
    PrivateBase,
    PrivateLimit,
    Vccz,
    Execz,
    Scc,
}

/// Which half of a register 16-bit instructions of RDNA3 name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Half {
    Low,
    High,
}

/// Where an operand is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    /// `v3`, `v[3:4]`; accumulators count from [`ACCUMULATORS`].
    Vector(u16, Option<Half>),
    Scalar(u16),
    Integer(i64),
    Float(f64),
    /// 32 bits after the instruction.
    Literal(u32),
    Special(Special),
    /// `off`, or a word that only the instruction understands.
    Other,
}

/// The number of an operand's first accumulator. The wave replaces it by the accumulators' place among its registers.
pub(crate) const ACCUMULATORS: u16 = 0x4000;

/// An operand with the modifiers of a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Operand {
    pub(crate) place: Place,
    /// How many registers of 32 bits it has.
    pub(crate) count: u16,
    pub(crate) neg: bool,
    pub(crate) abs: bool,
    pub(crate) sext: bool,
    /// Of a scalar register, a 16-bit source is the upper half.
    pub(crate) high: bool,
}

impl Operand {
    /// An operand without modifiers.
    pub(crate) fn new(place: Place) -> Operand {
        Operand { place, count: 1, neg: false, abs: false, sext: false, high: false }
    }

    /// The mask that conditions are written to and read from, where the text leaves it out.
    pub(crate) fn vcc() -> Operand {
        Operand::new(Place::Scalar(scalar::VCC))
    }

    /// Reads one operand's text.
    pub(crate) fn parse(text: &str) -> Operand {
        if let Some(inner) = within(text, "sext(") {
            return Operand { sext: true, ..Operand::parse(inner) };
        }
        if let Some(inner) = within(text, "neg(") {
            return Operand { neg: true, ..Operand::parse(inner) };
        }
        if let Some(inner) = within(text, "abs(") {
            return Operand { abs: true, ..Operand::parse(inner) };
        }
        if let Some(inner) = within(text, "lit(") {
            return Operand::parse(inner);
        }
        if let Some(inner) = text.strip_prefix('|').and_then(|rest| rest.strip_suffix('|')) {
            return Operand { abs: true, ..Operand::parse(inner) };
        }
        match text.strip_prefix('-') {
            Some(rest) if !rest.starts_with(|c: char| c.is_ascii_digit()) => {
                Operand { neg: true, ..Operand::parse(rest) }
            }
            _ => plain(text),
        }
    }

    /// The operand `by` registers further on.
    pub(crate) fn further(self, by: u16) -> Operand {
        let place = match self.place {
            Place::Vector(first, half) => Place::Vector(first + by, half),
            Place::Scalar(first) if first != scalar::NULL => Place::Scalar(first + by),
            other => other,
        };
        Operand { place, ..self }
    }

    /// The number of a vector register.
    pub(crate) fn vector(&self) -> Option<u16> {
        match self.place {
            Place::Vector(first, _) => Some(first),
            _ => None,
        }
    }

    /// The number of a scalar register.
    pub(crate) fn scalar(&self) -> Option<u16> {
        match self.place {
            Place::Scalar(first) => Some(first),
            _ => None,
        }
    }

    /// Whether it is the word `off`.
    pub(crate) fn is_off(&self) -> bool {
        self.place == Place::Other
    }
}

fn within<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    text.strip_prefix(prefix)?.strip_suffix(')')
}

fn plain(text: &str) -> Operand {
    if let Some(operand) = numbered(text) {
        return operand;
    }
    if let Some((place, count)) = named(text) {
        return Operand { count, ..Operand::new(place) };
    }
    let place = match number(text) {
        // LLVM prints inline constants in decimal and literals in hexadecimal.
        Some(value) if text.contains("0x") => Place::Literal(value as u32),
        Some(value) => Place::Integer(value),
        None => text.parse().map_or(Place::Other, Place::Float),
    };
    Operand::new(place)
}

/// `v3`, `v3.h`, `v[3:4]`, `s[2:3]`, `a1`, `ttmp2`.
fn numbered(text: &str) -> Option<Operand> {
    let (text, half) = match text.strip_suffix(".l") {
        Some(whole) => (whole, Some(Half::Low)),
        None => text.strip_suffix(".h").map_or((text, None), |whole| (whole, Some(Half::High))),
    };
    let name = text.trim_end_matches(|c: char| "0123456789[]:".contains(c));
    let digits = text[name.len()..].trim_start_matches('[').trim_end_matches(']');
    let (first, last) = digits.split_once(':').unwrap_or((digits, digits));
    let (first, last): (u16, u16) = (first.parse().ok()?, last.parse().ok()?);
    let place = match name {
        "v" => Place::Vector(first, half),
        "a" => Place::Vector(ACCUMULATORS + first, half),
        "s" => Place::Scalar(first),
        "ttmp" => Place::Scalar(scalar::TTMP + first),
        _ => return None,
    };
    Some(Operand { count: last.checked_sub(first)? + 1, ..Operand::new(place) })
}

fn named(text: &str) -> Option<(Place, u16)> {
    let scalar_of = |number, count| Some((Place::Scalar(number), count));
    let special = |special| Some((Place::Special(special), 2));
    match text {
        "vcc" => scalar_of(scalar::VCC, 2),
        "vcc_lo" => scalar_of(scalar::VCC, 1),
        "vcc_hi" => scalar_of(scalar::VCC + 1, 1),
        "exec" => scalar_of(scalar::EXEC, 2),
        "exec_lo" => scalar_of(scalar::EXEC, 1),
        "exec_hi" => scalar_of(scalar::EXEC + 1, 1),
        "flat_scratch" => scalar_of(scalar::FLAT_SCRATCH, 2),
        "flat_scratch_lo" => scalar_of(scalar::FLAT_SCRATCH, 1),
        "flat_scratch_hi" => scalar_of(scalar::FLAT_SCRATCH + 1, 1),
        "xnack_mask" => scalar_of(scalar::XNACK_MASK, 2),
        "xnack_mask_lo" => scalar_of(scalar::XNACK_MASK, 1),
        "xnack_mask_hi" => scalar_of(scalar::XNACK_MASK + 1, 1),
        "m0" => scalar_of(scalar::M0, 1),
        "null" => scalar_of(scalar::NULL, 1),
        "src_shared_base" | "shared_base" => special(Special::SharedBase),
        "src_shared_limit" | "shared_limit" => special(Special::SharedLimit),
        "src_private_base" | "private_base" => special(Special::PrivateBase),
        "src_private_limit" | "private_limit" => special(Special::PrivateLimit),
        "src_vccz" | "vccz" => special(Special::Vccz),
        "src_execz" | "execz" => special(Special::Execz),
        "src_scc" | "scc" => special(Special::Scc),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Half, Operand, Place, scalar};

    #[test]
    fn registers_have_numbers_and_counts() {
        let operand = Operand::parse("v[6:8]");
        assert_eq!((operand.place, operand.count), (Place::Vector(6, None), 3));
        assert_eq!(Operand::parse("v3.h").place, Place::Vector(3, Some(Half::High)));
        assert_eq!(Operand::parse("vcc_lo").scalar(), Some(scalar::VCC));
    }

    #[test]
    fn modifiers_stand_around_registers() {
        let operand = Operand::parse("-|v4|");
        assert!(operand.neg && operand.abs && operand.vector() == Some(4));
        assert!(Operand::parse("sext(v0)").sext);
        assert_eq!(Operand::parse("-1").place, Place::Integer(-1));
        assert_eq!(Operand::parse("-4.0").place, Place::Float(-4.0));
        assert_eq!(Operand::parse("0x64").place, Place::Literal(100));
        assert_eq!(Operand::parse("lit(0xffffffff)").place, Place::Literal(u32::MAX));
        assert!(Operand::parse("off").is_off());
    }
}
