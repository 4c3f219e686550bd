//! Turns branches on data into masks.
//!
//! At such a branch, neighbouring threads often do not agree, and scalar code for each of them costs more than to
//! execute both sides for all of them. So before the function is widened, the blocks between the branch and its
//! post-dominator become one sequence. Each block has a *mask*: whether this thread would have executed it. Values that
//! met in a phi are selected by masks, memory is accessed by the threads in a mask (`masked.rs`), and longer parts are
//! skipped if no thread is in their mask. An instruction that cannot be executed by all threads, such as a call, keeps
//! its block, which has a branch, and only lanes in the mask execute it.
//!
//! The result is ordinary code of one thread, in which a mask is a condition. No floating-point operation is added or
//! changed, so results are the same to the bit.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::masked;
use super::memory::constant_tables;
use crate::analysis::control_flow::ControlFlow;
use crate::analysis::effects::{is_hint, is_plain_access, is_scope};
use crate::llvm::{Block, Builder, Dominators, Function, IntPredicate, Module, Opcode, Value};
use crate::spmd::cause::Unflattened;
use crate::spmd::facts::divergence::Plan;
use crate::spmd::facts::intrinsics;
use crate::spmd::tuning::{FLATTEN_BLOCKS, FLATTEN_CHEAP, FLATTEN_INSTRUCTIONS};

/// Flattens the branches on data of a function.
pub(crate) fn flatten<'c>(module: &Module<'c>, function: Function<'c>, plan: &Plan<'_, 'c>) {
    let flow = ControlFlow::of(function);
    let starts = plan.divergences.iter().map(|divergence| divergence.block);
    let mut regions: Vec<_> = starts.filter_map(|block| find(&flow, block, plan).ok()).collect();
    // The outer ones first, which contain others.
    regions.sort_by_key(|region| Reverse(region.blocks.len()));
    let mut gone = HashSet::new();
    for region in regions {
        if !gone.contains(&region.start) {
            gone.extend(region.blocks.iter().copied());
            Flattener::new(module, function, &flow, &region).run();
        }
    }
}

/// The region of a branch on data, if it can be flattened and this is worth it.
pub(crate) fn find<'c>(
    flow: &ControlFlow<'c>,
    block: Block<'c>,
    plan: &Plan<'_, 'c>,
) -> Result<Region<'c>, Unflattened> {
    let condition = block.terminator().and_then(Value::condition);
    let is_on_data = condition.is_some_and(|condition| !plan.shapes.is_ordered(condition));
    if is_on_data { Region::find(flow, block) } else { Err(Unflattened::Edge) }
}

/// The blocks between a branch and its post-dominator.
pub(crate) struct Region<'c> {
    /// The block that ends with the branch.
    start: Block<'c>,
    /// Its post-dominator.
    join: Block<'c>,
    /// The blocks between, in an order in which each of them comes after its predecessors.
    blocks: Vec<Block<'c>>,
    /// For each of them, where it comes from.
    predecessors: HashMap<Block<'c>, Vec<Block<'c>>>,
    /// The immediate dominator of each of them.
    dominators: HashMap<Block<'c>, Block<'c>>,
}

impl<'c> Region<'c> {
    /// The region of a branch.
    fn find(flow: &ControlFlow<'c>, start: Block<'c>) -> Result<Self, Unflattened> {
        let join = flow.post_dominator(start).ok_or(Unflattened::Shape)?;
        let inside = flow.region(start);
        if inside.contains(&start) {
            return Err(Unflattened::Loop);
        }
        if inside.len() > FLATTEN_BLOCKS || flow.successors(start).len() < 2 {
            return Err(Unflattened::Code);
        }
        let function = start.function();
        let mut predecessors: HashMap<Block<'c>, Vec<Block<'c>>> = HashMap::new();
        for block in function.blocks() {
            for next in block.successors().into_iter().filter(|next| inside.contains(next)) {
                if block != start && !inside.contains(&block) {
                    return Err(Unflattened::Shape);
                }
                predecessors.entry(next).or_default().push(block);
            }
        }
        let blocks = function.blocks().into_iter().filter(|b| inside.contains(b));
        let blocks = ordered(&predecessors, start, blocks).ok_or(Unflattened::Loop)?;
        if !has_simple_end(start) || !blocks.iter().all(|block| has_simple_end(*block)) {
            return Err(Unflattened::Shape);
        }
        if !is_worth(&blocks) {
            return Err(Unflattened::Code);
        }
        let of_function = Dominators::of(function);
        let immediate = |block: &Block<'c>| Some((*block, of_function.immediate(*block)?));
        let dominators = blocks.iter().map(immediate).collect::<Option<_>>().ok_or(Unflattened::Shape)?;
        Ok(Region { start, join, blocks, predecessors, dominators })
    }

