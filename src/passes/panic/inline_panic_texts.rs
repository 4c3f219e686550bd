//! Marks small functions to be inlined that only hand on the text they panic with, so that the text is seen.
//!
//! Unoptimised code hands everything on through pointers, so most functions that may panic look like that. What is marked
//! therefore has a size with all that is marked in it, and a bound: else functions that each call the next one twice would
//! be inlined without an end.
//!
//! Before: panic functions have bodies, and nothing is inlined. After: only marks.

use std::collections::{HashMap, HashSet};

use super::lower_panics::{calls_of, mark_inlined};
use crate::contract::kernel::KernelSet;
use crate::llvm::{Module, Value};

/// Instructions of the largest function that is marked.
const SMALL: usize = 100;
/// The same with what is marked among the functions that it calls.
const MOST: usize = 400;

/// Marks those that call one of `with_texts`, each with the place of the text among its parameters, and do not know the text.
pub(super) fn inline_panic_texts<'c>(module: &Module<'c>, kernels: &KernelSet, with_texts: Vec<(Value<'c>, usize)>) {
    let entries: HashSet<_> = kernels.iter().filter_map(|k| module.function(&k.name)).collect();
    let mut sizes = Sizes::default();
    let mut work: Vec<_> = with_texts.into_iter().map(|(function, at)| (function, Some(at))).collect();
    while let Some((function, at)) = work.pop() {
        for call in calls_of(function) {
            let caller = call.function();
            let known = |value: &Value<'c>| value.is_constant() || !value.ty().is_pointer();
            let arguments = call.arguments();
            let shown = at.map_or_else(|| arguments.iter().all(known), |at| known(&arguments[at]));
            if !shown && !entries.contains(&caller) && sizes.admit(caller) {
                mark_inlined(caller);
                work.push((caller, None));
            }
        }
    }
}

/// How many instructions each marked function has with all that is inlined into it.
#[derive(Default)]
struct Sizes<'c> {
    marked: HashMap<Value<'c>, usize>,
}

impl<'c> Sizes<'c> {
    /// Adds a function that is not there yet, unless it or one that calls it would become too large.
    fn admit(&mut self, function: Value<'c>) -> bool {
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

    /// Adds instructions to a function, and to those marked ones that it is inlined into; false where one becomes too large.
    /// A function that calls itself grows until it does.
    fn grow(&mut self, function: Value<'c>, by: usize, grown: &mut Vec<Value<'c>>) -> bool {
        let size = self.marked.entry(function).or_default();
        *size += by;
        grown.push(function);
        let fits = *size <= MOST;
        fits && calls_of(function)
            .into_iter()
            .map(Value::function)
            .all(|caller| !self.marked.contains_key(&caller) || self.grow(caller, by, grown))
    }

    fn shrink(&mut self, function: Value<'c>, by: usize) {
        let size = self.marked.get_mut(&function).expect("it grew");
        *size -= by;
        if *size == 0 {
            self.marked.remove(&function);
        }
    }
}
