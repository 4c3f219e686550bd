//! Conditions that are known at a node, from the branches on the paths to it.
//!
//! `n == 1` is false after a branch that was taken because `n == 0`. A condition is known at a node if each path to it
//! has an edge that decides the condition, in the last segment or, by induction over time, in an earlier one.

use std::collections::HashSet;

use super::agreement::Agreement;
use super::graph::{Arrival, Choice, NodeId, Segment};
use super::reals::{Limit, decide};
use super::terms::{Detail, Operation, Shape, Term, Terms};
use crate::llvm::IntPredicate::{self, Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
use crate::llvm::{Block, Opcode};

/// The largest depth of a condition that is decomposed.
const DEPTH: usize = 8;
/// The largest number of goals in the proof for one condition.
const GOALS: usize = 32;

/// A fact that holds on an edge from a branch.
#[derive(Clone)]
enum Fact {
    /// A condition holds, or does not.
    Is(Term, bool),
    /// A number is this constant.
    Equals(Term, u64),
    /// It is not.
    Differs(Term, u64),
}

impl<'c> Agreement<'_, 'c> {
    /// The constant as the value of the condition, if the facts of a path may show that the condition has it.
    fn wanted(&self, condition: Term, constant: Term) -> Option<bool> {
        let is_condition = self.terms.width(condition) == Some(1) && self.terms.constant(condition).is_none();
        self.terms.constant(constant).filter(|_| self.knows && is_condition).map(|value| value != 0)
    }

    /// Whether a condition has the value of a constant for each thread at a node.
    pub(super) fn is_known_there(&mut self, condition: Term, constant: Term, at: NodeId) -> bool {
        let wanted = self.wanted(condition, constant);
        wanted.is_some_and(|value| self.is_known(condition, value, at, &mut HashSet::new()))
    }

    /// Whether a condition, a term at the start of a segment, has the value of a constant for each thread that then
    /// comes to a block.
    pub(super) fn is_decided_behind(
        &mut self,
        condition: Term,
        constant: Term,
        (from, outcome): Arrival,
        to: Block<'c>,
    ) -> bool {
        let graph = self.graph;
        let segment = graph.segments(from)[outcome].as_ref();
        let Some((value, segment)) = self.wanted(condition, constant).zip(segment) else { return false };
        if self.terms.is_read(condition) || self.terms.is_unknown(condition) {
            return false;
        }
        let facts = graph.choice(from).map(|choice| self.facts_behind(choice, outcome));
        facts.is_some_and(|facts| decides(&mut self.terms, &facts, condition, value))
            || self.is_decided_within(segment, to, condition, value)
    }

    /// Whether a condition has this value for each thread at a node. `known` has the goals that are being proven.
    pub(super) fn is_known(
        &mut self,
        term: Term,
        value: bool,
        at: NodeId,
        known: &mut HashSet<(Term, NodeId)>,
    ) -> bool {
        if self.terms.constant(term).is_some_and(|constant| (constant != 0) == value) {
            return true;
        }
        if self.is_known_by_part(term, value, at, known) {
            return true;
        }
        if self.terms.is_read(term) || self.terms.is_unknown(term) || !self.asks_more() {
            return false;
        }
        if !known.insert((term, at)) {
            return true;
        }
        if known.len() > GOALS {
            return false;
        }
        let graph = self.graph;
        let Some(here) = graph.block(at) else { return false };
        for (from, outcome) in graph.arrivals(at) {
            let Some(segment) = &graph.segments(*from)[*outcome] else { continue };
            let Some(traced) = self.traced(term, segment, here, &mut Vec::new()) else { return false };
            for before in traced {
                let facts = graph.choice(*from).map(|choice| self.facts_behind(choice, *outcome));
                let decided = facts.is_some_and(|facts| decides(&mut self.terms, &facts, before, value));
                if !decided
                    && !self.is_decided_within(segment, here, before, value)
                    && !self.is_known(before, value, *from, known)
                {
                    return false;
                }
            }
        }
        true
    }

    /// Whether one part of a condition decides it, whatever the other one is: the other one may have been read only
    /// now.
    fn is_known_by_part(&mut self, term: Term, value: bool, at: NodeId, known: &mut HashSet<(Term, NodeId)>) -> bool {
        let Shape::Operation(operation, of) = self.terms.shape(term).clone() else { return false };
        let is_false = |terms: &Terms<'_, '_>, part: Term| terms.constant(part) == Some(0);
        let parts = match (operation.opcode, &of[..]) {
            _ if self.terms.width(term) != Some(1) || known.len() > GOALS => return false,
            (Opcode::And, [a, b]) if !value => [*a, *b],
            (Opcode::Or, [a, b]) if value => [*a, *b],
            (Opcode::Select, [a, b, c]) if !value && is_false(&self.terms, *c) => [*a, *b],
            _ => return false,
        };
        parts.into_iter().any(|part| self.is_known(part, value, at, &mut known.clone()))
    }

    /// Whether each path of a segment to a block has an edge that decides a condition, which is a term at its start.
    fn is_decided_within(&mut self, segment: &Segment<'c>, to: Block<'c>, term: Term, value: bool) -> bool {
        let graph = self.graph;
        let inside = graph.between(segment, to);
        let mut seen = HashSet::from([segment.entry]);
        let mut work = vec![segment.entry];
        while let Some(block) = work.pop() {
            if block == to {
                return false;
            }
            if graph.is_node(block) {
                continue;
            }
            for (outcome, next) in outcomes(block) {
                if !inside.contains(&next)
                    || seen.contains(&next)
                    || self.edge_decides(segment, block, outcome, term, value)
                {
                    continue;
                }
                seen.insert(next);
                work.push(next);
            }
        }
        true
    }

    fn edge_decides(
        &mut self,
        segment: &Segment<'c>,
        block: Block<'c>,
        outcome: Option<usize>,
        term: Term,
        value: bool,
    ) -> bool {
        let Some((outcome, branch)) = outcome.zip(block.terminator()) else { return false };
        let facts = self.traced_facts(segment, block, &Choice::of(branch), outcome);
        facts.is_some_and(|paths| paths.into_iter().all(|facts| decides(&mut self.terms, &facts, term, value)))
    }

    /// The facts that follow from an outcome, in terms at the start of the segment, one list for each path to the
    /// branch.
    fn traced_facts(
        &mut self,
        segment: &Segment<'c>,
        block: Block<'c>,
        choice: &Choice<'c>,
        outcome: usize,
    ) -> Option<Vec<Vec<Fact>>> {
        let condition = self.subject(choice)?;
        let traced = self.traced(condition, segment, block, &mut Vec::new())?;
        if traced.iter().any(|term| self.terms.is_read(*term)) {
            return None;
        }
        Some(traced.into_iter().map(|term| facts_of(&self.terms, choice, outcome, term)).collect())
    }

    /// The facts that follow from an outcome at the time of the choice.
    fn facts_behind(&mut self, choice: &Choice<'c>, outcome: usize) -> Vec<Fact> {
        let subject = self.subject(choice);
        subject.map(|subject| facts_of(&self.terms, choice, outcome, subject)).unwrap_or_default()
    }

    /// The term that a choice looks at.
    fn subject(&mut self, choice: &Choice<'c>) -> Option<Term> {
        Some(self.terms.condition(choice.branch.condition()?))
    }
}

