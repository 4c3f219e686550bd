//! Splits the body of a kernel at its stops: its barriers, and the points where the lanes of a warp wait for each
//! other.
//!
//! A region is the code that a thread executes from the start or a stop to the next stops or the end. After the split,
//! each region is a function that returns where its thread has stopped: 0 for the end, otherwise the number of the
//! stop, from 1. Values that are used after a stop are in the slots of the thread, see `slots.rs`. Values that depend
//! only on arguments and the position are recomputed at the start of every region.

use std::collections::HashMap;

use super::aligned;
use super::barriers;
use super::block_counts;
use super::block_loads::pass_loads;
use super::cause::{Cause, Reason};
use super::cells::{Cell, pass_cells};
use super::choices;
use super::coalesce::{KeptValue, coalesce};
use super::exchanges;
use super::exits::{exits, exits_agree};
use super::faster::{Faster, kept_or};
use super::full_warps;
use super::hoist::hoist_counts;
use super::iterations;
use super::lanes::{self, Stops, Warps};
use super::region::{Iterations, MOST_REGIONS, Region, Regions, SplitKernel};
use super::rows;
use super::signature::RegionSignature;
use super::slots::{self, Kept, Step};
use super::strides;
use super::thread;
use super::vectors::{Choice, Shapes, WIDTH, certain_shapes, vectorize};
use crate::error::Result;
use crate::llvm::{Block, Builder, Function, Module, Opcode, Place, Value};
use crate::passes::launch::launch_bounds::LaunchBounds;
use crate::passes::region_graph::RegionGraph;
use crate::targets::CpuVectorize;

impl<'c> Regions<'c> {
    /// Keeps values in registers within a region.
    pub(super) fn load_once(&self) {
        if let Regions::Several(split) = self {
            for region in &split.regions {
                slots::load_once(region.function, &region.signature().slots(), &split.kept);
            }
        }
    }

    /// Loads what all threads of the block load before the loops over them.
    pub(super) fn pass_loads(&mut self) {
        let Regions::Several(split) = self else { return };
        // Otherwise some threads may have stopped at another place, and may store to what these load.
        if split.regions.iter().any(|region| !region.agrees) {
            return;
        }
        for region in split.fast_regions() {
            if let Some((function, cells)) = pass_loads(region.function, &region.cells) {
                (region.function, region.cells) = (function, cells);
            }
        }
    }

    /// Splits regions whose first branch is the same for all threads.
    pub(super) fn split_choices(&mut self, module: &Module<'c>) {
        if let Regions::Several(split) = self {
            split.fast_regions().into_iter().for_each(|region| region.split_choice(module));
        }
    }

    /// Removes what the parts of such regions store to slots if it is in them already.
    fn drop_unchanged(&mut self) {
        if let Regions::Several(split) = self {
            let kept = std::mem::take(&mut split.kept);
            for region in split.fast_regions() {
                slots::drop_unchanged(&region.signature().slots(), &kept);
            }
            split.kept = kept;
        }
    }

    /// Splits regions at conditions on bits that are the same for all threads, and those whose loops iterate as often
    /// in all threads of most blocks.
    pub(super) fn split_known(&mut self, module: &Module<'c>) {
        self.drop_unchanged();
        if let Regions::Several(split) = self {
            split.fast_regions().into_iter().for_each(|region| region.split_aligned(module));
            split.fast_regions().into_iter().for_each(|region| region.split_counts(module));
        }
        self.find_exits();
    }

    /// Finds the exits of the parts.
    fn find_exits(&mut self) {
        if let Regions::Several(split) = self {
            for region in split.fast_regions() {
                if let Some(exits) = choices::results(region.function).filter(|_| region.agrees) {
                    region.exits = exits;
                }
            }
        }
    }

    /// Removes branches around stores to shared memory.
    pub(super) fn store_always(&self) {
        match self {
            Regions::One(body, _) => exchanges::store_always(*body, thread::position(*body, 0)[0]),
            Regions::Several(split) => {
                for region in &split.regions {
                    exchanges::store_always(region.function, region.signature().position()[0]);
                }
            }
        }
    }

