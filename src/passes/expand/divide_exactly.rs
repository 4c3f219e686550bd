//! Keeps LLVM 22's back end for AMD GPUs from divisions of narrow numbers that it gets wrong.
//!
//! The back end looks for divisions of at most 24 bits in 32 or 64, and computes them with the reciprocal of a float:
//!
//! - It corrects the quotient once. The reciprocal may be off by one unit in the last place, and then this is enough
//!   for numbers of 22 bits, but neither for those of 23 nor for those of 24 (LLVM's issue 201186, pull request
//!   202753).
//! - It extends the quotient of signed numbers from their width. The quotient of the smallest number and -1 needs a bit
//!   more (194829, 203436). The same is wrong where numbers of 32 bits in 64 are divided in 32 (204469).
//! - With `minsize`, it takes sign-extended numbers for unsigned ones of their width (196418).
//!
//! `llvm.expect` hides the divisor's known bits from the back end, and costs no code. A shift to the left and back
//! restates as many as are harmless: it leaves one bit more than signed numbers have, so that each quotient fits.
//! Numbers of 23 to 32 bits in 64 are divided as numbers of 32 bits, exactly. Signed numbers of 64 bits become their
//! magnitudes, as in the back end's own code for those without known bits.

use crate::llvm::{Builder, Function, Module, Opcode, Place, Type, Value};

/// The widest numbers whose division with a float is exact, without a sign.
const EXACT: u32 = 22;
/// The width in which other narrow numbers are divided.
const WORD: u32 = 32;
/// The widest division that the back end may shorten.
const WIDEST: u32 = 64;

/// Changes all such divisions of `module`.
pub fn divide_exactly(module: &Module<'_>) {
    for function in module.definitions() {
        let divisions = function.instructions().filter(|i| is_signed(*i).is_some()).collect::<Vec<_>>();
        for division in divisions.into_iter().flat_map(elements) {
            let Some(width) = division.ty().int_width().filter(|width| *width <= WIDEST) else { continue };
            let division = Division::of(module, function, division, width);
            if let Some(result) = division.rewritten() {
                division.at.replace_all_uses_with(result);
                division.at.erase();
            }
        }
    }
}

/// Whether a division is one of signed numbers; none if it is no division of integers.
fn is_signed(instruction: Value<'_>) -> Option<bool> {
    match instruction.opcode() {
        Opcode::SDiv | Opcode::SRem => Some(true),
        Opcode::UDiv | Opcode::URem => Some(false),
        _ => None,
    }
}

