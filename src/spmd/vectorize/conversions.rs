//! Conversions of floating-point numbers to integers that saturate, which Rust's `as` is.
//!
//! LLVM converts the elements of a vector one by one, because it knows only conversions to `i32` of vectors, which do
//! not saturate. Some comparisons of vectors take less time.

use super::widening::Widening;
use crate::llvm::{Opcode, RealPredicate, Type, Value};

impl<'c> Widening<'_, '_, 'c> {
    /// The elements of a vector as `call` converts one of them. `base` is the intrinsic without its types.
    pub(crate) fn saturate(&mut self, base: &str, call: Value<'c>, vector: Value<'c>) -> Value<'c> {
        let (from, to) = (vector.ty().parts()[0], call.ty());
        if base != "llvm.fptosi.sat" || to.int_width() != Some(32) || bits(self.wide.module, from) < 32 {
            let types = [to.vector(self.wide.width), vector.ty()];
            return self.builder().call(self.wide.module.intrinsic(base, &types), &[vector], "");
        }
        let (builder, width) = (self.builder(), self.wide.width);
        let number = |value: i64| {
            let integer = self.wide.module.types().i64().constant(value as u64);
            builder.splat(builder.cast(Opcode::SIToFP, integer, from, ""), width)
        };
        let integers = |value: i32| builder.splat(to.constant(u64::from(value as u32)), width);
        let (least, beyond) = (number(i32::MIN.into()), number(i64::from(i32::MAX) + 1));
        // A comparison with NaN is false, so `kept` is never NaN.
        let is_above = builder.fcmp(RealPredicate::Ogt, vector, least, "");
        let kept = builder.select(is_above, vector, least, "");
        let is_beyond = builder.fcmp(RealPredicate::Oge, vector, beyond, "");
        let inside = builder.select(is_beyond, vector.ty().zero(), kept, "");
        let converted = builder.cast(Opcode::FPToSI, inside, to.vector(width), "");
        let largest = builder.select(is_beyond, integers(i32::MAX), converted, "");
        let is_number = builder.fcmp(RealPredicate::Ord, vector, vector.ty().zero(), "");
        builder.select(is_number, largest, integers(0), "")
    }
}

fn bits<'c>(module: &crate::llvm::Module<'c>, ty: Type<'c>) -> u64 {
    ty.store_size(module) * 8
}
