//! Expands conversions between floats and integers of more than 64 bits into arithmetic on words. Back ends either call
//! a library for them, which no device has, or abort.
//!
//! Results are the same as on the host, bit for bit: integers round to the nearest float, ties to even; saturating
//! conversions return the nearest integer, and 0 for NaN.
//!
//! After: no such conversion is left for integers of up to 128 bits and floats of up to 64 bits, including vectors.

use super::expand_arithmetic::saturated;
use crate::llvm::{Builder, IntPredicate, Module, Opcode, Type, TypeKind, Value};

/// The width that every device converts itself.
const WORD: u32 = 64;
/// The width of integers that consist of two words.
const WIDE: u32 = 2 * WORD;

/// Expands every such conversion.
pub fn expand_conversions(module: &Module<'_>) {
    for function in module.functions() {
        for conversion in function.instructions().filter_map(Conversion::of).collect::<Vec<_>>() {
            conversion.expand(module);
        }
    }
}

/// A conversion that no device has.
struct Conversion<'c> {
    instruction: Value<'c>,
    opcode: Opcode,
    saturates: bool,
}

impl<'c> Conversion<'c> {
    fn of(instruction: Value<'c>) -> Option<Self> {
        let (opcode, saturates) = match instruction.opcode() {
            Opcode::Call => (saturating(instruction)?, true),
            opcode => (opcode, false),
        };
        let (int, float) = match opcode {
            Opcode::FPToSI | Opcode::FPToUI => (instruction.ty(), instruction.operand(0).ty()),
            Opcode::SIToFP | Opcode::UIToFP => (instruction.operand(0).ty(), instruction.ty()),
            _ => return None,
        };
        let wide = scalar(int).int_width().is_some_and(|width| width > WORD && width <= WIDE);
        (wide && Format::of(scalar(float)).is_some()).then_some(Conversion { instruction, opcode, saturates })
    }

    fn expand(&self, module: &Module<'c>) {
        let (instruction, builder) = (self.instruction, Builder::before(self.instruction));
        let (from, ty) = (instruction.operand(0), instruction.ty());
        let value = match ty.vector_length() {
            None => self.convert(module, &builder, from, ty),
            Some(length) => (0..length).fold(ty.poison(), |vector, i| {
                let index = ty.types().i32().constant(i.into());
                let element = builder.extract_element(from, index, "");
                let converted = self.convert(module, &builder, element, scalar(ty));
                builder.insert_element(vector, converted, index, "")
            }),
        };
        instruction.replace_all_uses_with(value);
        instruction.erase();
    }

    fn convert(&self, module: &Module<'c>, builder: &Builder<'c>, from: Value<'c>, to: Type<'c>) -> Value<'c> {
        let signed = matches!(self.opcode, Opcode::FPToSI | Opcode::SIToFP);
        if matches!(self.opcode, Opcode::SIToFP | Opcode::UIToFP) {
            return ToFloat { module, builder }.convert(from, to, signed);
        }
        let to_integer = |float| to_integer(builder, float, to, signed);
        if self.saturates { saturated(builder, from, to, signed, &to_integer) } else { to_integer(from) }
    }
}

/// The conversion that a saturating intrinsic performs.
fn saturating(call: Value<'_>) -> Option<Opcode> {
    let name = call.called_intrinsic()?.name();
    let is = |base: &str| name.starts_with(base);
    match () {
        () if is("llvm.fptosi.sat.") => Some(Opcode::FPToSI),
        () if is("llvm.fptoui.sat.") => Some(Opcode::FPToUI),
        () => None,
    }
}

fn scalar(ty: Type<'_>) -> Type<'_> {
    if ty.kind() == TypeKind::Vector { ty.parts()[0] } else { ty }
}

/// The IEEE 754 format of a float.
struct Format {
    width: u32,
    mantissa: u32,
    bias: u64,
}

impl Format {
    fn of(ty: Type<'_>) -> Option<Format> {
        match ty.kind() {
            TypeKind::Half => Some(Format { width: 16, mantissa: 10, bias: 15 }),
            TypeKind::Float => Some(Format { width: 32, mantissa: 23, bias: 127 }),
            TypeKind::Double => Some(Format { width: 64, mantissa: 52, bias: 1023 }),
            _ => None,
        }
    }
}

/// ```c
/// uint64_t bits = as_bits(x), exponent = bits >> 52 & 0x7ff, mantissa = bits & ~(~0ull << 52) | 1ull << 52;
/// i128 large = (i128)mantissa << (exponent - 1023 - 52 & 127);
/// return fabs(x) < 0x1p63 ? (int64_t)x : bits >> 63 ? -large : large;
/// ```
fn to_integer<'c>(builder: &Builder<'c>, float: Value<'c>, to: Type<'c>, signed: bool) -> Value<'c> {
    let (convert, extend) = if signed { (Opcode::FPToSI, Opcode::SExt) } else { (Opcode::FPToUI, Opcode::ZExt) };
    let small = builder.cast(extend, builder.cast(convert, float, to.types().int(WORD), ""), to, "");
    let format = Format::of(float.ty()).expect("conversions of other floats are not expanded");
    if format.width < 32 {
        return small;
    }
    let types = to.types();
    let (bits_type, wide) = (types.int(format.width), types.int(WIDE));
    let binary = |opcode, left, right: Value<'c>| builder.binary(opcode, left, right, "");
    let number = |value: u64| bits_type.constant(value);
    let bits = builder.cast(Opcode::BitCast, float, bits_type, "");
    let shifted = binary(Opcode::LShr, bits, number(format.mantissa.into()));
    let exponent = binary(Opcode::And, shifted, number(2 * format.bias + 1));
    let fraction = binary(Opcode::And, bits, number((1 << format.mantissa) - 1));
    let mantissa = binary(Opcode::Or, fraction, number(1 << format.mantissa));
    let amount = binary(Opcode::Sub, exponent, number(format.bias + u64::from(format.mantissa)));
    let amount = binary(Opcode::And, amount, number(u64::from(WIDE) - 1));
    let [mantissa, amount] = [mantissa, amount].map(|v| builder.cast(Opcode::ZExt, v, wide, ""));
    let mut large = binary(Opcode::Shl, mantissa, amount);
    if signed {
        let negative = builder.icmp(IntPredicate::Slt, bits, bits_type.zero(), "");
        large = builder.select(negative, binary(Opcode::Sub, wide.zero(), large), large, "");
    }
    if to != wide {
        large = builder.cast(Opcode::Trunc, large, to, "");
    }
    let limit = number(format.bias + u64::from(WORD) - 1);
    let is_small = builder.icmp(IntPredicate::Ult, exponent, limit, "");
    builder.select(is_small, small, large, "")
}

