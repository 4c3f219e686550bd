//! Expands integer intrinsics of any width into plain instructions, for code generators that have no instruction for
//! them, or a wrong one.
//!
//! Expanded are results with overflow, saturation, funnel shifts, minimum, maximum, absolute value, three-way
//! comparison, reversed bits and bytes, and saturating conversions from floats. A product that may overflow becomes one
//! of twice the width, so `split_integers` may have to follow. Bit counts are not expanded, because every device has
//! them.
//!
//! Before: none of these intrinsics is on vectors.

use crate::llvm::{Builder, Function, IntPredicate, Opcode, RealPredicate, Type, TypeKind, Value};

/// Expands every such call in a function.
pub fn expand_arithmetic(function: Function<'_>) {
    let calls: Vec<_> = function.instructions().filter(|i| i.is_call()).collect();
    for call in calls {
        let Some(callee) = call.called_intrinsic() else { continue };
        let name = callee.name();
        let Some(name) = name.strip_prefix("llvm.") else { continue };
        expand(call, name);
    }
}

fn expand(call: Value<'_>, name: &str) {
    if let Some((operation, _)) = name.split_once(".with.overflow.") {
        let arithmetic = Arithmetic::before(call);
        let (value, overflow) = arithmetic.with_overflow(operation);
        replace_pair(&arithmetic.builder, call, value, overflow);
        return;
    }
    let family = name.rsplit_once(".sat.").map_or_else(|| name.split('.').next().unwrap_or(name), |(base, _)| base);
    let saturating = name.contains(".sat.");
    if call.ty().int_width().is_none() || call.arguments().is_empty() {
        return;
    }
    let arithmetic = Arithmetic::before(call);
    let Some(value) = (if saturating { arithmetic.saturated(family, call) } else { arithmetic.plain(family, call) })
    else {
        return;
    };
    call.replace_all_uses_with(value);
    call.erase();
}

/// Replaces a call that returns `{ value, overflow }`.
fn replace_pair<'c>(builder: &Builder<'c>, call: Value<'c>, value: Value<'c>, overflow: Value<'c>) {
    for user in call.users() {
        if user.is(Opcode::ExtractValue) {
            user.replace_all_uses_with(if user.aggregate_indices() == [0] { value } else { overflow });
            user.erase();
        }
    }
    if call.is_used() {
        let half = builder.insert_value(call.ty().poison(), value, 0, "");
        call.replace_all_uses_with(builder.insert_value(half, overflow, 1, ""));
    }
    call.erase();
}

/// The operands of a call, and the builder of its expansion.
struct Arithmetic<'c> {
    builder: Builder<'c>,
    a: Value<'c>,
    b: Value<'c>,
    ty: Type<'c>,
    width: u32,
}

impl<'c> Arithmetic<'c> {
    fn before(call: Value<'c>) -> Self {
        let arguments = call.arguments();
        let (a, b) = (arguments[0], *arguments.get(1).unwrap_or(&arguments[0]));
        let ty = a.ty();
        Arithmetic { builder: Builder::before(call), a, b, ty, width: ty.int_width().unwrap_or(0) }
    }

    fn binary(&self, opcode: Opcode, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        self.builder.binary(opcode, left, right, "")
    }

    fn test(&self, predicate: IntPredicate, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        self.builder.icmp(predicate, left, right, "")
    }

