//! Splits the body of a kernel at its stops: its barriers, and the points where the lanes of a warp wait for each
//! other.
//!
//! A region is the code that a thread executes from the start or a stop to the next stops or the end. After the split,
//! each region is a function that returns where its thread has stopped: 0 for the end, otherwise the number of the
//! stop, from 1. Values that are used after a stop are in the slots of the thread, see `slots.rs`. Values that depend
//! only on arguments and the position are recomputed at the start of every region.

use std::collections::HashMap;

use super::barriers;
use super::entry::MOST_REGIONS;
use super::guards::{self, Guarded};
use super::hoist::hoist;
use super::lanes::{self, Stops, Warps};
use super::slots::{self, FrameLayout, Kept, Step};
use super::thread;
use super::vectors::{Shapes, Vectorized, certain_shapes, vectorize};
use crate::error::Result;
use crate::llvm::{Block, Builder, Function, Module, Opcode, Place, Value};
use crate::passes::convergence::mask_operations::NAMES_RETURNED;
use crate::passes::region_graph::RegionGraph;
use crate::targets::CpuVectorize;

/// The number of a region's parameters after the position: the slots' memory, the number of threads rounded up, this
/// thread's number, and the region's number.
const SLOT_PARAMETERS: usize = 4;

/// The code of one thread of a kernel.
pub(super) enum Regions<'c> {
    /// A kernel without stops: one function without a result.
    One(Function<'c>, Faster<'c>),
    /// A kernel with stops.
    Several(SplitKernel<'c>),
}

/// A faster version of a function for some of the threads.
pub(super) enum Faster<'c> {
    /// There is none.
    No,
    /// For the threads that pass the kernel's guards.
    Guarded(Guarded<'c>),
    /// For several threads at once.
    Vectorized(Vectorized<'c>),
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
    /// The cross-lane operations of the kernel, if there are any. Then the exits are the states of lanes.
    pub(super) warps: Option<Warps>,
}

/// One region.
pub(super) struct Region<'c> {
    /// Its function.
    pub(super) function: Function<'c>,
    /// The possible results, in ascending order; never empty.
    pub(super) exits: Vec<u32>,
    /// A version for several threads at once.
    pub(super) vectorized: Option<Vectorized<'c>>,
}

impl<'c> Regions<'c> {
    /// Keeps values in registers within a region.
    pub(super) fn load_once(&self) {
        if let Regions::Several(split) = self {
            split.regions.iter().for_each(|region| slots::load_once(region.function, &split.kept));
        }
    }

    /// Adds versions that are larger and faster.
    pub(super) fn speed_up(&mut self, module: &Module<'c>, when: CpuVectorize) {
        match self {
            Regions::One(body, faster) => {
                let x = body.parameters().len() - 3;
                let guarded = guards::split(module, *body);
                *faster = match guarded {
                    // LLVM vectorises straight code, and unrolls it.
                    Some(guarded) if guards::is_straight(guarded.fast) => Faster::Guarded(guarded),
                    guarded => match vectorize(module, *body, &[x], &[], when) {
                        Some(vectorized) => Faster::Vectorized(vectorized),
                        None => guarded.map_or(Faster::No, Faster::Guarded),
                    },
                };
            }
            Regions::Several(split) if split.warps.is_none() && split.regions.len() <= MOST_REGIONS => {
                for region in &mut split.regions {
                    let linear = linear_parameters(region.function);
                    region.vectorized = vectorize(module, region.function, &linear, &split.kept, when);
                }
            }
            Regions::Several(_) => {}
        }
    }
}

