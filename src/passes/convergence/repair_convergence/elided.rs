//! Puts a choice back on a path that has left it out, because its outcome is known there.
//!
//! On some paths, an optimiser finds the outcome of a later branch, and leads these paths around the branch: it threads
//! jumps, peels the first iteration off a loop, and unswitches. The branch stays on the other paths. If other threads
//! take those paths, some threads come to the branch while others are past it:
//!
//! ```text
//! if (t < 4) { if (n == 0) goto past; }          (n == 1 is false there)
//! if (n == 1) barrier();
//! past:
//! ```
//!
//! A branch on a constant changes nothing for any thread. So the choice is inserted again, with its known outcome as a
//! constant, and the other outcomes are unreachable. Whether other threads decide alike is left to the proof
//! (`agreement.rs`, and `known.rs` for the facts of a path).

use std::collections::HashSet;

use super::agreement::Agreement;
use super::cases::align;
use super::classes::Classes;
use super::facts::Facts;
use super::graph::{Choice, Graph, NodeId};
use crate::llvm::{Block, Builder, Function, Module, Opcode, Type, Value};

/// A place where choices of threads do not match.
pub(super) enum Gap<'c> {
    /// A choice that a path seems to leave out, and the edges where it belongs.
    Elided(Value<'c>, Vec<(Block<'c>, Block<'c>)>),
    /// Two choices about one number.
    Unlike(Value<'c>, Value<'c>),
}

/// A kernel whose choices are put back.
pub(super) struct Filling<'a, 'c> {
    pub(super) module: &'a Module<'c>,
    pub(super) function: Function<'c>,
    pub(super) sources: &'a HashSet<Value<'c>>,
    pub(super) operations: &'a [Value<'c>],
    /// The choices that were put back.
    pub(super) elided: HashSet<Value<'c>>,
    /// Choices with the blocks that were inserted for them on edges, whether they belong there or not.
    pub(super) tried: HashSet<(Value<'c>, Block<'c>)>,
    /// The blocks that were inserted on edges, and in which there is nothing.
    pub(super) empty: HashSet<Block<'c>>,
    /// The number of versions that the kernel has (`versions.rs`).
    pub(super) versions: usize,
    /// The goals of proofs in the search for gaps.
    pub(super) effort: usize,
}

impl<'c> Filling<'_, 'c> {
    /// Fills the first gap that was not tried. Returns whether there was one: the function has changed then, and
    /// earlier results about its control flow are out of date. `choices` are all choices of the graph in which the gaps
    /// were found.
    pub(super) fn fill(&mut self, gaps: &[Gap<'c>], choices: &HashSet<Value<'c>>) -> bool {
        gaps.iter().any(|gap| match gap {
            Gap::Elided(choice, edges) => self.put_back(*choice, edges, choices),
            Gap::Unlike(one, other) => align(*one, *other),
        })
    }

    fn put_back(&mut self, choice: Value<'c>, edges: &[(Block<'c>, Block<'c>)], choices: &HashSet<Value<'c>>) -> bool {
        if edges.is_empty() || edges.iter().any(|(_, to)| self.tried.contains(&(choice, *to))) {
            return false;
        }
        let places: Vec<_> = edges.iter().filter_map(|edge| self.place_on(*edge)).collect();
        let model = Choice::of(choice);
        let ty = choice.condition().map(Value::ty);
        let dead = self.function.append_block("never");
        Builder::at_end(dead).unreachable();
        for outcome in 0..model.outcomes.len() {
            let Some(value) = ty.and_then(|ty| value_for(&model, outcome, ty)) else { continue };
            let inserted: Vec<_> =
                places.iter().map(|(place, to)| insert(*place, *to, dead, &model, (outcome, value))).collect();
            let mut all = choices.clone();
            all.extend(inserted.iter().copied());
            if self.agrees(choice, &inserted, &all) {
                self.elided.extend(inserted);
                places.iter().for_each(|(place, _)| _ = self.empty.remove(place));
                self.tried.extend(places.into_iter().map(|(place, _)| (choice, place)));
                return true;
            }
        }
        for (place, to) in places {
            replace_end(place, |builder| builder.br(to));
            self.tried.insert((choice, place));
        }
        true
    }

    /// An empty block on an edge, and where it leads.
    fn place_on(&mut self, (from, to): (Block<'c>, Block<'c>)) -> Option<(Block<'c>, Block<'c>)> {
        if let ([next], true) = (&to.successors()[..], self.empty.contains(&to)) {
            return Some((to, *next));
        }
        let place = to.split_predecessors(&[from])?;
        self.empty.insert(place);
        Some((place, to))
    }

    /// Whether threads that are at a choice while others are at one of `inserted` take the same outcome.
    fn agrees(&self, choice: Value<'c>, inserted: &[Value<'c>], choices: &HashSet<Value<'c>>) -> bool {
        let facts = Facts::of(self.module, self.function, self.sources);
        let graph = Graph::new(self.function, facts.divergence.flow(), self.operations, choices);
        let classes = Classes::apart(&graph);
        let pairs = graph.pairs(|pair| !graph.are_alike(pair)).into_iter().map(|(pair, _)| pair).collect();
        let mut agreement = Agreement::among(&graph, &classes, &facts, pairs);
        let node = |branch: Value<'c>| graph.ids().find(|node| graph.branch(*node) == Some(branch));
        let Some(choice) = node(choice) else { return false };
        let others: Vec<NodeId> = inserted.iter().filter_map(|branch| node(*branch)).collect();
        let others: Vec<_> = others.into_iter().filter(|other| agreement.are_together((choice, *other))).collect();
        !others.is_empty() && others.into_iter().all(|other| agreement.holds((choice, other)))
    }
}

/// A value of the condition for an outcome; none if no value leads there.
fn value_for<'c>(model: &Choice<'c>, outcome: usize, ty: Type<'c>) -> Option<Value<'c>> {
    let keys: Vec<_> = model.outcomes.iter().filter_map(|(key, _)| *key).collect();
    let other = || (0..=keys.len() as u64).find(|value| !keys.contains(value));
    let value = model.outcomes[outcome].0.or_else(other)?;
    let fits = ty.int_width().is_some_and(|width| width >= 64 || value >> width == 0);
    fits.then(|| ty.constant(value))
}

/// Ends a block with a choice like `model` that has a known outcome.
fn insert<'c>(
    place: Block<'c>,
    to: Block<'c>,
    dead: Block<'c>,
    model: &Choice<'c>,
    (outcome, value): (usize, Value<'c>),
) -> Value<'c> {
    let targets: Vec<_> = (0..model.outcomes.len()).map(|other| if other == outcome { to } else { dead }).collect();
    replace_end(place, |builder| match (model.branch.is(Opcode::Switch), &targets[..]) {
        (false, [yes, no]) => builder.cond_br(value, *yes, *no),
        _ => {
            let cases = model.outcomes.iter().zip(&targets);
            let cases: Vec<_> = cases.filter_map(|((key, _), to)| Some((value.ty().constant((*key)?), *to))).collect();
            builder.switch(value, targets[0], &cases);
        }
    });
    place.terminator().expect("it was just inserted")
}

fn replace_end<'c>(block: Block<'c>, build: impl FnOnce(&Builder<'c>)) {
    block.terminator().expect("every block of a definition has an end").erase();
    build(&Builder::at_end(block));
}
