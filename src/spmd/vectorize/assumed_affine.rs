//! For the row "stencil, tiles in shared memory": parts of a function in which values of neighbouring threads are
//! assumed to be affine.
//!
//! A block fetches a tile with `tile[i] = from[(i / 20) * width + (i % 20)]`, and takes the value of the edge with
//! `min` where there is no neighbour. In most groups of threads, `i / 20` is uniform and `i % 20` affine, and nothing
//! is at an edge, but no type says so. So the part from the first such operation to the last instruction that depends
//! on it becomes one side of a branch whose other side no thread takes. The lanes of a group assume in this part that
//! the values are affine, and compare those of the first and the last lane. If they are not affine, each thread
//! executes the part as scalar code: nothing was written before.

use std::collections::HashSet;

use super::masked;
use super::wide::Wide;
use super::widening::Widening;
use crate::analysis::control_flow::ControlFlow;
use crate::analysis::effects::has_effect;
use crate::llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, Value};
use crate::spmd::facts::affine::{assumed_shape, bends, step_of, subtracts};
use crate::spmd::facts::divergence::Plan;
use crate::spmd::facts::markers::Masked;
use crate::spmd::facts::shape::Shape;
use crate::spmd::facts::shapes::Shapes;
use crate::spmd::tuning::ASSUMED_AFFINE_BLOCKS;

/// Whether an operation on a value that rises has no effect, or is a difference, as long as the value is below a bound:
/// the lesser of both, or the bound minus the value. For other operations, this is so as long as the value is above.
fn keeps_lower(instruction: Value<'_>, rising: usize) -> bool {
    let is_min = instruction.called_intrinsic().is_some_and(|i| i.name().starts_with("llvm.umin."));
    is_min || rising == 1 && subtracts(instruction)
}

/// Whether it is such a difference from a value that is the same in all threads: how much is left for each.
pub(crate) fn is_rest<'c>(instruction: Value<'c>, shapes: &Shapes<'_, 'c>) -> bool {
    instruction.is_call()
        && subtracts(instruction)
        && shapes.of(instruction.operand(0)) == Shape::Uniform
        && matches!(shapes.of(instruction.operand(1)), Shape::Affine(step) if step > 0)
}

/// Whether a function may have such parts.
pub(crate) fn may_have(function: Function<'_>) -> bool {
    function.instructions().any(|i| matches!(i.opcode(), Opcode::UDiv | Opcode::URem) && bends(i))
}

/// A part of a function that is entered at one instruction.
struct Part<'c> {
    first: Value<'c>,
    /// The instruction after the part.
    behind: Value<'c>,
}

/// Makes each such part one side of a branch. `plan` is the plan of the function.
pub(crate) fn insert<'c>(module: &Module<'c>, function: Function<'c>, plan: &Plan<'_, 'c>) {
    let mut used = HashSet::new();
    let mut parts = Vec::new();
    for block in &plan.uniform {
        if !used.contains(block) {
            parts.extend(Part::find(*block, function, plan, &mut used));
        }
    }
    for part in parts {
        part.split(module);
    }
}

impl<'c> Part<'c> {
    fn find(
        block: Block<'c>,
        function: Function<'c>,
        plan: &Plan<'_, 'c>,
        used: &mut HashSet<Block<'c>>,
    ) -> Option<Self> {
        let is_first = |i: &Value<'c>| {
            let shapes: Vec<_> = operands(*i).into_iter().map(|v| plan.shapes.of(v)).collect();
            bends(*i) && !i.is_call() && !plan.shapes.is_aligned(*i) && assumed_shape(*i, &shapes).is_some()
        };
        let first = block.instructions().find(is_first)?;
        let depending = depending(first, block, plan)?;
        let accesses = |i: &Value<'c>| matches!(i.opcode(), Opcode::Load | Opcode::Store);
        if !function.instructions().any(|i| depending.contains(&i) && accesses(&i)) {
            return None;
        }
        let (blocks, behind) = extent(first, &depending, function, plan)?;
        // A value that is computed in the part and used after it would no longer be affine.
        let inside = |user: Value<'c>| {
            blocks.contains(&user.block()) && (user.block() != behind.block() || is_before(user, behind))
                || !plan.uniform.contains(&user.block())
        };
        let own = part_instructions(first, behind, &blocks);
        if own.iter().any(|i| i.users().into_iter().any(|user| !inside(user)))
            || blocks.iter().any(|b| used.contains(b))
        {
            return None;
        }
        used.extend(blocks);
        Some(Part { first, behind })
    }

    /// `if assumed() { part }`
    fn split(self, module: &Module<'c>) {
        let head = self.first.block();
        let met = self.behind.split_block("met");
        let part = self.first.split_block("regular");
        let never = met.insert_before("never");
        Builder::at_end(never).br(met);
        let end = head.terminator().expect("it was split");
        let builder = Builder::before(end);
        builder.locate_as(self.first);
        let condition = masked::assumed(module, &builder);
        builder.cond_br(condition, part, never);
        end.erase();
    }
}

