//! The partition of a device module: the kernels of each part, and all that they reach.
//!
//! A part is a separate module, whose code does not refer to another part. So kernels are in the same part if both
//! reach
//! - a variable whose address or contents they could observe: one that is not constant, and a constant whose address is
//!   significant. Shared memory is an exception, because each block has its own;
//! - functions as values: the address of a function, a call through a pointer. The address that one kernel stores,
//!   another one may call;
//! - a function that is too large to be compiled once for each part;
//! - the text that kernels print, whose formats have one table in an image.
//!
//! All else is copied into each part that needs it. A module is not cut at all if it has aliases, module-level
//! assembly, or variables that LLVM treats specially.
//!
//! Where the kernels are cut follows from their names and sizes alone. A small change of one kernel, or a new kernel,
//! therefore changes few parts, and the code of all others is found in the cache: as in backup programs that cut files
//! by their contents, the hash of a kernel's name decides whether a part may end there.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;

use super::reach::edges;
use crate::contract::builtin::{Builtin, PRINT, SHARED_SECTION};
use crate::contract::kernel::KernelSet;
use crate::contract::symbols::LANE_PANIC;
use crate::llvm::{Function, Module, Value};

/// How far the code that is cut has been optimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Not at all. Before panics are lowered and calls are inlined, it is unknown which functions are values, so a
    /// caller that cuts such code must look for them afterwards ([`has_function_values`]).
    Resolved,
    /// By the passes that all archs share.
    Neutral,
}

impl Code {
    /// The least weight of a part. A kernel's weight is the number of instructions that it reaches. Of unoptimised
    /// code, few instructions remain.
    fn least(self) -> usize {
        match self {
            Self::Resolved => 3072,
            Self::Neutral => 2048,
        }
    }

    /// The weight at which a part ends, regardless of the hashes.
    fn most(self) -> usize {
        2 * self.least()
    }

    /// The size of the smallest function that is not copied.
    fn large(self) -> usize {
        self.least()
    }
}

/// From the least weight on, one of this number of kernels ends a part.
const ENDS: u8 = 4;

/// A part of a module.
pub struct Part<'c> {
    /// The kernels, by number, in order.
    pub kernels: Vec<usize>,
    /// All globals that they reach, in the order of the module.
    pub globals: Vec<Value<'c>>,
}

impl<'c> Part<'c> {
    /// The module of this part, without declarations that only other parts use.
    pub fn cut_out(&self, module: &Module<'c>) -> Module<'c> {
        let own = module.clone_definitions(&self.globals);
        let unused = own.globals().into_iter().filter(|global| global.is_declaration() && !global.is_used());
        unused.for_each(Value::erase_global);
        own
    }

    /// All of these parts of a module as one.
    pub fn of_all(parts: Vec<Self>, module: &Module<'c>) -> Self {
        let mut kernels: Vec<usize> = parts.iter().flat_map(|part| part.kernels.iter().copied()).collect();
        kernels.sort_unstable();
        let reached: HashSet<Value<'c>> = parts.into_iter().flat_map(|part| part.globals).collect();
        let globals = module.globals().into_iter().filter(|global| reached.contains(global)).collect();
        Self { kernels, globals }
    }
}

/// Cuts a module into parts, `count` if that is given, or fewer if the kernels do not allow it. Empty if the module is
/// not cut.
pub fn partition<'c>(
    module: &Module<'c>,
    kernels: &KernelSet,
    count: Option<NonZeroUsize>,
    code: Code,
) -> Vec<Part<'c>> {
    if kernels.len() < 2 || is_special(module) {
        return Vec::new();
    }
    let graph = Graph::new(module);
    let Some(reached) = graph.reached_from(module, kernels) else { return Vec::new() };
    let groups = graph.groups(&reached, code);
    let weight = |kernel: &usize| reached[*kernel].iter().map(|global| graph.sizes[*global]).sum::<usize>();
    let parts = match count {
        Some(count) => divide(groups, count.get()),
        None => {
            // A small change must not move the ends of parts, so weights are rounded.
            let weigh = |group: &[usize]| group.iter().map(weight).sum::<usize>().next_power_of_two();
            by_weight(groups, code, &weigh, &|kernel| is_end(&kernels[kernel].name))
        }
    };
    if parts.len() < 2 {
        return Vec::new();
    }
    parts.into_iter().map(|kernels| graph.part(kernels, &reached)).collect()
}

/// Whether a module has globals that concern all of it.
fn is_special(module: &Module<'_>) -> bool {
    let of_llvm = |variable: &Value<'_>| variable.name().starts_with("llvm.");
    !module.aliases().is_empty()
        || !module.ifuncs().is_empty()
        || !module.inline_asm().is_empty()
        || module.variables().iter().any(of_llvm)
}

/// The globals of a module and the uses among them, as numbers.
struct Graph<'c> {
    globals: Vec<Value<'c>>,
    uses: Vec<Vec<usize>>,
    /// The number of instructions of each global.
    sizes: Vec<usize>,
}

