//! Finds barriers under control flow that differs between the threads of a block.
//!
//! Every thread of a block must reach the same barrier. A barrier is wrong when it stands between a branch on a
//! divergent value and the point where the branch's ways meet again (the branch block's nearest post-dominator). Host
//! optimisation may have put a correct program's barrier there, so such a kernel is refused.
//!
//! Divergence flows from thread and lane ids: through operands; through memory of the thread's own; into phis where a
//! divergent branch's ways meet; and out of loops that threads leave at different times. Loads through a pointer that
//! is the same for all threads count as the same, as LLVM's own analysis has it. Ways that end in a trap do not count:
//! a thread that panics does not go on.
//!
//! Before: barriers stand in the kernels themselves (`mark_convergent` has them inlined) and locals are in registers.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::location::outer_location;
use crate::builtin::Builtin;
use crate::diagnostics::{Code, Diagnostic};
use crate::kernel::KernelSet;
use crate::llvm::{Block, Module, Opcode, Value};

/// Reports each kernel that has such a barrier, once.
pub fn check_convergence(module: &Module<'_>, kernels: &KernelSet) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for kernel in kernels {
        let Some(function) = module.function(&kernel.name) else { continue };
        let barriers: Vec<_> = function.instructions().filter(|i| is_barrier(*i)).collect();
        if barriers.is_empty() {
            continue;
        }
        let divergence = Divergence::of(function);
        if let Some(barrier) = barriers.into_iter().find(|b| divergence.controlled.contains(&b.block())) {
            found.push(refuse(&kernel.display, barrier));
        }
    }
    found
}

fn is_barrier(instruction: Value<'_>) -> bool {
    builtin_called(instruction).is_some_and(|b| b.barrier)
}

fn builtin_called(instruction: Value<'_>) -> Option<&'static Builtin> {
    Builtin::named(&instruction.called_function()?.name())
}

fn refuse(kernel: &str, barrier: Value<'_>) -> Diagnostic {
    Diagnostic::coded(
        Code::DivergentBarrier,
        format!("kernel `{kernel}` has a barrier under control flow that differs between threads"),
    )
    .at(outer_location(barrier))
    .note("all threads of a block must reach the same barrier; the compiler that made this input may have duplicated or moved it")
    .help("compile with `-C opt-level=3 -C no-prepopulate-passes`, or `-C opt-level=0`, which keep barriers where the source has them")
    .help("if the source has the barrier inside a condition on the thread's position, move it out")
}

/// What differs between the threads of a block, in one function.
struct Divergence<'c> {
    values: HashSet<Value<'c>>,
    /// Blocks that only some threads may run.
    controlled: HashSet<Block<'c>>,
    graph: Graph<'c>,
    work: Vec<Value<'c>>,
}

impl<'c> Divergence<'c> {
    fn of(function: Value<'c>) -> Self {
        let graph = Graph::of(function);
        let mut divergence = Divergence { values: HashSet::new(), controlled: HashSet::new(), graph, work: Vec::new() };
        for instruction in function.instructions() {
            if is_source(instruction) {
                divergence.mark(instruction);
            }
        }
        while let Some(value) = divergence.work.pop() {
            divergence.spread(value);
        }
        divergence
    }

    fn mark(&mut self, value: Value<'c>) {
        if self.values.insert(value) {
            self.work.push(value);
        }
    }

    /// Marks what follows from `value` being divergent.
    fn spread(&mut self, value: Value<'c>) {
        for user in value.users() {
            if !user.is_instruction() {
                continue;
            }
            match user.opcode() {
                Opcode::LLVMBr | Opcode::LLVMSwitch | Opcode::LLVMIndirectBr => self.branch(user),
                Opcode::LLVMStore => self.store(user),
                Opcode::LLVMCall if is_uniform_call(user) => {}
                _ => self.mark(user),
            }
        }
    }

    /// A store of a divergent value, or to a divergent address, makes the thread's own variable divergent.
    fn store(&mut self, store: Value<'c>) {
        let variable = base(store.operand(1));
        if variable.is(Opcode::LLVMAlloca) {
            for load in loads(variable) {
                self.mark(load);
            }
        }
    }

