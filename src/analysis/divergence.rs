//! Divergence analysis: which values, branches and blocks of a kernel differ between the threads of a block. LLVM calls
//! this uniformity analysis.
//!
//! The sources of divergence are thread and lane ids, atomics and clocks. Divergence propagates through operands (data
//! dependence), through private memory, into the phis at the join points of a divergent branch (sync dependence), and
//! out of loops that threads leave in different iterations (temporal divergence). Blocks that only some threads may run
//! are control-dependent on a divergent branch. A load through a uniform pointer is uniform, as in LLVM's analysis, and
//! so are the arguments of a kernel. A call of a function without a body is assumed to be divergent.

use std::collections::HashSet;

use super::control_flow::ControlFlow;
use super::locals::{Locals, is_unknown};
use crate::contract::builtin::{Builtin, PANIC};
use crate::contract::memory_functions::MEMORY_FUNCTIONS;
use crate::llvm::{Block, Function, Module, Opcode, Value};

/// Functions without memory accesses and without a result: intrinsics, and both kinds of panic.
const SILENT: &[&str] =
    &["llvm.lifetime.", "llvm.assume", "llvm.dbg.", "llvm.trap", "llvm.experimental.noalias.scope.", PANIC];
/// Intrinsics that write only through their first argument.
const COPIES: &[&str] = &["llvm.memcpy.", "llvm.memmove.", "llvm.memset."];
/// Intrinsics whose result differs from thread to thread.
const CLOCKS: &[&str] = &["llvm.readcyclecounter", "llvm.readsteadycounter"];

/// The divergent values and blocks of one function.
pub struct Divergence<'c> {
    values: HashSet<Value<'c>>,
    /// Blocks that are control-dependent on a divergent branch.
    control_dependent: HashSet<Block<'c>>,
    /// Allocas with divergent contents.
    memory: HashSet<Value<'c>>,
    escaped_memory: bool,
    branches: HashSet<Value<'c>>,
    calls: HashSet<Value<'c>>,
    flow: ControlFlow<'c>,
    locals: Locals<'c>,
    work: Vec<Value<'c>>,
}

#[expect(
    clippy::disallowed_methods,
    clippy::iter_over_hash_type,
    reason = "marks only accumulate until nothing changes, so the order does not matter"
)]
impl<'c> Divergence<'c> {
    /// Analyses a kernel; `sources` is the result of [`divergence_sources`] for its module.
    pub fn of(kernel: Function<'c>, sources: &HashSet<Value<'c>>) -> Self {
        let mut divergence = Divergence {
            values: HashSet::new(),
            control_dependent: HashSet::new(),
            memory: HashSet::new(),
            escaped_memory: false,
            branches: HashSet::new(),
            calls: HashSet::new(),
            flow: ControlFlow::of(kernel),
            locals: Locals::of(kernel),
            work: Vec::new(),
        };
        for instruction in kernel.instructions().filter(|i| is_source(*i, sources)) {
            divergence.reach(instruction);
            divergence.mark(instruction);
        }
        while let Some(value) = divergence.work.pop() {
            for user in value.users() {
                divergence.reach(user);
            }
        }
        divergence
    }

    /// Whether `block` is control-dependent on a divergent branch.
    pub fn is_control_dependent(&self, block: Block<'c>) -> bool {
        self.control_dependent.contains(&block)
    }

    /// Whether a branch is divergent.
    pub fn is_divergent(&self, branch: Value<'c>) -> bool {
        self.branches.contains(&branch)
    }

