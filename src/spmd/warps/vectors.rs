//! The operations of warps whose lanes are all there, in vectors (`full.rs`).

use super::full::is_long;
use super::schedule::Warp;
use crate::contract::builtin::{LaneOperation, ShuffleMode};
use crate::llvm::{Block, Builder, Function, IntPredicate, Opcode, Type, Value};
use crate::spmd::region::stops::{Operands, Stop, all_lanes};
use crate::spmd::tuning::{WARP_GROUP, WARP_LONG_REGIONS};

/// The lane from which a lane reads, where all lanes take part. `warp.ll` has the same for lanes that are not known to.
fn source(mode: ShuffleMode, lane: u32, argument: u32, lanes: u32) -> u32 {
    let argument = argument & (lanes - 1);
    match mode {
        ShuffleMode::Index => argument,
        ShuffleMode::Xor => lane ^ argument,
        ShuffleMode::Up => lane.checked_sub(argument).unwrap_or(lane),
        ShuffleMode::Down => Some(lane + argument).filter(|from| *from < lanes).unwrap_or(lane),
    }
}

impl<'c> Warp<'_, '_, 'c> {
    /// Whether there are so many long regions that they are called.
    pub(crate) fn has_many_long_regions(&self) -> bool {
        self.split.regions.iter().filter(|region| is_long(region)).count() > WARP_LONG_REGIONS
    }

    /// Lets the function for the full warps of a `row` run this warp if it is one: `count` is that of all lanes, and
    /// they are in one row.
    pub(crate) fn leave_to(&self, builder: &Builder<'c>, row: Function<'c>, begin: Value<'c>) {
        let function = builder.block().function();
        let [full, rest] = ["full", "rest"].map(|name| function.append_block(name));
        let ([width, ..], [x, y, z], lanes) = (self.launch.dim, self.place, self.warps.lanes);
        let whole = builder.icmp(IntPredicate::Eq, self.count, self.types().i64().constant(lanes.into()), "");
        let room = builder.binary(Opcode::Sub, width, x, "");
        let lanes = self.types().i32().constant(lanes.into());
        let fits = builder.icmp(IntPredicate::Uge, room, lanes, "");
        builder.cond_br(builder.binary(Opcode::And, whole, fits, "is.full"), full, rest);
        builder.move_to_end(full);
        let end = builder.add(x, lanes, "end");
        let more = [self.own, begin, x, y, z, end];
        builder.ret(self.launch.call_part(builder, row, &self.frames, &more, ""));
        builder.move_to_end(rest);
    }

    /// All lanes are at stop `k`: executes its operation, or branches to `diverged` if its masks are not complete.
    pub(crate) fn operate_converged(&self, builder: &Builder<'c>, k: usize, all: Value<'c>, diverged: Block<'c>) {
        let Some((stop, operands)) = k.checked_sub(1).map(|at| (self.warps.stops[at], self.warps.operands[at])) else {
            return;
        };
        let Some(operation) = stop.operation() else { return };
        let operate = |operands: Operands| {
            if !self.operate_in_vectors(builder, operation, operands) {
                self.operate(builder, operation, all);
            }
        };
        // In a full warp, a mask of all lanes is complete where all lanes are.
        if !matches!(stop, Stop::Masked(..)) || self.full && operands.all {
            return operate(operands);
        }
        if !self.full {
            self.wait_converged(builder, k, all, diverged);
            return operate(operands);
        }
        let function = builder.block().function();
        let [every, some, done] = ["every", "some", "done"].map(|name| function.append_block(name));
        builder.cond_br(self.names_all(builder), every, some);
        builder.move_to_end(every);
        operate(Operands { all: true, ..operands });
        builder.br(done);
        builder.move_to_end(some);
        self.wait_converged(builder, k, all, diverged);
        operate(operands);
        builder.br(done);
        builder.move_to_end(done);
    }

