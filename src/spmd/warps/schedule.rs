//! Runs a block warp by warp, for kernels with cross-lane operations.
//!
//! ```c
//! uint32_t warp(block, arguments..., unsigned char *frames, uint64_t threads, uint64_t own, uint64_t first,
//!               uint64_t count, bool begin);
//! ```
//!
//! The function runs the `count` threads from number `first` until each has returned or waits at a barrier, and returns
//! whether one waits. Their slots start at number `own`. While all lanes are at the same stop, it executes region after
//! region, and each region is a loop over the lanes, which LLVM can vectorise. When the lanes diverge, it finds the
//! first stop with lanes (`region/stops.rs`), executes the operation of this stop for them, and runs each of them to
//! its next stop. `masks.rs` describes the differences for operations with a mask.

use super::full::is_long;
use crate::contract::builtin::{LaneOperation, Participants, ShuffleMode};
use crate::error::Result;
use crate::llvm::{Block, Builder, Function, IntPredicate, Linkage, Module, Opcode, Type, Types, Value};
use crate::spmd::emit::exit_bits::ExitBits;
use crate::spmd::emit::launch::{Frames, Launch, Part, Thread, is_not_zero};
use crate::spmd::region::stops::{WAITS, Warps};
use crate::spmd::region::types::{Region, SplitKernel};
use crate::spmd::tuning::WARP_REGIONS_INLINED;

/// The helper functions of warps.
const TEXT: &str = concat!(include_str!("schedule.ll"), include_str!("masks.ll"));
/// The prefix of their names.
const PREFIX: &str = "offload.warp.";
/// The number of threads for which there are slots, if warps use the slots one after another.
pub(crate) const ONE_WARP: u64 = 64;

/// Links the helper functions into a module.
pub(crate) fn link_warp(module: &Module<'_>) -> Result<()> {
    module.link_text(TEXT, "the warps' text")?;
    let own = module.functions().into_iter().filter(|f| !f.is_declaration() && f.name().starts_with(PREFIX));
    own.for_each(|function| function.set_linkage(Linkage::Internal));
    Ok(())
}

/// The function of `warp.ll` or `masks.ll` that does an operation; none where nothing is to be done.
fn text_function(operation: LaneOperation) -> Option<&'static str> {
    use Participants::{Active, Masked};
    match operation {
        LaneOperation::Shuffle(ShuffleMode::Index, Active) => Some("shuffle"),
        LaneOperation::Shuffle(ShuffleMode::Index, Masked) => Some("shuffle_sync"),
        LaneOperation::Shuffle(ShuffleMode::Xor, Active) => Some("shuffle_xor"),
        LaneOperation::Shuffle(ShuffleMode::Xor, Masked) => Some("shuffle_xor_sync"),
        LaneOperation::Shuffle(ShuffleMode::Up, Active) => Some("shuffle_up"),
        LaneOperation::Shuffle(ShuffleMode::Up, Masked) => Some("shuffle_up_sync"),
        LaneOperation::Shuffle(ShuffleMode::Down, Active) => Some("shuffle_down"),
        LaneOperation::Shuffle(ShuffleMode::Down, Masked) => Some("shuffle_down_sync"),
        LaneOperation::Ballot(Active) => Some("ballot"),
        LaneOperation::Ballot(Masked) => Some("ballot_sync"),
        LaneOperation::Any(Active) => Some("any"),
        LaneOperation::Any(Masked) => Some("any_sync"),
        LaneOperation::All(Active) => Some("all"),
        LaneOperation::All(Masked) => Some("all_sync"),
        LaneOperation::ActiveMask => Some("active_mask"),
        LaneOperation::SyncWarp => None,
    }
}

/// A function that is called for a warp, while it is being built.
pub(crate) struct Warp<'a, 'm, 'c> {
    pub(crate) launch: Launch<'m, 'c>,
    pub(crate) split: &'a SplitKernel<'c>,
    pub(crate) warps: &'a Warps,
    pub(crate) frames: Frames<'c>,
    /// The number of the first lane's slots, and the number of lanes, `i64`.
    pub(crate) own: Value<'c>,
    pub(crate) count: Value<'c>,
    /// The position of the first lane in the block.
    pub(crate) place: [Value<'c>; 3],
    /// Whether all lanes are there, in one row (`full.rs`).
    pub(crate) full: bool,
    /// Whether the branches that a row decides are known (`rows.rs`).
    pub(crate) in_range: bool,
}