    fn select(&self, condition: Value<'c>, then: Value<'c>, or_else: Value<'c>) -> Value<'c> {
        self.builder.select(condition, then, or_else, "")
    }

    fn negative(&self, value: Value<'c>) -> Value<'c> {
        self.test(IntPredicate::Slt, value, value.ty().zero())
    }

    fn with_overflow(&self, operation: &str) -> (Value<'c>, Value<'c>) {
        let (a, b) = (self.a, self.b);
        match operation {
            "uadd" => {
                let sum = self.binary(Opcode::Add, a, b);
                (sum, self.test(IntPredicate::Ult, sum, a))
            }
            "usub" => (self.binary(Opcode::Sub, a, b), self.test(IntPredicate::Ult, a, b)),
            "sadd" => {
                let sum = self.binary(Opcode::Add, a, b);
                // The addition overflows if the signs of both operands differ from the sign of the sum.
                let left = self.binary(Opcode::Xor, a, sum);
                let right = self.binary(Opcode::Xor, b, sum);
                (sum, self.negative(self.binary(Opcode::And, left, right)))
            }
            "ssub" => {
                let difference = self.binary(Opcode::Sub, a, b);
                let left = self.binary(Opcode::Xor, a, b);
                let right = self.binary(Opcode::Xor, a, difference);
                (difference, self.negative(self.binary(Opcode::And, left, right)))
            }
            _ if self.width <= 64 => self.wide_product(operation == "smul"),
            _ => self.checked_product(operation == "smul"),
        }
    }

    /// The product in twice the width. It overflows if it differs from its own extended low half.
    fn wide_product(&self, signed: bool) -> (Value<'c>, Value<'c>) {
        let wide = self.ty.types().int(self.width * 2);
        let extend = if signed { Opcode::SExt } else { Opcode::ZExt };
        let [a, b] = [self.a, self.b].map(|v| self.builder.cast(extend, v, wide, ""));
        let product = self.binary(Opcode::Mul, a, b);
        let low = self.builder.cast(Opcode::Trunc, product, self.ty, "");
        let again = self.builder.cast(extend, low, wide, "");
        (low, self.test(IntPredicate::Ne, again, product))
    }

    /// The product. It overflows if dividing it by one factor does not return the other.
    fn checked_product(&self, signed: bool) -> (Value<'c>, Value<'c>) {
        let (a, b) = (self.a, self.b);
        let product = self.binary(Opcode::Mul, a, b);
        let (ones, minimum, _) = limits(&self.builder, self.ty);
        let zero = self.test(IntPredicate::Eq, a, self.ty.zero());
        let minus_one = self.test(IntPredicate::Eq, a, ones);
        let special = if signed { self.binary(Opcode::Or, zero, minus_one) } else { zero };
        let divisor = self.select(special, self.ty.constant(1), a);
        let divide = if signed { Opcode::SDiv } else { Opcode::UDiv };
        let wrong = self.test(IntPredicate::Ne, self.binary(divide, product, divisor), b);
        let bool_type = wrong.ty();
        let negated_minimum = if signed {
            self.binary(Opcode::And, minus_one, self.test(IntPredicate::Eq, b, minimum))
        } else {
            bool_type.zero()
        };
        (product, self.select(special, negated_minimum, wrong))
    }

    /// `name.sat`.
    fn saturated(&self, name: &str, call: Value<'c>) -> Option<Value<'c>> {
        if matches!(name, "fptosi" | "fptoui") {
            let (ty, signed) = (call.ty(), name == "fptosi");
            let opcode = if signed { Opcode::FPToSI } else { Opcode::FPToUI };
            let convert = |float| self.builder.cast(opcode, float, ty, "");
            return Some(saturated(&self.builder, self.a, ty, signed, &convert));
        }
        let (a, b) = (self.a, self.b);
        let (ones, minimum, maximum) = limits(&self.builder, self.ty);
        let limit = || self.select(self.negative(a), minimum, maximum);
        Some(match name {
            "uadd" | "usub" | "sadd" | "ssub" => {
                let (value, overflow) = self.with_overflow(name);
                let limit = match name {
                    "uadd" => ones,
                    "usub" => self.ty.zero(),
                    _ => limit(),
                };
                self.select(overflow, limit, value)
            }
            "ushl" | "sshl" => {
                let signed = name == "sshl";
                let shifted = self.binary(Opcode::Shl, a, b);
                let back = self.binary(if signed { Opcode::AShr } else { Opcode::LShr }, shifted, b);
                let fits = self.test(IntPredicate::Eq, back, a);
                self.select(fits, shifted, if signed { limit() } else { ones })
            }
            _ => return None,
        })
    }

    /// Intrinsics without overflow.
    fn plain(&self, name: &str, call: Value<'c>) -> Option<Value<'c>> {
        let (a, b) = (self.a, self.b);
        let better = |predicate| self.select(self.test(predicate, a, b), a, b);
        Some(match name {
            "smax" => better(IntPredicate::Sgt),
            "smin" => better(IntPredicate::Slt),
            "umax" => better(IntPredicate::Ugt),
            "umin" => better(IntPredicate::Ult),
            "abs" => self.select(self.negative(a), self.binary(Opcode::Sub, self.ty.zero(), a), a),
            "scmp" => self.three_way(call.ty(), IntPredicate::Sgt, IntPredicate::Slt),
            "ucmp" => self.three_way(call.ty(), IntPredicate::Ugt, IntPredicate::Ult),
            "fshl" | "fshr" => self.funnel(call.arguments()[2], name == "fshl"),
            "bitreverse" => self.reversed(a, 1),
            "bswap" => self.reversed(a, 8),
            _ => return None,
        })
    }

    /// `(a > b) - (a < b)`
    fn three_way(&self, ty: Type<'c>, more: IntPredicate, less: IntPredicate) -> Value<'c> {
        let [more, less] = [more, less].map(|p| self.builder.cast(Opcode::ZExt, self.test(p, self.a, self.b), ty, ""));
        self.binary(Opcode::Sub, more, less)
    }

    /// `(a << n) | (b >> (width - n))`, or the same from the right. No shift is by the full width.
    fn funnel(&self, amount: Value<'c>, left: bool) -> Value<'c> {
        let (one, last) = (self.ty.constant(1), self.ty.constant(u64::from(self.width) - 1));
        let amount = if self.width.is_power_of_two() {
            self.binary(Opcode::And, amount, last)
        } else {
            self.binary(Opcode::URem, amount, self.ty.constant(self.width.into()))
        };
        let rest = self.binary(Opcode::Sub, last, amount);
        let (high, low) = if left {
            let half = self.binary(Opcode::LShr, self.b, one);
            (self.binary(Opcode::Shl, self.a, amount), self.binary(Opcode::LShr, half, rest))
        } else {
            let half = self.binary(Opcode::Shl, self.a, one);
            (self.binary(Opcode::Shl, half, rest), self.binary(Opcode::LShr, self.b, amount))
        };
        self.binary(Opcode::Or, high, low)
    }

    /// Reverses the order of groups of `group` bits: halves are swapped, then halves of halves, down to the group.
    fn reversed(&self, value: Value<'c>, group: u32) -> Value<'c> {
        let (builder, ty, width) = (&self.builder, value.ty(), value.ty().int_width().unwrap_or(group));
        if !width.is_power_of_two() {
            let container = ty.types().int(width.next_power_of_two());
            let wide = builder.cast(Opcode::ZExt, value, container, "");
            let excess = container.constant(u64::from(width.next_power_of_two() - width));
            let reversed = self.binary(Opcode::LShr, self.reversed(wide, group), excess);
            return builder.cast(Opcode::Trunc, reversed, ty, "");
        }
        if width > 64 {
            return self.swap_halves(value, group);
        }
        let mut value = value;
        let mut step = width / 2;
        while step >= group {
            // The low half of every pair of `step` bits.
            let mask = (0..64).filter(|bit| (bit / step) % 2 == 0).fold(0_u64, |mask, bit| mask | 1 << bit);
            let mask = ty.constant(if width == 64 { mask } else { mask & ((1 << width) - 1) });
            let amount = ty.constant(step.into());
            let low = self.binary(Opcode::And, value, mask);
            let high = self.binary(Opcode::And, self.binary(Opcode::LShr, value, amount), mask);
            value = self.binary(Opcode::Or, self.binary(Opcode::Shl, low, amount), high);
            step /= 2;
        }
        value
    }

    /// The same for an integer of several words: its halves are reversed and change places.
    fn swap_halves(&self, value: Value<'c>, group: u32) -> Value<'c> {
        let ty = value.ty();
        let width = ty.int_width().unwrap_or(0) / 2;
        let (half, amount) = (ty.types().int(width), ty.constant(width.into()));
        let low = self.builder.cast(Opcode::Trunc, value, half, "");
        let high = self.binary(Opcode::LShr, value, amount);
        let high = self.builder.cast(Opcode::Trunc, high, half, "");
        let [low, high] = [low, high].map(|v| self.builder.cast(Opcode::ZExt, self.reversed(v, group), ty, ""));
        self.binary(Opcode::Or, self.binary(Opcode::Shl, low, amount), high)
    }
}

/// `-1`, `i(n)::MIN` and `i(n)::MAX` of a type.
fn limits<'c>(builder: &Builder<'c>, ty: Type<'c>) -> (Value<'c>, Value<'c>, Value<'c>) {
    let width = ty.int_width().unwrap_or(1);
    let ones = ty.all_ones();
    let minimum = builder.binary(Opcode::Shl, ty.constant(1), ty.constant(u64::from(width) - 1), "");
    (ones, minimum, builder.binary(Opcode::Xor, minimum, ones, ""))
}

/// Converts a float to the nearest integer, and NaN to 0. `convert` converts a value that is in range.
pub(super) fn saturated<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    ty: Type<'c>,
    signed: bool,
    convert: &dyn Fn(Value<'c>) -> Value<'c>,
) -> Value<'c> {
    let width = ty.int_width().unwrap_or(1);
    // The largest `half` is below 65536.
    let half = value.ty().kind() == TypeKind::Half;
    let float = if half { builder.cast(Opcode::FPExt, value, ty.types().float(), "") } else { value };
    let power = |exponent: u32| 2.0_f64.powi(exponent as i32);
    let bound = |value: f64| float.ty().real(value);
    let (ones, minimum, maximum) = limits(builder, ty);
    let test = |predicate, limit| builder.fcmp(predicate, float, limit, "");
    let (above, below, top, bottom) = if signed {
        let above = test(RealPredicate::Oge, bound(power(width - 1)));
        (above, test(RealPredicate::Olt, bound(-power(width - 1))), maximum, minimum)
    } else {
        let above = test(RealPredicate::Oge, bound(power(width)));
        (above, test(RealPredicate::Olt, bound(0.0)), ones, ty.zero())
    };
    let value = builder.select(above, top, convert(float), "");
    let value = builder.select(below, bottom, value, "");
    builder.select(builder.fcmp(RealPredicate::Uno, float, float, ""), ty.zero(), value, "")
}