impl<'c> Graph<'c> {
    fn new(module: &Module<'c>) -> Self {
        let globals = module.globals();
        let numbers: HashMap<_, _> = globals.iter().enumerate().map(|(number, global)| (*global, number)).collect();
        let used = |global: &Value<'c>| {
            let mut used: Vec<_> = edges(*global).iter().filter_map(|(used, _)| numbers.get(used).copied()).collect();
            used.sort_unstable();
            used.dedup();
            used
        };
        let mut uses: Vec<Vec<usize>> = globals.iter().map(used).collect();
        // Targets let the lanes of such an operation panic, also where no code of the kernel does.
        let is_masked = |global: &Value<'c>| Builtin::named(&global.name()).is_some_and(Builtin::is_masked);
        if let Some(panic) = module.function(LANE_PANIC).and_then(|panic| numbers.get(&panic.into()).copied()) {
            (0..globals.len())
                .filter(|global| is_masked(&globals[*global]))
                .for_each(|global| uses[global].push(panic));
        }
        let size = |global: &Value<'c>| global.as_function().map_or(0, |function| function.instructions().count());
        let sizes = globals.iter().map(size).collect();
        Self { globals, uses, sizes }
    }

    /// The globals that each kernel reaches, in order. Later passes look up the globals that no kernel reaches, so
    /// these belong to each kernel. None if a kernel is not in the module.
    fn reached_from(&self, module: &Module<'c>, kernels: &KernelSet) -> Option<Vec<Vec<usize>>> {
        let number = |name: &str| {
            let function: Value<'c> = module.function(name)?.into();
            self.globals.iter().position(|global| *global == function)
        };
        let entries: Vec<usize> = kernels.iter().map(|kernel| number(&kernel.name)).collect::<Option<_>>()?;
        let by_kernels = self.reach(&entries);
        let others: Vec<usize> = (0..self.globals.len())
            .filter(|global| by_kernels.binary_search(global).is_err() && !self.globals[*global].is_declaration())
            .collect();
        Some(entries.iter().map(|entry| self.reach(&[&[*entry], &others[..]].concat())).collect())
    }

    /// The globals that are reached, in order.
    fn reach(&self, roots: &[usize]) -> Vec<usize> {
        let mut seen = vec![false; self.globals.len()];
        let mut stack = roots.to_vec();
        while let Some(global) = stack.pop() {
            if !std::mem::replace(&mut seen[global], true) {
                stack.extend(&self.uses[global]);
            }
        }
        (0..seen.len()).filter(|global| seen[*global]).collect()
    }

    /// The kernels that must be in the same part, group by group. The groups are in the order of their first kernels.
    fn groups(&self, reached: &[Vec<usize>], code: Code) -> Vec<Vec<usize>> {
        let bonds: Vec<Option<usize>> = (0..self.globals.len()).map(|global| self.bond(global, code)).collect();
        let mut first = vec![None; self.globals.len() + 1];
        let mut leader: Vec<usize> = (0..reached.len()).collect();
        for (kernel, globals) in reached.iter().enumerate() {
            for bond in globals.iter().filter_map(|global| bonds[*global]) {
                let [one, other] = [leader[kernel], leader[*first[bond].get_or_insert(kernel)]];
                let (keep, drop) = (one.min(other), one.max(other));
                leader.iter_mut().filter(|leader| **leader == drop).for_each(|leader| *leader = keep);
            }
        }
        let members =
            |first: usize| (first..leader.len()).filter(|kernel| leader[*kernel] == first).collect::<Vec<_>>();
        (0..leader.len()).map(members).filter(|group| !group.is_empty()).collect()
    }

    /// The bond between all kernels that reach a global, if they must be in one part: the number of the global, or the
    /// number after the last one for functions as values.
    fn bond(&self, number: usize, code: Code) -> Option<usize> {
        let global = self.globals[number];
        match global.as_function() {
            Some(function) if function.is_intrinsic() => None,
            Some(function) => {
                let is_whole = self.sizes[number] >= code.large() || global.name() == PRINT;
                if code == Code::Neutral && is_value(function) {
                    Some(self.globals.len())
                } else {
                    is_whole.then_some(number)
                }
            }
            None => may_be_observed(global, code).then_some(number),
        }
    }

    fn part(&self, kernels: Vec<usize>, reached: &[Vec<usize>]) -> Part<'c> {
        let mut globals: Vec<usize> = kernels.iter().flat_map(|kernel| reached[*kernel].iter().copied()).collect();
        globals.sort_unstable();
        globals.dedup();
        Part { kernels, globals: globals.into_iter().map(|global| self.globals[global]).collect() }
    }
}

/// Whether a module has functions as values, so that its kernels belong in one part with those of all such modules.
pub fn has_function_values(module: &Module<'_>) -> bool {
    module.functions().into_iter().any(|function| !function.is_intrinsic() && is_value(function))
}