/// Defines the function that runs a warp. Those whose lanes are all there are left to `row`.
pub(crate) fn define_warp<'c>(
    outer: &Launch<'_, 'c>,
    split: &SplitKernel<'c>,
    warps: &Warps,
    row: Option<Function<'c>>,
) -> Function<'c> {
    let types = outer.types();
    let (i32, i64) = (types.i32(), types.i64());
    let name = format!("{}.warp", split.any.name());
    let own = [i64, i64, i64, types.i1()];
    let Part { function, builder, launch, frames, more } = outer.define_part(&name, i32, &own);
    function.mark("noinline");
    let [own, first, count, begin] = more[..] else { unreachable!("they were just declared") };
    let place = launch.place(&builder, first);
    let warp = Warp { launch, split, warps, frames, own, count, place, full: false, in_range: false };
    if let Some(row) = row {
        warp.leave_to(&builder, row, begin);
    }
    warp.fill(&builder, function, begin);
    function.describe_like(split.any);
    function
}

impl<'c> Warp<'_, '_, 'c> {
    pub(crate) fn types(&self) -> Types<'c> {
        self.launch.types()
    }

    /// Whether regions and operations are called, and not inlined. Where full warps have a separate version, other
    /// warps are rare, and not worth the compile time.
    fn is_large(&self) -> bool {
        self.split.regions.len() > WARP_REGIONS_INLINED || self.warps.full && !self.full
    }

    pub(crate) fn state_of(&self, number: u32) -> Value<'c> {
        self.types().i32().constant(number.into())
    }

    /// The address of an array of slots for this warp.
    pub(crate) fn array(&self, builder: &Builder<'c>, offset: u64, ty: Type<'c>) -> Value<'c> {
        builder.gep(ty, self.frames.slots(builder, offset, ""), &[self.own], "")
    }

    fn states(&self, builder: &Builder<'c>) -> Value<'c> {
        self.array(builder, self.split.frame.state_offset, self.types().i32())
    }

    /// Calls a function of `warp.ll` or `masks.ll`. Where full warps have a separate version, it is not inlined:
    /// full warps execute the frequent operations in vectors, and the others are not worth the compile time.
    pub(crate) fn call_text(&self, builder: &Builder<'c>, name: &str, arguments: &[Value<'c>]) -> Value<'c> {
        let function = self.launch.module.function(&format!("{PREFIX}{name}")).expect("`link_warp` brought it in");
        let call = builder.call(function, arguments, "");
        if self.is_large() || self.warps.full {
            call.mark("noinline");
        }
        call
    }

    /// Calls such a function with the states of all lanes.
    pub(crate) fn on_states(&self, builder: &Builder<'c>, name: &str, more: &[Value<'c>]) -> Value<'c> {
        self.call_text(builder, name, &[&[self.states(builder), self.count], more].concat())
    }

    /// Executes a cross-lane operation for the lanes `active`.
    pub(crate) fn operate(&self, builder: &Builder<'c>, operation: LaneOperation, active: Value<'c>) {
        // Lanes run one after another, so a write of one lane is visible to the next one.
        let Some(name) = text_function(operation) else { return };
        let mailbox = &self.warps.mailbox;
        let [value, argument] = [mailbox.value, mailbox.argument].map(|at| self.array(builder, at, self.types().i32()));
        let result = match operation {
            LaneOperation::Shuffle(..) => self.array(builder, mailbox.word, self.types().i32()),
            _ => self.array(builder, mailbox.result, self.types().i64()),
        };
        let lanes = self.types().i64().constant(self.warps.lanes.into());
        let masks = operation.is_masked().then(|| self.masks(builder));
        if let Some(masks) = masks {
            self.call_text(builder, "excuse", &[masks, self.count, active]);
        }
        let arguments: Vec<_> =
            [value, argument, result].into_iter().chain(masks).chain([active, self.count, lanes]).collect();
        self.call_text(builder, name, &arguments);
    }

    /// All lanes of the warp.
    pub(crate) fn all(&self, builder: &Builder<'c>) -> Value<'c> {
        let i64 = self.types().i64();
        let absent = builder.binary(Opcode::Sub, i64.constant(64), self.count, "");
        builder.binary(Opcode::LShr, i64.constant(u64::MAX), absent, "all")
    }

    /// The whole function.
    pub(crate) fn fill(&self, builder: &Builder<'c>, function: Function<'c>, begin: Value<'c>) {
        let regions = self.split.regions.len();
        let starts: Vec<_> = (0..regions).map(|k| function.append_block(&format!("stop{k}"))).collect();
        let diverged = function.append_block("diverged");
        let all = self.all(builder);
        if self.warps.has_barriers() {
            let resume = function.append_block("resume");
            builder.cond_br(begin, starts[0], resume);
            builder.move_to_end(resume);
            self.on_states(builder, "release", &[]);
            builder.br(diverged);
        } else {
            // Without barriers, a warp begins once and runs to its end.
            builder.br(starts[0]);
        }
        for (k, start) in starts.iter().enumerate() {
            builder.move_to_end(*start);
            self.run_converged(builder, k, all, &starts, diverged);
        }
        self.run_diverged(builder, function, all, &starts, diverged);
    }

    /// All lanes are at stop `k`: executes its operation, runs its region, and branches to where all lanes continue.
    fn run_converged(
        &self,
        builder: &Builder<'c>,
        k: usize,
        all: Value<'c>,
        starts: &[Block<'c>],
        diverged: Block<'c>,
    ) {
        self.operate_converged(builder, k, all, diverged);
        let region = &self.split.regions[k];
        let run = self.outline(region);
        let more = [&[self.own, self.count], self.place.as_slice()].concat();
        let exits = self.launch.call_part(builder, run, &self.frames, &more, "exits");
        let (function, region_exits) = (builder.block().function(), &region.any().exits);
        let targets: Vec<_> = region_exits
            .iter()
            .map(|exit| match *exit {
                0 => self.return_all(function, 0, 0),
                exit if exit & WAITS != 0 => self.return_all(function, exit, 1),
                exit => starts[exit as usize],
            })
            .collect();
        let (last, others) = targets.split_last().expect("a region has an exit");
        if others.is_empty() {
            builder.br(*last);
            return;
        }
        let i32 = self.types().i32();
        let some = builder.cast(Opcode::Trunc, exits, i32, "some");
        let every = builder.binary(Opcode::LShr, exits, exits.ty().constant(32), "");
        let every = builder.cast(Opcode::Trunc, every, i32, "every");
        let agreed = function.append_block("agreed");
        let same = builder.icmp(IntPredicate::Eq, some, every, "");
        builder.cond_br(same, agreed, diverged);
        builder.move_to_end(agreed);
        let cases: Vec<_> = region_exits.iter().zip(others).map(|(exit, to)| (self.state_of(*exit), *to)).collect();
        builder.switch(some, *last, &cases);
    }

    /// A block that sets the state of all lanes and returns.
    fn return_all(&self, function: Function<'c>, state: u32, waits: u64) -> Block<'c> {
        let block = function.append_block("return");
        let builder = Builder::at_end(block);
        if self.warps.has_barriers() {
            self.on_states(&builder, "set", &[self.state_of(state)]);
        }
        builder.ret(self.types().i32().constant(waits));
        block
    }

    /// `uint64_t run(block, arguments..., frames, threads, own, count, x, y, z)` runs a region for all lanes. If the
    /// region has several exits, it stores each lane's state. The upper half of the result are the bits that were set
    /// in every state, the lower half those in some state.
    fn outline(&self, region: &Region<'c>) -> Function<'c> {
        let types = self.types();
        let (i32, i64) = (types.i32(), types.i64());
        let of_warp = match (self.full, self.in_range) {
            (false, _) => "",
            (true, false) => ".full",
            (true, true) => ".straight",
        };
        let name = format!("{}.run{of_warp}", region.any().function.name());
        let own = [i64, i64, i32, i32, i32];
        let Part { function, builder, launch, frames, more } = self.launch.define_part(&name, i64, &own);
        let is_called = self.is_large() || self.full && is_long(region) && self.has_many_long_regions();
        function.mark(if is_called { "noinline" } else { "alwaysinline" });
        let [own, count, x, y, z] = more[..] else { unreachable!("they were just declared") };
        let place = [x, y, z];
        let warp = Warp { launch, frames, own, count, place, ..*self };
        let exits = if region.any().exits.len() == 1 {
            warp.each_group(&builder, region, &mut |builder, function, thread| {
                warp.call(builder, function, thread, i32.zero());
            });
            i64.zero()
        } else {
            warp.keep_exits(&builder, region)
        };
        builder.ret(exits);
        function.describe_like(self.split.any);
        function
    }

    fn keep_exits(&self, builder: &Builder<'c>, region: &Region<'c>) -> Value<'c> {
        let (i64, bits) = (self.types().i64(), ExitBits::new(builder));
        bits.reset(builder);
        let states = self.states(builder);
        self.each_group(builder, region, &mut |builder, function, thread| {
            let exits = self.call(builder, function, thread, self.state_of(0));
            builder.store(exits, self.state_at(builder, states, thread), 4);
            bits.add(self.launch.module, builder, exits);
        });
        let [some, every] = bits.load(builder);
        let every = builder.binary(Opcode::Shl, every, i64.constant(32), "");
        builder.binary(Opcode::Or, every, some, "")
    }

    fn state_at(&self, builder: &Builder<'c>, states: Value<'c>, thread: &Thread<'c>) -> Value<'c> {
        builder.gep(self.types().i32(), states, &[self.lane(builder, thread)], "state")
    }

    fn lane(&self, builder: &Builder<'c>, thread: &Thread<'c>) -> Value<'c> {
        builder.binary(Opcode::Sub, thread.number, self.own, "lane")
    }

    fn call(&self, builder: &Builder<'c>, function: Function<'c>, thread: &Thread<'c>, region: Value<'c>) -> Value<'c> {
        let mut more = self.frames.arguments(thread, 0);
        more[3] = region;
        self.launch.call(builder, function, thread, &more)
    }

    /// Lanes are at different stops: those at the first stop continue, until all have returned or wait.
    fn run_diverged(
        &self,
        builder: &Builder<'c>,
        function: Function<'c>,
        all: Value<'c>,
        starts: &[Block<'c>],
        diverged: Block<'c>,
    ) {
        let i32 = self.types().i32();
        let [finish, some, rejoin, part, lanes] =
            ["finish", "first", "rejoin", "part", "lanes"].map(|name| function.append_block(name));
        builder.move_to_end(diverged);
        let floor = self.has_masks().then(|| {
            let look = function.append_block("look");
            builder.br(look);
            builder.move_to_end(look);
            let floor = builder.phi(i32, "floor");
            floor.add_incoming(i32.zero(), diverged);
            floor
        });
        let least = self.on_states(builder, "earliest", &[floor.unwrap_or(i32.zero())]);
        let none = builder.icmp(IntPredicate::Uge, least, self.state_of(WAITS - 1), "");
        builder.cond_br(none, finish, some);

        builder.move_to_end(finish);
        if let Some(floor) = floor {
            self.panic_where_stuck(builder, floor, all);
        }
        let waits = builder.icmp(IntPredicate::Ne, least, self.state_of(u32::MAX), "");
        builder.ret(builder.cast(Opcode::ZExt, waits, i32, ""));

        builder.move_to_end(some);
        let stop = builder.add(least, self.state_of(1), "stop");
        let at = self.on_states(builder, "at", &[stop]);
        let (active, converged) = match floor {
            Some(floor) => self.wait_diverged(builder, stop, at, all, floor),
            None => (at, builder.icmp(IntPredicate::Eq, at, all, "")),
        };
        builder.cond_br(converged, rejoin, part);

        builder.move_to_end(rejoin);
        let cases: Vec<_> = (2..starts.len()).map(|k| (self.state_of(k as u32), starts[k])).collect();
        builder.switch(stop, starts[1], &cases);

        builder.move_to_end(part);
        let cases = self.operations(builder, function, active, lanes);
        builder.move_to_end(part);
        builder.switch(stop, lanes, &cases);

        builder.move_to_end(lanes);
        self.run_active(builder, function, active, stop);
        builder.br(diverged);
    }

    /// A block for each operation, which branches to `next`, with the stops that it is for.
    fn operations(
        &self,
        builder: &Builder<'c>,
        function: Function<'c>,
        active: Value<'c>,
        next: Block<'c>,
    ) -> Vec<(Value<'c>, Block<'c>)> {
        let (mut cases, mut known) = (Vec::new(), Vec::<(LaneOperation, Block<'c>)>::new());
        for (stop, kind) in (1..).zip(&self.warps.stops) {
            let Some(operation) = kind.operation() else { continue };
            let block = match known.iter().find(|(other, _)| *other == operation) {
                Some((_, block)) => *block,
                None => {
                    let block = function.append_block("operation");
                    builder.move_to_end(block);
                    self.operate(builder, operation, active);
                    builder.br(next);
                    known.push((operation, block));
                    block
                }
            };
            cases.push((self.state_of(stop), block));
        }
        cases
    }

    /// Runs each of the active lanes from a stop to its next one.
    fn run_active(&self, builder: &Builder<'c>, function: Function<'c>, active: Value<'c>, stop: Value<'c>) {
        let (states, i64) = (self.states(builder), self.types().i64());
        self.each_lane(builder, |builder, thread| {
            let bit = builder.binary(Opcode::LShr, active, self.lane(builder, thread), "");
            let is_active = is_not_zero(builder, builder.binary(Opcode::And, bit, i64.constant(1), ""));
            let (go, stay) = (function.append_block("go"), function.append_block("stay"));
            builder.cond_br(is_active, go, stay);
            builder.move_to_end(go);
            let state = self.state_at(builder, states, thread);
            // The lanes of a mask may be at several stops.
            let own = if self.has_masks() { builder.load(self.types().i32(), state, 0, "") } else { stop };
            let exit = self.call(builder, self.split.any, thread, own);
            builder.store(exit, state, 0);
            builder.br(stay);
            builder.move_to_end(stay);
        });
    }
}
