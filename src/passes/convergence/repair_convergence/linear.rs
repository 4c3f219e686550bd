//! Sums of terms, for comparisons that an optimiser has written in another way: `i == n` and `i + 1 == n + 1`.

use super::agreement::Agreement;
use super::graph::Pair;
use super::terms::{Shape, Term, Terms};
use crate::llvm::Opcode;

/// The largest depth of a sum that is decomposed, and the most summands.
const DEPTH: usize = 8;
const SUMMANDS: usize = 8;

/// Terms, each with its factor, and a constant. Numbers wrap around.
#[derive(Default)]
struct Sum {
    of: Vec<(Term, u64)>,
    constant: u64,
}

impl Sum {
    fn add(&mut self, terms: &Terms<'_, '_>, term: Term, factor: u64, depth: usize) {
        if let Some(value) = terms.constant(term) {
            self.constant = self.constant.wrapping_add(value.wrapping_mul(factor));
            return;
        }
        if let Shape::Operation(operation, of) = terms.shape(term) {
            match (operation.opcode, &of[..]) {
                (Opcode::Add, [a, b]) if depth < DEPTH => {
                    [a, b].into_iter().for_each(|part| self.add(terms, *part, factor, depth + 1));
                    return;
                }
                (Opcode::Sub, [a, b]) if depth < DEPTH => {
                    self.add(terms, *a, factor, depth + 1);
                    self.add(terms, *b, factor.wrapping_neg(), depth + 1);
                    return;
                }
                (Opcode::Mul, [a, b]) if depth < DEPTH && terms.constant(*b).is_some() => {
                    let by = terms.constant(*b).unwrap_or(1);
                    self.add(terms, *a, factor.wrapping_mul(by), depth + 1);
                    return;
                }
                _ => {}
            }
        }
        match self.of.iter_mut().find(|(other, _)| *other == term) {
            Some((_, sum)) => *sum = sum.wrapping_add(factor),
            None => self.of.push((term, factor)),
        }
    }

    /// The difference of the two sides of a comparison.
    fn of(terms: &Terms<'_, '_>, sides: &[Term]) -> Option<Self> {
        let [left, right] = sides else { return None };
        let width = terms.width(*left).filter(|width| *width <= 64 && terms.width(*right) == Some(*width))?;
        let mut sum = Sum::default();
        sum.add(terms, *left, 1, 0);
        sum.add(terms, *right, u64::MAX, 0);
        let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
        sum.constant &= mask;
        sum.of.iter_mut().for_each(|(_, factor)| *factor &= mask);
        sum.of.retain(|(_, factor)| *factor != 0);
        sum.of.sort_by_key(|(_, factor)| *factor);
        (sum.of.len() <= SUMMANDS).then_some(sum)
    }

    fn negative(&self, width: u32) -> Self {
        let negative =
            |value: u64| if width == 64 { value.wrapping_neg() } else { value.wrapping_neg() & ((1 << width) - 1) };
        let mut of: Vec<_> = self.of.iter().map(|(term, factor)| (*term, negative(*factor))).collect();
        of.sort_by_key(|(_, factor)| *factor);
        Sum { of, constant: negative(self.constant) }
    }
}

impl Agreement<'_, '_> {
    /// Whether the sides of one comparison are equal when those of another are, because their differences are one sum.
    pub(super) fn differences_agree(&mut self, left: &[Term], right: &[Term], at: Pair) -> bool {
        let (Some(one), Some(other)) = (Sum::of(&self.terms, left), Sum::of(&self.terms, right)) else { return false };
        let width = self.terms.width(left[0]).filter(|width| self.terms.width(right[0]) == Some(*width));
        let Some(width) = width else { return false };
        [other.negative(width), other].iter().any(|other| self.sums_agree(&one, other, at))
    }

    /// Whether two sums have the same constant, and terms that agree with the same factors.
    fn sums_agree(&mut self, one: &Sum, other: &Sum, at: Pair) -> bool {
        let factors = |sum: &Sum| sum.of.iter().map(|(_, factor)| *factor).collect::<Vec<_>>();
        if one.constant != other.constant || factors(one) != factors(other) {
            return false;
        }
        let mut left = other.of.clone();
        for (term, factor) in &one.of {
            let found = left.iter().position(|(mate, by)| by == factor && self.all_agree(&[*term], &[*mate], at));
            let Some(found) = found else { return false };
            left.remove(found);
        }
        true
    }
}
