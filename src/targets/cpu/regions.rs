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
use super::cells::{Cell, pass_cells};
use super::choices::{self, Sides};
use super::coalesce::{KeptValue, coalesce};
use super::entry::MOST_REGIONS;
use super::exchanges;
use super::exits::{exits, exits_agree};
use super::full_warps;
use super::hoist::hoist_counts;
use super::iterations::{self, Iterations};
use super::lanes::{self, Stops, Warps};
use super::rows::{self, Rows};
use super::slots::{self, FrameLayout, Kept, Step};
use super::strides;
use super::thread;
use super::vectors::{Choice, Shapes, Vectorized, WIDTH, certain_shapes, vectorize};
use crate::error::Result;
use crate::llvm::{Block, Builder, Function, Module, Opcode, Place, Value};
use crate::passes::launch::launch_bounds::LaunchBounds;
use crate::passes::region_graph::RegionGraph;
use crate::targets::CpuVectorize;

/// The number of a region's parameters after the position: the slots' memory, the number of threads rounded up, this
/// thread's number, and the region's number.
pub(super) const SLOT_PARAMETERS: usize = 4;

/// The code of one thread of a kernel.
pub(super) enum Regions<'c> {
    /// A kernel without stops: one function without a result.
    One(Function<'c>, Faster<'c>),
    /// A kernel with stops.
    Several(SplitKernel<'c>),
}

/// Faster versions of a function.
#[derive(Default)]
pub(super) struct Faster<'c> {
    /// For threads of a row whose branches are known.
    pub(super) rows: Option<Rows<'c>>,
    /// The same for several threads at once.
    pub(super) rows_together: Option<Vectorized<'c>>,
    /// For several threads at once.
    pub(super) together: Option<Vectorized<'c>>,
}

/// A body that was split at its stops. All functions have the kernel's parameters, the position, and the parameters for
/// slots.
pub(super) struct SplitKernel<'c> {
    /// The regions. Region 0 starts at the kernel's start, region n after stop n.
    pub(super) regions: Vec<Region<'c>>,
    /// A function for all regions, with the region's number as its last parameter.
    pub(super) any: Function<'c>,
    /// The slots of a thread.
    pub(super) frame: FrameLayout,
    /// The slots of values that the regions hand on.
    kept: Vec<Kept<'c>>,
    /// The highest number of a barrier. At stops with higher numbers, threads do not wait for others.
    pub(super) real_stops: u32,
    /// The cross-lane operations of the kernel, if there are any. Then the exits are the states of lanes.
    pub(super) warps: Option<Warps>,
}

/// One region.
pub(super) struct Region<'c> {
    /// Its function.
    pub(super) function: Function<'c>,
    /// The possible results, in ascending order; never empty.
    pub(super) exits: Vec<u32>,
    /// Whether all threads have the same result if all of them run the region together.
    pub(super) agrees: bool,
    pub(super) faster: Faster<'c>,
    /// The values that are the same in all threads, which its function receives as its last parameters.
    pub(super) cells: Vec<Cell<'c>>,
    /// The function that decides over the region's first branch for all threads, and a region for each side.
    pub(super) sides: Option<(Function<'c>, Box<[Region<'c>; 2]>)>,
    /// Whether neighbouring threads access elements that are no neighbours: vectors would be put together one by one.
    pub(super) is_scattered: bool,
    /// A version for the iterations of a loop that no thread leaves.
    pub(super) iterations: Option<Iterations<'c>>,
    /// The only lane of a warp that does anything in it.
    pub(super) lane: Option<u32>,
}

