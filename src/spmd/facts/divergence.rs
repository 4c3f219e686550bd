//! Where the lanes of a group may take different paths, and the scalar code that each of them executes there.
//!
//! At a branch whose condition is not uniform, the threads look whether all of them agree, and stay one group if they
//! do. Otherwise each of them, one after another, executes the code from the branch to its post-dominator as scalar
//! code, and there they converge. A path that ends in a panic is always scalar code.

use std::collections::{HashMap, HashSet};

use super::shape::Shape;
use super::shapes::Shapes;
use crate::analysis::control_flow::ControlFlow;
use crate::analysis::paths::reached;
use crate::llvm::{Block, Dominators, Function, Opcode, Value};
use crate::spmd::cause::{Cause, Reason};
use crate::spmd::tuning::SCALAR_INSTRUCTIONS;

/// A branch at which threads may diverge.
pub(crate) struct Divergence<'c> {
    /// The block that ends with the branch.
    pub(crate) block: Block<'c>,
    /// The numbers of the successors that are scalar code.
    pub(crate) taken: Vec<u32>,
    /// Where the lanes converge; none if none of them gets there.
    pub(crate) join: Option<Block<'c>>,
    /// The blocks before it, which are scalar code.
    pub(crate) region: HashSet<Block<'c>>,
    /// The number of instructions in them.
    pub(crate) size: usize,
    /// The values that this code needs.
    pub(crate) given: Vec<Value<'c>>,
    /// Values that it needs, and computes again from those that are given.
    pub(crate) computed: Vec<Value<'c>>,
    /// The values of this code that are needed after it: phis of the join, and values of the region.
    pub(crate) results: Vec<Value<'c>>,
}

/// Which control flow is uniform, and where it diverges.
pub(crate) struct Plan<'m, 'c> {
    pub(crate) shapes: Shapes<'m, 'c>,
    pub(crate) divergences: Vec<Divergence<'c>>,
    /// The blocks that all lanes of a group execute.
    pub(crate) uniform: Vec<Block<'c>>,
}

/// Computes the shapes of a function's values and its divergences, if it is suitable.
pub(crate) fn plan<'m, 'c>(mut shapes: Shapes<'m, 'c>, function: Function<'c>) -> Result<Plan<'m, 'c>, Cause> {
    let flow = ControlFlow::of(function);
    let blocks = function.blocks();
    let live = reachable(blocks[0], None);
    let uniform: Vec<_> = blocks.into_iter().filter(|b| flow.reaches_exit(*b) && live.contains(b)).collect();
    if !uniform.contains(&function.blocks()[0]) {
        return Err(Cause::new(Reason::NeverEnds));
    }
    let used = uses(function);
    let dominators = Dominators::of(function);
    loop {
        shapes.compute(function);
        let mut divergences = Vec::new();
        for block in &uniform {
            if let Some(taken) = divergent_successors(*block, &shapes, &flow) {
                let found = diverge(*block, taken, &flow, &used, &dominators);
                divergences.push(found.ok_or_else(|| at_branch(Reason::SeveralEnds, *block))?);
            }
        }
        let mixed: Vec<_> = divergences.iter().flat_map(|d| d.results.iter().copied()).collect();
        let before = shapes.mixed.len();
        shapes.mixed.extend(mixed);
        if shapes.mixed.len() == before {
            divergences.iter_mut().for_each(|divergence| compute_again(divergence, &shapes));
            let size = divergences.iter().map(|d| d.size).sum();
            let longest = divergences.iter().rev().max_by_key(|d| d.size);
            return match longest.filter(|_| size > SCALAR_INSTRUCTIONS) {
                Some(longest) => Err(at_branch(Reason::TooLong(size, SCALAR_INSTRUCTIONS), longest.block)),
                None => Ok(Plan { shapes, divergences, uniform }),
            };
        }
    }
}

/// A reason that is the branch at the end of a block.
fn at_branch(reason: Reason, block: Block<'_>) -> Cause {
    block.terminator().map_or(Cause::new(reason.clone()), |end| Cause::at(reason, end))
}

/// The successors of a block on which the lanes diverge, if any.
fn divergent_successors<'c>(block: Block<'c>, shapes: &Shapes<'_, 'c>, flow: &ControlFlow<'c>) -> Option<Vec<u32>> {
    let end = block.terminator()?;
    let condition = end.condition()?;
    let all = (0..).zip(end.successors());
    let taken: Vec<u32> = match shapes.of(condition) {
        Shape::Uniform => all.filter(|(_, next)| !flow.reaches_exit(*next)).map(|(number, _)| number).collect(),
        _ => all.map(|(number, _)| number).collect(),
    };
    (!taken.is_empty()).then_some(taken)
}

