//! Cross-lane operations with a mask, which wait for exactly the lanes of the mask, wherever these are.
//!
//! When the lanes of a warp diverge, the lanes at the first stop continue (`schedule.rs`). At an operation with a mask,
//! only lanes with a complete mask continue: all lanes of the mask are at the same operation, with the same mask. They
//! may be at different calls of it, because one may be a duplicate of another. Lanes with an incomplete mask are
//! skipped, and the lanes at the next stop continue. No lane waits for lanes that have returned, or for which the block
//! has no thread. If no lane of the warp can continue, the first waiting lane panics.

use super::schedule::Warp;
use crate::contract::builtin::LaneOperation;
use crate::contract::symbols::LANE_PANIC;
use crate::llvm::{Block, Builder, IntPredicate, Linkage, Module, Opcode, Value};
use crate::passes::panic::report_masks::Fault;
use crate::spmd::region::stops::Stop;

/// The number of parameters of [`LANE_PANIC`] before the position.
const FAULT_PARAMETERS: usize = 4;

/// Keeps the panic function until the warp functions of all kernels exist, which call it.
pub(crate) fn keep_mask_panic(module: &Module<'_>) {
    set_linkage(module, Linkage::External);
}

/// Allows the optimiser to remove the panic function.
pub(crate) fn release_mask_panic(module: &Module<'_>) {
    set_linkage(module, Linkage::Internal);
}

fn set_linkage(module: &Module<'_>, linkage: Linkage) {
    if let Some(panic) = module.function(LANE_PANIC) {
        panic.set_linkage(linkage);
    }
}

impl<'c> Warp<'_, '_, 'c> {
    /// Whether an operation has a mask.
    pub(crate) fn has_masks(&self) -> bool {
        self.warps.stops.iter().any(|stop| matches!(stop, Stop::Masked(..)))
    }

