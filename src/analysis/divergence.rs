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
use crate::llvm::{Block, Module, Opcode, Value};

/// Functions that touch no memory and whose result is nothing: intrinsics, and both kinds of panic.
const SILENT: &[&str] =
    &["llvm.lifetime.", "llvm.assume", "llvm.dbg.", "llvm.trap", "llvm.experimental.noalias.scope.", PANIC];
/// Intrinsics that write through their first argument only.
const COPIES: &[&str] = &["llvm.memcpy.", "llvm.memmove.", "llvm.memset."];
/// Intrinsics that give each thread its own answer.
const CLOCKS: &[&str] = &["llvm.readcyclecounter", "llvm.readsteadycounter"];

/// The divergent values and blocks of one function.
pub struct Divergence<'c> {
    values: HashSet<Value<'c>>,
    /// Blocks that only some threads may run.
    control_dependent: HashSet<Block<'c>>,
    /// Allocas whose content is divergent.
    memory: HashSet<Value<'c>>,
    escaped_memory: bool,
    branches: HashSet<Value<'c>>,
    calls: HashSet<Value<'c>>,
    flow: ControlFlow<'c>,
    locals: Locals<'c>,
    work: Vec<Value<'c>>,
}

impl<'c> Divergence<'c> {
    /// That of a kernel; `sources` is the result of [`divergence_sources`] for its module.
    pub fn of(kernel: Value<'c>, sources: &HashSet<Value<'c>>) -> Self {
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

    /// Whether only some threads of a block may run `block`.
    pub fn is_control_dependent(&self, block: Block<'c>) -> bool {
        self.control_dependent.contains(&block)
    }

    /// Whether threads may leave a branch on different ways.
    pub fn divides(&self, branch: Value<'c>) -> bool {
        self.branches.contains(&branch)
    }

    /// The control flow that it looked at.
    pub fn flow(&self) -> &ControlFlow<'c> {
        &self.flow
    }

    fn mark(&mut self, value: Value<'c>) {
        if self.values.insert(value) {
            self.work.push(value);
        }
    }

    /// Something divergent reaches an instruction.
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

    /// A divergent value, or one that only some threads have, is written.
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

    /// A call gets something divergent, or only some threads call: what it may write.
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

    /// A branch on a divergent value: its region is controlled, values that meet or leave there are divergent.
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

    /// Threads come to a join on different ways, each with the value of its way.
    fn join(&mut self, branch: Block<'c>, region: &HashSet<Block<'c>>) {
        for join in region.iter().copied().chain(self.flow.meet(branch)) {
            for phi in join.instructions().take_while(|i| i.opcode() == Opcode::Phi) {
                let mut ways = phi.incoming().into_iter().filter(|(_, from)| *from == branch || region.contains(from));
                if ways.next().is_some_and(|(first, _)| ways.any(|(value, _)| value != first)) {
                    self.mark(phi);
                }
            }
        }
    }

    /// Threads leave a loop at different times, each with its own values.
    fn leave(&mut self, region: &HashSet<Block<'c>>) {
        let inside = region.iter().flat_map(|b| b.instructions());
        let outside = |user: &Value<'c>| !region.contains(&user.block());
        for user in inside.flat_map(|value| value.users()).filter(outside).collect::<Vec<_>>() {
            self.reach(user);
        }
    }

    /// Only some threads run a block: what it writes, only they write.
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

/// The called function's name, `""` for a call through a pointer.
fn callee_name(call: Value<'_>) -> String {
    call.called_function().map(|f| f.name()).unwrap_or_default()
}

/// The functions of a module whose result can differ between threads that give the same arguments.
pub fn divergence_sources<'c>(module: &Module<'c>) -> HashSet<Value<'c>> {
    let mut sources: HashSet<Value<'c>> = HashSet::new();
    let mut changed = true;
    while changed {
        changed = false;
        for function in module.functions() {
            if !sources.contains(&function) && function.instructions().any(|i| is_source(i, &sources)) {
                changed |= sources.insert(function);
            }
        }
    }
    sources
}

/// Whether an instruction's value differs between threads although its operands are the same.
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
