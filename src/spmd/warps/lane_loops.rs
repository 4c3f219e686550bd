//! The loops over the lanes of a warp.

use super::full::is_straight;
use super::schedule::Warp;
use crate::llvm::{Builder, Function, IntPredicate, Opcode, Value};
use crate::spmd::emit::counted_loop::Loop;
use crate::spmd::emit::launch::Thread;
use crate::spmd::region::types::Region;
use crate::spmd::region::versions::{Group, Guard, Version};
use crate::spmd::tuning::LANE_INLINED;

impl<'c> Warp<'_, '_, 'c> {
    /// Runs `body` for each lane, or for the first of each group if the region has a version for several lanes.
    /// In a full warp, a region in which only one lane does anything runs for this lane.
    pub(crate) fn each_group(
        &self,
        builder: &Builder<'c>,
        region: &Region<'c>,
        body: &mut dyn FnMut(&Builder<'c>, Function<'c>, &Thread<'c>),
    ) {
        let one = region.any().function;
        if let Version::If(Guard::Lane(lane), _) = &region.version
            && self.full
        {
            body(builder, one, &self.thread(builder, self.types().i64().constant((*lane).into())));
            let call = builder.block().instructions().filter(|i| i.is_call()).last();
            // LLVM can then forward stored values to its loads.
            if let Some(call) = call.filter(|_| one.instructions().count() <= LANE_INLINED) {
                call.mark("alwaysinline");
            }
            return;
        }
        let Some(Group { function, width }) = region.version.group(self.in_range).filter(|_| self.full) else {
            self.each_lane(builder, |builder, thread| body(builder, one, thread));
            return;
        };
        let (i64, lanes) = (self.types().i64(), self.warps.lanes);
        if is_straight(function) {
            function.mark("alwaysinline");
            for first in (0..lanes).step_by(width as usize) {
                body(builder, function, &self.thread(builder, i64.constant(first.into())));
            }
            return;
        }
        let first = Loop::begin(builder, i64.zero(), i64.constant(lanes.into()), "group");
        body(builder, function, &self.thread(builder, first.counter));
        first.end_by(builder, i64.constant(width.into()));
    }

    /// Runs `body` for each lane of a full warp.
    pub(crate) fn each_lane_of_row(&self, builder: &Builder<'c>, body: impl FnOnce(&Builder<'c>, &Thread<'c>)) {
        let i64 = self.types().i64();
        let lane = Loop::begin(builder, i64.zero(), i64.constant(self.warps.lanes.into()), "lane");
        body(builder, &self.thread(builder, lane.counter));
        lane.end(builder);
    }

    /// The thread of a lane of a full warp.
    fn thread(&self, builder: &Builder<'c>, lane: Value<'c>) -> Thread<'c> {
        let [x, y, z] = self.place;
        let x = builder.add_no_wrap(x, builder.cast(Opcode::Trunc, lane, x.ty(), ""), "x");
        Thread { id: [x, y, z], number: builder.add(self.own, lane, "") }
    }

    /// Runs `for x { body }` for each part of a row of the block that contains lanes.
    pub(crate) fn each_lane(&self, builder: &Builder<'c>, body: impl FnOnce(&Builder<'c>, &Thread<'c>)) {
        if self.full {
            return self.each_lane_of_row(builder, body);
        }
        let types = self.types();
        let (i32, i64) = (types.i32(), types.i64());
        let [width, height, _] = self.launch.dim;
        let before = builder.block();
        let row = before.function().append_block("row");
        let after = before.function().append_block("");
        builder.br(row);
        builder.move_to_end(row);
        let done = builder.phi(i64, "done");
        let [from, y, z] = ["from", "y", "z"].map(|name| builder.phi(i32, name));
        let room = builder.binary(Opcode::Sub, width, from, "");
        let room = builder.cast(Opcode::ZExt, room, i64, "");
        let left = builder.binary(Opcode::Sub, self.count, done, "");
        let few = builder.icmp(IntPredicate::Ult, left, room, "");
        let length = builder.select(few, left, room, "length");
        let end = builder.add(from, builder.cast(Opcode::Trunc, length, i32, ""), "");
        let wide = |v: Value<'c>| builder.cast(Opcode::ZExt, v, i64, "");
        let shift = builder.binary(Opcode::Sub, builder.add(self.own, done, ""), wide(from), "");
        let x = Loop::begin(builder, from, end, "x");
        let number = builder.add(shift, wide(x.counter), "");
        body(builder, &Thread { id: [x.counter, y, z], number });
        x.end(builder);
        let new_done = builder.add(done, length, "");
        let below = builder.add(y, i32.constant(1), "");
        let is_last = builder.icmp(IntPredicate::Eq, below, height, "");
        let new_y = builder.select(is_last, i32.zero(), below, "");
        let new_z = builder.add(z, builder.cast(Opcode::ZExt, is_last, i32, ""), "");
        let [first_x, first_y, first_z] = self.place;
        let rows =
            [(done, i64.zero(), new_done), (from, first_x, i32.zero()), (y, first_y, new_y), (z, first_z, new_z)];
        for (phi, first, next) in rows {
            phi.add_incoming(first, before);
            phi.add_incoming(next, builder.block());
        }
        let more = builder.icmp(IntPredicate::Ult, new_done, self.count, "");
        builder.cond_br(more, row, after);
        builder.move_to_end(after);
    }
}