fn operands(instruction: Value<'_>) -> Vec<Value<'_>> {
    if instruction.is_call() { instruction.arguments() } else { instruction.operands() }
}

/// The instructions that depend on those of a block, from one on, that bend; none if a value that depends on them goes
/// on to where another path meets, or decides over more than a panic.
fn depending<'c>(first: Value<'c>, block: Block<'c>, plan: &Plan<'_, 'c>) -> Option<HashSet<Value<'c>>> {
    let roots = block.instructions().skip_while(|i| *i != first).filter(|i| bends(*i));
    let mut work: Vec<_> = roots.collect();
    let mut found: HashSet<_> = work.iter().copied().collect();
    while let Some(value) = work.pop() {
        for user in value.users() {
            if !plan.uniform.contains(&user.block()) {
                continue;
            }
            let is_check = || user.successors().iter().filter(|next| plan.uniform.contains(next)).count() == 1;
            if user.is(Opcode::Phi) || user.is_terminator() && !is_check() {
                return None;
            }
            if found.insert(user) {
                work.push(user);
            }
        }
    }
    Some(found)
}

/// The blocks of a part, one after the other, and the instruction after its last one.
fn extent<'c>(
    first: Value<'c>,
    depending: &HashSet<Value<'c>>,
    function: Function<'c>,
    plan: &Plan<'_, 'c>,
) -> Option<(Vec<Block<'c>>, Value<'c>)> {
    let mut blocks = vec![first.block()];
    let mut left = depending.len();
    loop {
        let block = *blocks.last().expect("there is one");
        left -= block.instructions().filter(|i| depending.contains(i)).count();
        let end = block.terminator()?;
        if left == 0 && !depending.contains(&end) {
            let last = block.instructions().filter(|i| depending.contains(i)).last();
            let behind = last.map_or_else(|| block.instructions().find(|i| !i.is(Opcode::Phi)), Value::next)?;
            return Some((blocks, behind));
        }
        let next: Vec<_> = end.successors().into_iter().filter(|next| plan.uniform.contains(next)).collect();
        let &[next] = &next[..] else { return None };
        let is_only = function.blocks().into_iter().all(|b| b == block || !b.successors().contains(&next));
        if !is_only || blocks.contains(&next) || blocks.len() == ASSUMED_AFFINE_BLOCKS {
            return None;
        }
        blocks.push(next);
    }
}

fn is_before<'c>(instruction: Value<'c>, other: Value<'c>) -> bool {
    instruction.block().instructions().take_while(|i| *i != other).any(|i| i == instruction)
}

/// All instructions of a part.
fn part_instructions<'c>(first: Value<'c>, behind: Value<'c>, blocks: &[Block<'c>]) -> Vec<Value<'c>> {
    let all = blocks.iter().flat_map(|block| block.instructions());
    all.skip_while(|i| *i != first).take_while(|i| *i != behind).collect()
}

/// Marks the operations of a function that are assumed to be affine in the shapes: those of the parts before anything
/// is written.
pub(crate) fn mark<'c>(shapes: &mut Shapes<'_, 'c>, function: Function<'c>) {
    let flow = ControlFlow::of(function);
    for part in function.blocks().into_iter().filter_map(entered) {
        let (mut block, met) = (part.0, part.1);
        while block != met {
            for instruction in block.instructions() {
                if has_effect(instruction) {
                    break;
                }
                if bends(instruction) {
                    shapes.assume_affine(instruction);
                }
            }
            let next: Vec<_> = block.successors().into_iter().filter(|next| flow.reaches_exit(*next)).collect();
            match next[..] {
                [next] if !block.instructions().any(has_effect) => block = next,
                _ => break,
            }
        }
    }
}

/// The part that a block leads to, and the block after the part.
fn entered(block: Block<'_>) -> Option<(Block<'_>, Block<'_>)> {
    let end = block.terminator()?;
    let condition = end.condition().filter(|c| c.is_instruction() && Masked::of(*c) == Some(Masked::Assumed))?;
    debug_assert!(condition.ty().int_width() == Some(1));
    let [part, never] = end.successors()[..] else { return None };
    Some((part, *never.successors().first()?))
}

