//! Makes versions of a kernel, one for each answer of a condition that all threads share.
//!
//! A parameter decides branches in all copies of a barrier. An optimiser may have used the parameter differently in
//! each copy: one copy has the branch, one has it in front of its loop, a third has no loop, because its iterations
//! would do nothing. With a version for each answer, LLVM simplifies all copies to the same code:
//!
//! ```text
//! if (n < 4) { the kernel, where n < 4 } else { the kernel, where n >= 4 }
//! ```
//!
//! The behaviour of each thread does not change, so this step needs no proof. That all threads of a version reach the
//! same barriers, and that all choose the same version, is proven for the result as for every kernel.
//!
//! The search tries conditions on copies of the kernel in which one answer is given. A condition helps if there is a
//! proof for one of its answers; the kernel with the other answer is divided further.

use std::collections::HashSet;

use super::facts::Facts;
use super::terms::Terms;
use crate::analysis::convergent_calls::is_convergent;
use crate::analysis::divergence::divergence_sources;
use crate::analysis::reach::Reach;
use crate::error::Result;
use crate::llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, Value};

/// The most copies of a kernel that are tried.
const MOST_TRIALS: usize = 60;
/// The most conditions that are tried, and the most instructions of a kernel that is divided.
const MOST_CONDITIONS: usize = 12;
const MOST_INSTRUCTIONS: usize = 4000;
/// The largest depth of a condition.
const DEPTH: usize = 6;
/// The pipelines that simplify the versions: the first one only decides comparisons, and the second one uses all that
/// follows from the answers. The second one may also make equal code unequal. No pass here copies a block with a
/// barrier, or makes one branch of two.
const SIMPLIFY: [&str; 2] = [
    "function(early-cse,constraint-elimination,simplifycfg<no-simplify-cond-branch>,early-cse,\
     constraint-elimination,simplifycfg<no-simplify-cond-branch>,adce)",
    "function(early-cse,correlated-propagation,sccp,simplifycfg<no-simplify-cond-branch>,early-cse,\
     correlated-propagation,simplifycfg<no-simplify-cond-branch>,adce)",
];

/// A condition: a comparison, or that a number is this case of a `switch`.
type Condition<'c> = (Value<'c>, Option<u64>);

/// Whether there is a proof for a kernel with so many versions.
type Proof<'c> = fn(&Module<'c>, Function<'c>, usize) -> bool;

/// The answer to a condition, which is a number in the list of all.
type Answer = (usize, bool);

/// The versions of a kernel.
enum Versions {
    One,
    /// One for each answer of a condition.
    Of(usize, Box<[Versions; 2]>),
}

/// The result of the proof for a kernel where some answers are given.
#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    Proven,
    /// There is no barrier left.
    Empty,
    NoProof,
}

/// Divides a kernel into versions for which there is a proof together. Returns whether there are such versions; if not,
/// the kernel remains unchanged.
pub(super) fn divide<'c>(module: &Module<'c>, kernel: Function<'c>, is_proven: Proof<'c>) -> Result<bool> {
    let Some(count) = Place::of(module, kernel).map(|place| place.conditions.len()) else { return Ok(false) };
    for passes in SIMPLIFY {
        let mut search = Search { module, kernel, is_proven, passes, count, trials: 0 };
        let Some(versions) = search.versions(&[])? else { continue };
        let copy = module.clone_definitions(&Reach::new(&[kernel]).order);
        let Some(copied) = copy.function(&kernel.name()) else { continue };
        if make(&copy, copied, &versions, passes)? && is_proven(&copy, copied, versions.count()) {
            return Ok(make(module, kernel, &versions, passes)? && is_proven(module, kernel, versions.count()));
        }
    }
    Ok(false)
}

/// Makes versions of a kernel. Returns whether it has a place for them.
fn make<'c>(module: &Module<'c>, kernel: Function<'c>, versions: &Versions, passes: &str) -> Result<bool> {
    let Some(place) = Place::of(module, kernel) else { return Ok(false) };
    place.prepare((0..place.conditions.len()).filter(|number| versions.has(*number)));
    place.divide(place.block, versions);
    module.run_neutral_passes(passes)?;
    Ok(true)
}

