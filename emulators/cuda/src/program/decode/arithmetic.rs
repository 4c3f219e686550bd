//! Integer arithmetic, logic and shifts (PTX ISA, "Integer Arithmetic Instructions", "Logic and Shift Instructions").

use super::integer::{Integer, with_integer};
use super::lanes::{BinaryFn, TernaryFn, UnaryFn, binary, ternary, unary};
use super::{Decoded, done, floats, halves, has, operands, type_of};
use crate::parser::{Family, Instruction, Operand, Type};
use crate::program::builder::Builder;
use crate::program::code::{Op, Rule, Source};

const U32: Type = Type { family: Family::Unsigned, width: 32 };

pub(super) fn decode(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let Some(element) = type_of(instruction) else { return Ok(false) };
    if floats::decode(builder, instruction, element)? || halves::decode(builder, instruction, element)? {
        return Ok(true);
    }
    if !matches!(element.family, Family::Bits | Family::Unsigned | Family::Signed | Family::Predicate) {
        return Ok(false);
    }
    let words = &instruction.words;
    let name = words[0].as_str();
    if has(instruction, "cc") || matches!(name, "addc" | "subc" | "madc") {
        return Ok(false);
    }
    match (name, instruction.operands.len()) {
        ("lop3", _) => logic3(builder, instruction),
        ("bfi", _) => insert(builder, instruction, element),
        ("dp4a" | "dp2a", 4) => dot_product(builder, instruction),
        ("prmt", 4) => {
            let f = permute(words.get(2).map_or("", String::as_str));
            three(builder, instruction, (f, Rule::Move, 32), [element, element, U32])
        }
        (_, 2) => match with_integer!(element, unary_of(name)) {
            Some((f, rule)) => one(builder, instruction, (f, rule), element),
            None => Ok(false),
        },
        (_, 3) => match two_operands(name, instruction, element) {
            Some((f, rule, width, second)) => two(builder, instruction, (f, rule, width), element, second),
            None => Ok(false),
        },
        (_, 4) => match three_operands(name, instruction, element) {
            Some((f, rule, width, types)) => three(builder, instruction, (f, rule, width), types),
            None => Ok(false),
        },
        _ => Ok(false),
    }
}

fn one(builder: &mut Builder<'_>, instruction: &Instruction, (f, rule): (UnaryFn, Rule), element: Type) -> Decoded {
    let [d, a] = operands::<2>(instruction)?;
    let a = builder.source(a, element)?;
    let (d, width) = builder.destination(d)?;
    done(builder, Op::Unary { f, rule, width, d, a })
}

fn two(
    builder: &mut Builder<'_>,
    instruction: &Instruction,
    (f, rule, width): (BinaryFn, Rule, u32),
    element: Type,
    second: Type,
) -> Decoded {
    let [d, a, b] = operands::<3>(instruction)?;
    let (a, b) = (builder.source(a, element)?, builder.source(b, second)?);
    let (d, _) = builder.destination(d)?;
    done(builder, Op::Binary { f, rule, width, d, a, b })
}

fn three(
    builder: &mut Builder<'_>,
    instruction: &Instruction,
    (f, rule, width): (TernaryFn, Rule, u32),
    types: [Type; 3],
) -> Decoded {
    let [d, a, b, c] = operands::<4>(instruction)?;
    let a = [builder.source(a, types[0])?, builder.source(b, types[1])?, builder.source(c, types[2])?];
    let (d, _) = builder.destination(d)?;
    done(builder, Op::Ternary { f, rule, width, d, a })
}

fn unary_of<T: Integer>(name: &str) -> Option<(UnaryFn, Rule)> {
    Some(match name {
        "neg" => (unary!(T: Integer, |a| T::narrow(-a.wide()).word()), Rule::Carry),
        "abs" => (unary!(T: Integer, |a| T::narrow(a.wide().abs()).word()), Rule::Whole),
        "not" if T::WIDTH == 64 => (unary!(|a| !a), Rule::Each),
        "not" => (unary!(T: Integer, |a| T::narrow(!a.wide()).word()), Rule::Each),
        "cnot" => (unary!(T: Integer, |a| u64::from(a.word() == 0)), Rule::Whole),
        "popc" => (unary!(T: Integer, |a| u64::from(a.word().count_ones())), Rule::Whole),
        "clz" => (unary!(T: Integer, |a| u64::from(T::WIDTH + a.word().leading_zeros() - 64)), Rule::Whole),
        "brev" => (unary!(T: Integer, |a| a.word().reverse_bits() >> (64 - T::WIDTH)), Rule::Move),
        _ => return None,
    })
}

