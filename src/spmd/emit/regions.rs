//! The loops of an entry that run the regions of a kernel, one after another, each for every thread.

use super::exit_bits::ExitBits;
use super::launch::{Frames, Launch, Part, Thread, is_not_zero};
use crate::llvm::{Block, Builder, Function, IntPredicate, Opcode, Value};
use crate::spmd::region::types::{Region, SplitKernel};
use crate::spmd::region::uniform_slots::Source;
use crate::spmd::region::versions::{Code, Guard, Version};
use crate::spmd::tuning::{REGIONS_IN_ENTRY, REGIONS_WITH_LOOP};

/// Emits the code that runs the regions of a kernel, in the entry or in a function for one of them.
struct Runner<'a, 'm, 'c> {
    launch: &'a Launch<'m, 'c>,
    builder: &'a Builder<'c>,
    split: &'a SplitKernel<'c>,
    frames: Frames<'c>,
    bits: ExitBits<'c>,
}

/// Where the entry goes on after a region.
struct Targets<'c> {
    /// The starts of the regions.
    starts: Vec<Block<'c>>,
    /// Where threads continue that have stopped at different places.
    diverged: Block<'c>,
    done: Block<'c>,
}

impl<'c> Targets<'c> {
    fn after(&self, exit: u32) -> Block<'c> {
        if exit == 0 { self.done } else { self.starts[exit as usize] }
    }
}

impl<'c> Launch<'_, 'c> {
    /// Runs the regions, one after another, until every thread has ended.
    pub(crate) fn run(&self, builder: &Builder<'c>, entry: Function<'c>, split: &SplitKernel<'c>) {
        let frames = self.frames(builder, split);
        let (bits, highest) = (ExitBits::new(builder), builder.alloca(self.types().i32(), "highest"));
        let starts: Vec<_> = (0..split.regions.len()).map(|k| entry.append_block(&format!("region{k}"))).collect();
        let (diverged, done) = (entry.append_block("diverged"), entry.append_block("done"));
        builder.br(starts[0]);
        let targets = Targets { starts, diverged, done };
        let runner = Runner { launch: self, builder, split, frames, bits };
        let outlined = split.regions.len() > REGIONS_IN_ENTRY;
        let shared = (split.regions.len() > REGIONS_WITH_LOOP).then(|| runner.outline(None));
        for (region, start) in split.regions.iter().zip(&targets.starts) {
            builder.move_to_end(*start);
            let uniform_slots = runner.load_uniform_slots(region);
            if outlined {
                let code = region.any();
                runner.call_outlined(shared.unwrap_or_else(|| runner.outline(Some(region))), code.function);
                runner.go_on(code, false, &targets);
            } else {
                runner.run_version(region, &region.version, &uniform_slots, &targets);
            }
        }
        builder.move_to_end(diverged);
        runner.run_diverged(highest, done);
        builder.move_to_end(done);
    }
}