/// The successors of a block, each with its number among the outcomes of the choice that its end would be.
fn outcomes(block: Block<'_>) -> Vec<(Option<usize>, Block<'_>)> {
    match block.terminator() {
        Some(end) if end.is(Opcode::Switch) || end.condition().is_some() && end.is(Opcode::Br) => {
            let outcomes = Choice::of(end).outcomes.into_iter().enumerate();
            outcomes.map(|(number, (_, to))| (Some(number), to)).collect()
        }
        _ => block.successors().into_iter().map(|to| (None, to)).collect(),
    }
}

fn facts_of<'c>(terms: &Terms<'_, 'c>, choice: &Choice<'c>, outcome: usize, subject: Term) -> Vec<Fact> {
    let mut facts = Vec::new();
    match (choice.branch.is(Opcode::Switch), choice.outcomes[outcome].0) {
        (false, _) => add_facts(terms, subject, outcome == 0, 0, &mut facts),
        (true, Some(key)) => facts.push(Fact::Equals(subject, key)),
        (true, None) => {
            let keys = choice.outcomes.iter().filter_map(|(key, _)| *key);
            facts.extend(keys.map(|key| Fact::Differs(subject, key)));
        }
    }
    facts
}

/// Adds the facts that follow from a condition.
fn add_facts(terms: &Terms<'_, '_>, condition: Term, holds: bool, depth: usize, facts: &mut Vec<Fact>) {
    facts.push(Fact::Is(condition, holds));
    let Shape::Operation(operation, of) = terms.shape(condition) else { return };
    let is = |term: Term, value: bool| terms.constant(term) == Some(value.into());
    match (operation.opcode, &of[..]) {
        _ if depth > DEPTH => {}
        (Opcode::And, [a, b]) if holds && terms.width(condition) == Some(1) => {
            [a, b].into_iter().for_each(|part| add_facts(terms, *part, true, depth + 1, facts));
        }
        (Opcode::Or, [a, b]) if !holds && terms.width(condition) == Some(1) => {
            [a, b].into_iter().for_each(|part| add_facts(terms, *part, false, depth + 1, facts));
        }
        (Opcode::Select, [a, b, c]) if holds && is(*c, false) => {
            [a, b].into_iter().for_each(|part| add_facts(terms, *part, true, depth + 1, facts));
        }
        (Opcode::Select, [a, b, c]) if !holds && is(*b, true) => {
            [a, c].into_iter().for_each(|part| add_facts(terms, *part, false, depth + 1, facts));
        }
        (Opcode::Xor, [a, b]) if is(*b, true) && terms.width(condition) == Some(1) => {
            add_facts(terms, *a, !holds, depth + 1, facts);
        }
        (Opcode::ICmp, [a, b]) => {
            let equal = operation.detail.predicate() == Some(Eq);
            let differ = operation.detail.predicate() == Some(Ne);
            if let Some(constant) = terms.constant(*b).filter(|_| equal || differ) {
                facts.push(if equal == holds { Fact::Equals(*a, constant) } else { Fact::Differs(*a, constant) });
            }
        }
        _ => {}
    }
}

