//! Atomic operations on one location.

use emulator_core::bits;

use crate::mode::Mode;
use crate::registers::Bits;
use crate::vector::float32::extreme;
use crate::vector::rounding::{self, add_16, add_32, add_64};

/// The change of the value in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Update {
    Swap,
    /// The first operand if the value is the second one.
    CompareSwap,
    Add,
    Sub,
    /// The operand minus the value.
    ReverseSub,
    MinSigned,
    MinUnsigned,
    MaxSigned,
    MaxUnsigned,
    And,
    Or,
    Xor,
    /// Up to the operand, then zero.
    Increment,
    /// Down to zero, then the operand.
    Decrement,
    AddFloat,
    MinFloat,
    MaxFloat,
    /// Two numbers of 16 bits.
    AddHalves,
}

/// An atomic operation with its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Atomic {
    pub(crate) update: Update,
    pub(crate) bytes: usize,
    /// Of a comparison in shared memory of GCN: the value to compare with is the first operand.
    pub(crate) compares_first: bool,
}

impl Atomic {
    /// Parses the rest of a name after `global_atomic_`.
    pub(crate) fn parse(name: &str) -> Option<Atomic> {
        let (name, is_double) = name.strip_suffix("_x2").map_or((name, false), |name| (name, true));
        let (operation, kind) = split_kind(name);
        let bytes = if is_double || kind.ends_with("64") { 8 } else { 4 };
        Some(Atomic { update: update(operation, kind)?, bytes, compares_first: false })
    }

    /// Parses the rest of a name after `ds_`.
    pub(crate) fn parse_shared(name: &str) -> Option<Atomic> {
        let (operation, kind) = split_kind(name);
        if kind.is_empty() {
            return None;
        }
        let bytes = if kind.ends_with("64") { 8 } else { 4 };
        let compares_first = operation == "cmpst";
        let operation = match operation {
            "wrxchg" | "storexchg" => "swap",
            "cmpst" | "cmpstore" => "cmpswap",
            other => other,
        };
        Some(Atomic { update: update(operation, kind)?, bytes, compares_first })
    }

    /// The value that is stored.
    pub(crate) fn apply(&self, mode: &Mode, old: Bits, operand: Bits, compared: Bits) -> Bits {
        let width = 8 * self.bytes as u32;
        let value = self.value(mode, old.value, operand.value, compared.value) & bits::ones(width);
        let (a, b) = (old.undefined, operand.undefined);
        let undefined = match self.update {
            Update::Swap => b,
            Update::CompareSwap if compared.undefined == 0 && a == 0 => {
                if old.value == compared.value {
                    b
                } else {
                    a
                }
            }
            Update::And => bits::and(old.value, a, operand.value, b),
            Update::Or => bits::or(old.value, a, operand.value, b),
            Update::Xor => a | b,
            Update::Add | Update::Sub | Update::ReverseSub => bits::carried(a, b, width),
            _ => bits::whole(a | b | compared.undefined, width),
        };
        Bits { value, undefined }
    }

    fn value(&self, mode: &Mode, old: u64, operand: u64, compared: u64) -> u64 {
        let width = 8 * self.bytes as u32;
        let signed = |value| bits::sign_extended(value, width);
        match self.update {
            Update::Swap => operand,
            Update::CompareSwap => {
                if old == compared {
                    operand
                } else {
                    old
                }
            }
            Update::Add => old.wrapping_add(operand),
            Update::Sub => old.wrapping_sub(operand),
            Update::ReverseSub => operand.wrapping_sub(old),
            Update::MinSigned => signed(old).min(signed(operand)) as u64,
            Update::MaxSigned => signed(old).max(signed(operand)) as u64,
            Update::MinUnsigned => old.min(operand),
            Update::MaxUnsigned => old.max(operand),
            Update::And => old & operand,
            Update::Or => old | operand,
            Update::Xor => old ^ operand,
            Update::Increment => {
                if old >= operand {
                    0
                } else {
                    old + 1
                }
            }
            Update::Decrement => {
                if old == 0 || old > operand {
                    operand
                } else {
                    old - 1
                }
            }
            Update::AddFloat if self.bytes == 8 => add_64(mode, old, operand),
            Update::AddFloat => add_32(mode, old, operand),
            Update::MinFloat => extreme(self.format(), mode, old, operand, false),
            Update::MaxFloat => extreme(self.format(), mode, old, operand, true),
            Update::AddHalves => {
                let half = |shift: u32| add_16(mode, old >> shift & 0xffff, operand >> shift & 0xffff) << shift;
                half(0) | half(16)
            }
        }
    }

    fn format(&self) -> &'static rounding::Format {
        if self.bytes == 8 { &rounding::F64 } else { &rounding::F32 }
    }
}

/// `add_u32` into `add` and `u32`; GCN's names have no type.
fn split_kind(name: &str) -> (&str, &str) {
    const KINDS: [&str; 9] = ["b32", "b64", "u32", "u64", "i32", "i64", "f32", "f64", "f16"];
    match name.rsplit_once('_') {
        Some((operation, kind)) if KINDS.contains(&kind) => (operation, kind),
        _ => (name, ""),
    }
}

fn update(operation: &str, kind: &str) -> Option<Update> {
    let is_float = kind.starts_with('f');
    let is_signed = kind.starts_with('i');
    Some(match operation {
        "swap" => Update::Swap,
        "cmpswap" => Update::CompareSwap,
        "pk_add" => Update::AddHalves,
        "add" if is_float => Update::AddFloat,
        "min" | "fmin" if is_float || operation == "fmin" => Update::MinFloat,
        "max" | "fmax" if is_float || operation == "fmax" => Update::MaxFloat,
        "add" => Update::Add,
        "sub" => Update::Sub,
        "rsub" => Update::ReverseSub,
        "smin" => Update::MinSigned,
        "umin" => Update::MinUnsigned,
        "smax" => Update::MaxSigned,
        "umax" => Update::MaxUnsigned,
        "min" => {
            if is_signed {
                Update::MinSigned
            } else {
                Update::MinUnsigned
            }
        }
        "max" => {
            if is_signed {
                Update::MaxSigned
            } else {
                Update::MaxUnsigned
            }
        }
        "and" => Update::And,
        "or" => Update::Or,
        "xor" => Update::Xor,
        "inc" => Update::Increment,
        "dec" => Update::Decrement,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Atomic, Update};
    use crate::mode::Mode;
    use crate::registers::Bits;

    #[test]
    fn counters_wrap_at_their_operand() {
        let atomic = Atomic::parse("inc").expect("GCN has it");
        let apply =
            |old, limit| atomic.apply(&Mode(0), Bits::defined(old), Bits::defined(limit), Bits::default()).value;
        assert_eq!((apply(3, 5), apply(5, 5)), (4, 0));
        let atomic = Atomic::parse("dec_u32").expect("RDNA has it");
        assert_eq!(atomic.update, Update::Decrement);
    }

    #[test]
    fn names_say_the_size() {
        assert_eq!(Atomic::parse("cmpswap_x2").map(|atomic| atomic.bytes), Some(8));
        assert_eq!(Atomic::parse("min_i64").map(|atomic| atomic.bytes), Some(8));
        assert!(Atomic::parse_shared("bpermute").is_none());
    }
}
