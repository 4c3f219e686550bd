//! How often loops iterate.

use crate::analysis::cycles::Loop;
use crate::llvm::{Block, Opcode, Value};

/// What is assumed of a loop whose number of iterations is not known.
const USUAL: u64 = 16;

/// Loops are not followed further than this.
const MOST: u64 = 4096;

/// The number of iterations, or a usual one.
pub(super) fn iterations(l: &Loop<'_>) -> u64 {
    known_iterations(l).unwrap_or(USUAL)
}

/// The number of iterations, if it is that of a counter which starts with a constant, steps by constants or is shifted,
/// and is compared with a constant at the end of each iteration or at its start.
pub(in super::super) fn known_iterations(l: &Loop<'_>) -> Option<u64> {
    let phis = l.header.instructions().take_while(|i| i.is(Opcode::Phi));
    phis.filter_map(|phi| counted(l, phi)).min()
}

fn counted<'c>(l: &Loop<'c>, counter: Value<'c>) -> Option<u64> {
    let width = counter.ty().int_width().filter(|width| *width <= 64)?;
    let (inside, outside): (Vec<_>, Vec<_>) = counter.incoming().into_iter().partition(|(_, from)| *from == l.latch);
    let ([(next, _)], [(start, _)]) = (&inside[..], &outside[..]) else { return None };
    if !next.is_instruction() || next.operands().first() != Some(&counter) {
        return None;
    }
    let step = next.operands().get(1)?.as_u64()?;
    let step: Box<dyn Fn(u64) -> u64> = match next.opcode() {
        Opcode::Add => Box::new(move |value| value.wrapping_add(step)),
        Opcode::Shl if step < 64 => Box::new(move |value| value << step),
        Opcode::LShr if step < 64 => Box::new(move |value| value >> step),
        _ => return None,
    };
    let exits: Vec<_> = [l.header, l.latch].into_iter().filter_map(|block| Exit::of(l, block)).collect();
    let (mut value, all) = (start.as_u64()?, u64::MAX >> (64 - width));
    for count in 1..=MOST {
        let after = step(value) & all;
        let number = |v: Value<'c>| match v {
            _ if v == counter => Some(value),
            _ if v == *next => Some(after),
            _ => v.as_u64(),
        };
        // Signs make no difference to small numbers.
        let small = |v: Value<'c>| number(v).filter(|number| *number < 1 << width.saturating_sub(1).min(62));
        let leaves = |exit: &Exit<'c>| {
            let [a, b] = [0, 1].map(|side| small(exit.compare.operand(side)));
            Some(exit.compare.icmp_predicate().holds(a?, b?) == exit.if_true)
        };
        let known: Vec<_> = exits.iter().filter_map(leaves).collect();
        if known.is_empty() || known.contains(&true) {
            return (!known.is_empty()).then_some(count);
        }
        value = after;
    }
    None
}

/// A comparison at the end of a block that leads out of a loop.
struct Exit<'c> {
    compare: Value<'c>,
    /// Whether a thread leaves if it holds.
    if_true: bool,
}

impl<'c> Exit<'c> {
    fn of(l: &Loop<'c>, block: Block<'c>) -> Option<Self> {
        let end = block.terminator().filter(|end| end.is(Opcode::Br))?;
        let compare = end.condition().filter(|condition| condition.is(Opcode::ICmp))?;
        let [then, or_else] = end.successors()[..] else { return None };
        match [then, or_else].map(|next| l.blocks.contains(&next)) {
            [false, true] => Some(Exit { compare, if_true: true }),
            [true, false] => Some(Exit { compare, if_true: false }),
            _ => None,
        }
    }
}
