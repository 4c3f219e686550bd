//! Proves that threads at the same node, or at nodes of the same class, have the same value.
//!
//! The proof is an induction over time, which is the number of nodes that a thread has passed. To show that a value is
//! equal at two nodes, it is traced back through each pair of segments on which two threads can have arrived together,
//! and shown to be equal before. A goal that is already being proven may be used as a hypothesis, because it then
//! refers to an earlier time; at the start of the kernel no goal is left.
//!
//! The divergence analysis proves more about a place that was not copied: a counter in an array, or one that only a
//! long chain of phis explains. It may be used where all threads are at one place at the same time (`facts.rs`).

use std::collections::HashSet;

use super::cases::number_of;
use super::classes::Classes;
use super::facts::Facts;
use super::graph::{Choice, Graph, Node, NodeId, Pair, Segment};
use super::terms::{Detail, Operation, Shape, Term, Terms, inputs, operation_of};
use crate::llvm::{Block, IntPredicate, Opcode, Value};

/// The largest number of goals in the proof for one pair of conditions, and where no proof is needed.
const QUESTIONS: usize = 20_000;
const FEW: usize = 200;
/// The largest number of values that a term may have at the start of one segment.
const ALTERNATIVES: usize = 8;
/// The largest number of phis that are followed within one segment.
const PHIS: usize = 64;

/// The goals that have been proven, or are being proven.
pub(super) struct Agreement<'a, 'c> {
    pub(super) graph: &'a Graph<'c>,
    classes: &'a Classes,
    facts: &'a Facts<'c>,
    /// The pairs of nodes that two threads may be at, at the same time.
    together: HashSet<Pair>,
    pub(super) terms: Terms<'a, 'c>,
    assumed: HashSet<(Term, Term, NodeId, NodeId)>,
    /// The same goals, in the order in which they were assumed.
    order: Vec<(Term, Term, NodeId, NodeId)>,
    /// The largest number of goals in the proof for one pair of conditions, and the goals so far.
    questions: usize,
    asked: usize,
    /// Whether the facts of a path may show that a condition is constant. Two constant conditions need not belong to
    /// one choice.
    pub(super) knows: bool,
    /// The goals of all proofs.
    pub(super) effort: usize,
}

impl<'a, 'c> Agreement<'a, 'c> {
    pub(super) fn new(graph: &'a Graph<'c>, classes: &'a Classes, facts: &'a Facts<'c>) -> Self {
        let together = graph.pairs(|_| false).into_iter().map(|(pair, _)| pair).collect();
        Agreement { questions: QUESTIONS, ..Self::among(graph, classes, facts, together) }
    }

    /// The same for threads that may be at these pairs of nodes only. It gives up early, and its answers prove nothing.
    pub(super) fn among(
        graph: &'a Graph<'c>,
        classes: &'a Classes,
        facts: &'a Facts<'c>,
        together: HashSet<Pair>,
    ) -> Self {
        let (terms, assumed) = (Terms::new(&facts.sources), HashSet::new());
        Agreement {
            graph,
            classes,
            facts,
            together,
            terms,
            assumed,
            order: Vec::new(),
            questions: FEW,
            asked: 0,
            knows: false,
            effort: 0,
        }
    }

    /// Whether two threads may be at these nodes at the same time. The nodes of one class need not be: each iteration
    /// that was peeled off a loop has its own node.
    pub(super) fn are_together(&self, pair: Pair) -> bool {
        self.together.contains(&pair)
    }

    /// Whether two threads that are at these choices at the same time take the same outcome.
    pub(super) fn holds(&mut self, (node, other): Pair) -> bool {
        let (Node::Choice(a), Node::Choice(b)) = (self.graph.node(node), self.graph.node(other)) else {
            return true;
        };
        self.asked = 0;
        match (a.fixed_outcome(), b.fixed_outcome()) {
            (Some(one), Some(two)) => return one == two || self.exclude_each_other((node, one), (other, two)),
            (Some(outcome), None) => return self.takes(b, outcome, (other, node)),
            (None, Some(outcome)) => return self.takes(a, outcome, (node, other)),
            (None, None) => {}
        }
        let (Some(a), Some(b)) = (a.branch.condition(), b.branch.condition()) else { return false };
        let (a, b) = (self.terms.condition(a), self.terms.condition(b));
        self.all_agree(&[a], &[b], (node, other))
    }