/// The function of an instruction with two sources: its rule, the width of its result, the type of the second.
fn two_operands(name: &str, instruction: &Instruction, element: Type) -> Option<(BinaryFn, Rule, u32, Type)> {
    let width = element.width;
    if element.family == Family::Predicate || matches!(name, "and" | "or" | "xor") {
        let (f, rule) = logic(name)?;
        return Some((f, rule, width, element));
    }
    if matches!(name, "shl" | "shr") {
        let (f, rule) = with_integer!(element, shift(name));
        return Some((f, rule, width, U32));
    }
    if name == "mul" && has(instruction, "wide") {
        return Some((with_integer!(element, multiply_wide()), Rule::Carry, 2 * width, element));
    }
    if matches!(name, "mul24") {
        let f = if has(instruction, "hi") { multiply24_high(element) } else { multiply24_low(element) };
        return Some((f, Rule::Whole, 32, element));
    }
    if name == "bmsk" {
        return Some((mask_of(has(instruction, "wrap")), Rule::Whole, 32, element));
    }
    if name == "szext" {
        return Some((extend_from(element, has(instruction, "wrap")), Rule::Whole, 32, U32));
    }
    let half = if has(instruction, "hi") { "hi" } else { "lo" };
    let (f, rule) = with_integer!(element, arithmetic(name, half, has(instruction, "sat")))?;
    Some((f, rule, width, element))
}

fn logic(name: &str) -> Option<(BinaryFn, Rule)> {
    Some(match name {
        "and" => (binary!(|a, b| a & b), Rule::And),
        "or" => (binary!(|a, b| a | b), Rule::Or),
        "xor" => (binary!(|a, b| a ^ b), Rule::Each),
        _ => return None,
    })
}

/// Amounts of the width and more clear the value, or leave its sign.
fn shift<T: Integer>(name: &str) -> (BinaryFn, Rule) {
    if name == "shl" {
        return (shift_left::<T>, Rule::ShiftLeft);
    }
    let is_signed = T::narrow(-1).wide() < 0;
    (shift_right::<T>, if is_signed { Rule::ShiftRightSigned } else { Rule::ShiftRight })
}

fn shift_left<T: Integer>(d: &mut [u64; 32], a: &[u64; 32], b: &[u64; 32]) {
    for i in 0..32 {
        let amount = b[i] as u32;
        d[i] = if amount >= T::WIDTH { 0 } else { T::of(a[i] << amount).word() };
    }
}

fn shift_right<T: Integer>(d: &mut [u64; 32], a: &[u64; 32], b: &[u64; 32]) {
    for i in 0..32 {
        let amount = (b[i] as u32).min(T::WIDTH);
        d[i] = T::narrow(T::of(a[i]).wide() >> amount).word();
    }
}

fn multiply_wide<T: Integer>() -> BinaryFn {
    binary!(T: Integer, |a, b| (a.wide() * b.wide()) as u64 & emulator_core::bits::ones(2 * T::WIDTH))
}

fn arithmetic<T: Integer>(name: &str, half: &str, saturates: bool) -> Option<(BinaryFn, Rule)> {
    Some(match (name, half) {
        ("add", _) if saturates => (binary!(T: Integer, |a, b| T::clamped(a.wide() + b.wide()).word()), Rule::Whole),
        ("sub", _) if saturates => (binary!(T: Integer, |a, b| T::clamped(a.wide() - b.wide()).word()), Rule::Whole),
        ("add", _) => (binary!(T: Integer, |a, b| T::of(a.word().wrapping_add(b.word())).word()), Rule::Carry),
        ("sub", _) => (binary!(T: Integer, |a, b| T::of(a.word().wrapping_sub(b.word())).word()), Rule::Carry),
        ("mul", "hi") => (binary!(T: Integer, |a, b| high::<T>(a, b)), Rule::Whole),
        ("mul", _) => (binary!(T: Integer, |a, b| T::of(a.word().wrapping_mul(b.word())).word()), Rule::Carry),
        ("div", _) => (binary!(T: Integer, |a, b| divide(a, b)), Rule::Divide),
        ("rem", _) => (binary!(T: Integer, |a, b| remainder(a, b)), Rule::Divide),
        ("min", _) => (binary!(T: Integer, |a, b| a.min(b).word()), Rule::Whole),
        ("max", _) => (binary!(T: Integer, |a, b| a.max(b).word()), Rule::Whole),
        _ => return None,
    })
}