/// The operands of a conversion from an integer.
struct ToFloat<'a, 'c> {
    module: &'a Module<'c>,
    builder: &'a Builder<'c>,
}

impl<'c> ToFloat<'_, 'c> {
    fn binary(&self, opcode: Opcode, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        self.builder.binary(opcode, left, right, "")
    }

    fn convert(&self, from: Value<'c>, to: Type<'c>, signed: bool) -> Value<'c> {
        let builder = self.builder;
        let types = from.types();
        let (wide, bit) = (types.int(WIDE), types.i1());
        let extend = if signed { Opcode::SExt } else { Opcode::ZExt };
        let value = if from.ty() == wide { from } else { builder.cast(extend, from, wide, "") };
        if !signed {
            return self.rounded(value, bit.zero(), to);
        }
        let negative = builder.icmp(IntPredicate::Slt, value, wide.zero(), "");
        let opposite = self.binary(Opcode::Sub, wide.zero(), value);
        self.rounded(builder.select(negative, opposite, value, ""), negative, to)
    }

    /// Converts a magnitude with a sign. All bits below the top word become one sticky bit, which is sufficient for
    /// rounding.
    ///
    /// ```c
    /// int zeros = clz64(x >> 64);
    /// u128 shifted = x << zeros;
    /// uint64_t top = shifted >> 64 | (uint64_t)shifted != 0;
    /// return (double)top * as_double((uint64_t)negative << 63 | (uint64_t)(64 - zeros + 1023) << 52);
    /// ```
    fn rounded(&self, magnitude: Value<'c>, negative: Value<'c>, to: Type<'c>) -> Value<'c> {
        let (builder, wide) = (self.builder, magnitude.ty());
        let format = Format::of(to).expect("conversions to other floats are not expanded");
        if format.width < 32 {
            return self.half(magnitude, negative, to);
        }
        let word = wide.types().int(WORD);
        let truncated = |value| builder.cast(Opcode::Trunc, value, word, "");
        let high = |value| truncated(self.binary(Opcode::LShr, value, wide.constant(WORD.into())));
        let leading = self.module.intrinsic("llvm.ctlz", &[word]);
        let zeros = builder.call(leading, &[high(magnitude), wide.types().i1().zero()], "");
        let amount = builder.cast(Opcode::ZExt, zeros, wide, "");
        let shifted = self.binary(Opcode::Shl, magnitude, amount);
        let rest = builder.icmp(IntPredicate::Ne, truncated(shifted), word.zero(), "");
        let rest = builder.cast(Opcode::ZExt, rest, word, "");
        let top = builder.cast(Opcode::UIToFP, self.binary(Opcode::Or, high(shifted), rest), to, "");
        let exponent = self.binary(Opcode::Sub, word.constant(format.bias + u64::from(WORD)), zeros);
        let exponent = self.binary(Opcode::Shl, exponent, word.constant(format.mantissa.into()));
        let sign = builder.cast(Opcode::ZExt, negative, word, "");
        let sign = self.binary(Opcode::Shl, sign, word.constant(u64::from(format.width) - 1));
        let bits = self.binary(Opcode::Or, sign, exponent);
        let bits = if format.width < WORD { builder.cast(Opcode::Trunc, bits, wide.types().i32(), "") } else { bits };
        self.binary(Opcode::FMul, top, builder.cast(Opcode::BitCast, bits, to, ""))
    }

    /// A conversion to `half`: integers from 2^17 are infinite, and a `float` represents the smaller ones
    /// exactly.
    fn half(&self, magnitude: Value<'c>, negative: Value<'c>, to: Type<'c>) -> Value<'c> {
        let (builder, wide, float) = (self.builder, magnitude.ty(), to.types().float());
        let limit = wide.constant(1 << 17);
        let fits = builder.icmp(IntPredicate::Ult, magnitude, limit, "");
        let word = builder.cast(Opcode::Trunc, builder.select(fits, magnitude, limit, ""), wide.types().i32(), "");
        let sign = builder.select(negative, float.real(-1.0), float.real(1.0), "");
        let value = self.binary(Opcode::FMul, builder.cast(Opcode::UIToFP, word, float, ""), sign);
        builder.cast(Opcode::FPTrunc, value, to, "")
    }
}