impl<'c> Regions<'c> {
    /// The function with all code of a thread.
    pub(super) fn any(&self) -> Function<'c> {
        match self {
            Regions::One(function, _) => *function,
            Regions::Several(split) => split.any,
        }
    }

    /// Keeps values in registers within a region.
    pub(super) fn load_once(&self) {
        if let Regions::Several(split) = self {
            for region in &split.regions {
                let [_, number] = linear_parameters(region.function, region.cells.len());
                slots::load_once(region.function, number, &split.kept);
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
            let (own, cells) = (own_parameters(region.function, region.cells.len()), &region.cells);
            let [_, number] = linear_parameters(region.function, cells.len());
            if let Some((function, cells)) = pass_loads(region.function, number, &own, cells) {
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
                let [_, number] = linear_parameters(region.function, region.cells.len());
                slots::drop_unchanged(region.function, number, &kept);
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
                for Region { function, cells, .. } in &split.regions {
                    let block = thread::position(*function, SLOT_PARAMETERS + cells.len())[0];
                    exchanges::store_always(*function, block);
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
                for Region { function, faster, cells, .. } in split.fast_regions() {
                    let number = function.parameters()[linear_parameters(*function, cells.len())[1]];
                    let position = thread::position(*function, SLOT_PARAMETERS + cells.len());
                    faster.rows = rows::split(module, *function, position, Some(number));
                }
            }
        }
    }

    /// Adds versions for several threads at once.
    pub(super) fn vectorize(&mut self, module: &Module<'c>, choice: Choice) {
        let (when, promised) = (choice.when, LaunchBounds::of(self.any()).size[0]);
        let choice = Choice { promised, ..choice };
        match self {
            Regions::One(body, faster) => {
                let x = body.parameters().len() - 3;
                // LLVM vectorises straight code, and unrolls it.
                let is_left = |function: Function<'c>| rows::is_straight(function);
                let together = |function: Function<'c>| vectorize(module, function, &[x], &[], choice);
                faster.vectorize(*body, |fast| if is_left(fast) { None } else { together(fast) }, together);
            }
            Regions::Several(split) => {
                let kept = std::mem::take(&mut split.kept);
                if split.warps.as_ref().is_some_and(|warps| warps.full) {
                    full_warps::vectorize_regions(module, split, &kept, choice);
                }
                for region in split.fast_regions() {
                    let linear = linear_parameters(region.function, region.cells.len());
                    let together = |function: Function<'c>| vectorize(module, function, &linear, &kept, choice);
                    if !region.is_scattered || when == CpuVectorize::Always {
                        region.faster.vectorize(region.function, together, together);
                    }
                    if let Some(iterations) = &mut region.iterations
                        && !rows::is_straight(iterations.fast)
                    {
                        let linear = linear_parameters(iterations.fast, 1);
                        iterations.together = vectorize(module, iterations.fast, &linear, &kept, choice);
                    }
                }
                split.kept = kept;
            }
        }
    }
}

impl<'c> Faster<'c> {
    /// Whether there are no such versions.
    pub(super) fn is_none(&self) -> bool {
        self.rows.is_none() && self.together.is_none()
    }

    fn vectorize(
        &mut self,
        body: Function<'c>,
        of_rows: impl Fn(Function<'c>) -> Option<Vectorized<'c>>,
        of_body: impl Fn(Function<'c>) -> Option<Vectorized<'c>>,
    ) {
        self.rows_together = self.rows.as_ref().and_then(|rows| of_rows(rows.fast));
        if self.rows.as_ref().is_none_or(|rows| !rows.others_leave) {
            self.together = of_body(body);
        }
    }
}

impl<'c> SplitKernel<'c> {
    /// Whether there are stops at which threads do not wait beside such at which they do.
    pub(super) fn has_iterations(&self) -> bool {
        self.real_stops > 0 && self.regions.len() > self.real_stops as usize + 1
    }

    /// The regions that have faster versions: not those of warps, nor of kernels with many regions.
    fn fast_regions(&mut self) -> Vec<&mut Region<'c>> {
        let any = self.warps.is_none() && self.regions.len() <= MOST_REGIONS;
        let mut left: Vec<_> = if any { self.regions.iter_mut().collect() } else { Vec::new() };
        let mut found = Vec::new();
        while let Some(region) = left.pop() {
            match region.sides {
                Some(_) => left.extend(region.sides.iter_mut().flat_map(|(_, sides)| sides.iter_mut())),
                None => found.push(region),
            }
        }
        found
    }
}

impl<'c> Region<'c> {
    fn new(function: Function<'c>, exits: Vec<u32>, agrees: bool, cells: Vec<Cell<'c>>) -> Self {
        let (faster, sides, iterations) = (Faster::default(), None, None);
        Region { function, exits, agrees, faster, cells, sides, is_scattered: false, iterations, lane: None }
    }

    fn split_choice(&mut self, module: &Module<'c>) {
        let own = own_parameters(self.function, self.cells.len());
        if !self.agrees || self.exits.len() == 1 {
            return;
        }
        if let Some(sides) = choices::split(module, self.function, &own) {
            self.set_sides(sides);
        }
    }

    /// The second side is that of other distances.
    fn split_aligned(&mut self, module: &Module<'c>) {
        let own = own_parameters(self.function, self.cells.len());
        let position = thread::position(self.function, SLOT_PARAMETERS + self.cells.len());
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
        let position = thread::position(self.function, SLOT_PARAMETERS + self.cells.len());
        let [_, _, _, thread] = own_parameters(self.function, self.cells.len());
        if let Some(sides) = block_counts::split(module, self.function, position, thread) {
            self.set_sides(sides);
        }
    }

    /// One side for each distance below the size of a group.
    fn split_small(&mut self, module: &Module<'c>, exponent: u32) {
        let own = own_parameters(self.function, self.cells.len());
        let is_small = 1 << exponent < WIDTH;
        match if is_small { aligned::split_small(module, self.function, &own, exponent) } else { None } {
            Some(sides) => {
                self.set_sides(sides);
                self.sides.iter_mut().for_each(|(_, sides)| sides[1].split_small(module, exponent + 1));
            }
            None => self.is_scattered = true,
        }
    }

    fn set_sides(&mut self, Sides { decide, functions }: Sides<'c>) {
        let side = |function| Region::new(function, self.exits.clone(), true, self.cells.clone());
        self.sides = Some((decide, Box::new(functions.map(side))));
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
    let types = module.types();
    let (i32, i64) = (types.i32(), types.i64());
    let name = body.name();
    let more: [_; SLOT_PARAMETERS] = [module.types().ptr(0), i64, i64, i32];
    let any = body.extend_signature(i32, &more);
    body.erase_global();
    any.remove_attribute(Place::Function, "alwaysinline");
    any.mark("noinline");
    let parameters = any.parameters();
    let linear = linear_parameters(any, 0).map(|number| parameters[number]);
    thread::settle_lanes(module, any, Some(linear[1]), lanes);
    let stops = if has_warps { Some(lanes::stops(module, any, lanes)?) } else { None };
    let calls = stops.as_ref().map_or(barriers, |stops| stops.calls.clone());
    let graph = RegionGraph::split(any, &calls);
    calls.into_iter().for_each(Value::erase);
    let prologue = hoist_counts(module, any, (thread::position(any, SLOT_PARAMETERS), linear[1]));
    drop_alias_attributes(any);
    let ends = graph.blocks.iter().enumerate().filter(|(number, _)| graph.stops.contains_key(number));
    let ends = ends.map(|(_, block)| *block).collect();
    let certain = certain_shapes(module, any, (&linear, &[]), &ends);
    // The values of a row's threads may differ from those of another row.
    let of_block = certain_shapes(module, any, (&[], &own_parameters(any, 0)), &ends);
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

/// The numbers of the parameters of a region's function that differ by one from thread to thread: x, and the number of
/// the thread. `cells` is the number of parameters after those of all regions.
pub(super) fn linear_parameters(function: Function<'_>, cells: usize) -> [usize; 2] {
    let count = function.parameters().len() - cells;
    [count - SLOT_PARAMETERS - 3, count - 2]
}

/// The parameters that differ between the threads of a block: x, y, z, and the number of the thread.
fn own_parameters<'c>(function: Function<'c>, cells: usize) -> [Value<'c>; 4] {
    let [x, number] = linear_parameters(function, cells);
    let parameters = function.parameters();
    [x, x + 1, x + 2, number].map(|place| parameters[place])
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