    /// The control-flow graph that the analysis uses.
    pub fn flow(&self) -> &ControlFlow<'c> {
        &self.flow
    }

    fn mark(&mut self, value: Value<'c>) {
        if self.values.insert(value) {
            self.work.push(value);
        }
    }

    /// Propagates divergence to an instruction that uses a divergent value.
    fn reach(&mut self, user: Value<'c>) {
        match user.opcode() {
            Opcode::Br | Opcode::Switch | Opcode::IndirectBr => self.branch(user),
            Opcode::Store => self.write(user.operand(1)),
            Opcode::AtomicRMW | Opcode::AtomicCmpXchg => {
                self.mark(user);
                self.write(user.operand(0));
            }
            Opcode::Call => {
                if Builtin::named(&callee_name(user)).is_none_or(|b| b.divergent) {
                    self.mark(user);
                    self.call(user);
                }
            }
            _ => self.mark(user),
        }
    }

    /// Propagates divergence through a store of a divergent value, or a store in a control-dependent block.
    fn write(&mut self, pointer: Value<'c>) {
        for alloca in self.locals.roots(pointer) {
            self.taint(alloca);
        }
        if is_unknown(pointer) {
            self.taint_escaped();
        }
    }

    fn taint(&mut self, alloca: Value<'c>) {
        if !self.memory.insert(alloca) {
            return;
        }
        let readers = [&self.locals.loads, &self.locals.calls].map(|m| m.get(&alloca).cloned().unwrap_or_default());
        for reader in readers.concat() {
            self.reach(reader);
        }
        if self.locals.escaped.contains(&alloca) {
            self.taint_escaped();
        }
    }

    fn taint_escaped(&mut self) {
        if self.locals.escaped.is_empty() || std::mem::replace(&mut self.escaped_memory, true) {
            return;
        }
        for alloca in self.locals.escaped.clone() {
            self.taint(alloca);
        }
        for reader in self.locals.unknown_readers.clone() {
            self.reach(reader);
        }
    }

    /// Propagates divergence through a call with a divergent argument, or in a control-dependent block, to the memory
    /// that it may write.
    fn call(&mut self, call: Value<'c>) {
        let name = callee_name(call);
        let is_one_of = |names: &[&str]| names.iter().any(|n| name.starts_with(n));
        if is_one_of(SILENT) || Builtin::named(&name).is_some() || !self.calls.insert(call) {
            return;
        }
        let arguments = call.arguments();
        let written = if is_one_of(COPIES) { 1 } else { arguments.len() };
        let pointers: Vec<_> = arguments.into_iter().take(written).filter(|a| a.ty().is_pointer()).collect();
        for pointer in &pointers {
            self.write(*pointer);
        }
        if !name.starts_with("llvm.") && (!pointers.is_empty() || self.locals.published) {
            self.taint_escaped();
        }
    }

    /// Handles a divergent branch: its region becomes control-dependent, and values become divergent where paths join
    /// or leave the region.
    fn branch(&mut self, branch: Value<'c>) {
        let block = branch.block();
        if !self.branches.insert(branch) || self.flow.successors(block).len() < 2 {
            return;
        }
        let region = self.flow.region(block);
        self.join(block, &region);
        if region.contains(&block) {
            self.leave(&region);
        }
        for block in region {
            self.control(block);
        }
    }

    /// Sync dependence: threads reach a join point on different paths, so its phis are divergent.
    fn join(&mut self, branch: Block<'c>, region: &HashSet<Block<'c>>) {
        for join in region.iter().copied().chain(self.flow.post_dominator(branch)) {
            for phi in join.instructions().take_while(|i| i.opcode() == Opcode::Phi) {
                let mut values =
                    phi.incoming().into_iter().filter(|(_, from)| *from == branch || region.contains(from));
                if values.next().is_some_and(|(first, _)| values.any(|(value, _)| value != first)) {
                    self.mark(phi);
                }
            }
        }
    }

    /// Temporal divergence: threads leave a loop in different iterations, so values from the loop are divergent outside
    /// of it.
    fn leave(&mut self, region: &HashSet<Block<'c>>) {
        let inside = region.iter().flat_map(|b| b.instructions());
        let outside = |user: &Value<'c>| !region.contains(&user.block());
        for user in inside.flat_map(|value| value.users()).filter(outside).collect::<Vec<_>>() {
            self.reach(user);
        }
    }

    /// Handles a control-dependent block: only some threads execute its stores.
    fn control(&mut self, block: Block<'c>) {
        if !self.control_dependent.insert(block) {
            return;
        }
        for instruction in block.instructions() {
            match instruction.opcode() {
                Opcode::Store => self.write(instruction.operand(1)),
                Opcode::AtomicRMW | Opcode::AtomicCmpXchg => self.write(instruction.operand(0)),
                Opcode::Call => self.call(instruction),
                _ => {}
            }
        }
    }
}

/// The name of the called function; `""` for a call through a pointer.
fn callee_name(call: Value<'_>) -> String {
    call.called_function().map(|f| f.name()).unwrap_or_default()
}

/// The functions of a module whose result may differ between threads that pass the same arguments.
pub fn divergence_sources<'c>(module: &Module<'c>) -> HashSet<Value<'c>> {
    let mut sources: HashSet<Value<'c>> = HashSet::new();
    let mut changed = true;
    while changed {
        changed = false;
        for function in module.functions() {
            if !sources.contains(&function) && function.instructions().any(|i| is_source(i, &sources)) {
                changed |= sources.insert(*function);
            }
        }
    }
    sources
}

/// Whether the result of an instruction may differ between threads although its operands are uniform.
fn is_source<'c>(instruction: Value<'c>, sources: &HashSet<Value<'c>>) -> bool {
    match instruction.opcode() {
        Opcode::AtomicRMW | Opcode::AtomicCmpXchg => true,
        Opcode::Load => sources.contains(&instruction),
        Opcode::Call => {
            let Some(callee) = instruction.called_function() else { return true };
            let name = callee.name();
            match Builtin::named(&name) {
                Some(builtin) => builtin.divergent,
                None if callee.is_intrinsic() => {
                    sources.contains(&callee) || CLOCKS.iter().any(|clock| name.starts_with(clock))
                }
                None if callee.is_declaration() => !MEMORY_FUNCTIONS.contains(&name.as_str()),
                None => sources.contains(&callee),
            }
        }
        _ => false,
    }
}