/// The upper half of a product, also of two unsigned words whose product has all 128 bits.
fn high<T: Integer>(a: T, b: T) -> u64 {
    let product = a.wide().wrapping_mul(b.wide());
    T::narrow(((product as u128) >> T::WIDTH) as i128).word()
}

fn divide<T: Integer>(a: T, b: T) -> u64 {
    // The ISA leaves division by 0 to the device, so its result counts as undefined.
    if b.wide() == 0 { emulator_core::bits::ones(T::WIDTH) } else { T::narrow(a.wide() / b.wide()).word() }
}

fn remainder<T: Integer>(a: T, b: T) -> u64 {
    if b.wide() == 0 { a.word() } else { T::narrow(a.wide() % b.wide()).word() }
}

fn multiply24_low(element: Type) -> BinaryFn {
    if element.is_signed() {
        binary!(|a, b| (low24(a) * low24(b)) as u32 as u64)
    } else {
        binary!(|a, b| (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff) as u32 as u64)
    }
}

fn multiply24_high(element: Type) -> BinaryFn {
    if element.is_signed() {
        binary!(|a, b| ((low24(a) * low24(b)) >> 16) as u32 as u64)
    } else {
        binary!(|a, b| (((a & 0xff_ffff) * (b & 0xff_ffff)) >> 16) as u32 as u64)
    }
}

fn low24(a: u64) -> i64 {
    emulator_core::bits::sign_extended(a & 0xff_ffff, 24)
}

fn mask_of(wraps: bool) -> BinaryFn {
    if wraps {
        binary!(|a, b| (emulator_core::bits::ones((b & 31) as u32) << (a & 31)) & 0xffff_ffff)
    } else {
        binary!(|a, b| if a > 31 { 0 } else { (emulator_core::bits::ones(b.min(32) as u32) << a) & 0xffff_ffff })
    }
}

fn extend_from(element: Type, wraps: bool) -> BinaryFn {
    match (element.is_signed(), wraps) {
        (true, true) => binary!(|a, b| extended(a, b & 31)),
        (true, false) => binary!(|a, b| extended(a, b)),
        (false, true) => binary!(|a, b| a & emulator_core::bits::ones((b & 31) as u32)),
        (false, false) => binary!(|a, b| a & emulator_core::bits::ones(b.min(32) as u32)),
    }
}

fn extended(a: u64, width: u64) -> u64 {
    match width {
        0 => 0,
        1..32 => emulator_core::bits::sign_extended(a, width as u32) as u32 as u64,
        _ => a,
    }
}

type Three = (TernaryFn, Rule, u32, [Type; 3]);

fn three_operands(name: &str, instruction: &Instruction, element: Type) -> Option<Three> {
    let width = element.width;
    let same = [element; 3];
    let wide = Type { width: 2 * width, ..element };
    Some(match name {
        "mad" if has(instruction, "wide") => {
            (with_integer!(element, multiply_add_wide()), Rule::Carry, 2 * width, [element, element, wide])
        }
        "mad" if has(instruction, "hi") && has(instruction, "sat") => {
            (ternary!(|a, b, c| saturated_high(a, b, c)), Rule::Whole, 32, same)
        }
        "mad" if has(instruction, "hi") => (with_integer!(element, multiply_add_high()), Rule::Whole, width, same),
        "mad" => (with_integer!(element, multiply_add()), Rule::Carry, width, same),
        "mad24" if element.is_signed() => {
            (ternary!(|a, b, c| (low24(a) * low24(b) + c as i64) as u32 as u64), Rule::Whole, 32, same)
        }
        "mad24" => (
            ternary!(|a, b, c| ((a & 0xff_ffff) * (b & 0xff_ffff)).wrapping_add(c) as u32 as u64),
            Rule::Whole,
            32,
            same,
        ),
        "sad" => (with_integer!(element, absolute_difference()), Rule::Whole, width, same),
        "bfe" => (with_integer!(element, extract()), Rule::MoveFirst, width, [element, U32, U32]),
        "shf" => (funnel(has(instruction, "l"), has(instruction, "wrap")), Rule::Move, 32, [U32; 3]),
        _ => return None,
    })
}