    /// Adds versions for iterations of grid-stride loops.
    pub(super) fn find_iterations(&mut self, module: &Module<'c>) {
        if let Regions::Several(split) = self {
            let first = split.real_stops as usize + 1;
            if split.warps.is_some() || split.regions.len() > MOST_REGIONS {
                return;
            }
            for (number, region) in split.regions.iter_mut().enumerate().skip(first) {
                region.iterations = iterations::find(module, region, number as u32, &split.kept);
            }
        }
    }

    /// Adds versions for threads of a row whose branches are known.
    pub(super) fn find_rows(&mut self, module: &Module<'c>) {
        match self {
            Regions::One(body, faster) => faster.rows = rows::split(module, *body, thread::position(*body, 0), None),
            Regions::Several(split) => {
                if split.warps.as_ref().is_some_and(|warps| warps.full) {
                    full_warps::find_rows(module, &mut split.regions);
                }
                for region in split.fast_regions() {
                    let signature = region.signature();
                    let number = Some(signature.number());
                    region.faster.rows = rows::split(module, region.function, signature.position(), number);
                }
            }
        }
    }

    /// Says why there are no faster versions.
    pub(super) fn refuse(&mut self, reason: &Reason) {
        match self {
            Regions::One(_, faster) => faster.refuse(reason),
            Regions::Several(split) => split.regions.iter_mut().for_each(|region| region.faster.refuse(reason)),
        }
    }

    /// Adds versions for several threads at once.
    pub(super) fn vectorize(&mut self, module: &Module<'c>, choice: Choice) {
        let (when, promised) = (choice.when, LaunchBounds::of(self.any()).size[0]);
        let choice = Choice { promised, ..choice };
        match self {
            Regions::One(body, faster) => {
                let x = body.parameters().len() - 3;
                let together = |function: Function<'c>| vectorize(module, function, &[x], &[], choice);
                // LLVM vectorises straight code, and unrolls it.
                let of_rows = |fast: Function<'c>| match rows::is_straight(fast) {
                    true => Err(Cause::new(Reason::Straight)),
                    false => together(fast),
                };
                faster.vectorize(*body, of_rows, together);
            }
            Regions::Several(split) => {
                let kept = std::mem::take(&mut split.kept);
                if split.warps.as_ref().is_some_and(|warps| warps.full) {
                    full_warps::vectorize_regions(module, split, &kept, choice);
                }
                for region in split.fast_regions() {
                    let linear = region.signature().linear();
                    let together = |function: Function<'c>| vectorize(module, function, &linear, &kept, choice);
                    if !region.is_scattered || when == CpuVectorize::Always {
                        region.faster.vectorize(region.function, together, together);
                    } else {
                        region.faster.refuse(&Reason::Scattered);
                    }
                    if let Some(Iterations { fast, together, cause, .. }) = &mut region.iterations {
                        let linear = RegionSignature::of(*fast, 1).linear();
                        let made = match rows::is_straight(*fast) {
                            true => Err(Cause::new(Reason::Straight)),
                            false => vectorize(module, *fast, &linear, &kept, choice),
                        };
                        *together = kept_or(made, cause);
                    }
                }
                split.kept = kept;
                split.refuse_others();
            }
        }
    }
}

impl<'c> Region<'c> {
    fn split_choice(&mut self, module: &Module<'c>) {
        let own = self.signature().own();
        if !self.agrees || self.exits.len() == 1 {
            return;
        }
        if let Some(sides) = choices::split(module, self.function, &own) {
            self.set_sides(sides);
        }
    }

    /// The second side is that of other distances.
    fn split_aligned(&mut self, module: &Module<'c>) {
        let (position, own) = (self.signature().position(), self.signature().own());
        let sides = if self.agrees { aligned::split(module, self.function, position, &own) } else { None };
        if let Some(sides) = sides {
            self.set_sides(sides);
            self.sides.iter_mut().for_each(|(_, sides)| sides[1].split_small(module, 0));
        }
    }

