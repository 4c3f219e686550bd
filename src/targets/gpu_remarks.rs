//! Remarks about kernels on GPUs: accesses that are not coalesced, loops that divide warps, checks in inner loops, and
//! generic pointers.

use std::collections::HashSet;

use crate::analysis::control_flow::ControlFlow;
use crate::analysis::cycles::{Loop, loops};
use crate::analysis::location::{own_location, user_location};
use crate::contract::builtin::{CONSTANT_SECTION, SHARED_SECTION};
use crate::contract::kernel::{Kernel, KernelSet};
use crate::diagnostics::{Diagnostic, Location, Remark, Topic};
use crate::llvm::{Block, Function, Module, Opcode, Value};
use crate::spmd::{Addresses, Neighbours};

/// The builtins whose results are more by one in the next thread of a warp.
const NUMBERS: [&str; 2] = ["__offload_thread_id_x", "__offload_lane_id"];

/// The remarks that follow from the neutral module, and are the same for all GPUs.
pub fn remark_on_neutral(module: &Module<'_>, kernels: &KernelSet) -> Vec<Diagnostic> {
    let each = kernels.iter().filter_map(|kernel| Some((kernel, module.function(&kernel.name)?)));
    each.flat_map(|(kernel, function)| Body::of(module, kernel, function).remarks()).collect()
}

/// The remarks about pointers to any address space, in the code of a target for which that space has this number.
pub fn remark_on_pointers(module: &Module<'_>, kernels: &KernelSet, generic: u32) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    for (kernel, function) in kernels.iter().filter_map(|kernel| Some((kernel, module.function(&kernel.name)?))) {
        let accesses = function.instructions().filter(|i| is_access(*i) && pointer(*i).ty().address_space() == generic);
        let accesses: Vec<_> = accesses.collect();
        for access in in_lines(accesses) {
            let text = format!("{} memory through a pointer whose address space is not known", verb(access));
            let remark = remark(kernel, Topic::Pointers, "generic", &text, access);
            all.push(remark.help("let the pointer come from one buffer or one `shared!` array, and not from a choice"));
        }
    }
    all
}

/// The code of a kernel.
struct Body<'a, 'c> {
    kernel: &'a Kernel,
    function: Function<'c>,
    flow: ControlFlow<'c>,
    neighbours: Neighbours<'a, 'c>,
    loops: Vec<Loop<'c>>,
}