/// The divisions of a vector's elements, as which the back end computes a division of vectors.
fn elements(division: Value<'_>) -> Vec<Value<'_>> {
    let Some(length) = division.ty().vector_length() else { return vec![division] };
    let (builder, mut whole) = (Builder::before(division), division.ty().poison());
    let mut elements = Vec::new();
    for index in 0..length {
        let index = division.types().i32().constant(index.into());
        let [dividend, divisor] = [0, 1].map(|at| builder.extract_element(division.operand(at), index, ""));
        let element = builder.binary(division.opcode(), dividend, divisor, "");
        elements.extend(element.is_instruction().then_some(element));
        whole = builder.insert_element(whole, element, index, "");
    }
    division.replace_all_uses_with(whole);
    division.erase();
    elements
}

/// A division of two integers, and how its divisor is hidden.
struct Division<'m, 'c> {
    module: &'m Module<'c>,
    at: Value<'c>,
    builder: Builder<'c>,
    dividend: Value<'c>,
    divisor: Value<'c>,
    width: u32,
    /// Whether the back end multiplies instead of dividing by a constant of at most 32 bits.
    multiplies: bool,
}

impl<'m, 'c> Division<'m, 'c> {
    fn of(module: &'m Module<'c>, function: Function<'c>, at: Value<'c>, width: u32) -> Self {
        let multiplies = !function.has_attribute(Place::Function, "minsize");
        let (dividend, divisor) = (at.operand(0), at.operand(1));
        Division { module, at, builder: Builder::before(at), dividend, divisor, width, multiplies }
    }

    /// The same result, computed exactly; none if the back end computes it so.
    fn rewritten(&self) -> Option<Value<'c>> {
        if self.width <= WORD && self.divisor.is_constant() && self.multiplies {
            return None;
        }
        if is_signed(self.at) == Some(true) { self.signed() } else { self.unsigned() }
    }

    fn unsigned(&self) -> Option<Value<'c>> {
        let bits = [self.dividend, self.divisor].map(|value| value.unsigned_bits(self.at));
        let bits = bits[0].max(bits[1]);
        match bits {
            ..=EXACT => None,
            ..=WORD if self.width != WORD => Some(self.in_words(Opcode::ZExt, |divisor| self.hidden(divisor))),
            _ => Some(self.divided(self.dividend, self.hidden(self.divisor))),
        }
    }

    fn signed(&self) -> Option<Value<'c>> {
        let bits = [self.dividend, self.divisor].map(|value| value.signed_bits(self.at));
        let bits = bits[0].max(bits[1]);
        match bits {
            // The quotient that does not fit is undefined.
            ..=EXACT if bits == self.width => None,
            WORD if self.width > WORD => Some(self.by_magnitudes(self.at.types().int(WORD))),
            ..=WORD if self.width > WORD || (EXACT + 1..WORD).contains(&self.width) => {
                Some(self.in_words(Opcode::SExt, |divisor| self.restated(divisor, bits)))
            }
            // The back end looks again when it selects instructions, and may find that both have 32 bits.
            _ if self.width > WORD && !self.divisor.is_constant() => Some(self.by_magnitudes(self.at.ty())),
            _ => Some(self.divided(self.dividend, self.restated(self.divisor, bits))),
        }
    }

    /// The division of these two instead.
    fn divided(&self, dividend: Value<'c>, divisor: Value<'c>) -> Value<'c> {
        self.builder.binary(self.at.opcode(), dividend, divisor, "")
    }

    /// The division of numbers that fit into 32 bits.
    fn in_words(&self, extend: Opcode, divisor: impl Fn(Value<'c>) -> Value<'c>) -> Value<'c> {
        let word = self.at.types().int(WORD);
        let [dividend, narrow] = [self.dividend, self.divisor].map(|value| self.resized(value, word, extend));
        self.resized(self.divided(dividend, divisor(narrow)), self.at.ty(), extend)
    }

    /// A value as one of another width.
    fn resized(&self, value: Value<'c>, ty: Type<'c>, extend: Opcode) -> Value<'c> {
        if value.ty() == ty {
            return value;
        }
        let narrower = ty.int_width() < value.ty().int_width();
        self.builder.cast(if narrower { Opcode::Trunc } else { extend }, value, ty, "")
    }

    /// A divisor without known bits for the back end. A constant by which it multiplies remains visible.
    fn hidden(&self, divisor: Value<'c>) -> Value<'c> {
        if divisor.is_constant() && self.multiplies && divisor.ty().int_width() <= Some(WORD) {
            return divisor;
        }
        let expect = self.module.intrinsic("llvm.expect", &[divisor.ty()]);
        self.builder.call(expect, &[divisor, divisor.ty().zero()], "")
    }

    /// A divisor that the back end can see to have one bit more than signed numbers of `bits` bits, if a division with
    /// a float is exact then.
    fn restated(&self, divisor: Value<'c>, bits: u32) -> Value<'c> {
        let (ty, hidden) = (divisor.ty(), self.hidden(divisor));
        let width = ty.int_width().unwrap_or(WORD);
        if hidden == divisor || bits > EXACT + 1 || bits + 1 >= width {
            return hidden;
        }
        let excess = ty.constant(u64::from(width - bits - 1));
        let high = self.builder.binary(Opcode::Shl, hidden, excess, "");
        self.builder.binary(Opcode::AShr, high, excess, "")
    }

    /// The division of signed numbers of this type, which may be narrower than their own: of their magnitudes, as the
    /// quotient of the smallest one and -1 fits without a sign.
    fn by_magnitudes(&self, ty: Type<'c>) -> Value<'c> {
        let binary = |opcode, a, b| self.builder.binary(opcode, a, b, "");
        // Each of them is used several times.
        let narrow = |value| self.builder.freeze(self.resized(value, ty, Opcode::SExt), "");
        let numbers = [narrow(self.dividend), narrow(self.divisor)];
        let last = ty.constant(u64::from(ty.int_width().unwrap_or(WORD) - 1));
        let signs = numbers.map(|number| binary(Opcode::AShr, number, last));
        let magnitude = |at: usize| binary(Opcode::Xor, binary(Opcode::Add, numbers[at], signs[at]), signs[at]);
        let (dividend, divisor) = (magnitude(0), self.hidden(magnitude(1)));
        let signed = |value, sign| binary(Opcode::Sub, binary(Opcode::Xor, value, sign), sign);
        if self.at.is(Opcode::SRem) {
            let rest = signed(binary(Opcode::URem, dividend, divisor), signs[0]);
            return self.resized(rest, self.at.ty(), Opcode::SExt);
        }
        let quotient = self.resized(binary(Opcode::UDiv, dividend, divisor), self.at.ty(), Opcode::ZExt);
        signed(quotient, self.resized(binary(Opcode::Xor, signs[0], signs[1]), self.at.ty(), Opcode::SExt))
    }
}
