//! The number of lanes of a group.

use std::collections::HashSet;

use super::assumed_affine;
use super::group::{Rising, shapes_of};
use crate::analysis::cycles::cycles;
use crate::llvm::{Block, Function, Module, Opcode, Value};
use crate::spmd::facts::low_bits;
use crate::spmd::facts::shape::Shape;
use crate::spmd::facts::shapes::Shapes;
use crate::spmd::options::VectorOptions;
use crate::spmd::tuning::{MOST_WIDTH, WIDE_ELEMENT_BYTES, WIDE_LOOP_VECTORS, WIDTH};

impl VectorOptions {
    /// The number of lanes of a group. A group of 16 fills vectors of 256 bits as one of 8 fills
    /// those of 128. No thread of a row may be left over. A part in which values are assumed to be affine, as in the
    /// row of a tile, keeps groups of 8: those of 16 lie in two rows more often.
    pub(crate) fn width<'c>(&self, module: &Module<'c>, function: Function<'c>, affine: &[Rising]) -> u32 {
        let fits = self.promised > 0 && self.promised.is_multiple_of(MOST_WIDTH);
        if !fits || assumed_affine::may_have(function) || low_bits::wants_small_groups(function) {
            return WIDTH;
        }
        let shares = || shares_in_loops(module, function, affine);
        if self.long_vectors || shares() { MOST_WIDTH } else { WIDTH }
    }
}

/// Whether more threads share the values that a loop loads for all of them, such as the weights of a filter, and few
/// other values are in registers: a chain of operations on each thread's elements.
fn shares_in_loops<'c>(module: &Module<'c>, function: Function<'c>, affine: &[Rising]) -> bool {
    let blocks = function.blocks();
    let inside: HashSet<_> = cycles(&blocks).into_iter().flatten().collect();
    let in_loops = || blocks.iter().filter(|block| inside.contains(block)).flat_map(|block| block.instructions());
    if !in_loops().any(|i| i.is(Opcode::Load)) {
        return false;
    }
    let mut shapes = shapes_of(module, function, affine, MOST_WIDTH);
    shapes.compute(function);
    let agree = |block: &Block<'c>| {
        let condition = block.terminator().and_then(Value::condition);
        condition.is_none_or(|condition| shapes.of(condition) == Shape::Uniform)
    };
    let vectors = in_loops().filter(|i| i.is(Opcode::Phi) && shapes.of(*i) == Shape::Varying).count();
    blocks.iter().all(agree)
        && vectors <= WIDE_LOOP_VECTORS
        && in_loops().all(|i| is_light(module, i, &shapes))
        && in_loops().any(|i| shares(i, &shapes))
}

/// Whether all threads combine one loaded value with their own.
fn shares<'c>(operation: Value<'c>, shapes: &Shapes<'_, 'c>) -> bool {
    let is_shared = |v: Value<'c>| v.is_instruction() && v.is(Opcode::Load) && shapes.of(v) == Shape::Uniform;
    shapes.of(operation) == Shape::Varying && operation.operands().into_iter().any(is_shared)
}

/// Whether an instruction of a loop needs few registers: it is the same in all threads, or used once.
fn is_light<'c>(module: &Module<'c>, instruction: Value<'c>, shapes: &Shapes<'_, 'c>) -> bool {
    use Opcode::{Add, And, AtomicCmpXchg, AtomicRMW, Call, FAdd, FMul, FSub, Load, Mul, Or, Phi, Store, Sub, Xor};
    let op = instruction.opcode();
    if matches!(op, Store | AtomicRMW | AtomicCmpXchg | Call) {
        return false;
    }
    if instruction.is_terminator() || shapes.of(instruction) != Shape::Varying {
        return true;
    }
    let size = instruction.ty().store_size(module);
    let is_near = || shapes.of(instruction.operand(0)) == Shape::Affine(size as i64);
    let is_simple = match op {
        Load => is_near(),
        Phi | FAdd | FSub | FMul | Add | Sub | Mul | And | Or | Xor => true,
        _ => false,
    };
    let uses = instruction.users().into_iter().filter(|user| !user.is(Phi)).count();
    is_simple && size <= WIDE_ELEMENT_BYTES && uses <= 1
}
