//! Operations on registers alone.

use emulator_core::bits::{self, ones};

use super::activation::get;
use super::undefined;
use crate::lanes::{Lanes, Word, lanes};
use crate::program::Function;
use crate::program::code::{Carry, Combination, Op, Rule, Source};

/// Executes an operation that needs nothing but registers; false if it is another.
pub(super) fn execute(function: &Function, registers: &mut [Lanes], active: u32, op: &Op) -> bool {
    let value = |registers: &[Lanes], source: Source| -> Lanes { get(function, registers, source).clone() };
    match op {
        Op::Unary { f, rule, width, d, a } => {
            let a = get(function, registers, *a);
            let mut out = [0; 32];
            f(&mut out, &a.bits);
            if a.dirty & active == 0 {
                registers[*d as usize].put(active, &out);
                return true;
            }
            let mut masks = [0; 32];
            match rule {
                Rule::Move => f(&mut masks, &a.masks()),
                _ => masks = undefined::through(*rule, *width, &[a]),
            }
            registers[*d as usize].put_with(active, &out, &masks);
        }
        Op::Binary { f, rule, width, d, a, b } => {
            let (a, b) = (get(function, registers, *a), get(function, registers, *b));
            let mut out = [0; 32];
            f(&mut out, &a.bits, &b.bits);
            if (a.dirty | b.dirty) & active == 0 && *rule != Rule::Divide {
                registers[*d as usize].put(active, &out);
                return true;
            }
            let masks = undefined::through(*rule, *width, &[a, b]);
            registers[*d as usize].put_with(active, &out, &masks);
        }
        Op::Ternary { f, rule, width, d, a } => {
            let [a, b, c] = a.map(|source| get(function, registers, source));
            let mut out = [0; 32];
            f(&mut out, &a.bits, &b.bits, &c.bits);
            if (a.dirty | b.dirty | c.dirty) & active == 0 {
                registers[*d as usize].put(active, &out);
                return true;
            }
            let masks = ternary_masks(*f, *rule, *width, [a, b, c]);
            registers[*d as usize].put_with(active, &out, &masks);
        }
        Op::General { f, rule, width, d, a } => {
            let [a, b, c] = a.map(|source| value(registers, source));
            let masks = undefined::through(*rule, *width, &[&a, &b, &c]);
            for lane in lanes(active) {
                let result = f.0(a.bits[lane], b.bits[lane], c.bits[lane]);
                registers[*d as usize].put_lane(lane, result, masks[lane]);
            }
        }
        Op::Insert { width, d, a } => {
            let a = a.map(|source| value(registers, source));
            for lane in lanes(active) {
                let (result, mask) = insert(&a, lane, *width);
                registers[*d as usize].put_lane(lane, result, mask);
            }
        }
        Op::Logic3 { table, d, a } => {
            let [a, b, c] = a.map(|source| value(registers, source));
            let masks = undefined::through(Rule::Each, 32, &[&a, &b, &c]);
            for lane in lanes(active) {
                let result = logic3(*table, a.bits[lane], b.bits[lane], c.bits[lane]);
                registers[*d as usize].put_lane(lane, result, masks[lane]);
            }
        }
        _ => return choose(function, registers, active, op),
    }
    true
}

fn ternary_masks(f: fn(&mut Word, &Word, &Word, &Word), rule: Rule, width: u32, [a, b, c]: [&Lanes; 3]) -> Word {
    let mut masks = [0; 32];
    match rule {
        Rule::Move => f(&mut masks, &a.masks(), &b.masks(), &c.bits),
        Rule::MoveFirst => f(&mut masks, &a.masks(), &b.bits, &c.bits),
        _ => return undefined::through(rule, width, &[a, b, c]),
    }
    for (lane, mask) in masks.iter_mut().enumerate() {
        let selector = c.mask(lane) | if rule == Rule::MoveFirst { b.mask(lane) } else { 0 };
        if selector != 0 {
            *mask = ones(width);
        }
    }
    masks
}

