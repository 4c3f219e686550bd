//! Runs the iterations of a grid-stride loop in which no thread of the block leaves it.
//!
//! Each iteration of such a loop is a region (`region/implicit_barriers.rs`), and after a region each thread says where
//! it has stopped. But nearly always all of them go on, and the counter shows this beforehand: it increases by one from
//! thread to thread, so it has one value for the block, and the conditions on it have intervals, as in
//! `version/row_range/block_guard.rs`. While they hold, all threads run a version of the region without these
//! conditions, whose counter is a parameter:
//!
//! ```c
//! while (whole(first)) {                       // no thread leaves the loop or panics because of its counter
//!   for (x = 0; x < block_dim.x; x++) fast(x, first);
//!   first = next(first);
//! }
//! for (x = 0; x < block_dim.x; x++) counter[x] = first + x;
//! ```
//!
//! The region itself runs the other iterations. The order of the threads' iterations is the same in both. The counter
//! increases along a row, so this is done in blocks of one row only.

use std::collections::HashSet;

use super::row_range::{self, InRange, Row};
use crate::analysis::effects::made_of;
use crate::analysis::paths::reached;
use crate::llvm::{Block, Builder, Copies, Function, Linkage, Module, Opcode, Type, Value};
use crate::spmd::facts::shapes::Shapes;
use crate::spmd::region::signature::RegionSignature;
use crate::spmd::region::slots::{Kept, Step};
use crate::spmd::region::types::Region;
use crate::spmd::region::versions::{Guard, Iterations};
use crate::spmd::tuning::{LINE, MOST_PREFETCHED, PREFETCHED_THREADS};

/// Adds the version of a region that starts at the stop with this number. There is none if its threads do not come back
/// to this stop, or if the conditions on their counter do not decide it.
pub(crate) fn add<'c>(module: &Module<'c>, region: &mut Region<'c>, number: u32, kept: &[Kept<'c>]) {
    let code = region.any();
    let goes_both_ways = code.exits.contains(&number) && code.exits.len() > 1;
    if !goes_both_ways || region.agrees || !region.uniform_slots.is_empty() {
        return;
    }
    let slots = region.signature().slots();
    let loads = code.function.blocks()[0].instructions().filter(|i| i.is(Opcode::Load));
    let offsets: Vec<_> = loads.filter_map(|load| slots.offset(load.operand(0))).collect();
    let is_counter = |kept: &&Kept<'c>| {
        offsets.contains(&kept.offset)
            && matches!(kept.step, Some(Step::Certain(1) | Step::Likely(1)))
            && kept.ty.int_width().is_some_and(|width| width == 32 || width == 64)
    };
    let mut counters = kept.iter().filter(is_counter);
    let made = counters.find_map(|counter| with_counter(module, code.function, number, counter));
    if let Some((iterations, function)) = made {
        let then = code.with(function);
        region.version.add(Guard::Iteration(iterations), then);
    }
}

/// The iterations whose counter is in this slot, and the code of one.
fn with_counter<'c>(
    module: &Module<'c>,
    region: Function<'c>,
    number: u32,
    counter: &Kept<'c>,
) -> Option<(Iterations<'c>, Function<'c>)> {
    let copy = region.clone_function();
    let body = copy.extend_signature(copy.function_type().result(), &[counter.ty]);
    copy.erase_global();
    body.set_linkage(Linkage::Internal);
    body.set_name(&format!("{}.iteration", region.name()));
    let made = make(module, body, number, counter);
    body.erase_global();
    made
}

/// The same for a copy of the region with the counter as its last parameter.
fn make<'c>(
    module: &Module<'c>,
    body: Function<'c>,
    number: u32,
    counter: &Kept<'c>,
) -> Option<(Iterations<'c>, Function<'c>)> {
    let left = go_on(body, number)?;
    let next = pass_counter(body, counter)?;
    let signature = RegionSignature::of(body, 1);
    let InRange { function, rows } = row_range::split(module, Row::new(module, signature), false)?;
    let prologue = body.blocks()[0];
    let at = body.blocks().iter().position(|block| *block == left);
    let leaves = at.is_some_and(|at| reaches(function, function.blocks()[at], &HashSet::new()));
    let is_known = next.block() == prologue && !step_varies(body, next);
    let whole = rows.whole.filter(|_| !leaves && is_known);
    [Some(rows.range), rows.prefetch].into_iter().flatten().for_each(|function| function.erase_global());
    let Some(whole) = whole else {
        [Some(function), rows.whole].into_iter().flatten().for_each(|function| function.erase_global());
        return None;
    };
    let prefetch = prefetching(module, body);
    let iterations = Iterations { counter: *counter, whole, next: counting(body, next), prefetch };
    Some((iterations, function))
}