fn diverge<'c>(
    block: Block<'c>,
    taken: Vec<u32>,
    flow: &ControlFlow<'c>,
    used: &HashMap<Value<'c>, Vec<Block<'c>>>,
    dominators: &Dominators<'c>,
) -> Option<Divergence<'c>> {
    let successors = block.successors();
    let starts: Vec<_> = taken.iter().map(|number| successors[*number as usize]).collect();
    let join = match starts.iter().any(|start| flow.reaches_exit(*start)) {
        // The function's end would have to be a single block.
        true => Some(flow.post_dominator(block)?),
        false => None,
    };
    let mut region = HashSet::new();
    for start in &starts {
        if Some(*start) != join && !region.contains(start) {
            region.extend(reachable(*start, join));
        }
    }
    let mut after = join.map(After::of);
    let (mut given, mut results) = (Vec::new(), Vec::new());
    let entry_uses = |value: Value<'c>| {
        let phis = starts.iter().flat_map(|s| s.instructions().take_while(|i| i.is(Opcode::Phi)));
        phis.into_iter().any(|phi| phi.incoming().contains(&(value, block)))
    };
    for value in block.function().instructions().filter(|i| used.contains_key(i)) {
        let inside = region.contains(&value.block());
        let uses = &used[&value];
        // Its own block computes it again before it uses it.
        let needed = uses.iter().any(|b| region.contains(b) && *b != value.block()) || entry_uses(value);
        let is_result = inside && after.as_mut().is_some_and(|after| after.uses(value, uses, &region));
        // The region may compute a result again or not.
        if (needed || is_result) && (!inside || dominators.dominates(value.block(), block)) {
            given.push(value);
        }
        let merged = value.is(Opcode::Phi) && Some(value.block()) == join;
        if is_result || merged {
            results.push(value);
        }
    }
    let blocks = block.function().blocks().into_iter().filter(|b| region.contains(b));
    let size = blocks.map(|b| b.instructions().count()).sum();
    Some(Divergence { block, taken, join, region, size, given, computed: Vec::new(), results })
}

/// The code after the join of a region.
pub(crate) struct After<'c> {
    join: Block<'c>,
    /// All of its blocks.
    all: HashSet<Block<'c>>,
    /// For a block, those that are reached without passing through it.
    without: HashMap<Block<'c>, HashSet<Block<'c>>>,
}

impl<'c> After<'c> {
    pub(crate) fn of(join: Block<'c>) -> Self {
        After { join, all: reachable(join, None), without: HashMap::new() }
    }

    /// Whether a value of the region is used after the join: outside of the region, or in it, in the next round of a
    /// loop around both.
    pub(crate) fn uses(&mut self, value: Value<'c>, uses: &[Block<'c>], region: &HashSet<Block<'c>>) -> bool {
        if uses.iter().any(|b| !region.contains(b)) {
            return true;
        }
        // Its own block computes it before it uses it.
        let own = value.block();
        let mut others = uses.iter().filter(|b| **b != own && self.all.contains(b)).peekable();
        if others.peek().is_none() {
            return false;
        }
        let reached = self.without.entry(own).or_insert_with(|| reachable(self.join, Some(own)));
        others.any(|b| reached.contains(b))
    }
}

/// Lets a thread compute values again if this takes less time than to insert them into a vector and to extract them:
/// operations on values that are uniform or affine.
fn compute_again<'c>(divergence: &mut Divergence<'c>, shapes: &Shapes<'_, 'c>) {
    let (mut given, mut computed) = (Vec::new(), Vec::new());
    for value in std::mem::take(&mut divergence.given) {
        let operands: Vec<_> = value.operands().into_iter().filter(|v| v.is_instruction()).collect();
        let is_there = |v: &Value<'c>| shapes.of(*v) != Shape::Varying || computed.contains(v);
        let again = !divergence.region.contains(&value.block())
            && shapes.of(value) == Shape::Varying
            && is_simple(value)
            && operands.iter().all(is_there);
        if !again {
            given.push(value);
            continue;
        }
        given.extend(operands.into_iter().filter(|v| !computed.contains(v)));
        computed.push(value);
    }
    let mut seen = HashSet::new();
    given.retain(|v| seen.insert(*v));
    (divergence.given, divergence.computed) = (given, computed);
}

fn is_simple(value: Value<'_>) -> bool {
    use Opcode::{Add, And, GetElementPtr, ICmp, Or, SExt, Select, Shl, Sub, Trunc, Xor, ZExt};
    let is_number = value.ty().int_width().is_some_and(|width| width <= 64) || value.ty().is_pointer();
    let simple = matches!(
        value.opcode(),
        Add | And | GetElementPtr | ICmp | Or | SExt | Select | Shl | Sub | Trunc | Xor | ZExt
    );
    is_number && simple
}

/// The blocks that are reached from `start`, which is included, without passing through `end`.
fn reachable<'c>(start: Block<'c>, end: Option<Block<'c>>) -> HashSet<Block<'c>> {
    reached([start], |block| block.successors().into_iter().filter(move |next| Some(*next) != end))
}

/// For each instruction, the blocks that use its value. A phi uses it at the end of the incoming block.
pub(crate) fn uses<'c>(function: Function<'c>) -> HashMap<Value<'c>, Vec<Block<'c>>> {
    let mut used: HashMap<Value<'c>, Vec<Block<'c>>> = HashMap::new();
    for instruction in function.instructions() {
        if instruction.is(Opcode::Phi) {
            for (value, block) in instruction.incoming() {
                used.entry(value).or_default().push(block);
            }
        } else {
            for value in instruction.operands() {
                used.entry(value).or_default().push(instruction.block());
            }
        }
    }
    used
}