/// Whether facts show that a condition has this value.
fn decides(terms: &mut Terms<'_, '_>, facts: &[Fact], condition: Term, value: bool) -> bool {
    evaluate(terms, facts, condition, 0) == Some(value)
}

fn evaluate<'c>(terms: &mut Terms<'_, 'c>, facts: &[Fact], condition: Term, depth: usize) -> Option<bool> {
    if let Some(constant) = terms.constant(condition) {
        return Some(constant != 0);
    }
    let direct = facts.iter().find_map(|fact| match fact {
        Fact::Is(of, holds) if *of == condition => Some(*holds),
        _ => None,
    });
    if direct.is_some() || depth > DEPTH {
        return direct;
    }
    let Shape::Operation(operation, of) = terms.shape(condition).clone() else { return None };
    let is_bit = operation.ty.int_width() == Some(1);
    let mut of_part = |part: Term| evaluate(terms, facts, part, depth + 1);
    match (operation.opcode, &of[..]) {
        (Opcode::And, [a, b]) if is_bit => match (of_part(*a), of_part(*b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        (Opcode::Or, [a, b]) if is_bit => match (of_part(*a), of_part(*b)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        (Opcode::Xor, [a, b]) if is_bit => Some(of_part(*a)? ^ of_part(*b)?),
        (Opcode::Select, [a, b, c]) if is_bit => {
            if of_part(*a)? {
                of_part(*b)
            } else {
                of_part(*c)
            }
        }
        (Opcode::ICmp, [a, b]) => compared(terms, facts, &operation, *a, *b),
        (Opcode::FCmp, [..]) => compared_reals(terms, facts, condition),
        _ => None,
    }
}

/// The result of a comparison of a float with a constant.
fn compared_reals(terms: &Terms<'_, '_>, facts: &[Fact], condition: Term) -> Option<bool> {
    let (of, wanted) = limit(terms, condition)?;
    let known = facts.iter().filter_map(|fact| match fact {
        Fact::Is(condition, holds) => limit(terms, *condition).filter(|(other, _)| *other == of).zip(Some(*holds)),
        _ => None,
    });
    let known: Vec<_> = known.map(|((_, limit), holds)| (limit, holds)).collect();
    if known.is_empty() { None } else { decide(&known, wanted) }
}

/// The float that a comparison compares with a constant.
fn limit(terms: &Terms<'_, '_>, condition: Term) -> Option<(Term, Limit)> {
    let Shape::Operation(Operation { detail: Detail::RealPredicate(predicate), .. }, of) = terms.shape(condition)
    else {
        return None;
    };
    let [left, right] = of[..] else { return None };
    let with = |of| Limit { predicate: *predicate, of };
    let is_right = terms.real_constant(right).map(|of| (left, with(of)));
    is_right.or_else(|| Some((right, with(terms.real_constant(left)?).swapped())))
}

/// The result of a comparison of a number with a constant.
fn compared<'c>(
    terms: &mut Terms<'_, 'c>,
    facts: &[Fact],
    operation: &Operation<'c>,
    a: Term,
    b: Term,
) -> Option<bool> {
    let (left, right) = (substituted(terms, facts, a, 0), substituted(terms, facts, b, 0));
    let replaced = terms.operation(operation.clone(), vec![left, right]);
    if let Some(constant) = terms.constant(replaced) {
        return Some(constant != 0);
    }
    let (predicate, of, limit) = with_constant(terms, operation.detail.predicate()?, left, right)?;
    if matches!(predicate, Eq | Ne)
        && facts.iter().any(|fact| matches!(fact, Fact::Differs(other, value) if *other == of && *value == limit))
    {
        return Some(predicate == Ne);
    }
    let width = terms.width(of)?;
    let (mut low, mut high) = bounds(width, predicate.is_signed());
    for fact in facts {
        narrow(terms, fact, of, predicate.is_signed(), (&mut low, &mut high));
    }
    let limit = number(limit, width, predicate.is_signed());
    match predicate {
        Eq => (limit < low || limit > high).then_some(false),
        Ne => (limit < low || limit > high).then_some(true),
        Ult | Slt => decided(high < limit, low >= limit),
        Ule | Sle => decided(high <= limit, low > limit),
        Ugt | Sgt => decided(low > limit, high <= limit),
        Uge | Sge => decided(low >= limit, high < limit),
    }
}

/// A comparison with its constant on the right side.
fn with_constant(
    terms: &Terms<'_, '_>,
    predicate: IntPredicate,
    left: Term,
    right: Term,
) -> Option<(IntPredicate, Term, u64)> {
    let right_is = terms.constant(right).map(|limit| (predicate, left, limit));
    right_is.or_else(|| Some((predicate.swapped(), right, terms.constant(left)?)))
}

fn decided(yes: bool, no: bool) -> Option<bool> {
    (yes || no).then_some(yes)
}

/// Narrows the bounds of a number by a comparison of it with a constant that holds, or does not.
fn narrow(terms: &Terms<'_, '_>, fact: &Fact, of: Term, signed: bool, (low, high): (&mut i128, &mut i128)) {
    let Fact::Is(condition, holds) = fact else { return };
    let Shape::Operation(operation, sides) = terms.shape(*condition) else { return };
    let Some(predicate) = operation.detail.predicate().filter(|p| p.is_signed() == signed) else { return };
    let Some((predicate, _, limit)) =
        with_constant(terms, predicate, sides[0], sides[1]).filter(|(_, number, _)| *number == of)
    else {
        return;
    };
    let Some(width) = terms.width(of) else { return };
    let limit = number(limit, width, signed);
    match (predicate, *holds) {
        (Ult | Slt, true) | (Uge | Sge, false) => *high = (*high).min(limit - 1),
        (Ule | Sle, true) | (Ugt | Sgt, false) => *high = (*high).min(limit),
        (Ugt | Sgt, true) | (Ule | Sle, false) => *low = (*low).max(limit + 1),
        (Uge | Sge, true) | (Ult | Slt, false) => *low = (*low).max(limit),
        (Eq | Ne, _) => {}
    }
}

fn bounds(width: u32, signed: bool) -> (i128, i128) {
    if signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}

fn number(value: u64, width: u32, signed: bool) -> i128 {
    let value = i128::from(value);
    if signed && value >> (width - 1) & 1 == 1 { value - (1 << width) } else { value }
}

/// A term where numbers that are known are constants.
fn substituted<'c>(terms: &mut Terms<'_, 'c>, facts: &[Fact], term: Term, depth: usize) -> Term {
    let known = facts.iter().find_map(|fact| match fact {
        Fact::Equals(of, value) if *of == term => Some(*value),
        _ => None,
    });
    if let Some((value, ty)) = known.zip(terms.ty(term)) {
        return terms.add(Shape::Fixed(ty.constant(value)));
    }
    match terms.shape(term).clone() {
        Shape::Operation(operation, of) if depth < DEPTH => {
            let of: Vec<_> = of.into_iter().map(|part| substituted(terms, facts, part, depth + 1)).collect();
            terms.operation(operation, of)
        }
        _ => term,
    }
}
