//! Operations of several lanes of a warp: `shfl`, `vote`, `match`, `redux`, `activemask`, `elect`, `bar.warp.sync`.

use super::integer::{Integer, with_integer};
use super::{Decoded, done, has, type_of};
use crate::parser::{Family, Instruction, Operand, Type};
use crate::program::builder::Builder;
use crate::program::code::{CrossLane, Op, Shuffle, Source, Vote};

const U32: Type = Type { family: Family::Unsigned, width: 32 };
const PREDICATE: Type = Type { family: Family::Predicate, width: 1 };

pub(super) fn decode(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    match instruction.words[0].as_str() {
        "activemask" => {
            let [d] = super::operands::<1>(instruction)?;
            let (d, _) = builder.destination(d)?;
            done(builder, Op::ActiveMask { d })
        }
        "shfl" => shuffle(builder, instruction),
        "vote" => vote(builder, instruction),
        "match" => matching(builder, instruction),
        "redux" => reduce(builder, instruction),
        "elect" => {
            let [d, mask] = super::operands::<2>(instruction)?;
            let (d, p) = pair(builder, d)?;
            let mask = builder.source(mask, U32)?;
            cross(builder, instruction, CrossLane::Elect, d, p, [None; 3], mask)
        }
        "bar" | "barrier" if has(instruction, "warp") => {
            let [mask] = super::operands::<1>(instruction)?;
            let mask = builder.source(mask, U32)?;
            cross(builder, instruction, CrossLane::Barrier, None, None, [None; 3], mask)
        }
        _ => Ok(false),
    }
}

/// Lanes wait for those that execute the same operation with the same modifiers.
pub(super) fn key(instruction: &Instruction) -> u32 {
    let letters = instruction.words.iter().flat_map(|word| word.bytes().chain([b'.']));
    letters.fold(0x811c_9dc5, |hash, letter| (hash ^ u32::from(letter)).wrapping_mul(0x0100_0193))
}

fn cross(
    builder: &mut Builder<'_>,
    instruction: &Instruction,
    kind: CrossLane,
    d: Option<Source>,
    p: Option<Source>,
    a: [Option<Source>; 3],
    mask: Source,
) -> Decoded {
    let zero = builder.constant(0);
    let a = a.map(|source| source.unwrap_or(zero));
    done(builder, Op::Cross { kind, key: key(instruction), d, p, a, mask })
}

/// `d|p`, each of which may be missing.
fn pair(builder: &mut Builder<'_>, operand: &Operand) -> Result<(Option<Source>, Option<Source>), String> {
    let mut of = |one: &Operand| match one {
        Operand::Sink => Ok(None),
        other => builder.destination(other).map(|(register, _)| Some(register)),
    };
    match operand {
        Operand::Pair(d, p) => Ok((of(d)?, of(p)?)),
        one => Ok((of(one)?, None)),
    }
}

fn full_mask(builder: &mut Builder<'_>, operand: Option<&Operand>) -> Result<Source, String> {
    match operand {
        Some(mask) => builder.source(mask, U32),
        None => Err("an operation of several lanes without `.sync` is not modelled".to_owned()),
    }
}

fn shuffle(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let kinds = [("up", Shuffle::Up), ("down", Shuffle::Down), ("bfly", Shuffle::Butterfly), ("idx", Shuffle::Index)];
    let Some((_, kind)) = kinds.iter().find(|(word, _)| has(instruction, word)) else { return Ok(false) };
    let [d, a, b, c, rest @ ..] = instruction.operands.as_slice() else { return Ok(false) };
    let mask = full_mask(builder, rest.first())?;
    let (d, p) = pair(builder, d)?;
    let a = [Some(builder.source(a, U32)?), Some(builder.source(b, U32)?), Some(builder.source(c, U32)?)];
    cross(builder, instruction, CrossLane::Shuffle(*kind), d, p, a, mask)
}

fn vote(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let kinds = [("all", Vote::All), ("any", Vote::Any), ("uni", Vote::Uniform), ("ballot", Vote::Ballot)];
    let Some((_, kind)) = kinds.iter().find(|(word, _)| has(instruction, word)) else { return Ok(false) };
    let [d, a, rest @ ..] = instruction.operands.as_slice() else { return Ok(false) };
    let mask = full_mask(builder, rest.first())?;
    let (a, negated) = match a {
        Operand::Not(name) => (builder.register(name)?.0, true),
        other => (builder.source(other, PREDICATE)?, false),
    };
    let (d, _) = pair(builder, d)?;
    cross(builder, instruction, CrossLane::Vote(*kind, negated), d, None, [Some(a), None, None], mask)
}

fn matching(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let Some(element) = type_of(instruction) else { return Ok(false) };
    let [d, a, mask] = super::operands::<3>(instruction)?;
    let (d, p) = pair(builder, d)?;
    let (a, mask) = (builder.source(a, element)?, builder.source(mask, U32)?);
    let kind = if has(instruction, "any") { CrossLane::MatchAny } else { CrossLane::MatchAll };
    cross(builder, instruction, kind, d, p, [Some(a), None, None], mask)
}

fn reduce(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let Some(element) = type_of(instruction) else { return Ok(false) };
    if !matches!(element.family, Family::Bits | Family::Unsigned | Family::Signed) {
        return Ok(false);
    }
    let names = instruction.words.iter().skip(1);
    let Some(f) = names.filter_map(|name| with_integer!(element, step(name))).next() else { return Ok(false) };
    let [d, a, mask] = super::operands::<3>(instruction)?;
    let (d, _) = pair(builder, d)?;
    let (a, mask) = (builder.source(a, element)?, builder.source(mask, U32)?);
    cross(builder, instruction, CrossLane::Reduce(f), d, None, [Some(a), None, None], mask)
}

fn step<T: Integer>(name: &str) -> Option<fn(u64, u64) -> u64> {
    Some(match name {
        "add" => |a, b| T::of(a.wrapping_add(b)).word(),
        "min" => |a, b| T::of(a).min(T::of(b)).word(),
        "max" => |a, b| T::of(a).max(T::of(b)).word(),
        "and" => |a, b| a & b,
        "or" => |a, b| a | b,
        "xor" => |a, b| a ^ b,
        _ => return None,
    })
}