    /// Whether the masks of all lanes of a full warp name all lanes.
    fn names_all(&self, builder: &Builder<'c>) -> Value<'c> {
        let (i64, all) = (self.types().i64(), all_lanes(self.warps.lanes));
        let (masks, every) = (self.masks(builder), builder.splat(i64.constant(all), WARP_GROUP));
        let missing = (0..self.warps.lanes).step_by(WARP_GROUP as usize).map(|first| {
            let address = builder.byte_offset(masks, u64::from(first) * 8, "");
            builder.binary(Opcode::Xor, builder.load(every.ty(), address, 8, ""), every, "")
        });
        let missing = missing.reduce(|a, b| builder.binary(Opcode::Or, a, b, "")).expect("a warp has lanes");
        let any = self.launch.module.intrinsic("llvm.vector.reduce.or", &[missing.ty()]);
        builder.icmp(IntPredicate::Eq, builder.call(any, &[missing], ""), i64.zero(), "")
    }

    /// Executes an operation for all lanes of a full warp, if it can be done in vectors. Returns whether it was.
    pub(crate) fn operate_in_vectors(&self, builder: &Builder<'c>, operation: LaneOperation, of: Operands) -> bool {
        if !self.full || !of.all {
            return false;
        }
        let (lanes, i64) = (self.warps.lanes, self.types().i64());
        let every = i64.constant(all_lanes(lanes));
        let result = match (operation, of.argument) {
            (LaneOperation::SyncWarp, _) => return true,
            (LaneOperation::Shuffle(mode, _), Some(argument)) => {
                let values = self.load_groups(builder, self.warps.mailbox.value);
                let from: Vec<_> = (0..lanes).map(|lane| source(mode, lane, argument, lanes)).collect();
                self.store_groups(builder, self.warps.mailbox.word, self.types().i32(), &|group| {
                    builder.permute(values, values, &from[group..group + WARP_GROUP as usize])
                });
                return true;
            }
            (LaneOperation::Shuffle(ShuffleMode::Index, _), None) => {
                self.broadcast(builder, operation);
                return true;
            }
            (LaneOperation::Shuffle(..), None) => return false,
            (LaneOperation::ActiveMask, _) => every,
            (LaneOperation::Ballot(_), _) => self.votes(builder),
            (LaneOperation::Any(_), _) => {
                let some = builder.icmp(IntPredicate::Ne, self.votes(builder), i64.zero(), "");
                builder.cast(Opcode::ZExt, some, i64, "")
            }
            (LaneOperation::All(_), _) => {
                let same = builder.icmp(IntPredicate::Eq, self.votes(builder), every, "");
                builder.cast(Opcode::ZExt, same, i64, "")
            }
        };
        let results = builder.splat(result, WARP_GROUP);
        self.store_groups(builder, self.warps.mailbox.result, i64, &|_| results);
        true
    }

    /// Gives all lanes the value of one lane, if all name the same one, as in a loop over the lanes. Otherwise, each
    /// lane reads its own.
    fn broadcast(&self, builder: &Builder<'c>, operation: LaneOperation) {
        let (i32, function) = (self.types().i32(), builder.block().function());
        let [one, several, done] = ["one", "several", "done"].map(|name| function.append_block(name));
        let from = self.load_groups(builder, self.warps.mailbox.argument);
        let first = builder.extract_element(from, i32.zero(), "");
        let same = builder.icmp(IntPredicate::Eq, from, builder.splat(first, self.warps.lanes), "");
        let same = builder.bits(same);
        let all = same.ty().constant(all_lanes(self.warps.lanes));
        builder.cond_br(builder.icmp(IntPredicate::Eq, same, all, ""), one, several);
        builder.move_to_end(one);
        let lane = builder.binary(Opcode::And, first, i32.constant((self.warps.lanes - 1).into()), "");
        let lane = builder.cast(Opcode::ZExt, lane, self.types().i64(), "");
        let values = self.array(builder, self.warps.mailbox.value, i32);
        let value = builder.load(i32, builder.gep(i32, values, &[lane], ""), 0, "");
        let values = builder.splat(value, WARP_GROUP);
        self.store_groups(builder, self.warps.mailbox.word, i32, &|_| values);
        builder.br(done);
        builder.move_to_end(several);
        self.operate(builder, operation, self.all(builder));
        builder.br(done);
        builder.move_to_end(done);
    }

    /// The lanes whose values are not 0.
    fn votes(&self, builder: &Builder<'c>) -> Value<'c> {
        let values = self.load_groups(builder, self.warps.mailbox.value);
        let votes = builder.bits(builder.icmp(IntPredicate::Ne, values, values.ty().zero(), ""));
        let i64 = self.types().i64();
        if votes.ty() == i64 { votes } else { builder.cast(Opcode::ZExt, votes, i64, "") }
    }

    /// The operands of all lanes, at this offset.
    fn load_groups(&self, builder: &Builder<'c>, offset: u64) -> Value<'c> {
        let i32 = self.types().i32();
        let array = self.array(builder, offset, i32);
        let group = |first: u32| {
            let address = builder.byte_offset(array, u64::from(first) * 4, "");
            builder.load(i32.vector(WARP_GROUP), address, 4, "")
        };
        let groups = (0..self.warps.lanes).step_by(WARP_GROUP as usize).map(group);
        let join = |all: Value<'c>, next: Value<'c>| {
            let length = all.ty().vector_length().expect("it is a vector");
            // Both operands have one type.
            let next = builder.permute(next, next, &(0..length).map(|lane| lane % WARP_GROUP).collect::<Vec<_>>());
            builder.permute(all, next, &(0..length + WARP_GROUP).collect::<Vec<_>>())
        };
        groups.reduce(join).expect("a warp has lanes")
    }

    /// Stores a vector of elements of this type for each group of lanes.
    fn store_groups(&self, builder: &Builder<'c>, offset: u64, ty: Type<'c>, of_group: &dyn Fn(usize) -> Value<'c>) {
        let bytes = u64::from(ty.int_width().expect("results are integers") / 8);
        let array = self.array(builder, offset, ty);
        for first in (0..self.warps.lanes).step_by(WARP_GROUP as usize) {
            let address = builder.byte_offset(array, u64::from(first) * bytes, "");
            builder.store(of_group(first as usize), address, bytes as u32);
        }
    }
}
