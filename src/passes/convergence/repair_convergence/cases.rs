//! Gives two choices about one number the same cases.
//!
//! Where two cases of a copied `switch` have become one, LLVM makes a comparison of it, or a `switch` with fewer cases:
//!
//! ```text
//! switch (n) { case 0: a; case 1: b; default: c }     and, in the copy where a is c,     if (n == 1) b; else c;
//! ```
//!
//! Both become a `switch` with the cases of both. The cases that were not there lead where they have led before.

use std::collections::BTreeMap;

use crate::llvm::{Block, Builder, IntPredicate, Opcode, Value};

/// The most numbers of a comparison that become cases.
const MOST_CASES: u64 = 8;

/// A choice as a `switch`.
struct Cases<'c> {
    number: Value<'c>,
    /// Where each case leads; if there is none, it is the default.
    to: BTreeMap<u64, Block<'c>>,
    default: Block<'c>,
}

/// The number that a choice distinguishes values of; none if it cannot be a `switch`.
pub(super) fn number_of(branch: Value<'_>) -> Option<Value<'_>> {
    cases_of(branch).map(|cases| cases.number)
}

/// Gives two choices the same cases. Returns whether this was possible. Their numbers must agree.
pub(super) fn align<'c>(one: Value<'c>, other: Value<'c>) -> bool {
    let (Some(first), Some(second)) = (cases_of(one), cases_of(other)) else { return false };
    if first.number.ty() != second.number.ty() || one == other {
        return false;
    }
    let keys: Vec<_> = first.to.keys().chain(second.to.keys()).copied().collect();
    [one, other].into_iter().for_each(|branch| switch_over(branch, &keys));
    true
}

fn cases_of(branch: Value<'_>) -> Option<Cases<'_>> {
    let (condition, to) = (branch.condition()?, branch.successors());
    if branch.is(Opcode::Switch) {
        let case = |index: usize| Some((branch.case_value(index as u32).as_u64()?, to[index]));
        let cases = (1..to.len()).map(case).collect::<Option<BTreeMap<_, _>>>()?;
        return Some(Cases { number: condition, to: cases, default: to[0] });
    }
    if !condition.is(Opcode::ICmp) || to[0] == to[1] {
        return None;
    }
    let (number, limit) = (condition.operand(0), condition.operand(1).as_u64()?);
    use IntPredicate::{Eq, Ne, Uge, Ugt, Ule, Ult};
    let (numbers, holds) = match condition.icmp_predicate() {
        Eq => (limit..limit.checked_add(1)?, true),
        Ne => (limit..limit.checked_add(1)?, false),
        Ult => (0..limit, true),
        Uge => (0..limit, false),
        Ule => (0..limit.checked_add(1)?, true),
        Ugt => (0..limit.checked_add(1)?, false),
        _ => return None,
    };
    if numbers.end - numbers.start > MOST_CASES {
        return None;
    }
    let (inside, outside) = if holds { (to[0], to[1]) } else { (to[1], to[0]) };
    Some(Cases { number, to: numbers.map(|number| (number, inside)).collect(), default: outside })
}

/// Makes a choice a `switch` with these cases, among which its own are.
fn switch_over(branch: Value<'_>, keys: &[u64]) {
    let block = branch.block();
    let mut to = branch.successors();
    to.dedup();
    // With a separate block on the way to each successor, no phi depends on the number of edges from the branch.
    for target in to {
        if branch.successors().contains(&target) && target.split_predecessors(&[block]).is_none() {
            return;
        }
    }
    let Some(cases) = cases_of(branch) else { return };
    let mut to = cases.to;
    keys.iter().for_each(|key| _ = to.entry(*key).or_insert(cases.default));
    let ty = cases.number.ty();
    let to: Vec<_> = to.into_iter().map(|(key, to)| (ty.constant(key), to)).collect();
    branch.erase();
    Builder::at_end(block).switch(cases.number, cases.default, &to);
}
