//! Decides a comparison of a float with a constant from others that are known.
//!
//! `x < 1.0` implies `x < 2.0`. Comparisons with constants distinguish finitely many values: the constants, one between
//! each two of them, both infinities and NaN. A comparison is decided if it has one answer for all of these for which
//! the known comparisons have theirs.

use crate::llvm::RealPredicate;

/// A comparison of a float with a constant, which is its right side.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    pub(super) predicate: RealPredicate,
    pub(super) of: f64,
}

/// The answer of `wanted` for each value that gives `known` these answers, if it is always the same.
pub(super) fn decide(known: &[(Limit, bool)], wanted: Limit) -> Option<bool> {
    let mut limits: Vec<_> = known.iter().map(|(limit, _)| limit.of).chain([wanted.of]).collect();
    if limits.iter().any(|of| !is_exact(*of)) {
        return None;
    }
    limits.extend([f64::NEG_INFINITY, f64::INFINITY]);
    limits.sort_by(f64::total_cmp);
    let between = limits.windows(2).map(|pair| pair[0] / 2.0 + pair[1] / 2.0).collect::<Vec<_>>();
    let values = limits.into_iter().chain(between).chain([f64::NAN, f64::MIN, f64::MAX]);
    let mut answers = values
        .filter(|value| known.iter().all(|(limit, answer)| limit.holds(*value) == *answer))
        .map(|value| wanted.holds(value));
    let first = answers.next()?;
    answers.all(|answer| answer == first).then_some(first)
}

/// Whether devices compare the exact constant: a device may take a subnormal number for 0.
fn is_exact(of: f64) -> bool {
    of == 0.0 || of.abs() >= f32::MIN_POSITIVE.into() && of.is_finite()
}

impl Limit {
    fn holds(self, value: f64) -> bool {
        use RealPredicate::*;
        let order = value.partial_cmp(&self.of);
        let (less, equal, greater) = (
            order.is_some_and(std::cmp::Ordering::is_lt),
            order.is_some_and(std::cmp::Ordering::is_eq),
            order.is_some_and(std::cmp::Ordering::is_gt),
        );
        match self.predicate {
            False => false,
            Oeq => equal,
            Ogt => greater,
            Oge => greater || equal,
            Olt => less,
            Ole => less || equal,
            One => less || greater,
            Ord => order.is_some(),
            Uno => order.is_none(),
            Ueq => order.is_none() || equal,
            Ugt => order.is_none() || greater,
            Uge => order.is_none() || greater || equal,
            Ult => order.is_none() || less,
            Ule => order.is_none() || less || equal,
            Une => !equal,
            True => true,
        }
    }

    /// The same for a constant on the left side.
    pub(super) fn swapped(self) -> Self {
        use RealPredicate::*;
        let predicate = match self.predicate {
            Ogt => Olt,
            Oge => Ole,
            Olt => Ogt,
            Ole => Oge,
            Ugt => Ult,
            Uge => Ule,
            Ult => Ugt,
            Ule => Uge,
            other => other,
        };
        Limit { predicate, ..self }
    }
}