/// Whether the address of a function is used, or it calls through a pointer.
fn is_value(function: Function<'_>) -> bool {
    !function.is_only_called() || function.instructions().any(Value::is_indirect_call)
}

/// Whether code could distinguish two copies of a variable from one. Before `legalize`, constants may have any linkage.
fn may_be_observed(variable: Value<'_>, code: Code) -> bool {
    let is_own = variable.has_local_linkage() || code == Code::Resolved;
    let is_copied = variable.is_constant_global() && variable.has_unnamed_address() && is_own;
    !is_copied && variable.section() != SHARED_SECTION
}

/// Distributes groups evenly, in order.
fn divide(groups: Vec<Vec<usize>>, count: usize) -> Vec<Vec<usize>> {
    let (total, count) = (groups.len(), count.min(groups.len()));
    let mut parts = vec![Vec::new(); count];
    groups.into_iter().enumerate().for_each(|(number, group)| parts[number * count / total].extend(group));
    sorted(parts)
}

/// Distributes groups by their weights, in order.
fn by_weight(
    groups: Vec<Vec<usize>>,
    code: Code,
    weigh: &dyn Fn(&[usize]) -> usize,
    is_end: &dyn Fn(usize) -> bool,
) -> Vec<Vec<usize>> {
    let (mut parts, mut weight) = (vec![Vec::new()], 0);
    for group in groups {
        let ends = is_end(group[0]);
        weight += weigh(&group);
        parts.last_mut().into_iter().for_each(|part: &mut Vec<_>| part.extend_from_slice(&group));
        if weight >= code.most() || (weight >= code.least() && ends) {
            parts.push(Vec::new());
            weight = 0;
        }
    }
    // The last part has the remaining kernels. If they are small, they go into the part before it.
    if weight < code.least() {
        let rest = parts.pop().unwrap_or_default();
        match parts.last_mut() {
            Some(last) => last.extend(rest),
            None => parts.push(rest),
        }
    }
    sorted(parts)
}

fn sorted(mut parts: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts
}

/// Whether a part may end with the group of this kernel.
fn is_end(kernel: &str) -> bool {
    blake3::hash(kernel.as_bytes()).as_bytes()[0].is_multiple_of(ENDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn singles(count: usize) -> Vec<Vec<usize>> {
        (0..count).map(|kernel| vec![kernel]).collect()
    }

    /// The lanes of a constant mask need no separate check, so that only this edge leads to the panic.
    #[test]
    fn an_operation_with_a_mask_reaches_the_panic_of_lanes() {
        let text = "declare i64 @__offload_ballot_sync(i64, i1)\n\
            declare i64 @__offload_ballot(i1)\n\
            define void @offload_lane_panic() {\n  ret void\n}\n\
            define void @all() {\n  %a = call i64 @__offload_ballot_sync(i64 -1, i1 true)\n  ret void\n}\n\
            define void @free() {\n  %a = call i64 @__offload_ballot(i1 true)\n  ret void\n}\n";
        let context = crate::llvm::Context::create();
        let module = Module::from_text(&context, text.as_bytes(), "text").expect("good text");
        let graph = Graph::new(&module);
        let number = |name: &str| graph.globals.iter().position(|global| global.name() == name).expect("it is there");
        let reaches = |name: &str| graph.reach(&[number(name)]).contains(&number(LANE_PANIC));
        assert!(reaches("all") && !reaches("free"));
    }

    #[test]
    fn a_number_of_parts_is_a_limit() {
        assert_eq!(divide(singles(5), 2), [vec![0, 1, 2], vec![3, 4]]);
        assert_eq!(divide(singles(2), 9), [[0], [1]]);
        assert_eq!(divide(vec![vec![0, 2], vec![1]], 1), [[0, 1, 2]]);
    }

    #[test]
    fn a_new_kernel_changes_only_the_parts_beside_it() {
        let names: Vec<String> = (0..400).map(|kernel| format!("kernel_{kernel}")).collect();
        let cut = |names: &[String]| {
            let parts = by_weight(singles(names.len()), Code::Neutral, &|_| 256, &|kernel| is_end(&names[kernel]));
            let named = |part: &Vec<usize>| part.iter().map(|kernel| names[*kernel].clone()).collect::<Vec<_>>();
            parts.iter().map(named).collect::<Vec<_>>()
        };
        let before = cut(&names);
        let mut more = names.clone();
        more.insert(100, "one_more".to_owned());
        let after = cut(&more);
        let changed = after.iter().filter(|part| !before.contains(part)).count();
        assert!(before.len() > 25 && changed > 0 && changed < 8, "{changed} of {}", before.len());
    }

    #[test]
    fn parts_are_neither_small_nor_large() {
        let parts = by_weight(singles(400), Code::Neutral, &|_| 256, &|kernel| is_end(&kernel.to_string()));
        assert!(parts.iter().all(|part| (2048..=3 * 2048).contains(&(part.len() * 256))));
        assert_eq!(by_weight(singles(3), Code::Neutral, &|_| 256, &|_| true).len(), 1);
    }
}
