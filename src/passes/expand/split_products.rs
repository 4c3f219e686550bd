//! Splits products of 256 bits of which only one half is used. LLVM creates them from a program's own multiplications
//! of 128 bits, and not every device has integers that wide.
//!
//! `trunc (lshr (mul (zext a), (zext b)), 128)` becomes a sum of the four products of half words.

use crate::llvm::{Builder, Module, Opcode, Type, Value};

/// The width of a product; the constants below are the widths of its factors and of half a factor.
const PRODUCT: u32 = 256;
const FACTOR: u32 = PRODUCT / 2;
const HALF: u32 = FACTOR / 2;

/// Splits every such product of `module`.
pub fn split_products(module: &Module<'_>) {
    for function in module.definitions() {
        function.instructions().collect::<Vec<_>>().into_iter().filter(|i| is_shift(*i)).for_each(narrow_factors);
        let wide = |i: &Value<'_>| i.is(Opcode::Mul) && i.ty().int_width() == Some(PRODUCT);
        for product in function.instructions().filter(wide).collect::<Vec<_>>() {
            split_product(product);
        }
    }
}

fn split_product(product: Value<'_>) {
    let users = product.users();
    let [Some(a), Some(b)] = [0, 1].map(|index| factor(product, index)) else { return };
    if !users.iter().all(|user| is_low_half(*user) || is_high_half(*user)) {
        return;
    }
    let builder = Builder::before(product);
    for user in users {
        let here = Builder::before(user);
        if is_low_half(user) {
            let low = builder.binary(Opcode::Mul, a, b, "");
            replace(&here, user, low);
            continue;
        }
        let high = high_half(&builder, a, b);
        let beyond = number(user.operand(1)).map_or(0, |shift| shift as u64 - u64::from(FACTOR));
        let shifted = here.binary(Opcode::LShr, high, a.ty().constant(beyond), "");
        user.users().into_iter().for_each(|trunc| replace(&Builder::before(trunc), trunc, shifted));
        user.erase();
    }
    let mut extended: Vec<_> = product.operands().into_iter().filter(|factor| factor.is_instruction()).collect();
    extended.dedup();
    product.erase();
    extended.into_iter().filter(|factor| !factor.is_used()).for_each(Value::erase);
}

/// Replaces a `trunc` by the low bits of `value`.
fn replace<'c>(builder: &Builder<'c>, trunc: Value<'c>, value: Value<'c>) {
    let same = trunc.ty() == value.ty();
    let value = if same { value } else { builder.cast(Opcode::Trunc, value, trunc.ty(), "") };
    trunc.replace_all_uses_with(value);
    trunc.erase();
}

/// A factor as a value of half the width, if its upper half is zero.
fn factor<'c>(product: Value<'c>, index: u32) -> Option<Value<'c>> {
    let (factor, ty) = (product.operand(index), product.types().int(FACTOR));
    if factor.is_instruction() && factor.is(Opcode::ZExt) {
        let (from, builder) = (factor.operand(0), Builder::before(product));
        return match from.ty().int_width()? {
            FACTOR => Some(from),
            narrow if narrow < FACTOR => Some(builder.cast(Opcode::ZExt, from, ty, "")),
            _ => None,
        };
    }
    number(factor)?;
    Some(Builder::before(product).cast(Opcode::Trunc, factor, ty, ""))
}

/// A constant that fits into a factor. LLVM prints it as a signed number.
fn number(constant: Value<'_>) -> Option<u128> {
    let text = constant.is_constant().then(|| constant.text())?;
    text.split_whitespace().last()?.parse().ok()
}

fn narrow(ty: Type<'_>) -> bool {
    ty.int_width().is_some_and(|width| width <= FACTOR)
}

fn is_low_half(user: Value<'_>) -> bool {
    user.is_instruction() && user.is(Opcode::Trunc) && narrow(user.ty())
}

/// A right shift of a product by at least half of its width.
fn is_shift(instruction: Value<'_>) -> bool {
    let high = || number(instruction.operand(1)).is_some_and(|by| (FACTOR.into()..PRODUCT.into()).contains(&by));
    instruction.is(Opcode::LShr) && instruction.ty().int_width() == Some(PRODUCT) && high()
}

/// Replaces such a shift by its low half in products of which it is a factor; the upper half is zero.
fn narrow_factors(shift: Value<'_>) {
    let products: Vec<_> = shift.users().into_iter().filter(|user| user.is(Opcode::Mul)).collect();
    if products.is_empty() {
        return;
    }
    let builder = Builder::before(shift.next().expect("a shift is no terminator"));
    let low = builder.cast(Opcode::Trunc, shift, shift.types().int(FACTOR), "");
    let factor = builder.cast(Opcode::ZExt, low, shift.ty(), "");
    for product in products {
        (0..2).filter(|at| product.operand(*at) == shift).for_each(|at| product.set_operand(at, factor));
    }
}

/// Whether only the low half of such a shift is used.
fn is_high_half(user: Value<'_>) -> bool {
    user.is_instruction() && is_shift(user) && user.users().into_iter().all(is_low_half)
}

/// `carry = (a0 b0 >> 64) + low(a1 b0) + low(a0 b1); a1 b1 + (a1 b0 >> 64) + (a0 b1 >> 64) + (carry >> 64)`
fn high_half<'c>(builder: &Builder<'c>, a: Value<'c>, b: Value<'c>) -> Value<'c> {
    let ty = a.ty();
    let low = |v| builder.binary(Opcode::And, v, ty.constant(u64::MAX), "");
    let high = |v| builder.binary(Opcode::LShr, v, ty.constant(HALF.into()), "");
    let add = |x, y| builder.add(x, y, "");
    let multiply = |x, y| builder.mul(x, y, "");
    let crossed = [multiply(high(a), low(b)), multiply(low(a), high(b))];
    let carry = add(add(high(multiply(low(a), low(b))), low(crossed[0])), low(crossed[1]));
    add(add(multiply(high(a), high(b)), high(crossed[0])), add(high(crossed[1]), high(carry)))
}
