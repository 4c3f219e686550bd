//! Addresses and numbers in a loop over distances: sums of the thread's number, the distance, and constants.

use crate::contract::builtin::{Axis, Builtin, BuiltinId, DeviceBuiltin};
use crate::llvm::{Module, Opcode, Value};
use crate::spmd::facts::affine_sum::array_indices;

/// `thread * t + distance * d + constant`. Unlike in `facts/affine_sum.rs`, which compares addresses whose parts may
/// overflow, a cast is a sum only if the number is so small that the cast cannot change it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) thread: i64,
    pub(crate) distance: i64,
    pub(crate) constant: i64,
}

impl Sum {
    pub(crate) const THREAD: Sum = Sum { thread: 1, distance: 0, constant: 0 };
    pub(crate) const DISTANCE: Sum = Sum { thread: 0, distance: 1, constant: 0 };

    fn plus(self, other: Sum, factor: i64) -> Option<Sum> {
        let add = |a: i64, b: i64| a.checked_add(b.checked_mul(factor)?);
        Some(Sum {
            thread: add(self.thread, other.thread)?,
            distance: add(self.distance, other.distance)?,
            constant: add(self.constant, other.constant)?,
        })
    }

    fn times(self, factor: i64) -> Option<Sum> {
        Sum::default().plus(self, factor)
    }

    /// The same sum if a cast from or to the narrowest integers does not change it.
    fn cast(self) -> Option<Sum> {
        let parts = [self.thread, self.distance].into_iter().try_fold(self.constant.unsigned_abs(), |sum, factor| {
            sum.checked_add(factor.unsigned_abs().checked_mul(LARGEST)?)
        });
        parts.filter(|largest| *largest < 1 << (FEWEST_BITS - 1)).map(|_| self)
    }
}

/// The narrowest integers that are sums.
const FEWEST_BITS: u32 = 32;
/// The largest number of a thread, and the largest distance.
const LARGEST: u64 = 2048;

/// A value as such a sum. `distance` is the phi of the distance.
pub(crate) fn sum<'c>(value: Value<'c>, distance: Value<'c>) -> Option<Sum> {
    if value == distance {
        return Some(Sum::DISTANCE);
    }
    let width = value.ty().int_width().filter(|width| (FEWEST_BITS..=64).contains(width))?;
    if let Some(constant) = value.as_u64() {
        let shift = 64 - width;
        return Some(Sum { constant: ((constant << shift) as i64) >> shift, ..Sum::default() });
    }
    if !value.is_instruction() {
        return None;
    }
    let operand = |number: u32| sum(value.operand(number), distance);
    match value.opcode() {
        Opcode::ZExt | Opcode::SExt | Opcode::Trunc => operand(0)?.cast(),
        Opcode::Add => operand(0)?.plus(operand(1)?, 1),
        Opcode::Sub => operand(0)?.plus(operand(1)?, -1),
        Opcode::Or if value.is_disjoint() => operand(0)?.plus(operand(1)?, 1),
        Opcode::Mul => operand(0)?.times(value.operand(1).as_u64().and_then(|by| i64::try_from(by).ok())?),
        Opcode::Shl => operand(0)?.times(1i64.checked_shl(u32::try_from(value.operand(1).as_u64()?).ok()?)?),
        Opcode::Call => is_call_of(value, DeviceBuiltin::ThreadId(Axis::X)).then_some(Sum::THREAD),
        _ => None,
    }
}

/// Whether a value is a call of a builtin.
pub(crate) fn is_call_of(value: Value<'_>, builtin: DeviceBuiltin) -> bool {
    let callee = if value.is_instruction() { value.called_function() } else { None };
    callee.and_then(|callee| Builtin::named(&callee.name())).is_some_and(|b| b.id == BuiltinId::Device(builtin))
}

/// An address: a base, and a number of bytes from it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address<'c> {
    pub(crate) base: Value<'c>,
    pub(crate) bytes: Sum,
}

impl<'c> Address<'c> {
    /// The base is no `getelementptr`; none if an index is no such sum.
    pub(crate) fn of(module: &Module<'c>, mut base: Value<'c>, distance: Value<'c>) -> Option<Self> {
        let mut bytes = Sum::default();
        while is_gep(base) {
            for (index, size) in array_indices(module, base)? {
                // A narrow index is sign-extended.
                let places = sum(index, distance)?;
                let places = if index.ty().int_width() == Some(64) { places } else { places.cast()? };
                bytes = bytes.plus(places, i64::try_from(size).ok()?)?;
            }
            base = base.operand(0);
        }
        Some(Address { base, bytes })
    }
}

/// Whether a value is a `getelementptr`, as an instruction or a constant.
pub(crate) fn is_gep(value: Value<'_>) -> bool {
    let opcode = if value.is_instruction() { Some(value.opcode()) } else { value.constant_opcode() };
    opcode == Some(Opcode::GetElementPtr)
}
