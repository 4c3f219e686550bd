//! Marks small functions that pass on the text of a panic for inlining, so that the text becomes a constant at the
//! panic.
//!
//! In unoptimised code, most functions that may panic receive their text through pointers. The size of a marked
//! function includes the marked functions that are inlined into it, and it is limited. Otherwise, functions that each
//! call the next one twice would grow exponentially.
//!
//! Before: panic functions have bodies, and nothing is inlined. After: only attributes have changed.

use std::collections::{HashMap, HashSet};

use crate::contract::kernel::KernelSet;
use crate::llvm::{Function, Module, Value};

/// The largest function that is marked, in instructions.
const SMALL: usize = 100;
/// The largest size that a function may reach by inlining marked functions.
const MOST: usize = 400;

/// Marks the functions that call one of `with_texts` with a text that is not a constant there. `with_texts` are panic
/// functions, each with the index of its text parameter.
pub(super) fn inline_panic_texts<'c>(module: &Module<'c>, kernels: &KernelSet, with_texts: Vec<(Function<'c>, usize)>) {
    let entries: HashSet<_> = kernels.functions(module).collect();
    let mut sizes = Sizes::default();
    let mut work: Vec<_> = with_texts.into_iter().map(|(function, at)| (function, Some(at))).collect();
    while let Some((function, at)) = work.pop() {
        for call in function.calls() {
            let caller = call.function();
            let known = |value: &Value<'c>| value.is_constant() || !value.ty().is_pointer();
            let arguments = call.arguments();
            let shown = at.map_or_else(|| arguments.iter().all(known), |at| known(&arguments[at]));
            if !shown && !entries.contains(&caller) && sizes.admit(caller) {
                caller.inline_calls();
                work.push((caller, None));
            }
        }
    }
}

/// The number of instructions of each marked function, including the marked functions that are inlined into it.
#[derive(Default)]
struct Sizes<'c> {
    marked: HashMap<Function<'c>, usize>,
}

impl<'c> Sizes<'c> {
    /// Adds a function, unless it or one of its callers would become too large.
    fn admit(&mut self, function: Function<'c>) -> bool {
        if self.marked.contains_key(&function) || function.instructions().nth(SMALL).is_some() {
            return false;
        }
        let called = function.instructions().filter_map(|i| self.marked.get(&i.called_function()?));
        let size = function.instructions().count() + called.sum::<usize>();
        let mut grown = Vec::new();
        let fits = self.grow(function, size, &mut grown);
        if !fits {
            grown.iter().for_each(|each| self.shrink(*each, size));
        }
        fits
    }

    /// Adds `by` instructions to a function and to the marked functions that it is inlined into; false if one becomes
    /// too large. A recursive function grows until it is too large.
    fn grow(&mut self, function: Function<'c>, by: usize, grown: &mut Vec<Function<'c>>) -> bool {
        let size = self.marked.entry(function).or_default();
        *size += by;
        grown.push(function);
        let fits = *size <= MOST;
        fits && function
            .calls()
            .into_iter()
            .map(Value::function)
            .all(|caller| !self.marked.contains_key(&caller) || self.grow(caller, by, grown))
    }

    fn shrink(&mut self, function: Function<'c>, by: usize) {
        let size = self.marked.get_mut(&function).expect("it grew");
        *size -= by;
        if *size == 0 {
            self.marked.remove(&function);
        }
    }
}