/// Splits `body`, which is erased if it has stops. `lanes` is the size of a warp; with 1, there are no cross-lane
/// operations.
pub(super) fn split<'c>(module: &Module<'c>, body: Function<'c>, lanes: u32) -> Result<Regions<'c>> {
    let barriers = barriers::in_function(module, body);
    let has_warps = lanes > 1 && lanes::is_in_function(body);
    if barriers.is_empty() && !has_warps {
        return Ok(Regions::One(body, Faster::No));
    }
    let types = module.types();
    let (i32, i64) = (types.i32(), types.i64());
    let name = body.name();
    let more: [_; SLOT_PARAMETERS] = [module.types().ptr(0), i64, i64, i32];
    let any = body.extend_signature(i32, &more);
    body.erase_global();
    any.remove_attribute(Place::Function, "alwaysinline");
    any.mark("noinline");
    let stops = if has_warps { Some(lanes::stops(module, any, lanes)?) } else { None };
    let calls = stops.as_ref().map_or(barriers, |stops| stops.calls.clone());
    let graph = RegionGraph::split(any, &calls);
    calls.into_iter().for_each(Value::erase);
    let prologue = hoist(module, any, thread::position(any, SLOT_PARAMETERS));
    drop_alias_attributes(any);
    let steps = steps(module, any);
    let values: Vec<_> =
        graph.keep_values().into_iter().map(|(value, slot)| (slot, value.ty(), steps.get(&value).copied())).collect();
    let (frame, offsets) = slots::place(module, any)?;
    let offset = |slot: &Value<'c>| offsets.get(slot).copied();
    let kept: Vec<_> =
        values.into_iter().filter_map(|(slot, ty, step)| Some(Kept { offset: offset(&slot)?, ty, step })).collect();
    let warps = |Stops { kinds, mailbox, .. }| -> Result<Warps> {
        let excuses = any.text_attribute(Place::Function, NAMES_RETURNED).is_some();
        Ok(Warps { lanes, stops: kinds, excuses, mailbox: lanes::offsets(&mailbox, &offsets)? })
    };
    let warps = stops.map(warps).transpose()?;
    let state = |stop: u32| warps.as_ref().map_or(stop, |warps| warps.state(stop));
    return_at_stops(module, any, &graph, &state, prologue);
    let regions = (0..graph.starts.len())
        .map(|k| Region {
            function: specialize(any, &graph, &format!("{name}.{k}"), k),
            exits: exits(&graph, &state, k),
            vectorized: None,
        })
        .collect();
    Ok(Regions::Several(SplitKernel { regions, any, frame, warps, kept }))
}

/// The numbers of the parameters of a region's function that differ by one from thread to thread: x, and the number of
/// the thread.
fn linear_parameters(function: Function<'_>) -> [usize; 2] {
    let count = function.parameters().len();
    [count - SLOT_PARAMETERS - 3, count - 2]
}

/// How the values of neighbouring threads differ in a whole kernel whose threads all stop at the same places.
fn steps<'c>(module: &Module<'c>, function: Function<'c>) -> HashMap<Value<'c>, Step> {
    let parameters = function.parameters();
    let linear = linear_parameters(function).map(|number| parameters[number]);
    let certain = certain_shapes(module, function, &linear);
    let mut likely = Shapes::new(module, &linear);
    likely.guess();
    likely.compute(function);
    let step = |value: Value<'c>| {
        let certain = certain.as_ref().and_then(|shapes| shapes.step(value)).map(Step::Certain);
        certain.or_else(|| likely.step(value).map(Step::Likely))
    };
    let values = function.instructions().filter(|i| !i.ty().is_void());
    values.filter_map(|value| Some((value, step(value)?))).collect()
}

/// If one region stores a pointer in a slot and the next region uses it, LLVM does not know that it is derived from a
/// parameter.
fn drop_alias_attributes(function: Function<'_>) {
    for index in 0..function.parameters().len() as u32 {
        for name in ["noalias", "captures"] {
            function.remove_attribute(Place::Parameter(index), name);
        }
    }
}

/// The exits of threads that start with this region.
fn exits(graph: &RegionGraph<'_>, state: &dyn Fn(u32) -> u32, region: usize) -> Vec<u32> {
    let exit = |block: usize| {
        let ends = || graph.blocks[block].terminator().is_some_and(|t| t.is(Opcode::Ret));
        graph.stops.get(&block).copied().or_else(|| ends().then_some(0)).map(state)
    };
    let mut exits: Vec<u32> = graph.region(region).into_iter().filter_map(exit).collect();
    exits.sort_unstable();
    exits.dedup();
    // A region that always traps.
    if exits.is_empty() { vec![0] } else { exits }
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
