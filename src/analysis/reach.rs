//! Reachability: all globals that the given globals need, and the paths to them.
//!
//! The edges from a global to another one are:
//! - an operand of an instruction: a direct call, an address, an access to a variable;
//! - a constant inside an operand or an initialiser: casts, offsets, aggregates, tables of functions, vtables;
//! - from a variable to its initialiser, from an alias to its aliasee, from an ifunc to its resolver.
//!
//! Every body is entered, with one exception: in the host's module, the bodies of panic functions and of the allocator
//! are the host's, and devices get others ([`Reach::of_device_code`], [`device_edges`]). The devices' bodies are
//! entered like all others, because their results, and the memory that they read, matter.
//!
//! A kernel may execute more than the code that it *names*: a pointer in memory may lead to a function that only
//! another kernel names. [`Reach::of_execution`] follows such calls, too. The needs of a launch follow from it.

use std::collections::{HashMap, HashSet};

use super::callees::AddressTaken;
use crate::llvm::{Function, Value};
use crate::rust_std::allocator::is_allocator;
use crate::rust_std::panics::is_panic;

/// The reachable globals, with the edges to them.
pub struct Reach<'c> {
    /// The reachable globals in breadth-first order; the roots are first.
    pub order: Vec<Value<'c>>,
    /// For each global except the roots: the first global with an edge to it, and the instruction with that edge.
    pub from: HashMap<Value<'c>, (Value<'c>, Option<Value<'c>>)>,
}

impl<'c> Reach<'c> {
    /// Traverses breadth-first, so a chain to a root is a shortest one.
    pub fn new(roots: &[impl Into<Value<'c>> + Copy]) -> Self {
        Self::along(roots, edges)
    }

    /// The same in the host's module, for code that becomes device code.
    pub fn of_device_code(roots: &[impl Into<Value<'c>> + Copy]) -> Self {
        Self::along(roots, device_edges)
    }

    /// The globals that the execution of a kernel may need. A call through a pointer may also lead to functions that
    /// the kernel does not name.
    pub fn of_execution(kernel: Function<'c>, addressed: &AddressTaken<'c>) -> Self {
        Self::along(&[kernel], |global| executed_edges(global, addressed))
    }

    fn along(roots: &[impl Into<Value<'c>> + Copy], edges: impl Fn(Value<'c>) -> Vec<Edge<'c>>) -> Self {
        let mut reach = Reach { order: Vec::new(), from: HashMap::new() };
        let mut seen = HashSet::new();
        reach.order.extend(roots.iter().map(|root| (*root).into()).filter(|root| seen.insert(*root)));
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

    /// The reachable globals of a host's module from which device code comes to `target`, and `target` itself.
    pub fn reaching(&self, target: Value<'c>) -> HashSet<Value<'c>> {
        let mut users: HashMap<Value<'c>, Vec<Value<'c>>> = HashMap::new();
        for global in &self.order {
            device_edges(*global).into_iter().for_each(|(used, _)| users.entry(used).or_default().push(*global));
        }
        let (mut seen, mut stack) = (HashSet::from([target]), vec![target]);
        while let Some(global) = stack.pop() {
            let new = users.get(&global).into_iter().flatten().filter(|user| seen.insert(**user));
            stack.extend(new.copied());
        }
        seen
    }

    /// The path from a root to `global`, including both.
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

/// The edges from a global of the host's module that matter for devices.
pub fn device_edges(global: Value<'_>) -> Vec<Edge<'_>> {
    let others = |function: Function<'_>| is_panic(function) || is_allocator(&function.name());
    if global.as_function().is_some_and(others) { Vec::new() } else { edges(global) }
}

/// The edges from a global, and those from its calls through pointers.
fn executed_edges<'c>(global: Value<'c>, addressed: &AddressTaken<'c>) -> Vec<Edge<'c>> {
    let mut found = edges(global);
    let calls = global.as_function().map(|f| f.instructions().filter(|i| i.is_indirect_call()).collect::<Vec<_>>());
    for call in calls.unwrap_or_default() {
        found.extend(addressed.callees(call).functions.into_iter().map(|callee| (*callee, Some(call))));
    }
    found
}

/// The edges from a global, in the order of its body, with their instructions.
pub fn edges(global: Value<'_>) -> Vec<Edge<'_>> {
    let mut found = Vec::new();
    if let Some(function) = global.as_function() {
        for instruction in function.instructions() {
            instruction.each_operand(|operand| collect(operand, Some(instruction), &mut found));
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

/// The globals within a value.
fn collect<'c>(value: Value<'c>, instruction: Option<Value<'c>>, found: &mut Vec<Edge<'c>>) {
    // Most operands are values of the function or numbers, and need no list.
    if value.is_global() {
        return found.push((value, instruction));
    }
    if !value.is_constant() || value.operand_count() == 0 {
        return;
    }
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        if value.is_global() {
            found.push((value, instruction));
        } else if value.is_constant() {
            stack.extend(value.operands().into_iter().rev());
        }
    }
}