/// The search for the conditions that help.
struct Search<'a, 'c> {
    module: &'a Module<'c>,
    kernel: Function<'c>,
    is_proven: Proof<'c>,
    passes: &'static str,
    count: usize,
    trials: usize,
}

impl<'c> Search<'_, 'c> {
    /// The versions of the kernel where these answers are given; none if there is no proof for some.
    fn versions(&mut self, given: &[Answer]) -> Result<Option<Versions>> {
        let mut rest = given.to_vec();
        for number in (0..self.count).filter(|number| given.iter().all(|(other, _)| other != number)) {
            let [yes, no] = [true, false].map(|answer| self.verdict(&[given, &[(number, answer)]].concat()));
            match [yes? != Verdict::NoProof, no? != Verdict::NoProof] {
                [true, true] => return Ok(Some(Versions::one_of_each(number))),
                [false, false] => {}
                [_, no] => rest.push((number, no)),
            }
        }
        if rest.len() == given.len() {
            return Ok(None);
        }
        let mut versions = Versions::One;
        if self.verdict(&rest)? == Verdict::NoProof {
            let Some(more) = self.versions(&rest)? else { return Ok(None) };
            versions = more;
        } else {
            self.drop_needless(given.len(), &mut rest)?;
        }
        for (number, answer) in rest.drain(given.len()..).rev() {
            let both = if answer { [versions, Versions::One] } else { [Versions::One, versions] };
            versions = Versions::Of(number, Box::new(both));
        }
        Ok(Some(versions))
    }

    /// Drops the answers, after the first ones, that the proof does not need.
    fn drop_needless(&mut self, first: usize, given: &mut Vec<Answer>) -> Result<()> {
        let mut at = first;
        while at < given.len() && given.len() > first + 1 {
            let mut fewer = given.clone();
            fewer.remove(at);
            if self.verdict(&fewer)? == Verdict::NoProof {
                at += 1;
            } else {
                *given = fewer;
            }
        }
        Ok(())
    }

    /// Whether there is a proof for a copy of the kernel that ends where the answers are others.
    fn verdict(&mut self, given: &[Answer]) -> Result<Verdict> {
        self.trials += 1;
        if self.trials > MOST_TRIALS {
            return Ok(Verdict::NoProof);
        }
        let copy = self.module.clone_definitions(&Reach::new(&[self.kernel]).order);
        let Some(kernel) = copy.function(&self.kernel.name()) else { return Ok(Verdict::NoProof) };
        let Some(place) = Place::of(&copy, kernel) else { return Ok(Verdict::NoProof) };
        let other = kernel.append_block("other");
        Builder::at_end(other).ret_void();
        place.prepare(given.iter().map(|(number, _)| *number));
        let mut block = place.block;
        for (number, answer) in given {
            let value = place.compute(*number, block);
            let (next, _) = split_end(block);
            replace_end(block, value, if *answer { [next, other] } else { [other, next] });
            block = next;
        }
        copy.run_neutral_passes(self.passes)?;
        Ok(match (self.is_proven)(&copy, kernel, 1) {
            _ if !kernel.instructions().any(is_convergent) => Verdict::Empty,
            true => Verdict::Proven,
            false => Verdict::NoProof,
        })
    }
}

impl Versions {
    /// A version for each answer.
    fn one_of_each(number: usize) -> Self {
        Versions::Of(number, Box::new([Versions::One, Versions::One]))
    }

    fn count(&self) -> usize {
        if let Versions::Of(_, parts) = self { parts.iter().map(Versions::count).sum() } else { 1 }
    }

    fn has(&self, number: usize) -> bool {
        matches!(self, Versions::Of(own, parts) if *own == number || parts.iter().any(|part| part.has(number)))
    }
}

/// The place where a kernel is divided. A thread executes it at most once.
struct Place<'c> {
    block: Block<'c>,
    /// The blocks that a thread may execute after it, and only after it.
    behind: Vec<Block<'c>>,
    /// The conditions of the branches of these blocks that can be computed at the place.
    conditions: Vec<Condition<'c>>,
    /// The blocks that a thread has executed before, including that of the place.
    before: HashSet<Block<'c>>,
}