    /// The address of this warp's masks; null if there are none.
    pub(crate) fn masks(&self, builder: &Builder<'c>) -> Value<'c> {
        let offset = self.warps.mailbox.mask;
        offset.map_or(self.frames.memory.ty().zero(), |offset| self.array(builder, offset, self.types().i64()))
    }

    /// Calls a function of `masks.ll`.
    fn on_masks(&self, builder: &Builder<'c>, name: &str, more: &[Value<'c>]) -> Value<'c> {
        self.call_text(builder, name, &[&[self.masks(builder)], more].concat())
    }

    /// The lanes among `at` whose masks are complete. Lanes in `excused` may be missing.
    fn ready(&self, builder: &Builder<'c>, at: Value<'c>, excused: Value<'c>) -> Value<'c> {
        self.on_masks(builder, "ready", &[self.count, at, excused])
    }

    /// The lanes for which the block has no thread, in a warp with the lanes `all`.
    fn lacking(&self, builder: &Builder<'c>, all: Value<'c>) -> Value<'c> {
        builder.binary(Opcode::Xor, all, all.ty().constant(u64::MAX), "")
    }

    /// These lanes, and the lanes that have returned.
    fn gone(&self, builder: &Builder<'c>, all: Value<'c>) -> Value<'c> {
        let returned = self.on_states(builder, "at", &[self.state_of(0)]);
        builder.binary(Opcode::Or, returned, self.lacking(builder, all), "gone")
    }

    /// All lanes are at stop `k`, which has a mask: continues if all masks are complete, and otherwise branches to
    /// `diverged`.
    pub(crate) fn wait_converged(&self, builder: &Builder<'c>, k: usize, all: Value<'c>, diverged: Block<'c>) {
        let function = builder.block().function();
        let (complete, parted) = (function.append_block("complete"), function.append_block("parted"));
        let ready = self.ready(builder, all, self.lacking(builder, all));
        builder.cond_br(builder.icmp(IntPredicate::Eq, ready, all, ""), complete, parted);
        builder.move_to_end(parted);
        self.on_states(builder, "set", &[self.state_of(k as u32)]);
        builder.br(diverged);
        builder.move_to_end(complete);
    }

    /// Returns which of the lanes `at` the first `stop` continue, and whether these are all lanes and all are at this
    /// stop. If all of them wait, it examines the next stop, above the `floor`.
    pub(crate) fn wait_diverged(
        &self,
        builder: &Builder<'c>,
        stop: Value<'c>,
        at: Value<'c>,
        all: Value<'c>,
        floor: Value<'c>,
    ) -> (Value<'c>, Value<'c>) {
        let (before, look) = (builder.block(), floor.block());
        let function = before.function();
        let [masked, over, go] = ["masked", "over", "go"].map(|name| function.append_block(name));
        let cases: Vec<_> = self.masked_stops().map(|(number, _)| (self.state_of(number), masked)).collect();
        builder.switch(stop, go, &cases);

        builder.move_to_end(masked);
        let there = self.at_operation(builder, stop, at);
        let ready = self.ready(builder, there, self.gone(builder, all));
        let none = builder.icmp(IntPredicate::Eq, ready, ready.ty().zero(), "");
        let waited = builder.block();
        builder.cond_br(none, over, go);

        builder.move_to_end(over);
        builder.br(look);
        floor.add_incoming(stop, over);

        builder.move_to_end(go);
        let active = builder.phi(at.ty(), "active");
        active.add_incoming(at, before);
        active.add_incoming(ready, waited);
        // The lanes that continue may be at several stops.
        let here = builder.binary(Opcode::And, active, at, "");
        (active, builder.icmp(IntPredicate::Eq, here, all, ""))
    }

    /// No lane can continue: falls through if no lane waits for a mask, and otherwise panics in the first lane at stop
    /// `floor`.
    pub(crate) fn panic_where_stuck(&self, builder: &Builder<'c>, floor: Value<'c>, all: Value<'c>) {
        let function = builder.block().function();
        let (stuck, none) = (function.append_block("stuck"), function.append_block("none"));
        let waits = builder.icmp(IntPredicate::Ne, floor, floor.ty().zero(), "");
        builder.cond_br(waits, stuck, none);
        builder.move_to_end(stuck);
        let at = self.on_states(builder, "at", &[floor]);
        let there = self.at_operation(builder, floor, at);
        let lane = self.first(builder, at);
        let other = self.on_masks(builder, "missing", &[self.count, there, self.gone(builder, all), lane]);
        self.panic(builder, self.state_of(Fault::Waiting as u32), floor, [lane, other]);
        builder.move_to_end(none);
    }

    /// The numbers of the stops with a mask, and their operations.
    fn masked_stops(&self) -> impl Iterator<Item = (u32, LaneOperation)> {
        (1..).zip(&self.warps.stops).filter_map(|(number, kind)| match kind {
            Stop::Masked(operation, _) => Some((number, *operation)),
            _ => None,
        })
    }

    /// The lanes at any stop with the same operation as `stop`, where the lanes `at` are.
    fn at_operation(&self, builder: &Builder<'c>, stop: Value<'c>, at: Value<'c>) -> Value<'c> {
        let mut operations: Vec<(LaneOperation, Vec<u32>)> = Vec::new();
        for (number, operation) in self.masked_stops() {
            match operations.iter_mut().find(|(known, _)| *known == operation) {
                Some((_, stops)) => stops.push(number),
                None => operations.push((operation, vec![number])),
            }
        }
        operations.retain(|(_, stops)| stops.len() > 1);
        let (before, found) = (builder.block(), builder.block().function().append_block("found"));
        let (mut cases, mut incoming) = (Vec::new(), vec![(at, before)]);
        for (_, stops) in operations {
            let several = before.function().append_block("several");
            builder.move_to_end(several);
            let one = |stop: &u32| self.on_states(builder, "at", &[self.state_of(*stop)]);
            let there = stops.iter().map(one).reduce(|all, one| builder.binary(Opcode::Or, all, one, ""));
            builder.br(found);
            incoming.extend(there.map(|there| (there, several)));
            cases.extend(stops.into_iter().map(|stop| (self.state_of(stop), several)));
        }
        builder.move_to_end(before);
        builder.switch(stop, found, &cases);
        builder.move_to_end(found);
        let there = builder.phi(at.ty(), "there");
        incoming.into_iter().for_each(|(lanes, block)| there.add_incoming(lanes, block));
        there
    }

    /// The lowest of these lanes.
    fn first(&self, builder: &Builder<'c>, lanes: Value<'c>) -> Value<'c> {
        let first = self.launch.module.intrinsic("llvm.cttz", &[lanes.ty()]);
        builder.call(first, &[lanes, self.types().i1().constant(0)], "lane")
    }

    /// Lets a lane that is at a stop panic.
    fn panic(&self, builder: &Builder<'c>, fault: Value<'c>, stop: Value<'c>, [lane, other]: [Value<'c>; 2]) {
        let panic = self.launch.module.function(LANE_PANIC).expect("it was made with the first mask, and kept");
        let wide = |value: Value<'c>| builder.cast(Opcode::ZExt, value, self.types().i64(), "");
        let ([x, y, z], [width, height, _]) = (self.place.map(wide), self.launch.dim.map(wide));
        let row = builder.add(y, builder.mul(z, height, ""), "");
        let number = builder.add(builder.add(x, builder.mul(row, width, ""), ""), lane, "thread");
        let position = self.launch.place(builder, number);
        let mut arguments = vec![fault, self.source_location(builder, stop), lane, other];
        // A panic that is only a trap has no position.
        if panic.parameters().len() > FAULT_PARAMETERS {
            arguments.push(self.launch.block);
            arguments.extend(position);
        }
        builder.call(panic, &arguments, "");
        builder.unreachable();
    }

    /// The number of a stop's source location.
    fn source_location(&self, builder: &Builder<'c>, stop: Value<'c>) -> Value<'c> {
        let places = (1..).zip(&self.warps.stops).filter_map(|(number, kind)| match kind {
            Stop::Masked(_, place) => Some((number, *place)),
            _ => None,
        });
        places.fold(self.state_of(0), |place, (number, own)| {
            let is_this = builder.icmp(IntPredicate::Eq, stop, self.state_of(number), "");
            builder.select(is_this, self.state_of(own), place, "place")
        })
    }
}