    /// Whether two threads that are at these choices at the same time distinguish values of one number.
    pub(super) fn are_about_one_number(&mut self, at: Pair, [one, two]: [Value<'c>; 2]) -> bool {
        let Some((one, two)) = number_of(one).zip(number_of(two)) else { return false };
        let (one, two) = (self.terms.of(one), self.terms.of(two));
        self.asked = 0;
        self.all_agree(&[one], &[two], at)
    }

    /// Whether a thread at a choice takes this outcome while another one is at `there`, where the outcome is known to
    /// be this one.
    fn takes(&mut self, choice: &Choice<'c>, outcome: usize, at: (NodeId, NodeId)) -> bool {
        let Some(condition) = choice.branch.condition() else { return false };
        let subject = self.terms.condition(condition);
        if !choice.branch.is(Opcode::Switch) {
            return self.is_known_to_be(subject, outcome == 0, at);
        }
        let ty = condition.ty();
        let keys = choice.outcomes.iter().enumerate().filter_map(|(number, (key, _))| Some((number, (*key)?)));
        let all: Vec<_> = keys.filter(|(number, _)| outcome == 0 || *number == outcome).collect();
        all.into_iter().all(|(number, key)| {
            let key = self.terms.of(ty.constant(key));
            let detail = Detail::Predicate(IntPredicate::Eq);
            let equal = Operation { opcode: Opcode::ICmp, ty: ty.types().int(1), detail, never_wraps: false };
            let equal = self.terms.operation(equal, vec![subject, key]);
            self.is_known_to_be(equal, number == outcome, at)
        })
    }

    /// Whether no two threads are at these choices, which have known outcomes, at the same time: a condition is known
    /// to hold for one thread and not to hold for the other, and it is the same for both.
    fn exclude_each_other(&mut self, (node, one): (NodeId, usize), (other, two): (NodeId, usize)) -> bool {
        let graph = self.graph;
        let conditions = graph.ids().filter_map(|id| graph.choice(id)).filter(|c| c.fixed_outcome().is_none());
        let mut conditions: Vec<_> = conditions
            .filter(|choice| choice.branch.is(Opcode::Br))
            .filter_map(|choice| Some(self.terms.condition(choice.branch.condition()?)))
            .collect();
        conditions.sort_unstable();
        conditions.dedup();
        conditions.into_iter().any(|condition| {
            self.is_known(condition, one == 0, node, &mut HashSet::new())
                && self.is_known(condition, two == 0, other, &mut HashSet::new())
                && self.all_agree(&[condition], &[condition], (node, other))
        })
    }

    /// Whether a condition has this value at the first node: tracing finds it, or the thread at the second node has the
    /// same value, which is known there.
    fn is_known_to_be(&mut self, condition: Term, value: bool, at: (NodeId, NodeId)) -> bool {
        let Some(ty) = self.terms.ty(condition) else { return false };
        let constant = self.terms.of(ty.constant(value.into()));
        self.knows = true;
        let found = self.all_agree(&[condition], &[constant], at);
        self.knows = false;
        found
            || (self.is_known(condition, value, at.1, &mut HashSet::new())
                && self.all_agree(&[condition], &[condition], at))
    }

    /// Counts a question. Returns whether there may be another.
    pub(super) fn asks_more(&mut self) -> bool {
        self.asked += 1;
        self.effort += 1;
        self.asked <= self.questions
    }

    /// Whether two terms have the same value. Integers of different widths are compared as unsigned numbers.
    fn agree(&mut self, a: Term, b: Term, at: (NodeId, NodeId)) -> bool {
        if !self.asks_more() {
            return false;
        }
        if a == b && self.is_uniform(a, at) {
            return true;
        }
        match (self.terms.shape(a).clone(), self.terms.shape(b).clone()) {
            (Shape::Unknown | Shape::Other(_), _) | (_, Shape::Unknown | Shape::Other(_)) => false,
            (Shape::Fixed(a), Shape::Fixed(b)) => same_constant(a, b),
            (Shape::Read(o, a), Shape::Read(p, b)) => o == p && a.len() == b.len() && self.all_agree(&a, &b, at),
            (Shape::Operation(o, left), Shape::Operation(p, right)) if self.work_alike(&o, &left, &p, &right) => {
                let swapped = o.commutes().then(|| [right[1], right[0]]);
                let equal = o.detail.predicate() == Some(IntPredicate::Eq);
                self.all_agree(&left, &right, at)
                    || swapped.is_some_and(|right| self.all_agree(&left, &right, at))
                    || (equal && self.differences_agree(&left, &right, at))
            }
            (Shape::Operation(o, of), _) if o.keeps_number(self.terms.width(b)) => self.agree(of[0], b, at),
            (_, Shape::Operation(o, of)) if o.keeps_number(self.terms.width(a)) => self.agree(a, of[0], at),
            _ => {
                let before = self.order.len();
                if self.agreed_before(a, b, at) {
                    return true;
                }
                self.forget(before);
                self.is_known_there(a, b, at.0) || self.is_known_there(b, a, at.1)
            }
        }
    }

    /// Whether the divergence analysis shows that a value is the same for all threads that are at this place at the
    /// same time.
    fn is_uniform(&self, term: Term, (here, there): (NodeId, NodeId)) -> bool {
        let alone = || here == there && self.classes.is_alone(here);
        let value = self.terms.instruction(term).filter(|_| alone());
        value.zip(self.graph.block(here)).is_some_and(|(value, place)| self.facts.are_uniform(value, place))
    }

    pub(super) fn all_agree(&mut self, left: &[Term], right: &[Term], at: (NodeId, NodeId)) -> bool {
        let before = self.order.len();
        let agreed = left.iter().zip(right).all(|(a, b)| self.agree(*a, *b, at));
        if !agreed {
            self.forget(before);
        }
        agreed
    }

    /// Takes back assumptions since `before`, because one has failed: goals that were proven with it are not proven.
    fn forget(&mut self, before: usize) {
        for assumption in self.order.drain(before..) {
            self.assumed.remove(&assumption);
        }
    }

    /// Whether two operations have the same result if their operands agree.
    fn work_alike(&self, o: &Operation<'c>, left: &[Term], p: &Operation<'c>, right: &[Term]) -> bool {
        if o.opcode != p.opcode || o.detail != p.detail || left.len() != right.len() {
            return false;
        }
        let widths = |of: &[Term]| of.iter().map(|t| self.terms.width(*t)).collect::<Vec<_>>();
        let (mine, others) = (widths(left), widths(right));
        // Operands that are not integers have the same type, or never agree.
        let numbers = || mine.iter().chain(&others).all(Option::is_some) && o.ty.int_width().is_some();
        (o.ty == p.ty && mine == others) || (numbers() && p.ty.int_width().is_some() && o.works_on_numbers(p))
    }

    /// Whether the terms had the same value one node earlier, on every pair of paths.
    fn agreed_before(&mut self, a: Term, b: Term, at: (NodeId, NodeId)) -> bool {
        let terms = &self.terms;
        if terms.is_read(a) || terms.is_read(b) || !(terms.is_timed(a) || terms.is_timed(b)) {
            return false;
        }
        if !self.assumed.insert((a, b, at.0, at.1)) {
            return true;
        }
        self.order.push((a, b, at.0, at.1));
        let graph = self.graph;
        let (Some(here), Some(there)) = (graph.block(at.0), graph.block(at.1)) else { return false };
        for (p, outcome) in graph.arrivals(at.0) {
            for (q, other) in graph.arrivals(at.1) {
                if outcome != other || !self.are_together((*p, *q)) {
                    continue;
                }
                let (Some(s), Some(t)) = (&graph.segments(*p)[*outcome], &graph.segments(*q)[*other]) else { continue };
                let Some(first) = self.traced(a, s, here, &mut Vec::new()) else { return false };
                let Some(second) = self.traced(b, t, there, &mut Vec::new()) else { return false };
                for (a, b) in first.into_iter().flat_map(|a| second.iter().map(move |b| (a, *b))) {
                    let decided = self.is_decided_behind(a, b, (*p, *outcome), here)
                        || self.is_decided_behind(b, a, (*q, *other), there);
                    if !decided && !self.agree(a, b, (*p, *q)) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// The terms at the start of a segment that a term at the end of block `to` may be equal to, one for each path.
    pub(super) fn traced(
        &mut self,
        term: Term,
        segment: &Segment<'c>,
        to: Block<'c>,
        phis: &mut Vec<Value<'c>>,
    ) -> Option<Vec<Term>> {
        let found = match self.terms.shape(term).clone() {
            Shape::Fixed(_) | Shape::Unknown => vec![term],
            Shape::Read(..) | Shape::Other(_) => return None,
            Shape::Last(value) => self.traced_instruction(value, term, segment, to, phis)?,
            Shape::Operation(operation, operands) => {
                let lists = self.traced_all(&operands, segment, to, phis)?;
                lists.into_iter().map(|list| self.terms.operation(operation.clone(), list)).collect()
            }
        };
        (found.len() <= ALTERNATIVES).then_some(found)
    }

    /// The same for several terms: each list has one alternative of each term.
    fn traced_all(
        &mut self,
        terms: &[Term],
        segment: &Segment<'c>,
        to: Block<'c>,
        phis: &mut Vec<Value<'c>>,
    ) -> Option<Vec<Vec<Term>>> {
        let mut lists = vec![Vec::new()];
        for term in terms {
            let traced = self.traced(*term, segment, to, phis)?;
            let longer = |list: &Vec<Term>| traced.iter().map(|t| [&list[..], &[*t]].concat()).collect::<Vec<_>>();
            lists = lists.iter().flat_map(longer).collect();
            if lists.len() > ALTERNATIVES {
                return None;
            }
        }
        Some(lists)
    }

    fn traced_instruction(
        &mut self,
        value: Value<'c>,
        term: Term,
        segment: &Segment<'c>,
        to: Block<'c>,
        phis: &mut Vec<Value<'c>>,
    ) -> Option<Vec<Term>> {
        let graph = self.graph;
        let (inside, block) = (graph.between(segment, to), value.block());
        if !inside.contains(&block) || !segment.blocks.contains(&block) {
            return Some(vec![term]);
        }
        let mut found = Vec::new();
        if segment.bypasses(&inside, to, block, |b| graph.is_node(b)) {
            found.push(term);
        }
        if !value.is(Opcode::Phi) {
            let operation = operation_of(value)?;
            let operands: Vec<_> = inputs(value).into_iter().map(|operand| self.terms.of(operand)).collect();
            for from in self.traced_all(&operands, segment, block, phis)? {
                found.push(self.terms.add(Shape::Read(operation.clone(), from)));
            }
            return Some(found);
        }
        if phis.contains(&value) || phis.len() > PHIS {
            return None;
        }
        phis.push(value);
        for (incoming, from) in value.incoming().into_iter().filter(|(v, _)| !v.is_undef()) {
            let incoming = self.terms.of(incoming);
            if segment.from == Some(from) && segment.entry == block {
                found.push(incoming);
            } else if inside.contains(&from) && segment.blocks.contains(&from) && !graph.is_node(from) {
                found.extend(self.traced(incoming, segment, from, phis)?);
            }
        }
        phis.pop();
        found.sort_unstable();
        found.dedup();
        Some(found)
    }
}

fn same_constant(a: Value<'_>, b: Value<'_>) -> bool {
    a == b && !a.is_undef() || matches!((a.as_u64(), b.as_u64()), (Some(a), Some(b)) if a == b)
}

impl Operation<'_> {
    /// Whether its two operands may be exchanged.
    fn commutes(&self) -> bool {
        use Opcode::{Add, And, ICmp, Mul, Or, Xor};
        match self.opcode {
            Add | Mul | And | Or | Xor => true,
            ICmp => matches!(self.detail, Detail::Predicate(IntPredicate::Eq | IntPredicate::Ne)),
            _ => false,
        }
    }

    /// Whether its result is the same unsigned number as its operand, if the operand has this width.
    fn keeps_number(&self, width: Option<u32>) -> bool {
        match self.opcode {
            Opcode::ZExt => width.is_some(),
            Opcode::Trunc => width.is_some() && width <= self.ty.int_width(),
            _ => false,
        }
    }

    /// Whether it has the same result as another operation, if their operands have different widths but are the same
    /// unsigned numbers.
    fn works_on_numbers(&self, other: &Self) -> bool {
        use Opcode::*;
        match self.opcode {
            Add | Sub | Mul | Shl => self.never_wraps && other.never_wraps,
            And | Or | Xor | LShr | UDiv | URem | ZExt | Select => true,
            Trunc => self.ty == other.ty,
            ICmp => self.detail.predicate().is_some_and(|predicate| !predicate.is_signed()),
            Call => matches!(&self.detail, Detail::Text(name) if ["llvm.umin", "llvm.umax"].contains(&name.as_str())),
            _ => false,
        }
    }
}