impl<'c> Widening<'_, '_, 'c> {
    /// Enters a part. Moves the builder to where each lane executes it as scalar code.
    pub(crate) fn enter_part(&mut self, end: Value<'c>) {
        let irregular = self.function.append_block("irregular");
        self.builder().br(self.blocks[&end.successors()[0]]);
        self.wide.builder.move_to_end(irregular);
        let (Some(&part), Some(met)) = (end.successors().first(), end.successors()[1].successors().pop()) else {
            return;
        };
        let mut block = part;
        while block != met {
            self.unless_affine.insert(block, irregular);
            let next = block.successors().into_iter().find(|next| self.blocks.contains_key(next));
            block = next.expect("a part leads to where the threads meet");
        }
    }

    /// An operation whose shape is assumed in its part.
    pub(crate) fn assumed_affine_operation(&mut self, instruction: Value<'c>, shape: Shape) -> Wide<'c> {
        let step = if let Shape::Affine(step) = shape { step } else { 0 };
        if self.plan.shapes.is_aligned(instruction) {
            self.aligned_operation(instruction);
            let first = self.copy(instruction, 0);
            return match shape {
                Shape::Offsets(offsets) => Wide::Offsets(first, offsets),
                Shape::Affine(step) => Wide::Steps(first, step),
                _ => Wide::Same(first),
            };
        }
        let all = operands(instruction);
        let shapes: Vec<_> = all.iter().map(|v| self.plan.shapes.of(*v)).collect();
        let (number, by) = step_of(instruction, &shapes).expect("the shape was assumed by it");
        let last = self.wide.width - 1;
        let operand = self.get(all[number]);
        let [from, to] = [0, last].map(|thread| self.wide.of_thread(&operand, thread));
        let span = by as u64 * u64::from(last);
        let holds = match instruction.is_call() {
            true => {
                let bound = self.get(all[1 - number]);
                let bound = self.wide.of_thread(&bound, 0);
                match keeps_lower(instruction, number) {
                    true => self.are_all_below([from, to], bound, span),
                    false => self.are_all_above(from, to, bound),
                }
            }
            false => self.is_in_one_row(instruction, [from, to], span),
        };
        match self.unless_affine.get(&instruction.block()).copied() {
            Some(irregular) => self.check_or(holds, irregular),
            None => self.check(holds),
        }
        let first = match instruction.is_call() {
            true if subtracts(instruction) => {
                let [a, b] = [0, 1].map(|number| {
                    let value = self.get(all[number]);
                    self.wide.of_thread(&value, 0)
                });
                self.builder().binary(Opcode::Sub, a, b, "")
            }
            true => from,
            false => self.copy(instruction, 0),
        };
        if step == 0 { Wide::Same(first) } else { Wide::Steps(first, step) }
    }

    /// Whether no value is more than a bound. There is no overflow between the threads.
    fn are_all_below(&self, [from, to]: [Value<'c>; 2], bound: Value<'c>, span: u64) -> Value<'c> {
        self.is_below(IntPredicate::Ule, from, bound, span).unwrap_or_else(|| {
            let builder = self.builder();
            let below = builder.icmp(IntPredicate::Ule, to, bound, "");
            builder.binary(Opcode::And, below, builder.icmp(IntPredicate::Ule, from, to, ""), "")
        })
    }

    /// Whether no value is less than a bound. There is no overflow between the threads.
    fn are_all_above(&self, from: Value<'c>, to: Value<'c>, bound: Value<'c>) -> Value<'c> {
        let builder = self.builder();
        let above = builder.icmp(IntPredicate::Uge, from, bound, "");
        builder.binary(Opcode::And, above, builder.icmp(IntPredicate::Uge, to, from, ""), "")
    }

    /// Whether the quotient of a division by a constant is the same in all threads, the last of which divides `span`
    /// more than the first one. It is one comparison for the quotient and the remainder.
    fn is_in_one_row(&self, division: Value<'c>, [from, to]: [Value<'c>; 2], span: u64) -> Value<'c> {
        let (builder, ty) = (self.builder(), from.ty());
        let Some(left) = division.operand(1).as_u64().and_then(|divisor| divisor.checked_sub(span)) else {
            return self.wide.module.types().i1().zero();
        };
        let remainder = builder.binary(Opcode::URem, from, division.operand(1), "");
        let fits = builder.icmp(IntPredicate::Ult, remainder, ty.constant(left), "");
        // There is no overflow between the threads.
        builder.binary(Opcode::And, fits, builder.icmp(IntPredicate::Uge, to, from, ""), "")
    }
}
