//! Instructions in the form in which they are executed: made once from LLVM's text.

use crate::environment::{Environment, Next};
use crate::memory::access::Access;
use crate::memory::counters::{Issue, Wait};
use crate::operand::{Operand, Place};
use crate::scalar::ops::ScalarOp;
use crate::scalar::save_exec::SaveExec;
use crate::touch::Touch;
use crate::vector::carry::CarryOp;
use crate::vector::compare::Compare;
use crate::vector::lanes::Dpp;
use crate::vector::op::VectorOp;
use crate::vector::packed::PackedOp;
use crate::vector::sub_dword::SubDword;
use crate::wave::Wave;
use crate::wrong::Wrong;

/// An instruction with a separate function.
pub(crate) type Special = fn(&mut Wave, &Instruction, &mut Environment<'_>) -> Result<Next, Wrong>;

/// The effect of an instruction.
#[derive(Clone)]
pub(crate) enum What {
    Vector(&'static VectorOp),
    Carry(&'static CarryOp),
    Compare(Compare),
    Packed(&'static PackedOp),
    Scalar(&'static ScalarOp),
    /// A new mask of active lanes.
    SaveExec(SaveExec),
    /// A load or store by vector registers.
    Memory(Access),
    /// An instruction with a separate function.
    Special(Special),
    /// Two instructions that read their sources before either writes.
    Dual(Box<[Instruction; 2]>),
    /// Waits until instructions before it are complete.
    Wait(Wait),
    /// Hints.
    Nothing,
    /// There is no row for it; executing it is an error.
    Unknown,
}

/// The modifiers after the operands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Modifiers {
    pub(crate) clamp: bool,
    /// By which power of two the result is multiplied.
    pub(crate) scale: i32,
    pub(crate) op_sel: u8,
    pub(crate) op_sel_hi: u8,
    pub(crate) neg_lo: u8,
    pub(crate) neg_hi: u8,
    pub(crate) sub_dword: Option<SubDword>,
    pub(crate) dpp: Option<Dpp>,
    pub(crate) offset: i64,
    /// The second offset of instructions with two.
    pub(crate) offset1: i64,
    /// Whether an atomic gives the value before it.
    pub(crate) returns: bool,
    /// The address of a buffer has an offset, or an index, in a vector register.
    pub(crate) offen: bool,
    pub(crate) idxen: bool,
}

/// An instruction of a code object.
#[derive(Clone)]
pub(crate) struct Instruction {
    pub(crate) size: u32,
    pub(crate) what: What,
    pub(crate) operands: Vec<Operand>,
    pub(crate) modifiers: Modifiers,
    pub(crate) text: String,
    /// The registers that it reads or writes.
    pub(crate) touched: Touch,
    /// The operation that it leaves incomplete.
    pub(crate) issue: Option<Box<Issue>>,
}

impl Instruction {
    /// An operand by its place.
    pub(crate) fn operand(&self, index: usize) -> Operand {
        self.operands.get(index).copied().unwrap_or(Operand::new(Place::Other))
    }
}
