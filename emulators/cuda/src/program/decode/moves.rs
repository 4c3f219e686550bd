//! Moves, addresses of state spaces, and `bfind` (PTX ISA, "Data Movement and Conversion Instructions").

use super::integer::{Integer, with_integer};
use super::lanes::{UnaryFn, unary};
use super::{Decoded, done, has, operands, type_of};
use crate::parser::{Family, Instruction, Operand, Space, Type};
use crate::program::builder::Builder;
use crate::program::code::{Op, Rule, Special};
use crate::program::scope::Symbol;

pub(super) fn decode(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    match instruction.words[0].as_str() {
        "mov" => mov(builder, instruction),
        "cvta" => convert_address(builder, instruction),
        "mapa" | "getctarank" => Ok(false),
        "isspacep" => is_space(builder, instruction),
        "bfind" => find_bit(builder, instruction),
        _ => Ok(false),
    }
}

fn mov(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let Some(element) = type_of(instruction) else { return Ok(false) };
    match operands::<2>(instruction)? {
        [Operand::Vector(parts), a] => unpack(builder, element, parts, a),
        [d, Operand::Vector(parts)] => pack(builder, element, d, parts),
        [d, Operand::Not(p)] if element.width == 1 => {
            let (a, _) = builder.register(p)?;
            let (d, width) = builder.destination(d)?;
            done(builder, Op::Unary { f: unary!(|a| a ^ 1), rule: Rule::Each, width, d, a })
        }
        [d, a] => {
            if let Some(which) = special_of(builder, a) {
                let (d, _) = builder.destination(d)?;
                return done(builder, Op::Special { which, d });
            }
            let a = builder.source(a, element)?;
            let (d, width) = builder.destination(d)?;
            done(builder, Op::Unary { f: unary!(|a| a), rule: Rule::Move, width, d, a })
        }
    }
}

fn special_of(builder: &Builder<'_>, operand: &Operand) -> Option<Special> {
    let Operand::Name(name) = operand else { return None };
    if builder.symbol(name).is_some() { None } else { Special::named(name) }
}

/// The width of each part, from the type of the whole.
fn part_width(element: Type, parts: &[Operand]) -> u32 {
    element.width / parts.len().max(1) as u32
}

fn pack(builder: &mut Builder<'_>, element: Type, d: &Operand, parts: &[Operand]) -> Decoded {
    let width = part_width(element, parts);
    let part = Type { family: Family::Bits, width };
    let mut sources = Vec::new();
    for operand in parts {
        sources.push((builder.source(operand, part)?, width));
    }
    let (d, _) = builder.destination(d)?;
    done(builder, Op::Pack { d, parts: sources })
}

fn unpack(builder: &mut Builder<'_>, element: Type, parts: &[Operand], a: &Operand) -> Decoded {
    let width = part_width(element, parts);
    let a = builder.source(a, element)?;
    let mut destinations = Vec::new();
    for operand in parts {
        let d = if *operand == Operand::Sink { None } else { Some(builder.destination(operand)?.0) };
        destinations.push((d, width));
    }
    done(builder, Op::Unpack { parts: destinations, a })
}

fn space_of(instruction: &Instruction) -> Option<Space> {
    instruction.words.iter().skip(1).find_map(|word| {
        Some(match word.as_str() {
            "global" => Space::Global,
            "const" => Space::Const,
            "shared" | "shared::cta" | "shared::cluster" => Space::Shared,
            "local" => Space::Local,
            "param" | "param::entry" => Space::Param,
            _ => return None,
        })
    })
}

fn convert_address(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let Some(space) = space_of(instruction) else { return Ok(false) };
    let [d, a] = operands::<2>(instruction)?;
    let element = Type { family: Family::Unsigned, width: 64 };
    // The address of a parameter of a device function is one of its stack.
    let space = match a {
        Operand::Name(name) if space == Space::Param && matches!(builder.symbol(name), Some(Symbol::Frame(_))) => {
            Space::Local
        }
        _ => space,
    };
    let a = builder.source(a, element)?;
    let (d, _) = builder.destination(d)?;
    let to_space = has(instruction, "to");
    done(builder, if to_space { Op::FromGeneric { space, d, a } } else { Op::ToGeneric { space, d, a } })
}

fn is_space(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let Some(space) = space_of(instruction) else { return Ok(false) };
    let [d, a] = operands::<2>(instruction)?;
    let a = builder.source(a, Type { family: Family::Unsigned, width: 64 })?;
    let (d, _) = builder.destination(d)?;
    done(builder, Op::IsSpace { space, d, a })
}

/// `bfind`: the highest bit that is not the sign, or by how much to shift to bring it to the top.
fn find_bit(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let Some(element) = type_of(instruction) else { return Ok(false) };
    let [d, a] = operands::<2>(instruction)?;
    let a = builder.source(a, element)?;
    let (d, width) = builder.destination(d)?;
    let f = if has(instruction, "shiftamt") {
        with_integer!(element, highest_shift())
    } else {
        with_integer!(element, highest())
    };
    done(builder, Op::Unary { f, rule: Rule::Whole, width, d, a })
}

fn magnitude<T: Integer>(a: T) -> u64 {
    if a.wide() < 0 { T::narrow(!a.wide()).word() } else { a.word() }
}

fn highest<T: Integer>() -> UnaryFn {
    unary!(T: Integer, |a| match magnitude(a) {
        0 => 0xffff_ffff,
        bits => u64::from(63 - bits.leading_zeros()),
    })
}

fn highest_shift<T: Integer>() -> UnaryFn {
    unary!(T: Integer, |a| match magnitude(a) {
        0 => 0xffff_ffff,
        bits => u64::from(T::WIDTH + bits.leading_zeros() - 64),
    })
}
