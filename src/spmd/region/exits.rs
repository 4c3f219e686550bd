//! Where the threads stop that run a region.

use crate::analysis::effects::{depends_on_operands_alone, made_of};
use crate::llvm::{Opcode, Value};
use crate::passes::region_graph::RegionGraph;
use crate::spmd::facts::shapes::Shapes;

/// The exits of threads that start with this region.
pub(crate) fn exits(graph: &RegionGraph<'_>, state: &dyn Fn(u32) -> u32, region: usize) -> Vec<u32> {
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

/// Whether all threads that run a region together stop at the same place: they agree on each branch whose sides lead to
/// different ends. A value that was loaded may have been changed by a thread that ran before another one.
pub(crate) fn exits_agree<'c>(graph: &RegionGraph<'c>, certain: &Shapes<'_, 'c>, region: usize) -> bool {
    let end = |block: usize| graph.blocks[block].terminator();
    let is_end = |b: &usize| graph.stops.contains_key(b) || end(*b).is_some_and(|end| end.is(Opcode::Ret));
    let ends = |start: usize| -> Vec<_> { graph.reached(start).into_iter().filter(is_end).collect() };
    graph.region(region).into_iter().filter(|block| !graph.stops.contains_key(block)).all(|block| {
        let Some(condition) = end(block).and_then(Value::condition) else { return true };
        // A side without an end is a panic.
        let sides: Vec<_> = graph.successors(block).iter().map(|b| ends(*b)).filter(|ends| !ends.is_empty()).collect();
        let is_one_end = sides.len() <= 1 || sides.iter().all(|side| side.len() == 1 && side == &sides[0]);
        is_one_end || certain.step(condition) == Some(0) && !depends_on_memory(condition)
    })
}

/// Whether a value depends on memory that a thread may write.
fn depends_on_memory(value: Value<'_>) -> bool {
    let chooses = |v: Value<'_>| v.is(Opcode::Phi) || v.is(Opcode::Freeze);
    let reads = |v: Value<'_>| v.is_instruction() && !depends_on_operands_alone(v) && !chooses(v);
    made_of(value, |v| !reads(v)).into_iter().any(reads)
}
