//! Sets of registers that instructions read and write.

use crate::operand::{ACCUMULATORS, Operand, Place, Special, scalar};

/// Vector registers and accumulators of each kind.
const VECTORS: u16 = 256;

/// A set of registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Touch {
    /// Vector registers, then accumulators.
    vectors: [u64; 8],
    scalars: [u64; 2],
}

impl Touch {
    /// The registers of all operands.
    pub(crate) fn of(operands: &[Operand]) -> Touch {
        let mut touch = Touch::default();
        operands.iter().for_each(|operand| touch.add(operand));
        touch
    }

    /// Adds the registers of an operand.
    pub(crate) fn add(&mut self, operand: &Operand) {
        match operand.place {
            Place::Vector(first, _) => {
                let is_accumulator = first >= ACCUMULATORS;
                let number = if is_accumulator { first - ACCUMULATORS } else { first };
                let base = if is_accumulator { VECTORS } else { 0 };
                let end = number.saturating_add(operand.count).min(VECTORS);
                (number..end).for_each(|number| self.vectors[usize::from(base + number) / 64] |= 1 << (number % 64));
            }
            Place::Scalar(first) if first != scalar::NULL => self.add_scalars(first, operand.count),
            Place::Special(Special::Vccz) => self.add_scalars(scalar::VCC, 2),
            _ => {}
        }
    }

    /// Adds scalar registers.
    pub(crate) fn add_scalars(&mut self, first: u16, count: u16) {
        let end = first.saturating_add(count).min(scalar::COUNT as u16);
        (first..end).for_each(|number| self.scalars[usize::from(number / 64)] |= 1 << (number % 64));
    }

    /// Adds the registers of another set.
    pub(crate) fn join(&mut self, other: &Touch) {
        self.vectors.iter_mut().zip(&other.vectors).for_each(|(all, more)| *all |= more);
        self.scalars.iter_mut().zip(&other.scalars).for_each(|(all, more)| *all |= more);
    }

    /// Whether both have a register.
    #[inline]
    pub(crate) fn meets(&self, other: &Touch) -> bool {
        let vectors = self.vectors.iter().zip(&other.vectors).fold(0, |all, (a, b)| all | a & b);
        let scalars = self.scalars.iter().zip(&other.scalars).fold(0, |all, (a, b)| all | a & b);
        vectors | scalars != 0
    }

    /// Whether both have a scalar register.
    pub(crate) fn meets_scalars(&self, other: &Touch) -> bool {
        self.scalars.iter().zip(&other.scalars).any(|(a, b)| a & b != 0)
    }

    /// Whether it has no register.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Touch::default()
    }

    /// The first register that both have, as assemblers write it.
    pub(crate) fn common(&self, other: &Touch) -> Option<String> {
        let first = |a: &[u64], b: &[u64]| {
            let found = a.iter().zip(b).position(|(a, b)| a & b != 0)?;
            Some(64 * found + (a[found] & b[found]).trailing_zeros() as usize)
        };
        let vectors = usize::from(VECTORS);
        if let Some(number) = first(&self.vectors, &other.vectors) {
            let kind = if number < vectors { "v" } else { "a" };
            return Some(format!("{kind}{}", number % vectors));
        }
        let number = first(&self.scalars, &other.scalars)?;
        Some(match number as u16 {
            scalar::VCC => "vcc_lo".to_owned(),
            number if number == scalar::VCC + 1 => "vcc_hi".to_owned(),
            scalar::M0 => "m0".to_owned(),
            number => format!("s{number}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Touch;
    use crate::operand::Operand;

    fn touch(texts: &[&str]) -> Touch {
        Touch::of(&texts.iter().map(|text| Operand::parse(text)).collect::<Vec<_>>())
    }

    #[test]
    fn ranges_meet_in_the_registers_of_both() {
        let pair = touch(&["v[62:65]", "s[8:9]"]);
        assert_eq!(pair.common(&touch(&["v[64:70]"])).as_deref(), Some("v64"));
        assert_eq!(pair.common(&touch(&["s9"])).as_deref(), Some("s9"));
        assert!(!pair.meets(&touch(&["v61", "v66", "a62", "s10", "null"])));
        assert_eq!(touch(&["a3"]).common(&touch(&["a[0:15]"])).as_deref(), Some("a3"));
        assert_eq!(touch(&["vcc"]).common(&touch(&["vccz"])).as_deref(), Some("vcc_lo"));
    }
}