/// `bfi`: the lowest bits of a in b.
fn insert(a: &[Lanes; 4], lane: usize, width: u32) -> (u64, u64) {
    let (position, length) = (a[2].bits[lane] & 0xff, a[3].bits[lane] & 0xff);
    if (a[2].mask(lane) | a[3].mask(lane)) & 0xff != 0 {
        return (a[1].bits[lane], ones(width));
    }
    let field = if position >= u64::from(width) { 0 } else { ones(length.min(64) as u32) << position & ones(width) };
    let moved = |bits: u64| if position >= 64 { 0 } else { bits << position };
    let merged = |a: u64, b: u64| moved(a) & field | b & !field;
    (merged(a[0].bits[lane], a[1].bits[lane]), merged(a[0].mask(lane), a[1].mask(lane)))
}

/// `lop3`: each result bit is the bit of the table that the three operand bits pick, the first the highest.
fn logic3(table: u8, a: u64, b: u64, c: u64) -> u64 {
    let term = |row: u32| {
        let pick = |bits: u64, wanted: bool| if wanted { bits } else { !bits };
        pick(a, row & 4 != 0) & pick(b, row & 2 != 0) & pick(c, row & 1 != 0)
    };
    (0..8).filter(|row| table >> row & 1 != 0).fold(0, |all, row| all | term(row)) & 0xffff_ffff
}

/// Comparisons, choices and carries.
fn choose(function: &Function, registers: &mut [Lanes], active: u32, op: &Op) -> bool {
    match op {
        Op::Compare { f, kind, width, p, q, combine, a, b } => {
            let (a, b) = (get(function, registers, *a), get(function, registers, *b));
            let holds = f(&a.bits, &b.bits);
            let dirty = (a.dirty | b.dirty) & active;
            let undefined = if dirty == 0 { 0 } else { undefined::comparison(*kind, *width, a, b) & active };
            for (d, holds) in [(p, holds), (q, !holds)] {
                if let Some(d) = d {
                    let (holds, undefined) = combined(function, registers, *combine, holds, undefined);
                    put_predicate(&mut registers[*d as usize], active, holds, undefined);
                }
            }
        }
        Op::Set { f, kind, width, truth, combine, d, a, b } => {
            let (a, b) = (get(function, registers, *a), get(function, registers, *b));
            let undefined = undefined::comparison(*kind, *width, a, b) & active;
            let (holds, undefined) = combined(function, registers, *combine, f(&a.bits, &b.bits), undefined);
            for lane in lanes(active) {
                let mask = if undefined >> lane & 1 != 0 { *truth } else { 0 };
                registers[*d as usize].put_lane(lane, if holds >> lane & 1 != 0 { *truth } else { 0 }, mask);
            }
        }
        Op::Select { d, a, b, p } => {
            let [a, b, p] = [*a, *b, *p].map(|source| get(function, registers, source));
            let out = std::array::from_fn(|lane| if p.bits[lane] & 1 != 0 { a.bits[lane] } else { b.bits[lane] });
            if (a.dirty | b.dirty | p.dirty) & active == 0 {
                registers[*d as usize].put(active, &out);
                return true;
            }
            let masks = std::array::from_fn(|lane| {
                let chosen = if p.bits[lane] & 1 != 0 { a.mask(lane) } else { b.mask(lane) };
                let (a, b) = ((a.bits[lane], a.mask(lane)), (b.bits[lane], b.mask(lane)));
                bits::select(p.mask(lane) & 1 != 0, chosen, a, b)
            });
            registers[*d as usize].put_with(active, &out, &masks);
        }
        Op::CarryChain { kind, width, reads, writes, d, a, carry } => {
            let a = a.map(|source| get(function, registers, source).clone());
            let old = registers[*carry as usize].clone();
            for lane in lanes(active) {
                let old = (*reads).then(|| (old.bits[lane], old.mask(lane)));
                let (result, carried) = chain(*kind, *width, &a, lane, old.map_or(0, |old| old.0));
                let undefined = a.iter().fold(0, |all, one| all | one.mask(lane)) | old.map_or(0, |old| old.1 & 1);
                let mask = bits::carried(undefined, 0, *width);
                registers[*d as usize].put_lane(lane, result, mask);
                if *writes {
                    registers[*carry as usize].put_lane(lane, carried, u64::from(undefined != 0));
                }
            }
        }
        _ => return parts(function, registers, active, op),
    }
    true
}

fn put_predicate(d: &mut Lanes, active: u32, holds: u32, undefined: u32) {
    let out: Word = std::array::from_fn(|lane| u64::from(holds >> lane & 1));
    d.put(active, &out);
    for lane in lanes(undefined & active) {
        d.put_lane(lane, out[lane], 1);
    }
}

