//! Divergence analysis: which values, branches and blocks of a kernel differ between the threads of a block. LLVM calls
//! this uniformity analysis.
//!
//! The sources of divergence are thread and lane ids, and values that the host, the machine or another thread decides:
//! results of host calls, clocks, addresses of locals, atomics, volatile and atomic loads. `is_source` lists them.
//! Divergence propagates through operands (data dependence), through the bytes of private memory that later loads read,
//! into the phis at the join points of a divergent branch (sync dependence), and out of loops that threads leave in
//! different iterations (temporal divergence). Blocks that only some threads may run are control-dependent on a
//! divergent branch. The arguments of a kernel are uniform. A call of a function without a body is assumed to be
//! divergent.
//!
//! A load through a uniform pointer is uniform, as in LLVM's analysis: all threads execute it between the same
//! barriers, and a thread that writes there at this time is a data race. Atomic loads cannot race, so safe Rust may use
//! them to give each thread another answer, and they are divergent. A pointer to a local counts as uniform if it leads
//! to the same local in each thread. A load through it, or through a pointer that may be one, is divergent if a
//! divergent write to the local may come before (`locals.rs`).

use std::collections::{HashMap, HashSet};

use super::control_flow::ControlFlow;
use super::exposed_addresses::exposed_addresses;
use super::locals::{Bytes, Locals, is_copy, is_local, is_unknown};
use crate::contract::builtin::{Builtin, BuiltinId, PANIC};
use crate::contract::memory_functions::MEMORY_FUNCTIONS;
use crate::contract::queries::is_query;
use crate::llvm::{Block, Function, Module, Opcode, Value};

/// Functions without memory accesses and without a result: intrinsics, and both kinds of panic.
const SILENT: &[&str] =
    &["llvm.lifetime.", "llvm.assume", "llvm.dbg.", "llvm.trap", "llvm.experimental.noalias.scope.", PANIC];
/// Intrinsics whose result differs from thread to thread: clocks, and those for a thread's stack and registers.
const OF_THE_MACHINE: &[&str] = &[
    "llvm.readcyclecounter",
    "llvm.readsteadycounter",
    "llvm.frameaddress",
    "llvm.returnaddress",
    "llvm.addressofreturnaddress",
    "llvm.sponentry",
    "llvm.stacksave",
    "llvm.thread.pointer",
    "llvm.read_register",
    "llvm.read_volatile_register",
];

/// An alloca with more divergent writes than this is divergent as a whole, so that the analysis stays linear.
const MAX_WRITES: usize = 64;
/// In a function with more blocks than this, every read counts as later than every write.
const MAX_BLOCKS: usize = 1000;

/// Bytes of an alloca, and the block that writes a divergent value to them; none if any block may.
type Write<'c> = (Bytes, Option<Block<'c>>);

