//! Multiplies vectors of words, numbers of 16 bits, in 32 bits where wider products are shifted and cut to words.
//!
//! The x86 back end computes such a word from the upper half of the product, which has an instruction (`pmulhw`), and
//! the rest of the shift. LLVM 22 shifts in zeros, also where the product is negative and the sign is needed (issue
//! 218844). A product in 32 bits has no bits above its sign that could be shifted into a word.

use crate::llvm::{Builder, Module, Opcode, Type, Value};

const WORD: u32 = 16;
const PRODUCT: u32 = 2 * WORD;

/// Narrows the products of `module` that have more than 32 bits.
pub fn narrow_word_products(module: &Module<'_>) {
    for function in module.definitions() {
        for cut in function.instructions().filter(|i| i.is(Opcode::Trunc)).collect::<Vec<_>>() {
            if let Some(word) = Word::of(cut) {
                cut.replace_all_uses_with(word.compute());
                cut.erase();
            }
        }
    }
}

/// A vector of words that is cut from shifted products.
struct Word<'c> {
    cut: Value<'c>,
    product: Value<'c>,
    shift: u32,
    /// The bits of a word, at most 16.
    bits: u32,
    /// The bits of a product.
    width: u32,
    /// Whether the factors have signs.
    is_signed: bool,
    /// Whether the sign of the product is shifted in.
    is_arithmetic: bool,
}

impl<'c> Word<'c> {
    fn of(cut: Value<'c>) -> Option<Self> {
        let shifted = cut.operand(0);
        let (bits, width) = (cut.ty().scalar_width()?, shifted.ty().scalar_width()?);
        let is_shift = shifted.is(Opcode::LShr) || shifted.is(Opcode::AShr);
        if !is_shift || bits > WORD || width <= PRODUCT {
            return None;
        }
        let [product, amount] = [shifted.operand(0), shifted.operand(1)];
        if !product.is(Opcode::Mul) || !amount.is_constant() {
            return None;
        }
        let mut amounts = (0..cut.ty().vector_length()?).map(|lane| amount.lane(lane).as_u64());
        let shift = u32::try_from(amounts.next()??).ok()?;
        if shift <= WORD || shift >= width || amounts.any(|other| other != Some(shift.into())) {
            return None;
        }
        let fit = |bits: fn(Value<'c>, Value<'c>) -> u32| (0..2).all(|at| bits(product.operand(at), product) <= WORD);
        let is_signed = !fit(Value::unsigned_bits);
        let is_word = !is_signed || fit(Value::signed_bits);
        let is_arithmetic = shifted.is(Opcode::AShr);
        is_word.then_some(Word { cut, product, shift, bits, width, is_signed, is_arithmetic })
    }

    /// The words from products of 32 bits.
    fn compute(&self) -> Value<'c> {
        if !self.is_signed && self.shift >= PRODUCT {
            return self.cut.ty().zero();
        }
        let (builder, lanes) = (Builder::before(self.cut), self.cut.ty().vector_length().unwrap_or(0));
        let splat = |ty: Type<'c>, number: u64| builder.splat(ty.parts()[0].constant(number), lanes);
        let ty = self.cut.ty().types().i32().vector(lanes);
        let [one, other] = [0, 1].map(|at| builder.cast(Opcode::Trunc, self.product.operand(at), ty, ""));
        let product = builder.mul(one, other, "");
        let (shift, opcode) = match self.is_signed {
            true => (self.shift.min(PRODUCT - 1), Opcode::AShr),
            false => (self.shift, Opcode::LShr),
        };
        let shifted = builder.binary(opcode, product, splat(ty, shift.into()), "");
        let word = builder.cast(Opcode::Trunc, shifted, self.cut.ty(), "");
        let left = self.width - self.shift;
        if !self.is_signed || self.is_arithmetic || left >= self.bits {
            return word;
        }
        builder.binary(Opcode::And, word, splat(self.cut.ty(), (1 << left) - 1), "")
    }
}
