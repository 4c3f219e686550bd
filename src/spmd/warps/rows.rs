//! The full warps of a row of a block, one after another.
//!
//! ```c
//! uint32_t warps(block, arguments..., unsigned char *frames, uint64_t threads, uint64_t own, bool begin,
//!                uint32_t x, uint32_t y, uint32_t z, uint32_t end);
//! ```
//!
//! Most blocks consist of such rows, so no division is needed to find the place of a warp, and values that are the same
//! for all warps are computed once. In a kernel without barriers, a warp runs to its end at once, so its slots are
//! variables of this function, and LLVM keeps them in registers.
//!
//! Bounds checks are decided for a whole row, as in other kernels (`version/row_range.rs`): in the range of x in which
//! all of them hold, a warp runs a version without these branches, if all of its code is straight then.

use super::full::is_straight;
use super::schedule::{ONE_WARP, Warp};
use crate::llvm::{Builder, Function, IntPredicate, Opcode, Value};
use crate::spmd::emit::counted_loop::Loop;
use crate::spmd::emit::launch::{Frames, Launch, Part, Thread};
use crate::spmd::emit::loops::ends_of;
use crate::spmd::region::stops::Warps;
use crate::spmd::region::types::{Region, SplitKernel};
use crate::spmd::region::versions::{Guard, Rows, Version};
use crate::spmd::tuning::WARP_STACK;

/// The alignment of slots.
const ALIGN: u32 = 64;

/// Defines the function.
pub(crate) fn define<'c>(outer: &Launch<'_, 'c>, split: &SplitKernel<'c>, warps: &Warps) -> Function<'c> {
    let (i1, i32, i64) = (outer.types().i1(), outer.types().i32(), outer.types().i64());
    let one = define_warp(outer, split, warps, false);
    let decided = has_straight_version(split, warps).then(|| define_warp(outer, split, warps, true));
    // One of them is inlined.
    one.mark(if decided.is_some() { "noinline" } else { "alwaysinline" });
    decided.iter().for_each(|decided| decided.mark("alwaysinline"));
    let (name, own) = (format!("{}.warps", split.any.name()), [i64, i1, i32, i32, i32, i32]);
    let Part { function, builder, launch, frames, more } = outer.define_part(&name, i32, &own);
    function.mark("noinline");
    let [own, begin, first, y, z, end] = more[..] else { unreachable!("they were just declared") };
    let waits = builder.alloca(i32, "waits");
    builder.store(i32.zero(), waits, 0);
    let start = Thread { id: [i32.zero(), y, z], number: own };
    let range = decided.map(|decided| (decided, range(&launch, &builder, split, &frames, &start)));
    let x = Loop::begin(&builder, first, end, "x");
    let lane = builder.cast(Opcode::ZExt, builder.binary(Opcode::Sub, x.counter, first, ""), i64, "");
    let own = if warps.has_barriers() { builder.add(own, lane, "") } else { own };
    let call = |function: Function<'c>| {
        let own = launch.call_part(&builder, function, &frames, &[own, begin, x.counter, y, z], "");
        builder.store(builder.binary(Opcode::Or, builder.load(i32, waits, 0, ""), own, ""), waits, 0);
    };
    let lanes = i32.constant(warps.lanes.into());
    match range {
        None => call(one),
        Some((decided, (from, to))) => {
            let is_behind = builder.icmp(IntPredicate::Uge, x.counter, from, "");
            let is_before = builder.icmp(IntPredicate::Ule, builder.add(x.counter, lanes, ""), to, "");
            let [inside, outside, after] = ["inside", "outside", "after"].map(|name| function.append_block(name));
            builder.cond_br(builder.binary(Opcode::And, is_behind, is_before, ""), inside, outside);
            for (block, version) in [(inside, decided), (outside, one)] {
                builder.move_to_end(block);
                call(version);
                builder.br(after);
            }
            builder.move_to_end(after);
        }
    }
    x.end_by(&builder, lanes);
    builder.ret(builder.load(i32, waits, 0, ""));
    function.describe_like(split.any);
    function
}

/// Defines the function that runs a warp whose lanes are all there, in one row: `uint32_t warp(block, arguments...,
/// frames, threads, own, begin, x, y, z)`. The branches that a row decides are known if it is `in_range`.
fn define_warp<'c>(outer: &Launch<'_, 'c>, split: &SplitKernel<'c>, warps: &Warps, in_range: bool) -> Function<'c> {
    let (i1, i32, i64) = (outer.types().i1(), outer.types().i32(), outer.types().i64());
    let name = format!("{}.warp.{}", split.any.name(), if in_range { "straight" } else { "full" });
    let own = [i64, i1, i32, i32, i32];
    let Part { function, builder, launch, frames, more } = outer.define_part(&name, i32, &own);
    let [own, begin, x, y, z] = more[..] else { unreachable!("they were just declared") };
    let bytes = ONE_WARP * split.frame.bytes();
    let (frames, own) = match warps.has_barriers() || bytes > WARP_STACK {
        true => (frames, own),
        false => {
            let memory = builder.alloca(outer.types().i8().array(bytes), "slots");
            memory.set_alignment(ALIGN);
            (Frames { memory, threads: i64.constant(ONE_WARP) }, i64.zero())
        }
    };
    let count = i64.constant(warps.lanes.into());
    let warp = Warp { launch, split, warps, frames, own, count, place: [x, y, z], full: true, in_range };
    warp.fill(&builder, function, begin);
    function.describe_like(split.any);
    function
}

/// Whether all code of a warp in the range of a row is straight, and only because of this range.
fn has_straight_version(split: &SplitKernel<'_>, warps: &Warps) -> bool {
    let is_plain = |region: &Region<'_>| {
        let is_lane = matches!(region.version, Version::If(Guard::Lane(_), _));
        let is_simple = || region.version.group(false).is_some_and(|group| is_straight(group.function));
        region.any().exits.len() == 1 && (is_lane || range_of(region).is_some() || is_simple())
    };
    !warps.has_barriers() && split.regions.iter().all(is_plain) && split.regions.iter().any(|r| range_of(r).is_some())
}

/// The range of a row in which a region has code of groups without branches.
fn range_of<'a, 'c>(region: &'a Region<'c>) -> Option<&'a Rows<'c>> {
    match &region.version {
        Version::If(Guard::Row(rows), sides) => sides[0].group(false).map(|_| rows),
        _ => None,
    }
}

/// The range of x, from the first one to the one after the last, in which all regions have their usual branches.
/// `start` is the first thread of the row.
fn range<'c>(
    launch: &Launch<'_, 'c>,
    builder: &Builder<'c>,
    split: &SplitKernel<'c>,
    frames: &Frames<'c>,
    start: &Thread<'c>,
) -> (Value<'c>, Value<'c>) {
    let i32 = launch.types().i32();
    let (mut from, mut to) = (i32.zero(), launch.dim[0]);
    for rows in split.regions.iter().filter_map(range_of) {
        let range = launch.call(builder, rows.range, start, &frames.arguments(start, 0));
        let [begin, end] = ends_of(builder, range);
        let is_later = builder.icmp(IntPredicate::Ugt, begin, from, "");
        from = builder.select(is_later, begin, from, "");
        let is_earlier = builder.icmp(IntPredicate::Ult, end, to, "");
        to = builder.select(is_earlier, end, to, "");
    }
    (from, to)
}