fn multiply_add<T: Integer>() -> TernaryFn {
    ternary!(T: Integer, |a, b, c| T::of(a.word().wrapping_mul(b.word()).wrapping_add(c.word())).word())
}

fn multiply_add_wide<T: Integer>() -> TernaryFn {
    fn each<T: Integer>(d: &mut [u64; 32], a: &[u64; 32], b: &[u64; 32], c: &[u64; 32]) {
        for i in 0..32 {
            let product = (T::of(a[i]).wide() * T::of(b[i]).wide()) as u64;
            d[i] = product.wrapping_add(c[i]) & emulator_core::bits::ones(2 * T::WIDTH);
        }
    }
    each::<T>
}

fn multiply_add_high<T: Integer>() -> TernaryFn {
    ternary!(T: Integer, |a, b, c| T::of(high::<T>(a, b).wrapping_add(c.word())).word())
}

fn saturated_high(a: u64, b: u64, c: u64) -> u64 {
    let product = i32::of(a).wide() * i32::of(b).wide();
    i32::clamped((product >> 32) + i32::of(c).wide()).word()
}

fn absolute_difference<T: Integer>() -> TernaryFn {
    ternary!(T: Integer, |a, b, c| T::narrow(c.wide().wrapping_add((a.wide() - b.wide()).abs())).word())
}

/// `bfe`: bits from position `b`, `c` of them; above them zeros, or the highest bit of the field.
fn extract<T: Integer>() -> TernaryFn {
    fn each<T: Integer>(d: &mut [u64; 32], a: &[u64; 32], b: &[u64; 32], c: &[u64; 32]) {
        let is_signed = T::narrow(-1).wide() < 0;
        for i in 0..32 {
            let (position, length) = ((b[i] & 0xff) as u32, (c[i] & 0xff) as u32);
            let msb = T::WIDTH - 1;
            let field = if position > msb { 0 } else { a[i] >> position & emulator_core::bits::ones(length) };
            let highest = (position + length).saturating_sub(1).min(msb);
            let sign = is_signed && length != 0 && a[i] >> highest & 1 != 0;
            let from = length.min(T::WIDTH - position.min(T::WIDTH));
            let above = if sign { !emulator_core::bits::ones(from) } else { 0 };
            d[i] = T::of(field | above).word();
        }
    }
    each::<T>
}

/// `shf`: the upper or lower word of `b:a` shifted by `c`.
fn funnel(to_left: bool, wraps: bool) -> TernaryFn {
    match (to_left, wraps) {
        (true, true) => ternary!(|a, b, c| ((b << 32 | a) << (c & 31)) >> 32),
        (true, false) => ternary!(|a, b, c| if c >= 32 { a } else { ((b << 32 | a) << c) >> 32 }),
        (false, true) => ternary!(|a, b, c| (b << 32 | a) >> (c & 31) & 0xffff_ffff),
        (false, false) => ternary!(|a, b, c| if c >= 32 { b } else { (b << 32 | a) >> c & 0xffff_ffff }),
    }
}

/// `prmt`: bytes of `b:a` that the nibbles of `c` pick, or that one of the modes does.
fn permute(mode: &str) -> TernaryFn {
    match mode {
        "f4e" => ternary!(|a, b, c| picked(a, b, |i| (c & 3) + i)),
        "b4e" => ternary!(|a, b, c| picked(a, b, |i| ((c & 3) + 8 - i) & 7)),
        "rc8" => ternary!(|a, b, c| picked(a, b, |_| c & 3)),
        "ecl" => ternary!(|a, b, c| picked(a, b, |i| i.max(c & 3))),
        "ecr" => ternary!(|a, b, c| picked(a, b, |i| i.min(c & 3))),
        "rc16" => ternary!(|a, b, c| picked(a, b, |i| (c & 1) * 2 + (i & 1))),
        _ => ternary!(|a, b, c| picked(a, b, |i| c >> (4 * i) & 15)),
    }
}

