//! Comparisons, whose result is a bit for each lane.

use emulator_core::bits;

use super::rounding::{self, Format, from_half};
use super::{Kind, Known};
use crate::mode::Mode;

/// The question about two values.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Question {
    Never,
    Always,
    Less,
    Equal,
    LessOrEqual,
    Greater,
    /// Of numbers: neither is a NaN.
    LessOrGreater,
    /// Of integers, and of numbers or NaNs.
    Different,
    GreaterOrEqual,
    Ordered,
    Class,
}

/// The type of the compared values.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Type {
    Float(u32),
    Signed(u32),
    Unsigned(u32),
}

/// A comparison as its mnemonic says it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Compare {
    question: Question,
    negated: bool,
    of: Type,
    /// Whether it writes the mask of active lanes.
    pub(crate) writes_exec: bool,
}

impl Compare {
    /// Reads `v_cmp_lt_u32` and its like, without the suffix of the encoding.
    pub(crate) fn parse(name: &str) -> Option<Compare> {
        let (writes_exec, rest) = match name.strip_prefix("v_cmpx_") {
            Some(rest) => (true, rest),
            None => (false, name.strip_prefix("v_cmp_")?),
        };
        let (question, of) = rest.rsplit_once('_')?;
        let width = of[1..].parse().ok().filter(|width| [16, 32, 64].contains(width))?;
        let of = match &of[..1] {
            "f" => Type::Float(width),
            "i" => Type::Signed(width),
            "u" => Type::Unsigned(width),
            _ => return None,
        };
        let (question, negated) = question_of(question)?;
        Some(Compare { question, negated, of, writes_exec })
    }

    /// The kinds of the two operands.
    pub(crate) fn sources(&self) -> [Kind; 2] {
        let first = match self.of {
            Type::Float(16) => Kind::F16,
            Type::Float(32) => Kind::F32,
            Type::Float(_) => Kind::F64,
            Type::Signed(16) | Type::Unsigned(16) => Kind::B16,
            Type::Signed(32) | Type::Unsigned(32) => Kind::B32,
            Type::Signed(_) => Kind::I64,
            Type::Unsigned(_) => Kind::B64,
        };
        let second = match (self.question, first) {
            (Question::Class, Kind::F16) => Kind::B16,
            (Question::Class, _) => Kind::B32,
            _ => first,
        };
        [first, second]
    }

    /// The bit of one lane.
    #[inline]
    pub(crate) fn ask(&self, mode: &Mode, a: u64, b: u64) -> bool {
        let answer = match self.of {
            Type::Float(width) if self.question == Question::Class => is_of_class(format(width), a, b),
            Type::Float(width) => self.ask_floats(mode, width, a, b),
            Type::Signed(width) => self.order(bits::sign_extended(a, width).cmp(&bits::sign_extended(b, width))),
            Type::Unsigned(_) => self.order(a.cmp(&b)),
        };
        answer != self.negated
    }

    /// Whether bits that nobody wrote decide it.
    pub(crate) fn is_undefined(&self, known: &Known) -> bool {
        let [a, b, ..] = *known;
        if a.undefined | b.undefined == 0 || matches!(self.question, Question::Never | Question::Always) {
            return false;
        }
        match (self.question, self.of) {
            (_, Type::Float(_)) => true,
            (Question::Equal | Question::Different, _) => bits::equality(a.value, a.undefined, b.value, b.undefined),
            (_, Type::Signed(width)) => bits::order_signed(a.value, a.undefined, b.value, b.undefined, width),
            _ => bits::order_unsigned(a.value, a.undefined, b.value, b.undefined),
        }
    }

    fn ask_floats(&self, mode: &Mode, width: u32, a: u64, b: u64) -> bool {
        let format = format(width);
        let [a, b] = [a, b].map(|value| number(width, format.source(mode, value)));
        match a.partial_cmp(&b) {
            Some(order) => self.order(order),
            None => self.question == Question::Always,
        }
    }

    fn order(&self, order: std::cmp::Ordering) -> bool {
        match self.question {
            Question::Never | Question::Class => false,
            Question::Always | Question::Ordered => true,
            Question::Less => order.is_lt(),
            Question::Equal => order.is_eq(),
            Question::LessOrEqual => order.is_le(),
            Question::Greater => order.is_gt(),
            Question::LessOrGreater | Question::Different => order.is_ne(),
            Question::GreaterOrEqual => order.is_ge(),
        }
    }
}

fn question_of(name: &str) -> Option<(Question, bool)> {
    Some(match name {
        "f" => (Question::Never, false),
        "t" | "tru" => (Question::Always, false),
        "lt" => (Question::Less, false),
        "eq" => (Question::Equal, false),
        "le" => (Question::LessOrEqual, false),
        "gt" => (Question::Greater, false),
        "lg" => (Question::LessOrGreater, false),
        "ne" => (Question::Different, false),
        "ge" => (Question::GreaterOrEqual, false),
        "o" => (Question::Ordered, false),
        "u" => (Question::Ordered, true),
        "nge" => (Question::GreaterOrEqual, true),
        "nlg" => (Question::LessOrGreater, true),
        "ngt" => (Question::Greater, true),
        "nle" => (Question::LessOrEqual, true),
        "neq" => (Question::Equal, true),
        "nlt" => (Question::Less, true),
        "class" => (Question::Class, false),
        _ => return None,
    })
}

fn format(width: u32) -> &'static Format {
    match width {
        16 => &rounding::F16,
        32 => &rounding::F32,
        _ => &rounding::F64,
    }
}

fn number(width: u32, value: u64) -> f64 {
    match width {
        16 => from_half(value),
        32 => f32::from_bits(value as u32).into(),
        _ => f64::from_bits(value),
    }
}

/// Bits of the mask: signalling NaN, quiet NaN, -infinity, -normal, -denormal, -0, +0, +denormal, +normal, +infinity
/// (RDNA3 ISA, V_CMP_CLASS_F32).
fn is_of_class(format: &Format, value: u64, mask: u64) -> bool {
    let magnitude = value & (format.sign() - 1);
    let is_negative = value & format.sign() != 0;
    if format.is_nan(value) {
        return mask >> u32::from(!format.is_signaling(value)) & 1 != 0;
    }
    let size = match magnitude {
        0 => 0,
        _ if magnitude == format.infinity() => 3,
        _ if magnitude & format.infinity() == 0 => 1,
        _ => 2,
    };
    let bit = if is_negative { 5 - size } else { 6 + size };
    mask >> bit & 1 != 0
}
