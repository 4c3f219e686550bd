//! The code that kernels reach, without formatting that is never called.
//!
//! The address of `<T as Display>::fmt` is an argument of a panic, or is in the vtable of a trait that has `Debug` as
//! its supertrait. Only a function that formats can call it, because only such a function has a `Formatter`.

use std::collections::HashSet;

use super::reach::device_edges;
use crate::llvm::{Function, Value};
use crate::rust_std::demangle::demangle;
use crate::rust_std::formatting::{formats, is_format};

/// A traversal of reachable code. It defers formatting whose address is taken until a function that formats is reached.
#[derive(Default)]
pub struct Formatting<'c> {
    queue: Vec<Value<'c>>,
    seen: HashSet<Value<'c>>,
    /// The reached globals, in the order in which they were found.
    pub reached: Vec<Value<'c>>,
    /// The formatting functions whose address is taken, if nothing formats.
    pub unused: Vec<Function<'c>>,
    /// Whether a function that formats is reached.
    pub formats: bool,
}

impl<'c> Formatting<'c> {
    /// Traverses from the kernels.
    pub fn of(kernels: impl Iterator<Item = Function<'c>>) -> Self {
        let mut walk = Formatting { queue: kernels.map(Value::from).collect(), ..Self::default() };
        loop {
            while let Some(global) = walk.queue.pop() {
                if walk.seen.insert(global) {
                    walk.enter(global);
                }
            }
            if !walk.formats || walk.unused.is_empty() {
                break;
            }
            walk.queue.extend(walk.unused.drain(..).map(Value::from));
        }
        let mut found = HashSet::new();
        walk.unused.retain(|function| found.insert(*function) && !walk.seen.contains(&Value::from(*function)));
        walk
    }

    fn enter(&mut self, global: Value<'c>) {
        self.reached.push(global);
        self.formats |= global.is_function() && formats(&demangle(&global.name()));
        for (used, instruction) in device_edges(global) {
            if self.seen.contains(&used) {
                continue;
            }
            let format = used.as_function().filter(|f| !self.formats && is_format(&demangle(&f.name())));
            let called = |f| instruction.is_some_and(|instruction| instruction.is_plain_call_of(f));
            match format.filter(|f| !called(*f)) {
                Some(unused) => self.unused.push(unused),
                None => self.queue.push(used),
            }
        }
    }
}