impl<'c> Runner<'_, '_, 'c> {
    /// The values of the uniform slots that a region receives, before any thread runs it.
    fn load_uniform_slots(&self, region: &Region<'c>) -> Vec<Value<'c>> {
        let Runner { launch, builder, frames, .. } = self;
        let (first, mut values) = (launch.first(), Vec::new());
        for uniform_slot in &region.uniform_slots {
            let value = match uniform_slot.source {
                Source::Slot(offset) => builder.load(uniform_slot.ty, frames.slots(builder, offset, ""), 0, ""),
                Source::Computed(function) => {
                    let own = region.any().function.parameters().len() - region.uniform_slots.len();
                    let count = function.parameters().len() - own;
                    launch.call(builder, function, &first, &[&frames.arguments(&first, 0), &values[..count]].concat())
                }
            };
            values.push(value);
        }
        values
    }

    /// Creates a function that runs one region for every thread, so that LLVM need not optimise the loops of all
    /// regions together: `uint64_t run(block, arguments..., unsigned char *frames, uint64_t threads, int32_t
    /// (*region)(...))`. The upper 32 bits of its result are the bits that were set in some thread's exit; the lower 32
    /// bits are those that were set in every thread's. If `region` is none, the last parameter is the region; otherwise
    /// it is not used.
    fn outline(&self, region: Option<&Region<'c>>) -> Function<'c> {
        let (outer, split) = (self.launch, self.split);
        let (i64, pointer) = (outer.types().i64(), outer.module.types().ptr(0));
        let code = region.map(Region::any);
        let name = format!("{}.run", code.map_or(split.any, |code| code.function).name());
        let Part { function: run, builder, launch, frames, more } = outer.define_part(&name, i64, &[pointer]);
        run.mark("noinline");
        let (builder, launch) = (&builder, &launch);
        let exits = match code {
            Some(code) if code.exits.len() == 1 => {
                launch.each_thread(builder, |builder, thread| {
                    launch.call(builder, code.function, thread, &frames.arguments(thread, 0));
                });
                i64.zero()
            }
            _ => {
                let bits = ExitBits::new(builder);
                let runner = Runner { launch, builder, split, frames, bits };
                let callee = code.map_or(more[0], |code| *code.function);
                bits.reset(builder);
                launch.each_thread(builder, |builder, thread| {
                    let (ty, more) = (split.any.function_type(), runner.frames.arguments(thread, 0));
                    runner.keep_exits(thread, launch.call_typed(builder, ty, callee, thread, &more));
                });
                let [some, every] = bits.load(builder);
                builder.binary(Opcode::Or, builder.binary(Opcode::Shl, some, i64.constant(32), ""), every, "")
            }
        };
        builder.ret(exits);
        run.describe_like(split.any);
        run
    }

    /// Calls the function of [`Runner::outline`], and stores its result as the bits of the exits.
    fn call_outlined(&self, run: Function<'c>, region: Function<'c>) {
        let Runner { launch, builder, frames, .. } = self;
        let exits = launch.call_part(builder, run, frames, &[*region], "exits");
        let upper = builder.binary(Opcode::LShr, exits, exits.ty().constant(32), "");
        for (exits, variable) in [upper, exits].into_iter().zip([self.bits.some, self.bits.every]) {
            builder.store(builder.cast(Opcode::Trunc, exits, launch.types().i32(), ""), variable, 0);
        }
    }

    /// Runs a version of a region for every thread, and goes on where they have stopped.
    fn run_version(
        &self,
        region: &Region<'c>,
        version: &Version<'c>,
        uniform_slots: &[Value<'c>],
        targets: &Targets<'c>,
    ) {
        let Runner { launch, builder, frames, bits, .. } = self;
        let arguments = |thread: &Thread<'c>| [&frames.arguments(thread, 0), uniform_slots].concat();
        match version {
            Version::If(Guard::Block(decide), sides) => {
                let first = launch.first();
                let condition = launch.call(builder, *decide, &first, &arguments(&first));
                let blocks = ["then", "else"].map(|name| builder.block().function().append_block(name));
                builder.cond_br(condition, blocks[0], blocks[1]);
                for (block, side) in blocks.into_iter().zip(sides.iter()).rev() {
                    builder.move_to_end(block);
                    self.run_version(region, side, uniform_slots, targets);
                }
                return;
            }
            Version::If(Guard::Iteration(iterations), sides) => {
                if !launch.one_by_one {
                    launch.run_iterations(builder, iterations, &sides[0], frames);
                }
                return self.run_version(region, &sides[1], uniform_slots, targets);
            }
            _ => {}
        }
        let code = version.any();
        if !region.agrees {
            bits.reset(builder);
        }
        let mut run = |builder: &Builder<'c>, function: Function<'c>, thread: &Thread<'c>| {
            let exits = launch.call(builder, function, thread, &arguments(thread));
            if !region.agrees {
                self.keep_exits(thread, exits);
            } else if code.exits.len() > 1 {
                let is_vector = exits.ty().vector_length().is_some();
                let first = || builder.extract_element(exits, launch.types().i32().zero(), "");
                builder.store(if is_vector { first() } else { exits }, bits.some, 0);
            }
        };
        match version {
            Version::Code(_) => launch.each_thread(builder, |builder, thread| run(builder, code.function, thread)),
            _ => launch.each_version(builder, version, &arguments, &mut run),
        }
        self.go_on(code, region.agrees, targets);
    }

    /// Stores the exits of a thread, or of those of a group, and adds them to the bits.
    fn keep_exits(&self, thread: &Thread<'c>, exits: Value<'c>) {
        self.builder.store(exits, self.state(thread), 4);
        self.bits.add(self.launch.module, self.builder, exits);
    }

    /// Goes on where the threads have stopped. They may have at different places unless they agree.
    fn go_on(&self, code: &Code<'c>, agrees: bool, targets: &Targets<'c>) {
        let (builder, i32) = (self.builder, self.launch.types().i32());
        let (last, others) = code.exits.split_last().expect("a region has an exit");
        if others.is_empty() {
            builder.br(targets.after(*last));
            return;
        }
        let some = builder.load(i32, self.bits.some, 0, "");
        if !agrees {
            let agreed = builder.block().function().append_block("agreed");
            let same = builder.icmp(IntPredicate::Eq, some, builder.load(i32, self.bits.every, 0, ""), "");
            builder.cond_br(same, agreed, targets.diverged);
            builder.move_to_end(agreed);
        }
        let cases: Vec<_> = others.iter().map(|e| (i32.constant((*e).into()), targets.after(*e))).collect();
        builder.switch(some, targets.after(*last), &cases);
    }

    /// Runs threads that have stopped at different barriers, some of which may have ended: each continues with its own
    /// region, until all have ended.
    fn run_diverged(&self, highest: Value<'c>, done: Block<'c>) {
        let Runner { launch, builder, split, frames, bits: ExitBits { some, .. } } = self;
        let (entry, i32) = (builder.block().function(), launch.types().i32());
        let one = i32.constant(1);
        let highest = split.has_iterations().then(|| self.find_highest(highest));
        let again = entry.append_block("again");
        builder.br(again);
        builder.move_to_end(again);
        // While some threads run a loop, those at a barrier wait for them.
        let lowest = highest.map_or(one, |highest| {
            let first = i32.constant((split.real_stops + 1).into());
            let in_loop = builder.icmp(IntPredicate::Uge, builder.load(i32, highest, 0, ""), first, "");
            builder.select(in_loop, first, one, "")
        });
        for variable in highest.into_iter().chain([*some]) {
            builder.store(i32.zero(), variable, 0);
        }
        launch.each_thread(builder, |builder, thread| {
            let state = self.state(thread);
            let region = builder.load(i32, state, 0, "");
            let [live, next] = ["live", "next"].map(|name| entry.append_block(name));
            builder.cond_br(builder.icmp(IntPredicate::Uge, region, lowest, ""), live, next);
            builder.move_to_end(live);
            let mut arguments = frames.arguments(thread, 0);
            arguments[3] = region;
            let exit = launch.call(builder, split.any, thread, &arguments);
            builder.store(exit, state, 0);
            builder.br(next);
            builder.move_to_end(next);
            let exit = builder.load(i32, state, 0, "");
            let bits = builder.binary(Opcode::Or, builder.load(i32, *some, 0, ""), exit, "");
            builder.store(bits, *some, 0);
            highest.into_iter().for_each(|highest| self.raise(highest, exit));
        });
        let left = builder.load(i32, *some, 0, "");
        builder.cond_br(is_not_zero(builder, left), again, done);
    }

    /// Sets a variable to the highest number of the stops where threads are.
    fn find_highest(&self, highest: Value<'c>) -> Value<'c> {
        let i32 = self.launch.types().i32();
        self.builder.store(i32.zero(), highest, 0);
        self.launch.each_thread(self.builder, |builder, thread| {
            self.raise(highest, builder.load(i32, self.state(thread), 0, ""));
        });
        highest
    }

    /// Stores a value to a variable if it is higher.
    fn raise(&self, variable: Value<'c>, value: Value<'c>) {
        let builder = self.builder;
        let before = builder.load(value.ty(), variable, 0, "");
        let is_higher = builder.icmp(IntPredicate::Ugt, value, before, "");
        builder.store(builder.select(is_higher, value, before, ""), variable, 0);
    }

    /// The address of the number of a thread's next region.
    fn state(&self, thread: &Thread<'c>) -> Value<'c> {
        let states = self.frames.slots(self.builder, self.split.frame.state_offset, "states");
        self.builder.gep(self.launch.types().i32(), states, &[thread.number], "")
    }
}