/// The divergent values and blocks of one function.
pub struct Divergence<'c> {
    values: HashSet<Value<'c>>,
    /// Blocks that are control-dependent on a divergent branch.
    control_dependent: HashSet<Block<'c>>,
    /// The divergent writes to allocas.
    memory: HashMap<Value<'c>, HashSet<Write<'c>>>,
    /// The blocks that may write divergent values to every escaped alloca.
    escaped_memory: HashSet<Block<'c>>,
    /// The blocks that follow a block on some path.
    later: HashMap<Block<'c>, HashSet<Block<'c>>>,
    branches: HashSet<Value<'c>>,
    calls: HashSet<Value<'c>>,
    /// The instructions that divergence has reached. To reach one again changes nothing.
    reached: HashSet<Value<'c>>,
    /// The blocks, or any block, whose writes have reached all readers of unknown memory.
    written: HashSet<Option<Block<'c>>>,
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
    pub fn of(module: &Module<'c>, kernel: Function<'c>, sources: &HashSet<Value<'c>>) -> Self {
        let mut divergence = Divergence {
            values: HashSet::new(),
            control_dependent: HashSet::new(),
            memory: HashMap::new(),
            escaped_memory: HashSet::new(),
            later: HashMap::new(),
            branches: HashSet::new(),
            calls: HashSet::new(),
            reached: HashSet::new(),
            written: HashSet::new(),
            flow: ControlFlow::of(kernel),
            locals: Locals::of(module, kernel),
            work: Vec::new(),
        };
        let exposed = exposed_addresses(kernel, &divergence.locals);
        for instruction in kernel.instructions().filter(|i| is_source(*i, sources)).chain(exposed) {
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

    /// Whether a value may differ between the threads that compute it together. It may differ elsewhere, too, if its
    /// block is control-dependent.
    pub fn differs(&self, value: Value<'c>) -> bool {
        self.values.contains(&value)
    }

    /// Whether a value may contain the address of a local, which each thread has at a different place.
    pub fn is_own_address(&self, value: Value<'c>) -> bool {
        self.locals.addresses.contains(value)
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
        if !self.reached.insert(user) {
            return;
        }
        match user.opcode() {
            Opcode::Br | Opcode::Switch | Opcode::IndirectBr => self.branch(user),
            Opcode::Store => self.store(user),
            Opcode::AtomicRMW | Opcode::AtomicCmpXchg => {
                self.mark(user);
                self.store(user);
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

    /// Propagates divergence through a store, an atomic or a copy, of a divergent value or in a control-dependent
    /// block.
    fn store(&mut self, store: Value<'c>) {
        let block = store.block();
        for (alloca, bytes) in self.locals.writes.get(&store).cloned().unwrap_or_default() {
            self.taint(alloca, (bytes, Some(block)));
        }
        if is_unknown(store.operand(u32::from(store.is(Opcode::Store)))) {
            self.taint_escaped(block);
        }
    }

    /// Propagates divergence through a write of unknown length, before or after the address.
    fn overwrite(&mut self, pointer: Value<'c>, block: Block<'c>) {
        for alloca in self.locals.roots(pointer) {
            self.taint(alloca, (Bytes::ALL, Some(block)));
        }
        if is_unknown(pointer) {
            self.taint_escaped(block);
        }
    }

    fn taint(&mut self, alloca: Value<'c>, write: Write<'c>) {
        let writes = self.memory.entry(alloca).or_default();
        let all = (Bytes::ALL, None);
        let (bytes, block) = if writes.len() < MAX_WRITES { write } else { all };
        if writes.contains(&all) || !writes.insert((bytes, block)) {
            return;
        }
        let loads = self.locals.loads.get(&alloca).into_iter().flatten();
        let loads = loads.filter(|(_, read)| read.overlap(bytes)).map(|(load, _)| *load);
        let calls = self.locals.calls.get(&alloca).into_iter().flatten().copied();
        self.reach_later(block, loads.chain(calls).collect());
        if self.locals.escaped.contains(&alloca) {
            self.reach_unknown(block);
        }
    }

    /// Propagates divergence to the readers of unknown memory after a block.
    fn reach_unknown(&mut self, block: Option<Block<'c>>) {
        if self.written.insert(block) {
            self.reach_later(block, self.locals.unknown_readers.clone());
        }
    }

    /// Propagates divergence to those readers that a thread may execute after a block.
    fn reach_later(&mut self, block: Option<Block<'c>>, readers: Vec<Value<'c>>) {
        for reader in readers {
            if self.reached.contains(&reader) {
                continue;
            }
            if block.is_none_or(|block| self.may_follow(block, reader.block())) {
                self.reach(reader);
            }
        }
    }

    /// Whether a thread may execute something in `second` after something in `first`.
    fn may_follow(&mut self, first: Block<'c>, second: Block<'c>) -> bool {
        let flow = &self.flow;
        first == second
            || !flow.reaches_exit(first)
            || !flow.reaches_exit(second)
            || flow.block_count() > MAX_BLOCKS
            || self.later.entry(first).or_insert_with(|| flow.later(first)).contains(&second)
    }

    fn taint_escaped(&mut self, block: Block<'c>) {
        if self.locals.escaped.is_empty() || !self.escaped_memory.insert(block) {
            return;
        }
        for alloca in self.locals.escaped.clone() {
            self.taint(alloca, (Bytes::ALL, Some(block)));
        }
        self.reach_unknown(Some(block));
    }

    /// Propagates divergence through a call with a divergent argument, or in a control-dependent block, to the memory
    /// that it may write.
    fn call(&mut self, call: Value<'c>) {
        let name = callee_name(call);
        let writes_nothing = |builtin: &Builtin| builtin.id != BuiltinId::CallHost;
        let is_silent =
            SILENT.iter().any(|silent| name.starts_with(silent)) || Builtin::named(&name).is_some_and(writes_nothing);
        if is_silent || call.only_reads() || !self.calls.insert(call) {
            return;
        }
        if is_copy(call) {
            return self.store(call);
        }
        let (pointers, others): (Vec<_>, Vec<_>) = call.arguments().into_iter().partition(|a| a.ty().is_pointer());
        let block = call.block();
        for pointer in &pointers {
            self.overwrite(*pointer, block);
        }
        // Pointers in vectors, structs and numbers.
        let are_hidden = others.into_iter().any(|other| self.locals.may_hold_address(other));
        if are_hidden || (!name.starts_with("llvm.") && (!pointers.is_empty() || self.locals.published)) {
            self.taint_escaped(block);
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
                Opcode::Store | Opcode::AtomicRMW | Opcode::AtomicCmpXchg => self.store(instruction),
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
    let exposes = |f: &Function<'c>| !exposed_addresses(*f, &Locals::of(module, *f)).is_empty();
    let mut sources: HashSet<Value<'c>> = module.definitions().filter(exposes).map(Value::from).collect();
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

/// Whether the result of an instruction may differ between threads although its operands are uniform. `sources` has
/// functions, of [`divergence_sources`], and further instructions that count.
pub fn is_source<'c>(instruction: Value<'c>, sources: &HashSet<Value<'c>>) -> bool {
    match instruction.opcode() {
        _ if sources.contains(&instruction) => true,
        Opcode::AtomicRMW | Opcode::AtomicCmpXchg => true,
        Opcode::Load => may_change_between_threads(instruction),
        Opcode::Call => {
            let Some(callee) = instruction.called_function() else { return true };
            let name = callee.name();
            match Builtin::named(&name) {
                Some(builtin) => builtin.divergent,
                None if callee.is_intrinsic() => {
                    sources.contains(&callee) || OF_THE_MACHINE.iter().any(|known| name.starts_with(known))
                }
                // A query of the arch has the same answer for all threads, whether it has been folded or not.
                None if is_query(&name) => false,
                None if callee.is_declaration() => !MEMORY_FUNCTIONS.contains(&name.as_str()),
                None => sources.contains(&callee),
            }
        }
        _ => false,
    }
}

/// Whether another thread, or the host, may write between the loads of two threads without a data race.
fn may_change_between_threads(load: Value<'_>) -> bool {
    (load.is_volatile() || load.is_atomic()) && !is_local(load.operand(0))
}
