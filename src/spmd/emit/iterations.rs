//! The loops over the iterations that no thread of a block leaves (`version/loop_iterations.rs`).

use super::counted_loop::Loop;
use super::launch::{Frames, Launch, Thread};
use crate::llvm::{Block, Builder, Function, IntPredicate, Opcode, Value};
use crate::spmd::region::slots::{Kept, Step};
use crate::spmd::region::versions::{Iterations, Version};
use crate::spmd::tuning::PREFETCHED_THREADS;

impl<'c> Launch<'_, 'c> {
    /// Runs iterations of all threads, which have stopped at the start of a region, as long as none leaves the loop.
    pub(crate) fn run_iterations(
        &self,
        builder: &Builder<'c>,
        iterations: &Iterations<'c>,
        version: &Version<'c>,
        frames: &Frames<'c>,
    ) {
        let (entry, types) = (builder.block().function(), self.types());
        let [enter, again, whole, left, changed, after] =
            ["iterations", "again", "whole", "left", "changed", "behind"].map(|name| entry.append_block(name));
        let rows = builder.binary(Opcode::Or, self.dim[1], self.dim[2], "");
        let is_row = builder.icmp(IntPredicate::Ule, rows, rows.ty().constant(1), "");
        builder.cond_br(is_row, enter, after);
        builder.move_to_end(enter);
        let Kept { offset, ty, .. } = iterations.counter;
        let slots = frames.slots(builder, offset, "counters");
        let old = builder.load(ty, slots, 0, "");
        if !matches!(iterations.counter.step, Some(Step::Certain(_))) {
            self.leave_if_irregular(builder, slots, old, after);
        }
        let before = builder.block();
        builder.br(again);
        builder.move_to_end(again);
        let counter = builder.phi(ty, "counter");
        counter.add_incoming(old, before);
        let first = self.first();
        let more = |thread: &Thread<'c>| [frames.arguments(thread, 0), vec![counter]].concat();
        let holds = self.call(builder, iterations.whole, &first, &more(&first));
        builder.cond_br(holds, whole, left);
        builder.move_to_end(whole);
        let next = self.call(builder, iterations.next, &first, &more(&first));
        let mut run = |builder: &Builder<'c>, function: Function<'c>, thread: &Thread<'c>| {
            self.call(builder, function, thread, &more(thread));
        };
        match iterations.prefetch {
            None => self.each_of_row(builder, version, [first.id[0], self.dim[0]], &mut run),
            Some(prefetch) => {
                // Of the iteration after the next one: a short one does not take as long as memory.
                let later = [frames.arguments(&first, 0), vec![next]].concat();
                let later = self.call(builder, iterations.next, &first, &later);
                let x = Loop::begin(builder, first.id[0], self.dim[0], "part");
                let number = builder.cast(Opcode::ZExt, x.counter, types.i64(), "");
                let thread = Thread { id: [x.counter, first.id[1], first.id[2]], number };
                let arguments = [frames.arguments(&thread, 0), vec![later]].concat();
                self.call(builder, prefetch, &thread, &arguments);
                let step = x.counter.ty().constant(PREFETCHED_THREADS);
                let end = builder.add(x.counter, step, "");
                let is_last = builder.icmp(IntPredicate::Ugt, end, self.dim[0], "");
                let end = builder.select(is_last, self.dim[0], end, "");
                self.each_of_row(builder, version, [x.counter, end], &mut run);
                x.end_by(builder, step);
            }
        }
        counter.add_incoming(next, builder.block());
        builder.br(again);
        builder.move_to_end(left);
        builder.cond_br(builder.icmp(IntPredicate::Ne, counter, old, ""), changed, after);
        builder.move_to_end(changed);
        let x = Loop::begin(builder, self.dim[0].ty().zero(), self.dim[0], "x");
        let (own, slot) = counter_of(builder, slots, counter, x.counter);
        builder.store(own, slot, 0);
        x.end(builder);
        builder.br(after);
        builder.move_to_end(after);
    }
    /// Branches to `after` if the counters in the slots do not increase by one from thread to thread.
    fn leave_if_irregular(&self, builder: &Builder<'c>, slots: Value<'c>, first: Value<'c>, after: Block<'c>) {
        let (entry, ty) = (builder.block().function(), first.ty());
        // One in a loop would take more of the stack each time.
        let start = entry.blocks()[0].instructions().next().expect("a block has a terminator");
        let others = Builder::before(start).alloca(ty, "others");
        builder.store(ty.zero(), others, 0);
        let x = Loop::begin(builder, self.dim[0].ty().zero(), self.dim[0], "x");
        let (expected, slot) = counter_of(builder, slots, first, x.counter);
        let differs = builder.binary(Opcode::Xor, builder.load(ty, slot, 0, ""), expected, "");
        let before = builder.load(ty, others, 0, "");
        builder.store(builder.binary(Opcode::Or, before, differs, ""), others, 0);
        x.end(builder);
        let others = builder.load(ty, others, 0, "");
        let regular = entry.append_block("regular");
        builder.cond_br(builder.icmp(IntPredicate::Eq, others, ty.zero(), ""), regular, after);
        builder.move_to_end(regular);
    }
}

/// The counter of a thread if that of the first one is `first`, and the address of its slot.
fn counter_of<'c>(builder: &Builder<'c>, slots: Value<'c>, first: Value<'c>, x: Value<'c>) -> (Value<'c>, Value<'c>) {
    let (ty, i64) = (first.ty(), first.types().i64());
    let own = builder.cast(Opcode::ZExt, x, i64, "");
    let value = builder.add(first, if ty == i64 { own } else { x }, "");
    (value, builder.gep(ty, slots, &[own], ""))
}