    /// A branch on a divergent value: its region is controlled, values meeting or leaving there are divergent.
    fn branch(&mut self, branch: Value<'c>) {
        let block = branch.block();
        let meet = self.graph.post_dominator(block);
        let region = self.graph.region(block, meet);
        if self.graph.successors.get(&block).is_none_or(|ways| ways.len() < 2) {
            return;
        }
        // Threads come to a join on different ways, each with the value of its way.
        for join in region.iter().copied().chain(meet).collect::<Vec<_>>() {
            for phi in join.instructions().take_while(|i| i.opcode() == Opcode::LLVMPHI) {
                let mut ways = phi.incoming().into_iter().filter(|(_, from)| *from == block || region.contains(from));
                if ways.next().is_some_and(|(first, _)| ways.any(|(value, _)| value != first)) {
                    self.mark(phi);
                }
            }
        }
        // Threads leave a loop around the branch at different times, each with its own values.
        if region.contains(&block) {
            for inside in &region {
                for value in inside.instructions() {
                    let outside = |u: &Value<'c>| u.is_instruction() && !region.contains(&u.block());
                    for user in value.users().into_iter().filter(outside) {
                        self.mark(user);
                        if matches!(user.opcode(), Opcode::LLVMBr | Opcode::LLVMSwitch) && user.block() != block {
                            self.branch(user);
                        }
                    }
                }
            }
        }
        self.controlled.extend(region);
    }
}

/// Values that differ by themselves.
fn is_source(instruction: Value<'_>) -> bool {
    match instruction.opcode() {
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => true,
        Opcode::LLVMCall => match builtin_called(instruction) {
            Some(builtin) => builtin.divergent,
            // What is not inlined may ask for the thread's position itself.
            None => instruction.called_function().is_none_or(|f| !f.is_intrinsic()) && !instruction.ty().is_void(),
        },
        _ => false,
    }
}

/// Calls whose result is the same for all threads whatever they are given.
fn is_uniform_call(call: Value<'_>) -> bool {
    builtin_called(call).is_some_and(|b| !b.divergent)
}

/// The variable a pointer points into, as far as offsets and casts hide it.
fn base(pointer: Value<'_>) -> Value<'_> {
    let mut value = pointer;
    while value.is_instruction()
        && matches!(value.opcode(), Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast)
    {
        value = value.operand(0);
    }
    value
}

/// Everything that may read a thread's own variable: loads, and calls that get its address.
fn loads(variable: Value<'_>) -> Vec<Value<'_>> {
    let mut found = Vec::new();
    let (mut work, mut seen) = (vec![variable], HashSet::new());
    while let Some(pointer) = work.pop() {
        for user in pointer.users().into_iter().filter(|u| u.is_instruction()) {
            if !seen.insert(user) {
                continue;
            }
            match user.opcode() {
                Opcode::LLVMLoad => found.push(user),
                Opcode::LLVMStore => {}
                Opcode::LLVMCall => found.push(user),
                _ => {
                    found.push(user);
                    work.push(user);
                }
            }
        }
    }
    found
}

/// The control flow of a function without the ways that end in a trap.
struct Graph<'c> {
    successors: HashMap<Block<'c>, Vec<Block<'c>>>,
    /// The nearest post-dominator by block; none where the ways meet only at the function's end.
    post_dominators: HashMap<Block<'c>, Option<Block<'c>>>,
}

impl<'c> Graph<'c> {
    fn of(function: Value<'c>) -> Self {
        let blocks = function.blocks();
        let live = returning(&blocks);
        let successors: HashMap<_, Vec<_>> = blocks
            .iter()
            .filter(|b| live.contains(b))
            .map(|b| (*b, b.successors().into_iter().filter(|s| live.contains(s)).collect()))
            .collect();
        let post_dominators = post_dominators(&blocks, &successors);
        Graph { successors, post_dominators }
    }

    fn post_dominator(&self, block: Block<'c>) -> Option<Block<'c>> {
        self.post_dominators.get(&block).copied().flatten()
    }

    /// The blocks a branch in `block` may lead to before its ways meet in `meet`.
    fn region(&self, block: Block<'c>, meet: Option<Block<'c>>) -> HashSet<Block<'c>> {
        let mut region = HashSet::new();
        let ways = self.successors.get(&block);
        let mut work = ways.cloned().unwrap_or_default();
        while let Some(next) = work.pop() {
            if Some(next) != meet && region.insert(next) {
                work.extend(self.successors.get(&next).into_iter().flatten());
            }
        }
        region
    }
}

/// The blocks from which the function can return or run for ever without one that cannot go on.
fn returning<'c>(blocks: &[Block<'c>]) -> HashSet<Block<'c>> {
    let mut predecessors: HashMap<Block<'c>, Vec<Block<'c>>> = HashMap::new();
    let mut work = Vec::new();
    for block in blocks {
        let successors = block.successors();
        let ends = block.terminator().is_some_and(|t| t.opcode() == Opcode::LLVMRet);
        if ends {
            work.push(*block);
        }
        for successor in successors {
            predecessors.entry(successor).or_default().push(*block);
        }
    }
    let mut live = HashSet::new();
    while let Some(block) = work.pop() {
        if live.insert(block) {
            work.extend(predecessors.get(&block).into_iter().flatten());
        }
    }
    live
}