    /// The second side is that of blocks whose threads do not all have the same number of iterations.
    fn split_counts(&mut self, module: &Module<'c>) {
        if !self.agrees || self.is_scattered {
            return;
        }
        let (position, thread) = (self.signature().position(), self.signature().number());
        if let Some(sides) = block_counts::split(module, self.function, position, thread) {
            self.set_sides(sides);
        }
    }

    /// One side for each distance below the size of a group.
    fn split_small(&mut self, module: &Module<'c>, exponent: u32) {
        let own = self.signature().own();
        let is_small = 1 << exponent < WIDTH;
        match if is_small { aligned::split_small(module, self.function, &own, exponent) } else { None } {
            Some(sides) => {
                self.set_sides(sides);
                self.sides.iter_mut().for_each(|(_, sides)| sides[1].split_small(module, exponent + 1));
            }
            None => self.is_scattered = true,
        }
    }
}

/// Splits `body`, which is erased if it has stops. `lanes` is the size of a warp; with 1, there are no cross-lane
/// operations. With `optimize`, there are more stops than needed.
pub(super) fn split<'c>(module: &Module<'c>, body: Function<'c>, lanes: u32, optimize: bool) -> Result<Regions<'c>> {
    let mut barriers = barriers::in_function(module, body);
    let real_stops = barriers.len() as u32;
    let has_warps = lanes > 1 && lanes::is_in_function(body);
    if optimize && !has_warps {
        barriers.extend(strides::insert_stops(module, body, thread::position(body, 0)[0]));
    }
    if !has_warps {
        thread::settle_lanes(module, body, None, lanes);
    }
    if barriers.is_empty() && !has_warps {
        return Ok(Regions::One(body, Faster::default()));
    }
    let name = body.name();
    let any = body.extend_signature(module.types().i32(), &RegionSignature::slot_types(module));
    body.erase_global();
    any.remove_attribute(Place::Function, "alwaysinline");
    any.mark("noinline");
    let signature = RegionSignature::of(any, 0);
    let linear = signature.linear_values();
    thread::settle_lanes(module, any, Some(linear[1]), lanes);
    let stops = if has_warps { Some(lanes::stops(module, any, lanes)?) } else { None };
    let calls = stops.as_ref().map_or(barriers, |stops| stops.calls.clone());
    let graph = RegionGraph::split(any, &calls);
    calls.into_iter().for_each(Value::erase);
    let prologue = hoist_counts(module, any, signature.position(), linear[1]);
    drop_alias_attributes(any);
    let ends = graph.blocks.iter().enumerate().filter(|(number, _)| graph.stops.contains_key(number));
    let ends = ends.map(|(_, block)| *block).collect();
    let certain = certain_shapes(module, any, &linear, &[], &ends);
    // The values of a row's threads may differ from those of another row.
    let of_block = certain_shapes(module, any, &[], &signature.own(), &ends);
    let is_fast = optimize && !has_warps && graph.starts.len() <= MOST_REGIONS;
    let agrees: Vec<_> = (0..graph.starts.len()).map(|k| is_fast && exits_agree(&graph, &of_block, k)).collect();
    // The lanes of a warp may have come to a stop on different ways, and meet there again.
    let steps = if has_warps { HashMap::new() } else { steps(module, any, &certain, &linear) };
    let value = |(value, slot): (Value<'c>, Value<'c>)| KeptValue {
        value,
        slot,
        step: steps.get(&value).copied(),
        is_shared: of_block.step(value) == Some(0),
    };
    graph.repeat_comparisons(|value| steps.get(&value).is_some_and(Step::is_none));
    let values = coalesce(any, graph.keep_values().into_iter().map(value).collect());
    // Threads that stop at different places have values of their own.
    let is_together = agrees.iter().all(|agrees| *agrees);
    // The address of a slot with a larger alignment is not an offset alone.
    let is_plain = |slot: Value<'c>| u64::from(slot.alignment()) <= slots::THREADS_MULTIPLE;
    let is_cell =
        |k: &&KeptValue<'c>| is_together && k.is_shared && k.slot.operand(0).as_u64() == Some(1) && is_plain(k.slot);
    let cells: Vec<_> = values.iter().filter(is_cell).map(|k| k.slot).collect();
    // Their slots are replaced by addresses.
    let values: Vec<_> = values.into_iter().map(|k| (k.slot, k.slot.allocated_type(), k.step)).collect();
    let (frame, offsets) = slots::place(module, any, &cells, !optimize)?;
    let offset = |slot: &Value<'c>| offsets.get(slot).copied();
    let in_cells = values.iter().filter(|(slot, ..)| cells.contains(slot));
    let cells: Vec<_> = in_cells.filter_map(|(slot, ty, _)| Some(Cell::in_slot(offset(slot)?, *ty))).collect();
    let kept: Vec<_> =
        values.into_iter().filter_map(|(slot, ty, step)| Some(Kept { offset: offset(&slot)?, ty, step })).collect();
    let warps = |Stops { kinds, operands, mailbox, .. }| -> Result<Warps> {
        let full = optimize && full_warps::are_possible(lanes);
        Ok(Warps { lanes, stops: kinds, operands, full, mailbox: lanes::offsets(&mailbox, &offsets)? })
    };
    let warps = stops.map(warps).transpose()?;
    let state = |stop: u32| warps.as_ref().map_or(stop, |warps| warps.state(stop));
    return_at_stops(module, any, &graph, &state, prologue);
    let regions = (0..graph.starts.len())
        .map(|k| {
            let (function, cells) = pass_cells(specialize(any, &graph, &format!("{name}.{k}"), k), &cells);
            let exits = exits(&graph, &state, k);
            let single = exits.len() == 1;
            Region::new(function, exits, agrees[k] || single, cells)
        })
        .collect();
    Ok(Regions::Several(SplitKernel { regions, any, frame, warps, kept, real_stops }))
}