impl<'a, 'c> Body<'a, 'c> {
    fn of(module: &'a Module<'c>, kernel: &'a Kernel, function: Function<'c>) -> Self {
        let is_number = |i: &Value<'c>| {
            let callee = if i.is_call() { i.called_function() } else { None };
            callee.is_some_and(|callee| NUMBERS.contains(&&callee.name()[..]))
        };
        let numbers: Vec<_> = function.instructions().filter(is_number).collect();
        let neighbours = Neighbours::of(module, function, &numbers);
        Self { kernel, function, flow: ControlFlow::of(function), neighbours, loops: loops(function) }
    }

    fn remarks(&self) -> Vec<Diagnostic> {
        [self.accesses(), self.divided_loops(), self.checks()].concat()
    }

    /// Whether threads come to a block that do not panic.
    fn is_live(&self, block: Block<'c>) -> bool {
        self.flow.reaches_exit(block)
    }

    /// Loads and stores of global memory whose addresses are far apart in neighbouring threads.
    fn accesses(&self) -> Vec<Diagnostic> {
        let is_far = |i: &Value<'c>| {
            is_access(*i)
                && self.is_live(i.block())
                && is_global(pointer(*i))
                && self.neighbours.addresses(*i) != Addresses::Near
        };
        let accesses = self.function.instructions().filter(is_far).collect();
        let each = in_lines(accesses).into_iter().map(|access| {
            let verb = verb(access);
            let (cause, text) = match self.neighbours.addresses(access) {
                Addresses::Strided(bytes) => {
                    ("strided", format!("{verb} elements that are {bytes} bytes apart in neighbouring threads"))
                }
                _ => ("scattered", format!("{verb} elements whose places in neighbouring threads are not known")),
            };
            let remark = remark(self.kernel, Topic::Memory, cause, &text, access);
            let remark = remark.note("a warp needs up to one transaction for each thread, and not for all of them");
            remark.help("let neighbouring threads access neighbouring elements, or go through a `shared!` array")
        });
        each.collect()
    }

    /// Loops that the threads of a warp leave in different iterations.
    fn divided_loops(&self) -> Vec<Diagnostic> {
        let exits = |l: &Loop<'c>| {
            let leaves = |block: &&Block<'c>| {
                block.successors().into_iter().any(|next| !l.blocks.contains(&next) && self.is_live(next))
            };
            let ends = l.in_order.iter().filter(leaves).filter_map(|block| block.terminator());
            ends.into_iter().find(|end| end.condition().is_some_and(|condition| !self.neighbours.agree(condition)))
        };
        let each = in_lines(self.loops.iter().filter_map(exits).collect()).into_iter().map(|end| {
            let text = "has a loop that the threads of a warp leave in different iterations";
            let remark = remark(self.kernel, Topic::Loops, "divided", text, end);
            let remark = remark.note("a warp runs as often as the thread with the most iterations");
            remark.help("let all threads run equally often, or sort the work by its length")
        });
        each.collect()
    }

    /// Checks that panic in loops without loops in them.
    fn checks(&self) -> Vec<Diagnostic> {
        let is_inner = |l: &&Loop<'c>| {
            self.loops.iter().all(|other| other.header == l.header || !l.blocks.contains(&other.header))
        };
        let inner = self.loops.iter().filter(is_inner).flat_map(|l| l.in_order.iter().copied());
        let is_check = |block: &Block<'c>| {
            let next = block.successors();
            self.is_live(*block) && next.len() > 1 && next.into_iter().any(|next| !self.is_live(next))
        };
        let checks = inner.filter(is_check).filter_map(|block| block.terminator()).collect();
        let each = in_lines(checks).into_iter().map(|check| {
            let text = "checks in each iteration of a loop whether it must panic";
            let remark = remark(self.kernel, Topic::Checks, "check-in-loop", text, check);
            remark.help("check a slice of the right length before the loop, or iterate over it: `for x in &x[a..b]`")
        });
        each.collect()
    }
}

fn remark(kernel: &Kernel, topic: Topic, cause: &'static str, text: &str, at: Value<'_>) -> Diagnostic {
    let name = kernel.display.clone();
    let text = format!("kernel `{name}` {text}");
    let remark = Remark { topic, kernel: name, region: None, cause: Some(cause), width: None };
    Diagnostic::remark(remark, text).at(place(at))
}

fn place(instruction: Value<'_>) -> Option<Location> {
    own_location(instruction).or_else(|| user_location(instruction))
}

/// One instruction for each place and opcode, in their order. A user cannot change the crate's own code, such as the
/// load of an argument.
fn in_lines(instructions: Vec<Value<'_>>) -> Vec<Value<'_>> {
    let mut seen = HashSet::new();
    let is_users = |i: &Value<'_>| i.frames().is_empty() || own_location(*i).is_some();
    let instructions = instructions.into_iter().filter(is_users);
    instructions.filter(|i| place(*i).is_none_or(|at| seen.insert((at, i.is(Opcode::Store))))).collect()
}

fn is_access(instruction: Value<'_>) -> bool {
    matches!(instruction.opcode(), Opcode::Load | Opcode::Store)
}

fn pointer(access: Value<'_>) -> Value<'_> {
    access.operand(if access.is(Opcode::Store) { 1 } else { 0 })
}

fn verb(access: Value<'_>) -> &'static str {
    if access.is(Opcode::Store) { "stores" } else { "loads" }
}

/// Whether a pointer of the neutral module may be one to global memory.
fn is_global(pointer: Value<'_>) -> bool {
    let base = pointer.base();
    let is_elsewhere = || [SHARED_SECTION, CONSTANT_SECTION].contains(&base.section().as_str());
    !(base.is(Opcode::Alloca) || (base.is_global_variable() && is_elsewhere()))
}
