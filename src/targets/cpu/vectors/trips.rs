//! How often loops iterate.

use crate::analysis::cycles::Loop;
use crate::llvm::{Block, Opcode, Value};

/// What is assumed of a loop whose number of iterations is not known.
const USUAL: u64 = 16;

/// Loops are not followed further than this.
const MOST: u64 = 4096;

/// The number of iterations: that of a counter which starts and steps by constants and is compared with one at the end
/// of each iteration or at its start.
pub(super) fn iterations(l: &Loop<'_>) -> u64 {
    known(l).unwrap_or(USUAL)
}

/// The same, if it is known.
pub(super) fn known(l: &Loop<'_>) -> Option<u64> {
    let phis = l.header.instructions().take_while(|i| i.is(Opcode::Phi));
    phis.filter_map(|phi| counted(l, phi)).min()
}

fn counted<'c>(l: &Loop<'c>, counter: Value<'c>) -> Option<u64> {
    let width = counter.ty().int_width().filter(|width| *width <= 64)?;
    let (inside, outside): (Vec<_>, Vec<_>) = counter.incoming().into_iter().partition(|(_, from)| *from == l.latch);
    let ([(next, _)], [(start, _)]) = (&inside[..], &outside[..]) else { return None };
    let step = next.operands().into_iter().find_map(|v| v.as_u64()).filter(|_| next.is(Opcode::Add))?;
    if !next.operands().contains(&counter) {
        return None;
    }
    let exits: Vec<_> = [l.header, l.latch].into_iter().filter_map(|block| Exit::of(l, block)).collect();
    let (mut value, all) = (start.as_u64()?, u64::MAX >> (64 - width));
    for count in 1..=MOST {
        let after = value.wrapping_add(step) & all;
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