    fn children(&self, block: Block<'c>) -> Vec<Block<'c>> {
        self.blocks.iter().copied().filter(|b| self.dominators[b] == block).collect()
    }
}

/// The blocks, each after its predecessors; none if there is a loop.
fn ordered<'c>(
    predecessors: &HashMap<Block<'c>, Vec<Block<'c>>>,
    start: Block<'c>,
    blocks: impl Iterator<Item = Block<'c>>,
) -> Option<Vec<Block<'c>>> {
    let mut left: Vec<_> = blocks.collect();
    let (mut order, mut seen) = (Vec::new(), HashSet::from([start]));
    while !left.is_empty() {
        let ready = left.iter().position(|block| predecessors[block].iter().all(|p| seen.contains(p)))?;
        let block = left.remove(ready);
        seen.insert(block);
        order.push(block);
    }
    Some(order)
}

fn has_simple_end(block: Block<'_>) -> bool {
    block.terminator().is_some_and(|end| match end.successors()[..] {
        [_] => end.is(Opcode::Br),
        [then, or_else] => end.is(Opcode::Br) && then != or_else,
        _ => false,
    })
}

/// Whether most instructions are executed in vectors.
fn is_worth(blocks: &[Block<'_>]) -> bool {
    let count = |block: &Block<'_>| block.instructions().count();
    let all: usize = blocks.iter().map(count).sum();
    let guarded: usize = blocks.iter().filter(|block| has_branch(**block)).map(count).sum();
    all <= FLATTEN_INSTRUCTIONS && guarded * 2 <= all
}

/// Whether a block has an instruction that only threads in its mask may execute.
fn has_branch(block: Block<'_>) -> bool {
    !block.instructions().all(|i| i.is_terminator() || is_maskable(i))
}

fn is_maskable(instruction: Value<'_>) -> bool {
    use Opcode::*;
    match instruction.opcode() {
        Load => is_plain_access(instruction) && masked::is_accessible(instruction.ty()),
        Store => is_plain_access(instruction) && masked::is_accessible(instruction.operand(0).ty()),
        Call => {
            let intrinsic = instruction.called_intrinsic().map(|intrinsic| intrinsic.name());
            is_hint(instruction) || intrinsic.is_some_and(|name| intrinsics::elementwise(&name).is_some())
        }
        UDiv | SDiv | URem | SRem => instruction.ty().int_width().is_some(),
        Phi | Add | Sub | Mul | Shl | LShr | AShr | And | Or | Xor | FAdd | FSub | FMul | FDiv | FRem | FNeg | ICmp
        | FCmp | Select | Trunc | ZExt | SExt | FPTrunc | FPExt | FPToUI | FPToSI | UIToFP | SIToFP | BitCast
        | PtrToInt | IntToPtr | Freeze | GetElementPtr | ExtractValue | InsertValue => true,
        _ => false,
    }
}

/// A mask; none if all threads are in it.
type Mask<'c> = Option<Value<'c>>;

/// The state of the transformation.
struct Flattener<'a, 'c> {
    module: &'a Module<'c>,
    function: Function<'c>,
    flow: &'a ControlFlow<'c>,
    region: &'a Region<'c>,
    builder: Builder<'c>,
    /// The new blocks, in their order.
    sequence: Vec<Block<'c>>,
    masks: HashMap<Block<'c>, Mask<'c>>,
    /// The masks of edges, by the blocks that they connect.
    edges: Vec<(Block<'c>, Block<'c>, Value<'c>)>,
    /// The masks of the parts around the builder that are skipped if no thread is in them.
    guards: Vec<Value<'c>>,
    /// The blocks from which threads only panic.
    panics: HashSet<Block<'c>>,
}

impl<'a, 'c> Flattener<'a, 'c> {
    fn new(module: &'a Module<'c>, function: Function<'c>, flow: &'a ControlFlow<'c>, region: &'a Region<'c>) -> Self {
        let first = function.append_block("flat");
        Flattener {
            module,
            function,
            flow,
            region,
            builder: Builder::at_end(first),
            sequence: vec![first],
            masks: HashMap::from([(region.start, None)]),
            edges: Vec::new(),
            guards: Vec::new(),
            panics: HashSet::new(),
        }
    }

    fn run(mut self) {
        let Region { start, join, .. } = *self.region;
        self.isolate_panics();
        let end = start.terminator().expect("a block has a terminator");
        self.builder.locate_as(end);
        self.leave(start);
        Builder::before(end).br(self.sequence[0]);
        end.erase();
        for child in self.region.children(start) {
            self.part(child);
        }
        let phis: Vec<_> = join.instructions().take_while(|i| i.is(Opcode::Phi)).collect();
        for phi in phis {
            self.merge(phi);
        }
        self.builder.br(join);
        let old = &self.region.blocks;
        old.iter().filter_map(|block| block.terminator()).for_each(Value::erase);
        old.iter().for_each(|block| block.erase());
    }

    /// Gives each edge to a panic a separate block.
    fn isolate_panics(&mut self) {
        for block in &self.region.blocks {
            for next in block.successors().into_iter().filter(|next| !self.flow.reaches_exit(*next)) {
                next.split_predecessors(&[*block]);
            }
        }
        let flow = ControlFlow::of(self.function);
        self.panics = self.function.blocks().into_iter().filter(|block| !flow.reaches_exit(*block)).collect();
    }

    fn new_block(&mut self, name: &str) -> Block<'c> {
        let block = self.function.append_block(name);
        self.sequence.push(block);
        block
    }

    /// Executes a block and those that it dominates, if any thread is in its mask.
    fn part(&mut self, block: Block<'c>) {
        let mask = self.mask(block);
        self.masks.insert(block, mask);
        let guard = mask.filter(|mask| self.guards.last() != Some(mask) && self.needs_guard(block));
        let Some(guard) = guard else { return self.execute(block) };
        let before = self.builder.block();
        let any = masked::any(self.module, &self.builder, guard);
        let position = self.sequence.len();
        let body = self.new_block("some");
        self.builder.move_to_end(body);
        self.guards.push(guard);
        self.execute(block);
        self.guards.pop();
        let next = self.function.append_block("all");
        Builder::at_end(before).cond_br(any, body, next);
        self.meet(before, position, next, false);
    }

    /// Ends a part of the sequence, from a position on, that is skipped by an edge from `before`. The blocks of panics
    /// are reached from within a part with masks, but only from `next` after a scalar part.
    fn meet(&mut self, before: Block<'c>, position: usize, next: Block<'c>, is_scalar: bool) {
        let end = self.builder.block();
        self.builder.br(next);
        self.builder.move_to_end(next);
        let inside: HashSet<_> = self.sequence[position..].iter().copied().collect();
        let phi = |value: Value<'c>, otherwise: Value<'c>| {
            let phi = Builder::at_start(next).phi(value.ty(), "");
            phi.add_incoming(value, end);
            phi.add_incoming(otherwise, before);
            phi
        };
        let is_outside = |user: &Value<'c>| {
            let block = user.block();
            !inside.contains(&block) && (is_scalar || !self.panics.contains(&block))
        };
        let values = self.sequence[position..].iter().flat_map(|block| block.instructions());
        for value in values.filter(|value| !value.ty().is_void()) {
            let users: Vec<_> = value.users().into_iter().filter(is_outside).collect();
            if users.is_empty() {
                continue;
            }
            let met = phi(value, value.ty().poison());
            for user in users {
                let uses = (0..user.operand_count()).filter(|number| user.operand(*number) == value);
                uses.for_each(|number| user.set_operand(number, met));
            }
        }
        for (_, to, mask) in &mut self.edges {
            let goes_on = !self.masks.contains_key(to);
            if goes_on && mask.is_instruction() && inside.contains(&mask.block()) {
                *mask = phi(*mask, mask.ty().zero());
            }
        }
        self.sequence.push(next);
    }

    fn execute(&mut self, block: Block<'c>) {
        let mask = self.masks[&block];
        let phis: Vec<_> = block.instructions().take_while(|i| i.is(Opcode::Phi)).collect();
        for phi in phis {
            let value = self.choose(phi);
            phi.replace_all_uses_with(value);
            phi.erase();
        }
        let end = block.terminator().expect("a block has a terminator");
        let own: Vec<_> = block.instructions().filter(|i| *i != end).collect();
        match mask.filter(|_| has_branch(block)) {
            Some(mask) => {
                let before = self.builder.block();
                let position = self.sequence.len();
                let body = self.new_block("guarded");
                self.builder.move_to_end(body);
                own.into_iter().for_each(|instruction| instruction.move_to(&self.builder));
                let next = self.function.append_block("behind");
                Builder::at_end(before).cond_br(mask, body, next);
                self.meet(before, position, next, true);
            }
            None => own.into_iter().for_each(|instruction| self.instruction(instruction, mask)),
        }
        self.builder.locate_as(end);
        self.leave(block);
        for child in self.region.children(block) {
            self.part(child);
        }
    }

    /// The masks of the edges from a block. Threads that panic leave.
    fn leave(&mut self, block: Block<'c>) {
        let end = block.terminator().expect("a block has a terminator");
        let Some(condition) = end.condition() else {
            let mask = self.masks[&block].unwrap_or_else(|| self.module.types().i1().constant(1));
            self.edges.push((block, end.successors()[0], mask));
            return;
        };
        let mask = self.masks[&block];
        let i1 = self.module.types().i1();
        let negated = self.builder.binary(Opcode::Xor, condition, i1.constant(1), "");
        for (next, holds) in end.successors().into_iter().zip([condition, negated]) {
            // The condition may be poison in a thread that is not in the mask.
            let edge = mask.map_or(holds, |mask| self.builder.select(mask, holds, i1.zero(), ""));
            if next == self.region.join || self.region.predecessors.contains_key(&next) {
                self.edges.push((block, next, edge));
            } else {
                let on = self.new_block("on");
                self.builder.cond_br(edge, next, on);
                self.builder.move_to_end(on);
            }
        }
    }

    /// The threads that execute a block.
    fn mask(&self, block: Block<'c>) -> Mask<'c> {
        let dominator = self.region.dominators[&block];
        let mut behind = self.flow.post_dominator(dominator);
        while let Some(next) = behind.filter(|next| *next != block && *next != self.region.join) {
            behind = self.flow.post_dominator(next);
        }
        if behind == Some(block) {
            return self.masks[&dominator];
        }
        let edges = self.edges.iter().filter(|(_, to, _)| *to == block).map(|(_, _, mask)| *mask);
        edges.reduce(|a, b| self.builder.binary(Opcode::Or, a, b, ""))
    }

    /// Whether a part is skipped if no thread is in its mask: if it loads from addresses that are only valid then, or
    /// is long and some thread often is not in it.
    fn needs_guard(&self, block: Block<'c>) -> bool {
        let is_part = |mut at: Block<'c>| loop {
            if at == block {
                return true;
            }
            if at == self.region.start {
                return false;
            }
            at = self.region.dominators[&at];
        };
        let parts: Vec<_> = self.region.blocks.iter().filter(|b| is_part(**b)).collect();
        let accesses = block.instructions().any(|i| match i.opcode() {
            Opcode::Load => constant_base(self.module, i).is_none(),
            opcode => opcode == Opcode::Store,
        });
        accesses
            || !self.is_likely(block)
                && parts.iter().flat_map(|b| b.instructions()).map(cost).sum::<usize>() >= FLATTEN_CHEAP
    }

    /// Whether nearly all threads execute a block if they execute its predecessor: where two numbers are not equal.
    fn is_likely(&self, block: Block<'c>) -> bool {
        let [before] = self.region.predecessors[&block][..] else { return false };
        let (condition, next) = (before.terminator().and_then(Value::condition), before.successors());
        condition.filter(|condition| condition.is(Opcode::ICmp)).is_some_and(|condition| {
            match condition.icmp_predicate() {
                IntPredicate::Eq => next[1] == block,
                IntPredicate::Ne => next[0] == block,
                _ => false,
            }
        })
    }

    /// An instruction that all threads execute, or only those in the mask have an effect of.
    fn instruction(&self, instruction: Value<'c>, mask: Mask<'c>) {
        use Opcode::{Load, SDiv, SRem, Store, UDiv, URem};
        let Some(mask) = mask else { return instruction.move_to(&self.builder) };
        self.builder.locate_as(instruction);
        let element =
            (instruction.is(Load)).then(|| constant_tables::choose(self.module, &self.builder, instruction)).flatten();
        if let Some(element) = element {
            instruction.replace_all_uses_with(element);
            instruction.erase();
            return;
        }
        match instruction.opcode() {
            Load => match constant_base(self.module, instruction) {
                Some(base) => {
                    let address = self.builder.select(mask, instruction.operand(0), base, "");
                    instruction.set_operand(0, address);
                    instruction.drop_annotations();
                    instruction.move_to(&self.builder);
                }
                None => {
                    let loaded = masked::load(self.module, &self.builder, instruction, mask);
                    instruction.replace_all_uses_with(loaded);
                    instruction.erase();
                }
            },
            Store => {
                masked::store(self.module, &self.builder, instruction, mask);
                instruction.erase();
            }
            UDiv | SDiv | URem | SRem => {
                let one = instruction.ty().constant(1);
                let divisor = self.builder.select(mask, instruction.operand(1), one, "");
                instruction.set_operand(1, divisor);
                instruction.drop_annotations();
                instruction.move_to(&self.builder);
            }
            Opcode::Call if is_hint(instruction) && !is_scope(instruction) => {
                instruction.erase();
            }
            // A thread outside of the mask can break the promise of a flag, and shapes are derived from flags.
            _ => {
                instruction.drop_annotations();
                instruction.move_to(&self.builder);
            }
        }
    }

    /// The value of a phi of the region: that of the edge by which the thread has come.
    fn choose(&self, phi: Value<'c>) -> Value<'c> {
        self.selected(phi.block(), &phi.incoming())
    }

    fn selected(&self, block: Block<'c>, incoming: &[(Value<'c>, Block<'c>)]) -> Value<'c> {
        incoming[1..].iter().fold(incoming[0].0, |selected, (value, from)| {
            let edge = self.edges.iter().find(|(a, b, _)| a == from && *b == block);
            let (.., mask) = edge.expect("each edge has a mask");
            if selected == *value { selected } else { self.builder.select(*mask, *value, selected, "") }
        })
    }

    /// Replaces a phi of the join, whose values from the region come by one edge now.
    fn merge(&self, phi: Value<'c>) {
        let is_inside = |from: &Block<'c>| *from == self.region.start || self.region.blocks.contains(from);
        let (inside, outside): (Vec<_>, Vec<_>) = phi.incoming().into_iter().partition(|(_, from)| is_inside(from));
        let selected = self.selected(self.region.join, &inside);
        let merged = Builder::before(phi).phi(phi.ty(), "");
        for (value, from) in outside {
            merged.add_incoming(value, from);
        }
        merged.add_incoming(selected, self.builder.block());
        phi.replace_all_uses_with(merged);
        phi.erase();
    }
}

/// How long an instruction takes, in simple ones.
fn cost(instruction: Value<'_>) -> usize {
    match instruction.opcode() {
        Opcode::Phi | Opcode::Br => 0,
        Opcode::FDiv | Opcode::FRem | Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem => FLATTEN_CHEAP,
        Opcode::Call => FLATTEN_CHEAP / 2,
        _ => 1,
    }
}

/// The constant that a load reads, if it could as well read the start of this constant.
fn constant_base<'c>(module: &Module<'c>, load: Value<'c>) -> Option<Value<'c>> {
    let base = load.operand(0).base();
    if !base.is_global_variable() || !base.is_constant_global() || base.alignment() < load.alignment() {
        return None;
    }
    let there = base.initializer()?.ty().store_size(module);
    (load.ty().store_size(module) <= there).then_some(base)
}