/// Nearest post-dominators by the iterative algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance
/// Algorithm", 2001) on the reversed graph, with one exit behind every return.
fn post_dominators<'c>(
    blocks: &[Block<'c>],
    successors: &HashMap<Block<'c>, Vec<Block<'c>>>,
) -> HashMap<Block<'c>, Option<Block<'c>>> {
    // Number the blocks so that a block's number is above those of what it post-dominates is not needed: any reverse
    // postorder of the reversed graph does. `order[0]` is the exit, standing for no block.
    let exits: Vec<Block<'c>> =
        blocks.iter().copied().filter(|b| successors.get(b).is_some_and(Vec::is_empty)).collect();
    let mut predecessors: HashMap<Block<'c>, Vec<Block<'c>>> = HashMap::new();
    for block in blocks {
        for successor in successors.get(block).into_iter().flatten() {
            predecessors.entry(*successor).or_default().push(*block);
        }
    }
    let postorder = reversed_postorder(&exits, &predecessors);
    let number: BTreeMap<Block<'c>, usize> = postorder.iter().enumerate().map(|(i, b)| (*b, i + 1)).collect();
    let mut nearest: Vec<Option<usize>> = vec![None; postorder.len() + 1];
    nearest[0] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for (i, block) in postorder.iter().enumerate() {
            let ways = &successors[block];
            let numbers = ways.iter().filter_map(|s| number.get(s).copied());
            let known = numbers.filter(|n| nearest[*n].is_some());
            let meet = if ways.is_empty() { Some(0) } else { known.reduce(|a, b| intersect(&nearest, a, b)) };
            if meet.is_some() && nearest[i + 1] != meet {
                nearest[i + 1] = meet;
                changed = true;
            }
        }
    }
    postorder
        .iter()
        .enumerate()
        .map(|(i, b)| (*b, nearest[i + 1].and_then(|n| n.checked_sub(1)).map(|n| postorder[n])))
        .collect()
}

/// Where two ways to the exit meet; numbers grow away from the exit.
fn intersect(nearest: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while a > b {
            a = nearest[a].unwrap_or(0);
        }
        while b > a {
            b = nearest[b].unwrap_or(0);
        }
    }
    a
}

/// Blocks from the exits backwards, each after at least one of those it leads to.
fn reversed_postorder<'c>(exits: &[Block<'c>], predecessors: &HashMap<Block<'c>, Vec<Block<'c>>>) -> Vec<Block<'c>> {
    let mut seen = HashSet::new();
    let mut finished = Vec::new();
    for exit in exits {
        let mut stack = vec![(*exit, false)];
        while let Some((block, done)) = stack.pop() {
            if done {
                finished.push(block);
            } else if seen.insert(block) {
                stack.push((block, true));
                stack.extend(predecessors.get(&block).into_iter().flatten().map(|p| (*p, false)));
            }
        }
    }
    finished.reverse();
    finished
}
