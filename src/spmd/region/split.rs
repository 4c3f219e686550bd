//! Splits the body of a kernel at its stops: its barriers, and the points where the lanes of a warp wait for each
//! other.
//!
//! A region is the code that a thread executes from the start or a stop to the next stops or the end. After the split,
//! each region is a function that returns where its thread has stopped: 0 for the end, otherwise the number of the
//! stop, from 1. Values that are used after a stop are in the slots of the thread, see `slots.rs`. Values that depend
//! only on arguments and the position are recomputed at the start of every region.

use std::collections::HashMap;

use super::barriers;
use super::coalesce::{KeptValue, coalesce};
use super::code_table;
use super::exits::{exits, exits_agree};
use super::hoist::hoist_counts;
use super::implicit_barriers;
use super::position;
use super::signature::RegionSignature;
use super::slots::{self, Kept, Step};
use super::stops::{self, Stops, Warps};
use super::types::{Region, Regions, SplitKernel};
use super::uniform_slots::{UniformSlot, pass_uniform_slots};
use super::versions::{Code, Version};
use crate::error::Result;
use crate::llvm::{Block, Builder, Function, Module, Opcode, Place, Value};
use crate::passes::region_graph::RegionGraph;
use crate::spmd::facts::kernel_shapes::shapes_of_kernel;
use crate::spmd::facts::shapes::Shapes;
use crate::spmd::tuning::{REGIONS_IN_ENTRY, WARP_GROUP};

/// Splits the code of each kernel at its stops. `lanes` is the size of a warp; with 1, there are no cross-lane
/// operations. With `optimize`, there are more stops than needed.
pub(crate) fn split_regions(module: &Module<'_>, lanes: u32, optimize: bool) -> Result<()> {
    code_table::change(module, |regions| {
        if let Regions::One(version) = regions {
            *regions = split(module, version.any().function, lanes, optimize)?;
        }
        Ok(())
    })
}