fn picked(a: u64, b: u64, selector: impl Fn(u64) -> u64) -> u64 {
    let bytes = (b << 32 | a).to_le_bytes();
    (0..4).fold(0, |all, i| {
        let pick = selector(i);
        let byte = bytes[(pick & 7) as usize];
        let byte = if pick & 8 != 0 { if byte & 0x80 != 0 { 0xff } else { 0 } } else { byte };
        all | u64::from(byte) << (8 * i)
    })
}

fn logic3(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let [d, a, b, c, Operand::Integer(table)] = operands::<5>(instruction)? else {
        return Err("`lop3` with a predicate is not modelled".to_owned());
    };
    let a: [Source; 3] = [builder.source(a, U32)?, builder.source(b, U32)?, builder.source(c, U32)?];
    let (d, _) = builder.destination(d)?;
    done(builder, Op::Logic3 { table: *table as u8, d, a })
}

fn insert(builder: &mut Builder<'_>, instruction: &Instruction, element: Type) -> Decoded {
    let [d, a, b, c, length] = operands::<5>(instruction)?;
    let a = [
        builder.source(a, element)?,
        builder.source(b, element)?,
        builder.source(c, U32)?,
        builder.source(length, U32)?,
    ];
    let (d, _) = builder.destination(d)?;
    done(builder, Op::Insert { width: element.width, d, a })
}

/// `dp4a`, `dp2a`: bytes of `b` with bytes, or the lower or upper half-words, of `a`; each signed by its own type.
fn dot_product(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let types: Vec<bool> = instruction.words.iter().filter_map(|word| Type::parse(word)).map(Type::is_signed).collect();
    let [a_signed, b_signed] = types[..] else { return Err("a dot product has two types".to_owned()) };
    let f: TernaryFn = match (instruction.words[0].as_str(), a_signed, b_signed, has(instruction, "hi")) {
        ("dp4a", false, false, _) => ternary!(|a, b, c| dot4(a, b, c, false, false)),
        ("dp4a", false, true, _) => ternary!(|a, b, c| dot4(a, b, c, false, true)),
        ("dp4a", true, false, _) => ternary!(|a, b, c| dot4(a, b, c, true, false)),
        ("dp4a", true, true, _) => ternary!(|a, b, c| dot4(a, b, c, true, true)),
        (_, false, false, false) => ternary!(|a, b, c| dot2(a, b, c, false, false)),
        (_, false, true, false) => ternary!(|a, b, c| dot2(a, b, c, false, true)),
        (_, true, false, false) => ternary!(|a, b, c| dot2(a, b, c, true, false)),
        (_, true, true, false) => ternary!(|a, b, c| dot2(a, b, c, true, true)),
        (_, false, false, true) => ternary!(|a, b, c| dot2(a, b >> 16, c, false, false)),
        (_, false, true, true) => ternary!(|a, b, c| dot2(a, b >> 16, c, false, true)),
        (_, true, false, true) => ternary!(|a, b, c| dot2(a, b >> 16, c, true, false)),
        (_, true, true, true) => ternary!(|a, b, c| dot2(a, b >> 16, c, true, true)),
    };
    three(builder, instruction, (f, Rule::Whole, 32), [U32; 3])
}

fn part(word: u64, width: u32, index: u32, is_signed: bool) -> i64 {
    let bits = word >> (width * index) & emulator_core::bits::ones(width);
    if is_signed { emulator_core::bits::sign_extended(bits, width) } else { bits as i64 }
}

fn dot4(a: u64, b: u64, c: u64, a_signed: bool, b_signed: bool) -> u64 {
    let sum: i64 = (0..4).map(|i| part(a, 8, i, a_signed) * part(b, 8, i, b_signed)).sum();
    (c as i64).wrapping_add(sum) as u32 as u64
}

fn dot2(a: u64, b: u64, c: u64, a_signed: bool, b_signed: bool) -> u64 {
    let sum: i64 = (0..2).map(|i| part(a, 16, i, a_signed) * part(b, 8, i, b_signed)).sum();
    (c as i64).wrapping_add(sum) as u32 as u64
}