impl<'c> Place<'c> {
    /// The last place of a kernel in front of all operations that only some threads may reach; none if no operation
    /// can be a copy of another one.
    fn of(module: &Module<'c>, kernel: Function<'c>) -> Option<Self> {
        let operations: Vec<_> = kernel.instructions().filter(|i| is_convergent(*i)).collect();
        if operations.len() < 2 || kernel.instructions().count() > MOST_INSTRUCTIONS {
            return None;
        }
        let facts = Facts::of(module, kernel, &divergence_sources(module));
        let apart = |operation: &&Value<'c>| facts.divergence.is_control_dependent(operation.block());
        let apart: Vec<_> = operations.iter().filter(apart).map(|operation| operation.block()).collect();
        let first = kernel.blocks()[0];
        let all = behind(first, None);
        let places = std::iter::once(first).chain(all.iter().copied()).filter_map(|block| {
            let behind_it = behind(block, None);
            let elsewhere = if block == first { Vec::new() } else { behind(first, Some(block)) };
            let is_place = !behind_it.contains(&block)
                && !facts.divergence.is_control_dependent(block)
                && !behind_it.iter().any(|next| elsewhere.contains(next))
                && apart.iter().all(|at| behind_it.contains(at));
            is_place.then_some((block, behind_it))
        });
        let (block, behind_it) = places.min_by_key(|(_, behind_it)| behind_it.len())?;
        let precedes = |other: &Block<'c>| block != first && !behind(first, Some(*other)).contains(&block);
        let before = all.iter().copied().filter(precedes).chain([first, block]).collect();
        let mut place = Place { block, behind: behind_it, conditions: Vec::new(), before };
        place.find_conditions(&facts);
        (!place.conditions.is_empty()).then_some(place)
    }

    fn find_conditions(&mut self, facts: &Facts<'c>) {
        let mut terms = Terms::new(&facts.sources);
        let mut seen = HashSet::new();
        for block in std::iter::once(&self.block).chain(&self.behind) {
            let Some(end) = block.terminator().filter(|end| end.is(Opcode::Br) || end.is(Opcode::Switch)) else {
                continue;
            };
            let Some(condition) = end.condition().filter(|c| !c.is_constant() && self.has(*c, facts, 0)) else {
                continue;
            };
            let cases = (1..end.successors().len()).map(|case| end.case_value(case as u32).as_u64());
            let keys: Vec<_> = if end.is(Opcode::Switch) { cases.flatten().map(Some).collect() } else { vec![None] };
            for key in keys.into_iter().filter(|key| seen.insert((terms.condition(condition), *key))) {
                self.conditions.push((condition, key));
            }
        }
        self.conditions.truncate(MOST_CONDITIONS);
    }

    /// Whether a value can be computed at the place, and is the same for all threads.
    fn has(&self, value: Value<'c>, facts: &Facts<'c>, depth: usize) -> bool {
        if value.is_constant() || value.is_argument() {
            return true;
        }
        if !value.is_instruction() {
            return false;
        }
        if self.is_input(value) {
            return facts.are_uniform(value, self.block);
        }
        let operands = || value.operands().into_iter().all(|operand| self.has(operand, facts, depth + 1));
        depth < DEPTH && may_be_early(value) && operands()
    }

    /// Whether conditions are computed from a value, which is not computed again.
    fn is_input(&self, value: Value<'c>) -> bool {
        let is_here = || value.block() == self.block && may_be_early(value);
        value.is_argument() || (self.before.contains(&value.block()) && !is_here())
    }

