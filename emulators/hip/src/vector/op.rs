//! An instruction that computes a value for each lane, as a row of a table.

use emulator_core::bits;

use crate::mode::Mode;
use crate::registers::Bits;

/// The type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    B16,
    F16,
    B32,
    F32,
    B64,
    /// 64 bits whose literals are extended by their sign.
    I64,
    F64,
    /// A bit for each lane, in one or two scalar registers.
    Mask,
    /// The same in VCC, which the text does not name.
    Vcc,
    /// The number of the lane, which is no operand of the text.
    Lane,
}

impl Kind {
    /// The bits of a value.
    pub(crate) fn width(self) -> u32 {
        match self {
            Kind::B16 | Kind::F16 => 16,
            Kind::B32 | Kind::F32 | Kind::Lane => 32,
            Kind::B64 | Kind::I64 | Kind::F64 => 64,
            Kind::Mask | Kind::Vcc => 1,
        }
    }

    /// Whether it is a floating-point number, of which `neg` and `abs` change the sign.
    pub(crate) fn is_float(self) -> bool {
        matches!(self, Kind::F16 | Kind::F32 | Kind::F64)
    }

    /// Whether the text has an operand for it.
    pub(crate) fn is_written(self) -> bool {
        !matches!(self, Kind::Vcc | Kind::Lane)
    }
}

/// The values of one lane's sources.
pub(crate) type Sources = [u64; 4];
/// The same with their definedness.
pub(crate) type Known = [Bits; 4];

/// How undefined bits propagate from the sources to the result.
#[derive(Clone, Copy)]
pub(crate) enum Rule {
    /// Everything is undefined if anything is.
    Whole,
    /// Sums, differences and lower halves of products: to the left.
    Carried,
    And,
    Or,
    /// Each bit alone.
    Each,
    /// The operation moves bits of the sources in this mask, and the other sources say where to.
    Moved(u8),
    /// Anything else.
    Own(fn(&Known) -> u64),
}

impl Rule {
    /// The mask of the result's undefined bits, where some source has any.
    pub(crate) fn apply(self, known: &Known, width: u32, mode: &Mode, compute: Compute) -> u64 {
        let all = known.iter().fold(0, |all, one| all | one.undefined);
        if all == 0 {
            return 0;
        }
        let undefined = match self {
            Rule::Whole => u64::MAX,
            Rule::Carried => bits::carried(all, 0, 64),
            Rule::Each => all,
            Rule::And => bits::and(known[0].value, known[0].undefined, known[1].value, known[1].undefined),
            Rule::Or => bits::or(known[0].value, known[0].undefined, known[1].value, known[1].undefined),
            Rule::Moved(moved) => move_bits(known, moved, mode, compute),
            Rule::Own(rule) => rule(known),
        };
        undefined & bits::ones(width)
    }
}

fn move_bits(known: &Known, moved: u8, mode: &Mode, compute: Compute) -> u64 {
    let is_moved = |i: usize| moved >> i & 1 != 0;
    // The masks of the moved sources, moved as the other sources say, or as they would with their undefined bits
    // flipped.
    let masks = |flips: bool| {
        std::array::from_fn(|i| match (is_moved(i), flips) {
            (true, _) => known[i].undefined,
            (false, true) => known[i].value ^ known[i].undefined,
            (false, false) => known[i].value,
        })
    };
    if (0..known.len()).all(|i| is_moved(i) || known[i].undefined == 0) {
        return compute(mode, masks(false));
    }
    // Undefined bits that the operation does not look at, such as those above the amount of a shift, do not matter.
    let values = |flips: bool| {
        std::array::from_fn(
            |i| if flips && !is_moved(i) { known[i].value ^ known[i].undefined } else { known[i].value },
        )
    };
    let matters = compute(mode, values(false)) != compute(mode, values(true))
        || compute(mode, masks(false)) != compute(mode, masks(true));
    if matters { u64::MAX } else { compute(mode, masks(false)) }
}

/// Computes one lane's result.
pub(crate) type Compute = fn(&Mode, Sources) -> u64;

/// An instruction with one result for each lane.
pub(crate) struct VectorOp {
    /// The mnemonics, of both generations.
    pub(crate) names: &'static [&'static str],
    pub(crate) result: Kind,
    pub(crate) sources: &'static [Kind],
    pub(crate) compute: Compute,
    pub(crate) rule: Rule,
    /// Whether the register of the result is the last source as well.
    pub(crate) accumulates: bool,
    /// Whether a result of 16 bits keeps the other half of its register on GCN too.
    pub(crate) keeps_half: bool,
    /// The result with `clamp`, for integers.
    pub(crate) saturated: Option<Compute>,
}

impl VectorOp {
    /// A row of a table.
    pub(crate) const fn new(
        names: &'static [&'static str],
        result: Kind,
        sources: &'static [Kind],
        rule: Rule,
        compute: Compute,
    ) -> VectorOp {
        VectorOp { names, result, sources, compute, rule, accumulates: false, keeps_half: false, saturated: None }
    }

    /// The same, whose result is added to the value of its register.
    pub(crate) const fn accumulating(self) -> VectorOp {
        VectorOp { accumulates: true, ..self }
    }

    /// The same, whose result keeps the other half of its register.
    pub(crate) const fn keeping_half(self) -> VectorOp {
        VectorOp { keeps_half: true, ..self }
    }

    /// The same with its result under `clamp`.
    pub(crate) const fn saturating(self, saturated: Compute) -> VectorOp {
        VectorOp { saturated: Some(saturated), ..self }
    }
}
