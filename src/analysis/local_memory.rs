//! The memory that the local variables of a kernel need at the same time, along its calls.
//!
//! Two variables that never live at the same time share memory in LLVM's code, so this analysis follows the markers of
//! lifetimes. A variable without markers lives as long as its function. A call adds the memory of the callee, because
//! the caller's variables are live during the call.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::callees::AddressTaken;
use super::recursion::recursive_functions;
use crate::llvm::{Block, Function, Module, Opcode, Value};

/// A local variable, and the function that has it.
#[derive(Clone, Copy)]
pub struct Local<'c> {
    /// The function.
    pub function: Function<'c>,
    /// Its alloca.
    pub variable: Value<'c>,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The variables that are live at the place that needs the most memory.
#[derive(Clone, Default)]
pub struct Locals<'c> {
    /// All bytes of them.
    pub bytes: u64,
    /// The variables, outermost function first.
    pub variables: Vec<Local<'c>>,
}

/// The most memory that each function of a module needs.
pub struct LocalMemory<'m, 'c> {
    module: &'m Module<'c>,
    addressed: AddressTaken<'c>,
    /// Their variables are in the stack of `lower_recursion`.
    recursive: HashSet<Value<'c>>,
    known: HashMap<Function<'c>, Rc<Locals<'c>>>,
}

impl<'m, 'c> LocalMemory<'m, 'c> {
    /// None if all variables of the module together have at most `limit` bytes.
    pub fn above(module: &'m Module<'c>, limit: u64) -> Option<Self> {
        let all: u64 =
            module.definitions().flat_map(|function| locals(module, function)).map(|local| local.bytes).sum();
        if all <= limit {
            return None;
        }
        let addressed = AddressTaken::of(module);
        let recursive = recursive_functions(module, &addressed);
        Some(LocalMemory { module, addressed, recursive, known: HashMap::new() })
    }

    /// The memory that a function needs, with the functions that it calls.
    pub fn of(&mut self, function: Function<'c>) -> Rc<Locals<'c>> {
        if let Some(known) = self.known.get(&function) {
            return known.clone();
        }
        // A function that calls itself finds this.
        self.known.insert(function, Rc::default());
        let all = match self.recursive.contains(&Value::from(function)) {
            true => Vec::new(),
            false => locals(self.module, function),
        };
        let found = Rc::new(self.most(function, &all));
        self.known.insert(function, found.clone());
        found
    }

    /// Follows the lifetimes through the blocks of a function.
    fn most(&mut self, function: Function<'c>, all: &[Local<'c>]) -> Locals<'c> {
        let live = live_at_start(function, all);
        let mut most = Locals::default();
        for block in function.blocks() {
            let mut now = live.get(&block).cloned().unwrap_or_default();
            let mut look = |now: &BTreeSet<usize>, callee: &Locals<'c>| {
                let bytes = now.iter().map(|i| all[*i].bytes).sum::<u64>() + callee.bytes;
                if bytes > most.bytes {
                    let own = now.iter().map(|i| all[*i]);
                    most = Locals { bytes, variables: own.chain(callee.variables.iter().copied()).collect() };
                }
            };
            look(&now, &Locals::default());
            for instruction in block.instructions() {
                if change(instruction, all, &mut now) {
                    look(&now, &Locals::default());
                } else if instruction.is_call() {
                    for callee in self.callees(instruction) {
                        look(&now, &self.of(callee));
                    }
                }
            }
        }
        most
    }

    fn callees(&self, call: Value<'c>) -> Vec<Function<'c>> {
        let all = match call.is_indirect_call() {
            true => self.addressed.callees(call).functions,
            false => call.called_function().into_iter().collect(),
        };
        all.into_iter().filter(|callee| !callee.is_declaration()).collect()
    }
}

/// The variables of a function whose size is known.
fn locals<'c>(module: &Module<'c>, function: Function<'c>) -> Vec<Local<'c>> {
    let variables = function.instructions().filter(|i| i.is(Opcode::Alloca));
    let local = |variable: Value<'c>| {
        let count = variable.operand(0).as_u64()?;
        let bytes = variable.allocated_type().alloc_size(module).saturating_mul(count);
        (bytes != 0).then_some(Local { function, variable, bytes })
    };
    variables.filter_map(local).collect()
}

/// Applies a marker of a lifetime. Returns whether the instruction is one.
fn change<'c>(instruction: Value<'c>, all: &[Local<'c>], live: &mut BTreeSet<usize>) -> bool {
    if !instruction.is_lifetime_marker() {
        return false;
    }
    let arguments = instruction.arguments();
    let Some(i) = all.iter().position(|local| arguments.contains(&local.variable)) else { return true };
    let begins = instruction.called_function().is_some_and(|f| f.name().starts_with("llvm.lifetime.start"));
    if begins {
        live.insert(i)
    } else {
        live.remove(&i)
    };
    true
}

/// The numbers of the variables that may live where each block begins.
fn live_at_start<'c>(function: Function<'c>, all: &[Local<'c>]) -> HashMap<Block<'c>, BTreeSet<usize>> {
    let has_markers = |local: &Local<'c>| local.variable.users().into_iter().any(Value::is_lifetime_marker);
    let always: BTreeSet<usize> = (0..all.len()).filter(|i| !has_markers(&all[*i])).collect();
    let blocks = function.blocks();
    let mut live: HashMap<_, _> = blocks.iter().map(|block| (*block, always.clone())).collect();
    let mut work = if all.is_empty() { Vec::new() } else { blocks };
    while let Some(block) = work.pop() {
        let mut now = live[&block].clone();
        block.instructions().for_each(|instruction| {
            change(instruction, all, &mut now);
        });
        for next in block.successors() {
            let there = live.entry(next).or_default();
            if !now.is_subset(there) {
                there.extend(&now);
                work.push(next);
            }
        }
    }
    live
}