/// How the values of neighbouring threads differ in a whole kernel whose threads all stop at the same places.
fn steps<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    certain: &Shapes<'_, 'c>,
    linear: &[Value<'c>],
) -> HashMap<Value<'c>, Step> {
    let mut likely = Shapes::new(module, linear);
    likely.guess();
    likely.compute(function);
    let step =
        |value: Value<'c>| certain.step(value).map(Step::Certain).or_else(|| likely.step(value).map(Step::Likely));
    let values = function.instructions().filter(|i| !i.ty().is_void());
    values.filter_map(|value| Some((value, step(value)?))).collect()
}

/// If one region stores a pointer in a slot and the next region uses it, LLVM does not know that it is derived from a
/// parameter. What the whole kernel initializes, a region may only read.
fn drop_alias_attributes(function: Function<'_>) {
    for index in 0..function.parameters().len() as u32 {
        for name in ["noalias", "captures", "initializes"] {
            function.remove_attribute(Place::Parameter(index), name);
        }
    }
}

/// Replaces stops and returns by returns of the exit, and lets the prologue branch to the start of the region.
fn return_at_stops<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    graph: &RegionGraph<'c>,
    state: &dyn Fn(u32) -> u32,
    prologue: Block<'c>,
) {
    let i32 = module.types().i32();
    for (number, block) in graph.blocks.iter().enumerate() {
        let Some(end) = block.terminator() else { continue };
        let stop = graph.stops.get(&number).copied();
        if stop.is_some() || end.is(Opcode::Ret) {
            Builder::before(end).ret(i32.constant(state(stop.unwrap_or(0)).into()));
            end.erase();
        }
    }
    let region = *function.parameters().last().expect("the region's number was appended");
    prologue.terminator().expect("the prologue goes on").erase();
    let start = |k: usize| graph.blocks[graph.starts[k]];
    let cases: Vec<_> = (1..graph.starts.len()).map(|k| (i32.constant(k as u64), start(k))).collect();
    Builder::at_end(prologue).switch(region, start(0), &cases);
}

/// A copy of `any` that contains only region `k`.
fn specialize<'c>(any: Function<'c>, graph: &RegionGraph<'c>, name: &str, k: usize) -> Function<'c> {
    let blocks: Vec<_> = graph.region(k).into_iter().map(|b| graph.blocks[b]).collect();
    let function = any.clone_region(graph.blocks[graph.starts[k]], &blocks);
    function.set_name(name);
    function.remove_attribute(Place::Function, "noinline");
    function
}