/// Splits `body`, which is erased if it has stops.
fn split<'c>(module: &Module<'c>, body: Function<'c>, lanes: u32, optimize: bool) -> Result<Regions<'c>> {
    let mut barriers = barriers::in_function(module, body);
    let real_stops = barriers.len() as u32;
    let has_warps = lanes > 1 && stops::is_in_function(body);
    if optimize && !has_warps {
        barriers.extend(implicit_barriers::insert_stops(module, body, position::position(body, 0)[0]));
    }
    if !has_warps {
        position::settle_lanes(module, body, None, lanes);
    }
    if barriers.is_empty() && !has_warps {
        return Ok(Regions::One(Version::Code(Code::new(body, Vec::new()))));
    }
    let name = body.name();
    let any = body.extend_signature(module.types().i32(), &RegionSignature::slot_types(module));
    body.erase_global();
    any.remove_attribute(Place::Function, "alwaysinline");
    any.mark("noinline");
    let signature = RegionSignature::of(any, 0);
    let affine = signature.affine_values();
    position::settle_lanes(module, any, Some(affine[1]), lanes);
    let stops = if has_warps { Some(stops::stops(module, any, lanes)?) } else { None };
    let calls = stops.as_ref().map_or(barriers, |stops| stops.calls.clone());
    let graph = RegionGraph::split(any, &calls);
    calls.into_iter().for_each(Value::erase);
    let prologue = hoist_counts(module, any, signature.position(), affine[1]);
    drop_alias_attributes(any);
    let ends = graph.blocks.iter().enumerate().filter(|(number, _)| graph.stops.contains_key(number));
    let ends = ends.map(|(_, block)| *block).collect();
    let certain = shapes_of_kernel(module, any, &affine, &[], &ends);
    // The values of a row's threads may differ from those of another row.
    let of_block = shapes_of_kernel(module, any, &[], &signature.own(), &ends);
    let is_fast = optimize && !has_warps && graph.starts.len() <= REGIONS_IN_ENTRY;
    let agrees: Vec<_> = (0..graph.starts.len()).map(|k| is_fast && exits_agree(&graph, &of_block, k)).collect();
    // The lanes of a warp may have come to a stop on different ways, and meet there again.
    let steps = if has_warps { HashMap::new() } else { steps(module, any, &certain, &affine) };
    let value = |(value, slot): (Value<'c>, Value<'c>)| KeptValue {
        value,
        slot,
        step: steps.get(&value).copied(),
        is_shared: of_block.step(value) == Some(0),
    };
    graph.repeat_comparisons(|value| steps.get(&value).is_some_and(Step::is_none));
    let values = coalesce(any, graph.keep_values().into_iter().map(value).collect());
    // Threads that stop at different places may have different values.
    let all_agree = agrees.iter().all(|agrees| *agrees);
    // The address of a slot with a larger alignment is not an offset alone.
    let is_plain = |slot: Value<'c>| u64::from(slot.alignment()) <= slots::THREADS_MULTIPLE;
    let is_uniform_slot =
        |k: &&KeptValue<'c>| all_agree && k.is_shared && k.slot.operand(0).as_u64() == Some(1) && is_plain(k.slot);
    let uniform_slots: Vec<_> = values.iter().filter(is_uniform_slot).map(|k| k.slot).collect();
    // Their slots are replaced by addresses.
    let values: Vec<_> = values.into_iter().map(|k| (k.slot, k.slot.allocated_type(), k.step)).collect();
    let (frame, offsets) = slots::place(module, any, &uniform_slots, !optimize)?;
    let offset = |slot: &Value<'c>| offsets.get(slot).copied();
    let in_uniform_slots = values.iter().filter(|(slot, ..)| uniform_slots.contains(slot));
    let uniform_slots: Vec<_> =
        in_uniform_slots.filter_map(|(slot, ty, _)| Some(UniformSlot::in_slot(offset(slot)?, *ty))).collect();
    let kept: Vec<_> =
        values.into_iter().filter_map(|(slot, ty, step)| Some(Kept { offset: offset(&slot)?, ty, step })).collect();
    let warps = |Stops { kinds, operands, mailbox, .. }| -> Result<Warps> {
        let full = optimize && has_full_warps(lanes);
        Ok(Warps { lanes, stops: kinds, operands, full, mailbox: stops::offsets(&mailbox, &offsets)? })
    };
    let warps = stops.map(warps).transpose()?;
    let state = |stop: u32| warps.as_ref().map_or(stop, |warps| warps.state(stop));
    return_at_stops(module, any, &graph, &state, prologue);
    let regions = (0..graph.starts.len())
        .map(|k| {
            let (function, uniform_slots) =
                pass_uniform_slots(specialize(any, &graph, &format!("{name}.{k}"), k), &uniform_slots);
            let exits = exits(&graph, &state, k);
            let agrees = agrees[k] || exits.len() == 1;
            Region { version: Version::Code(Code::new(function, exits)), agrees, uniform_slots }
        })
        .collect();
    Ok(Regions::Several(SplitKernel { regions, any, frame, warps, kept, real_stops }))
}

/// How the values of neighbouring threads differ in a whole kernel whose threads all stop at the same places.
fn steps<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    certain: &Shapes<'_, 'c>,
    affine: &[Value<'c>],
) -> HashMap<Value<'c>, Step> {
    let mut likely = Shapes::new(module, affine);
    likely.guess();
    likely.compute(function);
    let step =
        |value: Value<'c>| certain.step(value).map(Step::Certain).or_else(|| likely.step(value).map(Step::Likely));
    let values = function.instructions().filter(|i| !i.ty().is_void());
    values.filter_map(|value| Some((value, step(value)?))).collect()
}

/// If one region stores a pointer in a slot and the next region uses it, LLVM does not know that it is derived from a
/// parameter. The kernel may initialize memory that one region only reads.
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

/// Whether full warps with this number of lanes have a separate version.
fn has_full_warps(lanes: u32) -> bool {
    lanes > WARP_GROUP && lanes.is_multiple_of(WARP_GROUP)
}
