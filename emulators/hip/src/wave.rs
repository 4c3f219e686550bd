//! One wave: its registers, its lanes, and how operands are read and written.

use emulator_core::{Segment, bits};

use crate::generation::Generation;
use crate::memory::location::{APERTURE_SIZE, PRIVATE_APERTURE, SHARED_APERTURE};
use crate::mode::Mode;
use crate::operand::{Half, Operand, Place, Special, scalar};
use crate::registers::{Bits, LANES, Registers, Row};
use crate::vector::gathered::Gathered;
use crate::vector::op::Kind;
use crate::vector::rounding::{self, to_half};
use crate::wrong::Wrong;

/// The state of a wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    AtBarrier,
    Ended,
}

/// A wave.
pub(crate) struct Wave {
    pub(crate) registers: Registers,
    pub(crate) pc: u64,
    pub(crate) mode: Mode,
    pub(crate) generation: Generation,
    /// 32 or 64.
    pub(crate) lanes: usize,
    /// The lanes that have a thread.
    pub(crate) present: u64,
    /// The lanes that were not active at a barrier of their block: their threads must have ended.
    pub(crate) absent: u64,
    pub(crate) state: State,
    /// The private memory of each lane.
    pub(crate) scratch: Vec<Segment>,
    /// Where the wave's private memory is among that of all waves; only sums with it mean anything.
    pub(crate) scratch_base: u64,
    /// Its number in the block.
    pub(crate) number: usize,
    /// Room for the sources of an instruction, so that it need not be made for each.
    pub(crate) room: Option<Box<Gathered>>,
    /// Where the last call came from, the innermost last: only for reports.
    pub(crate) calls: Vec<u64>,
}

impl Wave {
    /// The mask of active lanes.
    pub(crate) fn exec(&self) -> u64 {
        self.registers.exec() & bits::ones(self.lanes as u32)
    }

    /// Writes a mask of lanes to one or two scalar registers.
    pub(crate) fn set_mask(&mut self, operand: Operand, mask: Bits) -> Result<(), Wrong> {
        let Some(number) = operand.scalar() else { return Err(Wrong::new("the result is no scalar register")) };
        self.set_scalar(number, mask, self.lanes as u32)
    }

    /// Writes 32 or 64 bits to scalar registers. The mask of active lanes must be defined.
    pub(crate) fn set_scalar(&mut self, number: u16, value: Bits, width: u32) -> Result<(), Wrong> {
        let touches_exec = number == scalar::EXEC || number == scalar::EXEC + 1;
        if touches_exec && value.undefined & bits::ones(width) & self.present_half(number, width) != 0 {
            return Err(Wrong::undefined("which lanes are active"));
        }
        if width == 64 {
            self.registers.set_scalar_pair(number, value)?;
        } else {
            self.registers.set_scalar(number, value)?;
        }
        Ok(())
    }

    /// The bits of EXEC that matter, of those that are written.
    fn present_half(&self, number: u16, width: u32) -> u64 {
        let all = bits::ones(self.lanes as u32);
        if width == 32 && number == scalar::EXEC + 1 { all >> 32 } else { all }
    }

    /// A scalar source of 32 or 64 bits.
    pub(crate) fn scalar(&self, operand: Operand, kind: Kind) -> Result<Bits, Wrong> {
        match operand.place {
            Place::Scalar(number) if kind.width() == 64 => Ok(self.registers.scalar_pair(number)?),
            Place::Scalar(number) => Ok(self.registers.scalar(number)?),
            Place::Special(special) => Ok(self.special(special)),
            place => constant(place, kind).ok_or_else(|| Wrong::new("the source is neither scalar nor constant")),
        }
    }

    fn special(&self, special: Special) -> Bits {
        let vcc = self.registers.scalar_pair(scalar::VCC).unwrap_or_default();
        let ones = bits::ones(self.lanes as u32);
        match special {
            Special::SharedBase => Bits::defined(SHARED_APERTURE),
            Special::SharedLimit => Bits::defined(SHARED_APERTURE + APERTURE_SIZE - 1),
            Special::PrivateBase => Bits::defined(PRIVATE_APERTURE),
            Special::PrivateLimit => Bits::defined(PRIVATE_APERTURE + APERTURE_SIZE - 1),
            Special::Vccz => zero_bit(Bits { value: vcc.value & ones, undefined: vcc.undefined & ones }),
            Special::Execz => Bits::defined((self.exec() == 0).into()),
            Special::Scc => self.registers.scc,
        }
    }

    /// A source of each lane, with its modifiers.
    pub(crate) fn source(&self, operand: &Operand, kind: Kind, row: &mut Row) -> Result<(), Wrong> {
        match kind {
            Kind::Lane => {
                row.fill(Bits::default());
                row.value = std::array::from_fn(|lane| lane as u64);
                return Ok(());
            }
            Kind::Mask | Kind::Vcc => return self.mask_source(operand, row),
            _ => {}
        }
        match operand.place {
            Place::Vector(number, _) if kind.width() == 64 => self.registers.vector_pair(number, row)?,
            Place::Vector(number, _) => self.registers.vector(number, row)?,
            _ => row.fill(self.scalar(*operand, kind)?),
        }
        if kind.width() == 16 {
            take_half(operand, row);
        }
        if kind.is_float() && (operand.neg || operand.abs) {
            change_sign(operand, kind, row);
        }
        Ok(())
    }