/// Lets threads that do not stop at `number` go to a block that is never executed: no thread may run this copy then.
/// Returns this block. Panics remain.
fn go_on<'c>(body: Function<'c>, number: u32) -> Option<Block<'c>> {
    let left = body.append_block("left");
    Builder::at_end(left).unreachable();
    for block in body.blocks() {
        let Some(end) = block.terminator().filter(|end| end.is(Opcode::Ret)) else { continue };
        let result = end.operand(0);
        if !result.is(Opcode::Phi) {
            if result.as_u64()? != u64::from(number) {
                Builder::before(end).unreachable();
                end.erase();
            }
            continue;
        }
        if result.block() != block {
            return None;
        }
        for (value, from) in result.incoming() {
            if value.as_u64()? != u64::from(number) {
                redirect(from, block, left);
            }
        }
    }
    body.erase_unreachable_blocks();
    let blocks = body.blocks();
    let returns = |block: &Block<'c>| block.terminator().is_some_and(|end| end.is(Opcode::Ret));
    let ends: HashSet<_> = blocks.iter().filter(|block| returns(block)).copied().collect();
    let may_stop: HashSet<_> = blocks.iter().filter(|block| may_reach(**block, &ends)).copied().collect();
    // Where a thread can only leave, it is a branch before that decides.
    let may_leave: HashSet<_> = blocks.iter().filter(|b| may_reach(**b, &HashSet::from([left]))).copied().collect();
    for block in blocks.iter().filter(|block| may_stop.contains(block)) {
        for next in block.successors().into_iter().filter(|next| may_leave.contains(next) && !may_stop.contains(next)) {
            redirect(*block, next, left);
        }
    }
    body.erase_unreachable_blocks();
    let blocks = body.blocks();
    (blocks.contains(&left) && blocks.iter().any(|block| ends.contains(block))).then_some(left)
}

/// Lets all edges from one block to another one lead to a block without phis.
fn redirect<'c>(from: Block<'c>, to: Block<'c>, target: Block<'c>) {
    let end = from.terminator().expect("it has a successor");
    for (index, next) in (0..).zip(end.successors()) {
        if next == to && to != target {
            to.remove_predecessor(from);
            end.set_successor(index, target);
        }
    }
}

/// Whether a path leads from a block to one of these, or it is one of them.
fn may_reach<'c>(block: Block<'c>, ends: &HashSet<Block<'c>>) -> bool {
    !reached([block], Block::successors).is_disjoint(ends)
}

/// Whether a thread may come to a block without passing `others`. Conditions that are constant are decided.
fn reaches<'c>(function: Function<'c>, wanted: Block<'c>, others: &HashSet<Block<'c>>) -> bool {
    let next = |block: Block<'c>| {
        let Some(end) = block.terminator().filter(|_| !others.contains(&block)) else { return Vec::new() };
        let successors = end.successors();
        match (end.opcode(), end.condition().and_then(Value::as_u64), &successors[..]) {
            (Opcode::Br, Some(condition), [then, or_else]) => vec![if condition != 0 { *then } else { *or_else }],
            _ => successors,
        }
    };
    !others.contains(&wanted) && reached([function.blocks()[0]], next).contains(&wanted)
}

/// Whether the number that is added to the counter may differ between threads.
fn step_varies<'c>(body: Function<'c>, next: Value<'c>) -> bool {
    let own = RegionSignature::of(body, 1).own();
    let depends_on_own = |step: Value<'c>| own.into_iter().any(|own| depends(step, own));
    let counter = body.parameters().pop();
    let is_counter = |v: &Value<'c>| v.is(Opcode::Add) && counter.is_some_and(|counter| v.operands()[0] == counter);
    match next.operands()[..] {
        [a, b] if is_counter(&a) => depends_on_own(b),
        [a, b] if is_counter(&b) => depends_on_own(a),
        _ => true,
    }
}

