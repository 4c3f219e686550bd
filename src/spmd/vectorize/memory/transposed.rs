//! For the rows "k-means" and "attention": elements of a thread that are side by side, where those of other threads are
//! far away.
//!
//! In a product of a matrix with a vector each thread has a row, whose elements it reads in a loop. Eight lanes of a
//! group would load eight elements in each iteration, one by one, and put them into a vector. The loop
//! is unrolled instead, until each thread reads 16 bytes in an iteration. These are one load for each thread, and the
//! vectors of the threads are transposed: the first elements of all threads are a vector, and then the second ones.
//! Stores of such runs are transposed in the same way. Operations keep their order.

use super::access::{Access, Group};
use crate::analysis::effects::is_ordered;
use crate::llvm::{Block, Builder, Function, Module, Opcode, Value};
use crate::spmd::facts::affine_sum::Sum;
use crate::spmd::facts::divergence::Plan;
use crate::spmd::facts::intrinsics;
use crate::spmd::facts::shape::{Shape, is_element};
use crate::spmd::tuning::{TRANSPOSED_BYTES, TRANSPOSED_INSTRUCTIONS};
use crate::spmd::vectorize::wide::Wide;
use crate::spmd::vectorize::widening::Widening;

/// The number of elements of this size in a run, for groups of this many threads; none if a group has no whole vector.
fn length(size: u64, width: u32) -> Option<u32> {
    let length = u32::try_from(TRANSPOSED_BYTES / size).ok().filter(|length| *length > 1)?;
    width.is_multiple_of(length).then_some(length)
}

/// Whether a function may have loops that are worth being unrolled.
pub(crate) fn may_have<'c>(module: &Module<'c>, function: Function<'c>, width: u32) -> bool {
    function.blocks().into_iter().any(|block| copies(module, block, width, &|_| true).is_some())
}

/// Unrolls the loops in which each thread reads its own consecutive elements.
pub(crate) fn unroll<'c>(module: &Module<'c>, function: Function<'c>, plan: &Plan<'_, 'c>) {
    let width = plan.shapes.width();
    let is_strided = |load: Value<'c>| {
        let size = load.ty().store_size(module) as i64;
        let shape = plan.shapes.of(load.operand(0));
        // The elements of arrays of the threads are put side by side later.
        let is_own = load.operand(0).base().is(Opcode::Alloca);
        !is_own && shape != Shape::Uniform && shape != Shape::Affine(size) && shape != Shape::Varying
    };
    let is_uniform = |block: &Block<'c>| {
        let condition = block.terminator().and_then(Value::condition);
        plan.uniform.contains(block) && condition.is_some_and(|c| plan.shapes.of(c) == Shape::Uniform)
    };
    let blocks = function.blocks().into_iter().filter(is_uniform);
    let found: Vec<_> = blocks.filter_map(|block| Some((block, copies(module, block, width, &is_strided)?))).collect();
    found.into_iter().for_each(|(block, count)| block.copy_loop_body(count));
}

/// How often a loop of this one block is unrolled: until a thread reads runs by one of these loads.
fn copies<'c>(module: &Module<'c>, block: Block<'c>, width: u32, fits: &dyn Fn(Value<'c>) -> bool) -> Option<u32> {
    let is_loop = block.successors().contains(&block);
    if !is_loop || block.instructions().count() > TRANSPOSED_INSTRUCTIONS || block.instructions().any(is_call) {
        return None;
    }
    let loads = block.instructions().filter(|i| i.is(Opcode::Load) && is_ordinary(*i) && fits(*i));
    let lengths = loads.filter(|load| is_next(module, *load)).filter_map(|load| {
        let size = load.ty().store_size(module);
        length(size, width)
    });
    lengths.max()
}

fn is_call(instruction: Value<'_>) -> bool {
    let name = instruction.is_call().then(|| instruction.called_intrinsic().map(|callee| callee.name()));
    name.is_some_and(|name| intrinsics::elementwise(&name.unwrap_or_default()).is_none())
}

fn is_ordinary(load: Value<'_>) -> bool {
    let ty = load.ty();
    is_element(ty) && !ty.is_pointer() && ty.int_width() != Some(1) && !is_ordered(load)
}

/// Whether a load in a loop of one block reads the element after that of the iteration before, or the one before it.
fn is_next<'c>(module: &Module<'c>, load: Value<'c>) -> bool {
    let (block, size) = (load.block(), load.ty().store_size(module) as i64);
    let mut address = Sum::default();
    if address.add(module, load.operand(0), 1).is_none() {
        return false;
    }
    let inside = |value: &Value<'c>| value.is_instruction() && value.block() == block;
    let [(counter, extended, factor)] = address.terms.iter().filter(|(v, ..)| inside(v)).collect::<Vec<_>>()[..] else {
        return false;
    };
    step(*counter, *extended).is_some_and(|step| step.wrapping_mul(*factor).wrapping_abs() == size)
}

