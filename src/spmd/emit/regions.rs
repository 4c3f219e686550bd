//! The loops of an entry that run the regions of a kernel, one after another, each for every thread.

use super::launch::{Arguments, Frames, Launch, Thread, is_not_zero};
use crate::llvm::{Block, Builder, Function, IntPredicate, Linkage, Opcode, Place, Value};
use crate::spmd::region::slots::describe_frames;
use crate::spmd::region::types::{Region, Sides, SplitKernel};
use crate::spmd::region::uniform_slots::Source;
use crate::spmd::region::versions::Versions;
use crate::spmd::tuning::{REGIONS_IN_ENTRY, REGIONS_WITH_LOOP};

impl<'m, 'c> Launch<'m, 'c> {
    /// The values of the uniform slots that a region receives, before any thread runs it.
    pub(crate) fn load_uniform_slots(
        &self,
        builder: &Builder<'c>,
        frames: &Frames<'c>,
        region: &Region<'c>,
    ) -> Vec<Value<'c>> {
        let (types, first) = (self.types(), self.first());
        let mut values = Vec::new();
        for uniform_slot in &region.uniform_slots {
            let value = match uniform_slot.source {
                Source::Slot(offset) => {
                    let offset = builder.mul(frames.threads, types.i64().constant(offset), "");
                    builder.load(uniform_slot.ty, builder.gep(types.i8(), frames.memory, &[offset], ""), 0, "")
                }
                Source::Computed(function) => {
                    let count =
                        function.parameters().len() + region.uniform_slots.len() - region.function.parameters().len();
                    let arguments = [&frames.arguments(&first, 0), &values[..count]].concat();
                    self.call(builder, function, &first, &arguments)
                }
            };
            values.push(value);
        }
        values
    }

    /// Creates a function that runs one region for every thread, so that LLVM need not optimise the loops of all
    /// regions together: `uint64_t run(block, arguments..., unsigned char *frames, uint64_t threads, int32_t
    /// (*region)(...))`. The upper 32 bits of its result are the bits that were set in some thread's exit; the lower 32
    /// bits are those that were set in every thread's. If
    /// `region` is none, the last parameter is the region; otherwise it is not used.
    fn outline(&self, split: &SplitKernel<'c>, region: Option<&Region<'c>>) -> Function<'c> {
        let (i32, i64, pointer) = (self.types().i32(), self.types().i64(), self.module.types().ptr(0));
        let arguments = self.arguments.iter().map(|a| a.ty());
        let parameters: Vec<_> = [pointer].into_iter().chain(arguments).chain([pointer, i64, pointer]).collect();
        let name = format!("{}.run", region.map_or(split.any, |region| region.function).name());
        let run = self.module.define(&name, i64.function(&parameters), Linkage::Internal, |_, _| {});
        for name in ["noinline", "nounwind"] {
            run.mark(name);
        }
        let given = run.parameters();
        let (arguments, [memory, threads, last]) = given[1..].split_at(self.arguments.len()) else {
            unreachable!("they were just declared")
        };
        describe_frames(*run, Place::Parameter(given.len() as u32 - 3));
        let builder = Builder::at_end(run.blocks()[0]);
        let launch = self.inside(&builder, given[0], arguments.to_vec());
        let frames = Frames { memory: *memory, threads: *threads };
        let callee = region.map_or(*last, |region| *region.function);
        let exits = match region {
            Some(region) if region.exits.len() == 1 => {
                launch.each_thread(&builder, |builder, thread| {
                    launch.call(builder, region.function, thread, &frames.arguments(thread, 0));
                });
                i64.zero()
            }
            _ => {
                let bits = [builder.alloca(i32, "some"), builder.alloca(i32, "every")];
                launch.run_branching(&builder, callee, split, &frames, bits);
                let [some, every] = bits.map(|b| builder.cast(Opcode::ZExt, builder.load(i32, b, 0, ""), i64, ""));
                builder.binary(Opcode::Or, builder.binary(Opcode::Shl, some, i64.constant(32), ""), every, "")
            }
        };
        builder.ret(exits);
        run.describe_like(split.any);
        run
    }

    /// Calls the function of [`Launch::outline`]. Stores its result where [`Launch::run_branching`] would.
    fn call_outlined(
        &self,
        builder: &Builder<'c>,
        (run, region): (Function<'c>, Function<'c>),
        frames: &Frames<'c>,
        bits: [Value<'c>; 2],
    ) {
        let arguments = [&[self.block], self.arguments.as_slice(), &[frames.memory, frames.threads, *region]].concat();
        let exits = builder.call(run, &arguments, "exits");
        let upper = builder.binary(Opcode::LShr, exits, exits.ty().constant(32), "");
        for (exits, variable) in [upper, exits].into_iter().zip(bits) {
            builder.store(builder.cast(Opcode::Trunc, exits, self.types().i32(), ""), variable, 0);
        }
    }

    /// Runs the regions, one after another, until every thread has ended.
    pub(crate) fn run(&self, builder: &Builder<'c>, entry: Function<'c>, split: &SplitKernel<'c>) {
        let i32 = self.module.types().i32();
        let frames = self.frames(builder, split);
        // The bits that were set in some thread's exit, and in every thread's.
        let [some, every, highest] = ["some", "every", "highest"].map(|name| builder.alloca(i32, name));
        let starts: Vec<_> = (0..split.regions.len()).map(|k| entry.append_block(&format!("region{k}"))).collect();
        let (diverged, done) = (entry.append_block("apart"), entry.append_block("done"));
        builder.br(starts[0]);
        let target = |exit: u32| if exit == 0 { done } else { starts[exit as usize] };
        let outlined = split.regions.len() > REGIONS_IN_ENTRY;
        let shared = (split.regions.len() > REGIONS_WITH_LOOP).then(|| self.outline(split, None));
        for (region, start) in split.regions.iter().zip(&starts) {
            builder.move_to_end(*start);
            let uniform_slots = self.load_uniform_slots(builder, &frames, region);
            if outlined {
                let run = shared.unwrap_or_else(|| self.outline(split, Some(region)));
                self.call_outlined(builder, (run, region.function), &frames, [some, every]);
                self.go_on(builder, region, [some, every], (&target, Some(diverged)));
                continue;
            }
            if let Some(iterations) = region.iterations.as_ref().filter(|_| !self.one_by_one) {
                self.run_iterations(builder, iterations, &frames);
            }
            let mut left = vec![(builder.block(), region)];
            while let Some((start, region)) = left.pop() {
                builder.move_to_end(start);
                let arguments = |thread: &Thread<'c>| [frames.arguments(thread, 0), uniform_slots.clone()].concat();
                if let Some(Sides { decide, regions }) = &region.sides {
                    let zero = i32.zero();
                    let first = Thread { id: [zero, zero, zero], number: self.types().i64().zero() };
                    let condition = self.call(builder, *decide, &first, &arguments(&first));
                    let blocks = ["then", "else"].map(|name| entry.append_block(name));
                    builder.cond_br(condition, blocks[0], blocks[1]);
                    left.extend(blocks.into_iter().zip(regions.iter()));
                    continue;
                }
                if !region.faster.is_none() && !self.one_by_one {
                    self.run_faster(builder, region, split, (&frames, &arguments), [some, every]);
                } else if region.agrees {
                    self.each_thread(builder, |builder, thread| {
                        let exit = self.call(builder, region.function, thread, &arguments(thread));
                        builder.store(exit, some, 0);
                    });
                } else {
                    self.run_branching(builder, *region.function, split, &frames, [some, every]);
                }
                let diverged = (!region.agrees).then_some(diverged);
                self.go_on(builder, region, [some, every], (&target, diverged));
            }
        }
        builder.move_to_end(diverged);
        self.run_diverged(builder, split, &frames, [some, highest], done);
        builder.move_to_end(done);
    }

    /// Goes on behind a region: where the threads have stopped, or to `diverged` if this is not the same place.
    fn go_on(
        &self,
        builder: &Builder<'c>,
        region: &Region<'c>,
        [some, every]: [Value<'c>; 2],
        (target, diverged): (&dyn Fn(u32) -> Block<'c>, Option<Block<'c>>),
    ) {
        let i32 = self.module.types().i32();
        let (last, others) = region.exits.split_last().expect("a region has an exit");
        if others.is_empty() {
            builder.br(target(*last));
            return;
        }
        let some = builder.load(i32, some, 0, "");
        if let Some(diverged) = diverged {
            let agreed = builder.block().function().append_block("agreed");
            let same = builder.icmp(IntPredicate::Eq, some, builder.load(i32, every, 0, ""), "");
            builder.cond_br(same, agreed, diverged);
            builder.move_to_end(agreed);
        }
        let cases: Vec<_> = others.iter().map(|e| (i32.constant((*e).into()), target(*e))).collect();
        builder.switch(some, target(*last), &cases);
    }

    /// Runs a region in its faster versions. If it has several exits, stores each thread's.
    fn run_faster(
        &self,
        builder: &Builder<'c>,
        region: &Region<'c>,
        split: &SplitKernel<'c>,
        (frames, arguments): (&Frames<'c>, &Arguments<'_, 'c>),
        [some, every]: [Value<'c>; 2],
    ) {
        let i32 = self.module.types().i32();
        let branches = region.exits.len() > 1;
        if branches && !region.agrees {
            builder.store(i32.zero(), some, 0);
            builder.store(i32.constant(u32::MAX.into()), every, 0);
        }
        let versions = Versions { one: region.function, faster: &region.faster };
        self.each_faster(builder, versions, arguments, &mut |builder, version, thread| {
            let exits = self.call(builder, version.function, thread, &arguments(thread));
            if !branches {
                return;
            }
            if region.agrees {
                let exit = if version.width == 1 { exits } else { builder.extract_element(exits, i32.zero(), "") };
                builder.store(exit, some, 0);
                return;
            }
            builder.store(exits, self.state(builder, split, frames, thread), 4);
            for (opcode, bits, name) in
                [(Opcode::Or, some, "llvm.vector.reduce.or"), (Opcode::And, every, "llvm.vector.reduce.and")]
            {
                let all = match version.width {
                    1 => exits,
                    _ => builder.call(self.module.intrinsic(name, &[exits.ty()]), &[exits], ""),
                };
                builder.store(builder.binary(opcode, builder.load(i32, bits, 0, ""), all, ""), bits, 0);
            }
        });
    }

    /// Runs a region with several exits, and stores each thread's exit.
    fn run_branching(
        &self,
        builder: &Builder<'c>,
        region: Value<'c>,
        split: &SplitKernel<'c>,
        frames: &Frames<'c>,
        [some, every]: [Value<'c>; 2],
    ) {
        let i32 = self.module.types().i32();
        builder.store(i32.zero(), some, 0);
        builder.store(i32.constant(u32::MAX.into()), every, 0);
        self.each_thread(builder, |builder, thread| {
            let region = (split.any.function_type(), region);
            let exit = self.call_typed(builder, region, thread, &frames.arguments(thread, 0));
            builder.store(exit, self.state(builder, split, frames, thread), 0);
            for (opcode, bits) in [(Opcode::Or, some), (Opcode::And, every)] {
                let bits_before = builder.load(i32, bits, 0, "");
                builder.store(builder.binary(opcode, bits_before, exit, ""), bits, 0);
            }
        });
    }

    /// Runs threads that have stopped at different barriers, some of which may have ended: each continues with its own
    /// region, until all have ended.
    fn run_diverged(
        &self,
        builder: &Builder<'c>,
        split: &SplitKernel<'c>,
        frames: &Frames<'c>,
        [some, highest]: [Value<'c>; 2],
        done: Block<'c>,
    ) {
        let entry = builder.block().function();
        let i32 = self.module.types().i32();
        let one = i32.constant(1);
        let highest = split.has_iterations().then(|| self.find_highest(builder, split, frames, highest));
        let again = entry.append_block("again");
        builder.br(again);
        builder.move_to_end(again);
        // While some threads run a loop, those at a barrier wait for them.
        let lowest = highest.map_or(one, |highest| {
            let first = i32.constant((split.real_stops + 1).into());
            let in_loop = builder.icmp(IntPredicate::Uge, builder.load(i32, highest, 0, ""), first, "");
            builder.select(in_loop, first, one, "")
        });
        for variable in highest.into_iter().chain([some]) {
            builder.store(i32.zero(), variable, 0);
        }
        self.each_thread(builder, |builder, thread| {
            let state = self.state(builder, split, frames, thread);
            let region = builder.load(i32, state, 0, "");
            let [live, next] = ["live", "next"].map(|name| entry.append_block(name));
            builder.cond_br(builder.icmp(IntPredicate::Uge, region, lowest, ""), live, next);
            builder.move_to_end(live);
            let mut arguments = frames.arguments(thread, 0);
            arguments[3] = region;
            let exit = self.call(builder, split.any, thread, &arguments);
            builder.store(exit, state, 0);
            builder.br(next);
            builder.move_to_end(next);
            let exit = builder.load(i32, state, 0, "");
            let bits = builder.binary(Opcode::Or, builder.load(i32, some, 0, ""), exit, "");
            builder.store(bits, some, 0);
            highest.into_iter().for_each(|highest| self.raise(builder, highest, exit));
        });
        let left = builder.load(i32, some, 0, "");
        builder.cond_br(is_not_zero(builder, left), again, done);
    }

    /// Sets a variable to the highest number of the stops where threads are.
    fn find_highest(
        &self,
        builder: &Builder<'c>,
        split: &SplitKernel<'c>,
        frames: &Frames<'c>,
        highest: Value<'c>,
    ) -> Value<'c> {
        let i32 = self.module.types().i32();
        builder.store(i32.zero(), highest, 0);
        self.each_thread(builder, |builder, thread| {
            let state = self.state(builder, split, frames, thread);
            self.raise(builder, highest, builder.load(i32, state, 0, ""));
        });
        highest
    }

    /// Stores a value to a variable if it is higher.
    fn raise(&self, builder: &Builder<'c>, variable: Value<'c>, value: Value<'c>) {
        let before = builder.load(value.ty(), variable, 0, "");
        let is_higher = builder.icmp(IntPredicate::Ugt, value, before, "");
        builder.store(builder.select(is_higher, value, before, ""), variable, 0);
    }

    /// The address of the number of a thread's next region.
    fn state(
        &self,
        builder: &Builder<'c>,
        split: &SplitKernel<'c>,
        frames: &Frames<'c>,
        thread: &Thread<'c>,
    ) -> Value<'c> {
        let types = self.module.types();
        let (i8, i32, i64) = (types.i8(), types.i32(), types.i64());
        let offset = builder.mul(frames.threads, i64.constant(split.frame.state_offset), "");
        let states = builder.gep(i8, frames.memory, &[offset], "states");
        builder.gep(i32, states, &[thread.number], "")
    }
}