    /// Moves the instructions that follow the inputs of these conditions from the place to a block after it, where they
    /// are simplified, and lets them use frozen values of the inputs: a branch at the place uses the inputs earlier
    /// than the branches of the kernel, which may never be executed.
    fn prepare(&self, numbers: impl Iterator<Item = usize>) {
        let mut inputs = Vec::new();
        numbers.for_each(|number| self.find_inputs(self.conditions[number].0, &mut inputs));
        let stays = |i: &Value<'c>| {
            i.is(Opcode::Phi) || i.is(Opcode::Alloca) || is_convergent(*i) || inputs.contains(i) || self.is_frozen(*i)
        };
        let all: Vec<_> = self.block.instructions().collect();
        let first = all.iter().rposition(stays).map_or(0, |last| last + 1);
        let mut users = vec![all[first].split_block("version")];
        users.extend(&self.behind);
        for input in inputs {
            let uses = input.users();
            let end = self.block.terminator().expect("a block has an end");
            let frozen = Builder::before(end).freeze(input, "known");
            for user in uses.into_iter().filter(|user| users.contains(&user.block())) {
                let uses = (0..user.operand_count()).filter(|index| user.operand(*index) == input);
                uses.for_each(|index| user.set_operand(index, frozen));
            }
        }
    }

    fn find_inputs(&self, value: Value<'c>, inputs: &mut Vec<Value<'c>>) {
        if value.is_constant() || self.is_frozen(value) || inputs.contains(&value) {
            return;
        }
        if self.is_input(value) {
            return inputs.push(value);
        }
        value.operands().into_iter().for_each(|operand| self.find_inputs(operand, inputs));
    }

    /// Whether `prepare` made this value.
    fn is_frozen(&self, value: Value<'c>) -> bool {
        value.is(Opcode::Freeze) && value.block() == self.block
    }

    /// Computes a condition at the end of a block, from frozen values.
    fn compute(&self, number: usize, block: Block<'c>) -> Value<'c> {
        let builder = Builder::before(block.terminator().expect("a block has an end"));
        let (condition, case) = self.conditions[number];
        let value = self.compute_value(condition, &builder);
        case.map_or(value, |case| builder.icmp(IntPredicate::Eq, value, value.ty().constant(case), "case"))
    }

    fn compute_value(&self, value: Value<'c>, builder: &Builder<'c>) -> Value<'c> {
        if value.is_constant() || self.is_frozen(value) {
            return value;
        }
        if self.is_input(value) {
            return value.users().into_iter().find(|user| self.is_frozen(*user)).expect("it was frozen");
        }
        let operands: Vec<_> = value.operands().into_iter().map(|o| self.compute_value(o, builder)).collect();
        let early = value.duplicate();
        builder.insert(early);
        early.drop_annotations();
        for (index, operand) in (0..).zip(operands) {
            early.set_operand(index, operand);
        }
        early
    }

    /// Divides the code after a block.
    fn divide(&self, block: Block<'c>, versions: &Versions) {
        let Versions::Of(number, parts) = versions else { return };
        let value = self.compute(*number, block);
        let (next, all) = split_end(block);
        let copy = block.clone_successors(&all);
        replace_end(block, value, [next, copy]);
        self.divide(next, &parts[0]);
        self.divide(copy, &parts[1]);
    }
}

/// Puts the end of a block into a separate block. Returns this block, and the blocks that a thread may execute from
/// there on.
fn split_end<'c>(block: Block<'c>) -> (Block<'c>, Vec<Block<'c>>) {
    let next = block.terminator().expect("a block has an end").split_block("version");
    let mut all = vec![next];
    all.extend(behind(next, None));
    (next, all)
}

fn replace_end<'c>(block: Block<'c>, condition: Value<'c>, [yes, no]: [Block<'c>; 2]) {
    block.terminator().expect("a block has an end").erase();
    Builder::at_end(block).cond_br(condition, yes, no);
}

/// The blocks that a thread may execute after a block without coming to `avoided`, in order.
fn behind<'c>(block: Block<'c>, avoided: Option<Block<'c>>) -> Vec<Block<'c>> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let mut work = vec![block];
    while let Some(from) = work.pop() {
        let next: Vec<_> = from.successors().into_iter().filter(|b| Some(*b) != avoided && seen.insert(*b)).collect();
        found.extend(&next);
        work.extend(next);
    }
    found
}

/// Whether an operation may be executed where it was not before.
fn may_be_early(value: Value<'_>) -> bool {
    use Opcode::*;
    let constant = || value.operand(1).as_u64();
    match value.opcode() {
        ICmp | Add | Sub | Mul | And | Or | Xor | Trunc | ZExt | SExt | Select => true,
        UDiv | URem => constant().is_some_and(|divisor| divisor != 0),
        Shl | LShr | AShr => constant().zip(value.ty().int_width()).is_some_and(|(by, width)| by < width.into()),
        _ => false,
    }
}
