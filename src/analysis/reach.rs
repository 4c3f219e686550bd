//! Reachability: everything that the given globals need, and how they come to need it.
//!
//! Edges, from a global to another one it names:
//! - an instruction's operand: a direct call, an address taken, a variable read or written;
//! - a constant inside an operand or an initialiser: casts, offsets, aggregates, tables of functions, vtables;
//! - a variable to its initialiser; an alias to its aliasee; an ifunc to its resolver.
//!
//! Every body is entered, with one exception: in the host's code the bodies of panic functions and of the allocator are the
//! host's own, and devices get others ([`Reach::of_device_code`], [`device_edges`]). Once those are there, they are bodies
//! like any other: a walk that left them out would not see what they return or read.

use std::collections::{HashMap, HashSet};

use crate::llvm::Value;
use crate::rust_std::allocator::is_allocator;
use crate::rust_std::panics::is_panic;

/// The globals reached, and how.
pub struct Reach<'c> {
    /// Reached globals, breadth first; the roots first.
    pub order: Vec<Value<'c>>,
    /// For each one that is no root: the global it was first reached from, and the instruction there.
    pub from: HashMap<Value<'c>, (Value<'c>, Option<Value<'c>>)>,
}

impl<'c> Reach<'c> {
    /// Walks breadth first, so that a chain back to a root is a shortest one.
    pub fn new(roots: &[Value<'c>]) -> Self {
        Self::along(roots, edges)
    }

    /// The same in the host's module, for what becomes device code.
    pub fn of_device_code(roots: &[Value<'c>]) -> Self {
        Self::along(roots, device_edges)
    }

    fn along(roots: &[Value<'c>], edges: fn(Value<'c>) -> Vec<Edge<'c>>) -> Self {
        let mut reach = Reach { order: Vec::new(), from: HashMap::new() };
        let mut seen = HashSet::new();
        reach.order.extend(roots.iter().filter(|root| seen.insert(**root)));
        let mut next = 0;
        while next < reach.order.len() {
            let global = reach.order[next];
            next += 1;
            for (used, instruction) in edges(global) {
                if seen.insert(used) {
                    reach.order.push(used);
                    reach.from.insert(used, (global, instruction));
                }
            }
        }
        reach
    }

    /// The way from a root to `global`, both included.
    pub fn chain(&self, global: Value<'c>) -> Vec<Value<'c>> {
        let mut chain = vec![global];
        let mut current = global;
        while let Some((user, _)) = self.from.get(&current) {
            chain.push(*user);
            current = *user;
        }
        chain.reverse();
        chain
    }
}

/// A global that another one names, and the instruction that names it.
pub type Edge<'c> = (Value<'c>, Option<Value<'c>>);

/// What a global of the host's module names as far as devices need it.
pub fn device_edges(global: Value<'_>) -> Vec<Edge<'_>> {
    if global.is_function() && (is_panic(global) || is_allocator(&global.name())) { Vec::new() } else { edges(global) }
}

/// What one global names directly, in the order of its body, with the instruction that names it.
pub fn edges(global: Value<'_>) -> Vec<Edge<'_>> {
    let mut found = Vec::new();
    if global.is_function() {
        for instruction in global.instructions() {
            for operand in instruction.operands() {
                collect(operand, Some(instruction), &mut found);
            }
        }
    } else if global.is_global_variable() {
        if let Some(initializer) = global.initializer() {
            collect(initializer, None, &mut found);
        }
    } else {
        for operand in global.operands() {
            collect(operand, None, &mut found);
        }
    }
    found
}

/// The globals inside a value, without entering them.
fn collect<'c>(value: Value<'c>, instruction: Option<Value<'c>>, found: &mut Vec<Edge<'c>>) {
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        if value.is_global() {
            found.push((value, instruction));
        } else if value.is_constant() {
            stack.extend(value.operands().into_iter().rev());
        }
    }
}