/// By how much a counter changes in each iteration of a loop of one block. In fewer bits than those of an address, it
/// must not wrap around.
fn step(counter: Value<'_>, extended: bool) -> Option<i64> {
    let block = counter.block();
    let incoming = if counter.is(Opcode::Phi) { counter.incoming() } else { return None };
    let (next, _) = incoming.into_iter().find(|(_, from)| *from == block)?;
    let is_sum = next.is_instruction() && next.is(Opcode::Add) && next.operand(0) == counter;
    (is_sum && (!extended || next.never_wraps())).then(|| next.operand(1).as_u64())?.map(|step| step as i64)
}

/// The places of the accesses that are a run with the first one, among accesses at known distances, in the order of the
/// distances: those of the first one's part of all that are side by side.
pub(crate) fn run_of_first(like: &[(usize, &Access<'_>)], width: u32, size: u64) -> Option<Vec<usize>> {
    let length = length(size, width)? as usize;
    let (_, first) = like.iter().find(|(place, _)| *place == 0)?;
    let block = first.instruction.block();
    let mut all: Vec<_> = like.iter().filter(|(_, access)| access.instruction.block() == block).collect();
    // The first of those that access the same element.
    all.dedup_by_key(|(_, access)| access.place());
    let at = all.iter().position(|(place, _)| *place == 0)?;
    // Each element begins at the end of the one before: elements may also overlap.
    let are_beside = |from: usize, to: usize| {
        let mut distances = all[from..=to].windows(2).map(|two| two[1].1.place().wrapping_sub(two[0].1.place()));
        distances.all(|distance| distance == size as i64)
    };
    let start = (0..=at).find(|from| are_beside(*from, at))?;
    let start = start + (at - start) / length * length;
    let last = start + length - 1;
    if last >= all.len() || !are_beside(start, last) {
        return None;
    }
    let mut places: Vec<_> = all[start..=last].iter().map(|(place, _)| *place).collect();
    places.sort_unstable();
    Some(places)
}

impl<'c> Widening<'_, '_, 'c> {
    /// Loads the runs of all threads, and defines the values of all members.
    pub(crate) fn load_runs(&mut self, group: &Group<'c>, load: Value<'c>, align: u32) {
        let length = group.members.len() as u32;
        let addresses = self.own_addresses(group, load.operand(0));
        let builder = self.builder();
        let runs = addresses.into_iter().map(|at| builder.load(load.ty().vector(length), at, align, ""));
        let runs: Vec<_> = runs.collect();
        // The runs of the threads 0, `length`, 2 * `length`, …; then those of the threads after them.
        let rows = (0..length as usize).map(|first| {
            let every: Vec<_> = runs[first..].iter().copied().step_by(length as usize).collect();
            joined(builder, &every, length)
        });
        let columns = transposed(builder, rows.collect(), self.wide.width);
        for (member, elements) in group.members.iter().zip(&group.elements) {
            self.define(*member, Wide::Vector(columns[elements[0] as usize]));
        }
    }

    /// Stores the values of all members, in the order of the block.
    pub(crate) fn store_runs(&mut self, group: &Group<'c>, values: &[Value<'c>], address: Value<'c>, align: u32) {
        let length = group.members.len();
        let addresses = self.own_addresses(group, address);
        let builder = self.builder();
        let mut columns = values.to_vec();
        values.iter().zip(&group.elements).for_each(|(value, elements)| columns[elements[0] as usize] = *value);
        let rows = transposed(builder, columns, self.wide.width);
        for (thread, address) in addresses.into_iter().enumerate() {
            let first = (thread / length * length) as u32;
            let own: Vec<u32> = (first..).take(length).collect();
            let row = rows[thread % length];
            builder.store(builder.permute(row, row.ty().poison(), &own), address, align);
        }
    }
}

/// Vectors of this length, a power of two of them, as one.
fn joined<'c>(builder: &Builder<'c>, parts: &[Value<'c>], length: u32) -> Value<'c> {
    let [one] = parts else {
        let half = parts.len() / 2;
        let [low, high] = [&parts[..half], &parts[half..]].map(|part| joined(builder, part, length));
        let both: Vec<u32> = (0..parts.len() as u32 * length).collect();
        return builder.permute(low, high, &both);
    };
    *one
}

/// Transposes the squares that vectors consist of, with as many elements in each direction as there are vectors. Each
/// step interleaves the lower and the upper halves of registers, for which processors have instructions.
fn transposed<'c>(builder: &Builder<'c>, mut rows: Vec<Value<'c>>, width: u32) -> Vec<Value<'c>> {
    let length = rows.len();
    let part = |upper: bool| -> Vec<u32> {
        let half = length as u32 / 2;
        let element = |square: u32| {
            let first = square * length as u32 + if upper { half } else { 0 };
            (first..first + half).flat_map(|at| [at, at + width])
        };
        (0..width / length as u32).flat_map(element).collect()
    };
    let parts = [part(false), part(true)];
    for _ in 0..length.ilog2() {
        let pairs = (0..length / 2).map(|at| (rows[at], rows[at + length / 2]));
        rows = pairs.flat_map(|(a, b)| parts.each_ref().map(|order| builder.permute(a, b, order))).collect();
    }
    rows
}