/// A comparison's result together with another predicate.
fn combined(
    function: &Function,
    registers: &[Lanes],
    combine: Option<(Combination, Source, bool)>,
    holds: u32,
    undefined: u32,
) -> (u32, u32) {
    let Some((kind, source, negated)) = combine else { return (holds, undefined) };
    let other = get(function, registers, source);
    let bits_of = |word: &dyn Fn(usize) -> u64| (0..32).fold(0, |all, lane| all | ((word(lane) & 1) as u32) << lane);
    let mut value = bits_of(&|lane| other.bits[lane]);
    let mask = bits_of(&|lane| other.mask(lane));
    if negated {
        value = !value;
    }
    let (a, ua, b, ub) = (u64::from(holds), u64::from(undefined), u64::from(value), u64::from(mask));
    match kind {
        Combination::And => (holds & value, bits::and(a, ua, b, ub) as u32),
        Combination::Or => (holds | value, bits::or(a, ua, b, ub) as u32),
        Combination::Xor => (holds ^ value, undefined | mask),
    }
}

/// A result, and the carry or borrow.
fn chain(kind: Carry, width: u32, a: &[Lanes; 3], lane: usize, carry: u64) -> (u64, u64) {
    let [a, b, c] = [a[0].bits[lane], a[1].bits[lane], a[2].bits[lane]].map(u128::from);
    let carry = u128::from(carry & 1);
    let signed = |word: u128| i128::from(bits::sign_extended(word as u64, width));
    let half = |product: u128| product >> width & u128::from(ones(width));
    let sum = match kind {
        Carry::Add => a + b + carry,
        Carry::Subtract => a.wrapping_sub(b).wrapping_sub(carry),
        Carry::MultiplyLow => ((a * b) & u128::from(ones(width))) + c + carry,
        Carry::MultiplyHigh => half(a * b) + c + carry,
        Carry::MultiplyHighSigned => half((signed(a) * signed(b)) as u128) + c + carry,
    };
    (sum as u64 & ones(width), (sum >> width & 1) as u64)
}

/// Parts of words.
fn parts(function: &Function, registers: &mut [Lanes], active: u32, op: &Op) -> bool {
    match op {
        Op::Pack { d, parts } => {
            let (mut values, mut masks, mut shift) = ([0; 32], [0; 32], 0);
            for (part, width) in parts {
                let part = get(function, registers, *part);
                for lane in 0..32 {
                    values[lane] |= (part.bits[lane] & ones(*width)) << shift;
                    masks[lane] |= (part.mask(lane) & ones(*width)) << shift;
                }
                shift += width;
            }
            registers[*d as usize].put_with(active, &values, &masks);
        }
        Op::Unpack { parts, a } => {
            let a = get(function, registers, *a).clone();
            let mut shift = 0;
            for (d, width) in parts {
                let cut = |bits: u64| bits >> shift & ones(*width);
                for (d, lane) in d.iter().flat_map(|d| lanes(active).map(move |lane| (*d, lane))) {
                    registers[d as usize].put_lane(lane, cut(a.bits[lane]), cut(a.mask(lane)));
                }
                shift += width;
            }
        }
        Op::FromWord { d, word, shift, width, signed } => {
            let word = get(function, registers, *word);
            let cut = |bits: u64| {
                let bits = bits >> shift & ones(*width);
                signed.map_or(bits, |register| bits::sign_extended(bits, *width) as u64 & ones(register))
            };
            let values = std::array::from_fn(|lane| cut(word.bits[lane]));
            if word.dirty & active == 0 {
                registers[*d as usize].put(active, &values);
            } else {
                let masks = std::array::from_fn(|lane| cut(word.mask(lane)));
                registers[*d as usize].put_with(active, &values, &masks);
            }
        }
        Op::ToWord { word, a, shift, width } => {
            let a = get(function, registers, *a).clone();
            let field = ones(*width) << shift;
            let d = &mut registers[*word as usize];
            for lane in lanes(active) {
                let merged = |new: u64, old: u64| (new << shift) & field | old & !field;
                let (value, mask) = (merged(a.bits[lane], d.bits[lane]), merged(a.mask(lane), d.mask(lane)));
                d.put_lane(lane, value, mask);
            }
        }
        Op::Nothing => {}
        _ => return false,
    }
    true
}
