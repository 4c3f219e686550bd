//! For the row "stencil, tiles in shared memory": undoes the threading of jumps at branches that one thread of a group
//! takes.
//!
//! `if x == 0 { a } if x == 15 { b }` reaches this vectoriser as `if x == 0 { a } else if x == 15 { b }`, because LLVM
//! proves that both cannot be true. Then no side of the first branch is the place where the threads meet, and all of
//! them would execute both as scalar code. With a branch for each, one lane executes its side.

use crate::llvm::{Block, Builder, Function, Module, Opcode, Value};
use crate::spmd::facts::divergence::Plan;

/// A branch with one side that leads to a join, and another side that has a second branch before the same join.
struct Threaded<'c> {
    /// The block that ends with the branch.
    start: Block<'c>,
    /// The side without a branch.
    side: Block<'c>,
    /// The number of this side in the branch.
    number: usize,
    /// The block with the other branch and nothing else.
    other: Block<'c>,
    /// Where the sides meet.
    join: Block<'c>,
}

/// Changes all such branches on which the threads of a group may not agree.
pub(crate) fn undo_jump_threading<'c>(module: &Module<'c>, function: Function<'c>, plan: &Plan<'_, 'c>) {
    for divergence in &plan.divergences {
        if let Some(threaded) = Threaded::find(function, divergence.block, plan) {
            threaded.unthread(module);
        }
    }
}

impl<'c> Threaded<'c> {
    fn find(function: Function<'c>, start: Block<'c>, plan: &Plan<'_, 'c>) -> Option<Self> {
        let end = start.terminator().filter(|end| end.is(Opcode::Br))?;
        let condition = end.condition().filter(|condition| plan.shapes.is_ordered(*condition))?;
        let sides = end.successors();
        let is_only = |block: Block<'c>, from: Block<'c>| {
            function.blocks().into_iter().all(|b| b == from || !b.successors().contains(&block))
        };
        (0..2).find_map(|number| {
            let (side, other) = (sides[number], sides[1 - number]);
            let [join] = side.successors()[..] else { return None };
            let leads = other.terminator().is_some_and(|end| end.is(Opcode::Br) && end.successors().len() == 2);
            let next = other.successors();
            let more = next.iter().filter(|next| **next != join).copied().collect::<Vec<_>>();
            let [more] = more[..] else { return None };
            let meets = next.contains(&join) && more.successors()[..] == [join] && is_only(more, other);
            let fits = side != other && leads && meets && is_only(side, start) && is_only(other, start);
            let is_empty = other.instructions().all(|i| i.is_terminator());
            let is_known = other.terminator().and_then(Value::condition).is_some_and(|c| plan.shapes.is_ordered(c));
            let differs = plan.shapes.step(condition) != Some(0);
            (fits && is_empty && is_known && differs).then_some(Threaded { start, side, number, other, join })
        })
    }

    fn unthread(self, module: &Module<'c>) {
        let Threaded { start, side, number, other, join } = self;
        let condition = start.terminator().and_then(Value::condition).expect("it branches on a condition");
        let end = other.terminator().expect("it ends with a branch");
        let i1 = module.types().i1();
        let builder = Builder::before(end);
        let (taken, to_join) = (end.condition().expect("it branches"), end.successors()[0] == join);
        // A thread that comes from the side goes to the join. The other condition may be poison in it.
        let comes_from_side = number == 0;
        let first = if comes_from_side == to_join {
            condition
        } else {
            builder.binary(Opcode::Xor, condition, i1.constant(1), "")
        };
        let asks = match to_join {
            true => builder.select(first, i1.constant(1), taken, ""),
            false => builder.select(first, taken, i1.zero(), ""),
        };
        end.set_operand(0, asks);
        for phi in join.instructions().take_while(|i| i.is(Opcode::Phi)).collect::<Vec<_>>() {
            let all = phi.incoming();
            let of = |block: Block<'c>| all.iter().find(|(_, from)| *from == block).map(|(value, _)| *value);
            let (Some(own), Some(others)) = (of(side), of(other)) else { continue };
            let before = Builder::at_start(other).phi(phi.ty(), "");
            before.add_incoming(own, side);
            before.add_incoming(others, start);
            let after = Builder::at_start(join).phi(phi.ty(), "");
            for (value, from) in all.into_iter().filter(|(_, from)| *from != side) {
                after.add_incoming(if from == other { before } else { value }, from);
            }
            phi.replace_all_uses_with(after);
            phi.erase();
        }
        side.terminator().expect("it leads to the join").set_successor(0, other);
    }
}
