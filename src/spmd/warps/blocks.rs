//! Runs the warps of a block, until all of their threads have ended.

use super::rows;
use super::schedule::{ONE_WARP, define_warp};
use crate::llvm::{Builder, Function, IntPredicate, Opcode, Value};
use crate::spmd::emit::counted_loop::Loop;
use crate::spmd::emit::launch::{Frames, Launch, is_not_zero};
use crate::spmd::region::stops::Warps;
use crate::spmd::region::types::SplitKernel;

/// Runs every thread of the block.
pub(crate) fn run<'c>(launch: &Launch<'_, 'c>, builder: &Builder<'c>, split: &SplitKernel<'c>, warps: &Warps) {
    let row = warps.full.then(|| rows::define(launch, split, warps));
    let (i1, i32, i64) = (launch.types().i1(), launch.types().i32(), launch.types().i64());
    let warp = define_warp(launch, split, warps, row);
    if !warps.has_barriers() {
        let frames = launch.frames_for(builder, split, i64.constant(ONE_WARP));
        return Phase { launch, warps, warp, row, frames, waiting: None }.run(builder, i1.constant(1));
    }
    let frames = launch.frames(builder, split);
    let waiting = builder.alloca(i32, "waiting");
    let (before, entry) = (builder.block(), builder.block().function());
    let (phase, done) = (entry.append_block("phase"), entry.append_block("done"));
    builder.br(phase);
    builder.move_to_end(phase);
    let begin = builder.phi(i1, "begin");
    begin.add_incoming(i1.constant(1), before);
    builder.store(i32.zero(), waiting, 0);
    Phase { launch, warps, warp, row, frames, waiting: Some(waiting) }.run(builder, begin);
    begin.add_incoming(i1.zero(), builder.block());
    builder.cond_br(is_not_zero(builder, builder.load(i32, waiting, 0, "")), phase, done);
    builder.move_to_end(done);
}

/// Emits the code that runs every warp of a block once, to its end or a barrier.
struct Phase<'a, 'm, 'c> {
    launch: &'a Launch<'m, 'c>,
    warps: &'a Warps,
    /// The function that runs a warp.
    warp: Function<'c>,
    /// That for the warps of a row of which all lanes are there.
    row: Option<Function<'c>>,
    frames: Frames<'c>,
    /// A variable of which each warp sets bits if it waits.
    waiting: Option<Value<'c>>,
}

impl<'c> Phase<'_, '_, 'c> {
    /// `begin` is whether it is the first one.
    fn run(&self, builder: &Builder<'c>, begin: Value<'c>) {
        let Phase { launch, warps, warp, row, frames, waiting } = self;
        let i64 = launch.types().i64();
        let call = |function: Function<'c>, more: &[Value<'c>]| {
            let waits = launch.call_part(builder, function, frames, more, "waits");
            if let Some(waiting) = *waiting {
                let waits = builder.binary(Opcode::Or, waits, builder.load(waits.ty(), waiting, 0, ""), "");
                builder.store(waits, waiting, 0);
            }
        };
        let after = row.map(|row| {
            let after = launch.if_rows_of_warps(builder, warps.lanes);
            launch.each_row(builder, |_, first, y, z| {
                let own = if warps.has_barriers() { first } else { i64.zero() };
                call(row, &[own, begin, launch.dim[0].ty().zero(), y, z, launch.dim[0]]);
            });
            builder.br(after.1);
            builder.move_to_end(after.0);
            after.1
        });
        let (total, lanes) = (launch.thread_count(builder), i64.constant(warps.lanes.into()));
        let first = Loop::begin(builder, i64.zero(), total, "first");
        let left = builder.binary(Opcode::Sub, total, first.counter, "");
        let few = builder.icmp(IntPredicate::Ult, left, lanes, "");
        let count = builder.select(few, left, lanes, "count");
        let own = if warps.has_barriers() { first.counter } else { i64.zero() };
        call(*warp, &[own, first.counter, count, begin]);
        first.end_by(builder, lanes);
        if let Some(after) = after {
            builder.br(after);
            builder.move_to_end(after);
        }
    }
}