    fn mask_source(&self, operand: &Operand, row: &mut Row) -> Result<(), Wrong> {
        let kind = if self.lanes == LANES { Kind::B64 } else { Kind::B32 };
        let mask = self.scalar(*operand, kind)?;
        for lane in 0..LANES {
            row.value[lane] = mask.value >> lane & 1;
            row.undefined[lane] = mask.undefined >> lane & 1;
        }
        row.partial = mask.undefined != 0;
        Ok(())
    }

    /// Writes a result of each lane in `written`.
    pub(crate) fn result(
        &mut self,
        operand: &Operand,
        kind: Kind,
        written: u64,
        row: &mut Row,
        keeps_half: bool,
    ) -> Result<(), Wrong> {
        let Place::Vector(number, half) = operand.place else {
            return Err(Wrong::new("the result is no vector register"));
        };
        match kind.width() {
            64 => {
                self.registers.set_vector(number, written, row, 0)?;
                self.registers.set_vector(number + 1, written, row, 32)?;
            }
            16 => self.half_result(number, half, written, row, keeps_half)?,
            _ => self.registers.set_vector(number, written, row, 0)?,
        }
        Ok(())
    }

    fn half_result(
        &mut self,
        number: u16,
        half: Option<Half>,
        written: u64,
        row: &mut Row,
        keeps_half: bool,
    ) -> Result<(), Wrong> {
        if half.is_none() && !keeps_half {
            for lane in 0..LANES {
                row.value[lane] &= 0xffff;
                row.undefined[lane] &= 0xffff;
            }
            self.registers.set_vector(number, written, row, 0)?;
            return Ok(());
        }
        let mut before = Row::new();
        self.registers.vector(number, &mut before)?;
        let (shift, kept) = if half == Some(Half::High) { (16, 0xffff) } else { (0, 0xffff_0000) };
        for lane in 0..LANES {
            row.value[lane] = (row.value[lane] & 0xffff) << shift | before.value[lane] & kept;
            row.undefined[lane] = (row.undefined[lane] & 0xffff) << shift | before.undefined[lane] & kept;
        }
        row.partial |= before.partial;
        self.registers.set_vector(number, written, row, 0)?;
        Ok(())
    }
}

fn take_half(operand: &Operand, row: &mut Row) {
    let is_high = matches!(operand.place, Place::Vector(_, Some(Half::High))) || operand.high;
    let shift = if is_high { 16 } else { 0 };
    for lane in 0..LANES {
        row.value[lane] = row.value[lane] >> shift & 0xffff;
        row.undefined[lane] = row.undefined[lane] >> shift & 0xffff;
    }
}

fn change_sign(operand: &Operand, kind: Kind, row: &mut Row) {
    let sign = 1 << (kind.width() - 1);
    for lane in 0..LANES {
        if operand.abs {
            row.value[lane] &= !sign;
            row.undefined[lane] &= !sign;
        }
        if operand.neg {
            row.value[lane] ^= sign;
        }
    }
}

/// Whether a value is zero; undefined where bits that nobody wrote decide.
pub(crate) fn zero_bit(value: Bits) -> Bits {
    let is_known = value.undefined == 0 || value.value & !value.undefined != 0;
    Bits { value: (value.value == 0).into(), undefined: (!is_known).into() }
}

/// A constant as a source of some kind.
pub(crate) fn constant(place: Place, kind: Kind) -> Option<Bits> {
    let ones = bits::ones(kind.width());
    let value = match (place, kind) {
        (Place::Integer(value), _) => value as u64 & ones,
        (Place::Float(value), _) => float_constant(value, kind.width()),
        (Place::Literal(value), Kind::F64) => u64::from(value) << 32,
        (Place::Literal(value), Kind::I64) => value as i32 as u64,
        (Place::Literal(value), _) => u64::from(value) & ones,
        _ => return None,
    };
    Some(Bits::defined(value))
}

/// The constants that are not integers; the reciprocal of tau is printed in decimal, and has different bits in each
/// format.
fn float_constant(value: f64, width: u32) -> u64 {
    let is_tau = (value - 0.15915494).abs() < 1e-7;
    match width {
        16 if is_tau => 0x3118,
        32 if is_tau => 0x3e22_f983,
        64 if is_tau => 0x3fc4_5f30_6dc9_c882,
        16 => to_half(crate::mode::Round::NearestEven, value),
        32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

/// A row of 32-bit values as floating-point numbers multiplied by a power of two and clamped, as modifiers of results
/// say.
pub(crate) fn modify_result(mode: &Mode, kind: Kind, scale: i32, clamps: bool, value: u64) -> u64 {
    let factor = 2f64.powi(scale);
    let (value, one) = match kind {
        Kind::F16 => (rounding::mul_16(mode, value, to_half(crate::mode::Round::NearestEven, factor)), 0x3c00),
        Kind::F32 => (rounding::mul_32(mode, value, u64::from((factor as f32).to_bits())), 0x3f80_0000),
        _ => (rounding::mul_64(mode, value, factor.to_bits()), 0x3ff0_0000_0000_0000),
    };
    let sign = 1u64 << (kind.width() - 1);
    let infinity = match kind {
        Kind::F16 => rounding::F16.infinity(),
        Kind::F32 => rounding::F32.infinity(),
        _ => rounding::F64.infinity(),
    };
    let is_nan = value & !sign > infinity;
    match clamps {
        false => value,
        true if is_nan => {
            if mode.clamps_nan() {
                0
            } else {
                value
            }
        }
        true if value & sign != 0 => 0,
        true => value.min(one),
    }
}