/// Replaces the counter's slot by the parameter. Returns the sum that each thread would store there at the end; none
/// if the slot is used in another way.
fn pass_counter<'c>(body: Function<'c>, counter: &Kept<'c>) -> Option<Value<'c>> {
    let (parameters, signature) = (body.parameters(), RegionSignature::of(body, 1));
    let ([_, x, ..], thread, slots) = (signature.position(), signature.number(), signature.slots());
    let is_slot = |v: Value<'c>| v.ty().is_pointer() && slots.offset(v) == Some(counter.offset);
    let addresses: Vec<_> = body.instructions().filter(|i| is_slot(*i)).collect();
    let users: Vec<_> = addresses.iter().flat_map(|address| address.users()).collect();
    let (loads, stores): (Vec<_>, Vec<_>) = users.into_iter().partition(|user| user.is(Opcode::Load));
    let start = body.blocks()[0];
    let [load] = loads[..] else { return None };
    // It comes before any store: those of a slot are at the ends of a region.
    let before: Vec<_> = start.instructions().take_while(|i| *i != load).collect();
    let is_first = load.block() == start && load.ty() == counter.ty && !stores.iter().any(|s| before.contains(s));
    let next = stores.first()?.operand(0);
    let is_next = |s: &Value<'c>| s.is(Opcode::Store) && is_slot(s.operand(1)) && s.operand(0) == next;
    let stored: HashSet<_> = stores.iter().map(|store| store.block()).collect();
    let ends = body.blocks().into_iter().filter(|b| b.terminator().is_some_and(|end| end.is(Opcode::Ret)));
    let always = ends.into_iter().all(|end| stored.contains(&end) || !reaches(body, end, &stored));
    let is_sum = next.is(Opcode::Add) && next.operands().contains(&load);
    if !is_first || !always || !stores.iter().all(is_next) || !is_sum {
        return None;
    }
    let builder = Builder::before(start.instructions().next()?);
    let own = if counter.ty == thread.ty() { thread } else { x };
    let value = builder.add(parameters[parameters.len() - 1], own, "counter");
    stores.into_iter().for_each(Value::erase);
    load.replace_all_uses_with(value);
    load.erase();
    Some(next)
}

/// A function with the parameters of `body` that returns this value of its first block.
fn counting<'c>(body: Function<'c>, value: Value<'c>) -> Function<'c> {
    let (function, copies) = copy_with(body, value.ty(), "next");
    let value = copies.of(value);
    let end = function.blocks()[0].terminator().expect("it is a copy");
    Builder::before(end).ret(value);
    end.erase();
    function.erase_unreachable_blocks();
    function
}

/// A function that prefetches the elements that threads read from neighbouring places, none of which another iteration
/// reads. These places are far from those of the iteration before, so the hardware does not prefetch them.
fn prefetching<'c>(module: &Module<'c>, body: Function<'c>) -> Option<Function<'c>> {
    let (prologue, parameters) = (body.blocks()[0], body.parameters());
    let mut shapes = Shapes::new(module, &RegionSignature::of(body, 1).affine_values());
    shapes.compute(body);
    let counter = parameters[parameters.len() - 1];
    let mut places: Vec<(Value<'c>, i64)> = Vec::new();
    for load in body.instructions().filter(|i| i.is(Opcode::Load)) {
        let address = load.operand(0);
        let is_there = address.is_instruction() && address.block() == prologue && depends(address, counter);
        let step = shapes.step(address).filter(|step| is_there && (1..=MOST_PREFETCHED.0).contains(step));
        places.extend(step.map(|step| (address, step)).filter(|place| !places.contains(place)));
    }
    places.truncate(MOST_PREFETCHED.1);
    if places.is_empty() {
        return None;
    }
    let (function, copies) = copy_with(body, module.types().void(), "prefetch");
    let start = function.blocks()[0];
    // There may be no next iteration, so nothing may follow from its addresses.
    start.instructions().for_each(Value::drop_annotations);
    let end = start.terminator().expect("it is a copy");
    let (builder, i32) = (Builder::before(end), module.types().int(32));
    let prefetch = module.intrinsic("llvm.prefetch", &[module.types().ptr(0)]);
    for (address, step) in places {
        for line in 0..(step as u64 * PREFETCHED_THREADS).div_ceil(LINE) {
            let i8 = module.types().i8();
            let place = builder.gep(i8, copies.of(address), &[module.types().i64().constant(line * LINE)], "");
            place.drop_annotations();
            // It is read, soon, and is data.
            builder.call(prefetch, &[place, i32.zero(), i32.constant(3), i32.constant(1)], "");
        }
    }
    builder.ret_void();
    end.erase();
    function.erase_unreachable_blocks();
    Some(function)
}

/// Whether an address is computed from a value.
fn depends<'c>(address: Value<'c>, on: Value<'c>) -> bool {
    made_of(address, |_| true).contains(&on)
}

/// A copy with another result, whose ends are not changed yet.
fn copy_with<'c>(body: Function<'c>, result: Type<'c>, name: &str) -> (Function<'c>, Copies<'c>) {
    let (copy, copies) = body.clone_with_copies();
    let function = copy.extend_signature(result, &[]);
    copy.erase_global();
    function.set_name(&format!("{}.{name}", body.name()));
    (function, copies)
}
