//! Lets the threads of a block agree on an early return before a barrier.
//!
//! `if i >= n { return; }` before a barrier is the most frequent guard of CUDA's kernels. Most launches take it with
//! all threads of a block or with none. Where the promised size of the block decides it, it is folded. Elsewhere the
//! threads compare their answers, and one that differs from the first thread of its block panics:
//!
//! ```c
//! if (c) return;           =>      if (thread_id == 0) answer = c;      (in workgroup memory)
//!                                  sync_threads();
//!                                  if (answer != c) panic();
//!                                  if (answer) return;
//! ```
//!
//! On NVIDIA's GPUs, a barrier counts threads that have returned, and on others it does not wait for them. No device
//! needs such a thread. But the other threads would then read memory that this thread has not written, and safe
//! functions like `block::reduce` promise that no thread reads such memory. So the rule of the source remains: all
//! threads of a block reach the same barrier. Only the proof is left to the launch.
//!
//! A guard compares the position of the thread with a value that all threads share, by order, and threads that take it
//! return without doing anything else. All other conditions, such as `if thread_id % 2 == 0`, are still refused: no
//! launch makes them right. The index of the crate `offload` is the greatest number in threads that are not in the
//! first row of their block, so a bound of the index contains a test for the first row. A guard in a loop is refused,
//! too: its answer would need a second barrier in each iteration.

use std::collections::HashSet;

use crate::analysis::convergence::{divergent_barrier, has_convergent_ops};
use crate::analysis::convergent_calls::{is_barrier, is_convergent};
use crate::analysis::divergence::{Divergence, divergence_sources};
use crate::analysis::effects::has_effect;
use crate::analysis::location::own_location;
use crate::contract::builtin::{
    Axis, BLOCK_SIZE, Builtin, BuiltinId, DeviceBuiltin, LAUNCH_BOUNDS, PANIC, SHARED_SECTION,
};
use crate::contract::checker::is_of_checker;
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::{DevicePanic, PanicTable, SourceLocation};
use crate::error::Result;
use crate::llvm::{Block, Builder, Function, IntPredicate, Linkage, Module, Opcode, Value};

/// The most guards of a kernel.
const MOST_GUARDS: usize = 16;
/// The largest depth of a condition.
const MOST_DEPTH: usize = 8;
/// The message of a thread that differs from the others.
const TEXT: &str = "threads of a block disagree about an early return before a barrier";

/// Changes the guards of all kernels in which a barrier follows a guard.
pub fn agree_on_returns(
    module: &Module<'_>,
    kernels: &KernelSet,
    mode: DevicePanic,
    table: &mut PanicTable,
) -> Result<()> {
    if !has_convergent_ops(module) {
        return Ok(());
    }
    let sources = divergence_sources(module);
    let kernels: Vec<_> = kernels.functions(module).filter(|kernel| !kernel.is_declaration()).collect();
    let guarded: Vec<_> = kernels.into_iter().filter(|kernel| find(module, *kernel, &sources).is_some()).collect();
    let promising = guarded.iter().filter(|kernel| bound_threads(module, **kernel)).count();
    if promising > 0 {
        // These passes decide comparisons with the size of the block.
        module.run_neutral_passes("function(correlated-propagation,sccp,simplifycfg)")?;
    }
    for kernel in guarded {
        for number in 0..MOST_GUARDS {
            let Some(guard) = find(module, kernel, &sources) else { break };
            agree(module, guard, number, mode, table);
        }
    }
    Ok(())
}

/// The branch of the first guard that is in the way of a barrier.
fn find<'c>(module: &Module<'c>, kernel: Function<'c>, sources: &HashSet<Value<'c>>) -> Option<Value<'c>> {
    let divergence = Divergence::of(module, kernel, sources);
    divergent_barrier(kernel, &divergence)?;
    let flow = divergence.flow();
    let has = |block: Block<'c>, which: fn(Value<'c>) -> bool| {
        flow.later(block).into_iter().chain([block]).any(|block| block.instructions().any(which))
    };
    kernel.blocks().into_iter().find_map(|block| {
        let branch = block.terminator().filter(|end| end.is(Opcode::Br) && divergence.is_divergent(*end))?;
        branch.condition().filter(|condition| is_bound(*condition, &divergence, 0))?;
        let returns = branch.successors().into_iter().filter(|side| !has(*side, acts)).count() == 1;
        let waits = branch.successors().into_iter().any(|side| has(side, is_barrier));
        let is_once = !flow.later(block).contains(&block) && !divergence.is_control_dependent(block);
        (returns && waits && is_once).then_some(branch)
    })
}

/// Whether an instruction does more than compute a value, or is a convergent operation. The calls of the checker are
/// not asked, because a thread that returns makes one, too.
fn acts(instruction: Value<'_>) -> bool {
    let is_check = || instruction.called_function().is_some_and(is_of_checker);
    is_convergent(instruction) || (has_effect(instruction) && !is_marker(instruction) && !is_check())
}

/// Whether an instruction is only a hint for the optimiser.
fn is_marker(instruction: Value<'_>) -> bool {
    let markers = ["llvm.lifetime.", "llvm.assume", "llvm.dbg."];
    instruction.called_intrinsic().is_some_and(|f| markers.iter().any(|marker| f.name().starts_with(marker)))
}

/// Whether a condition is a bound of the thread's position, or is made of such bounds and of values that all threads
/// share.
fn is_bound<'c>(condition: Value<'c>, divergence: &Divergence<'c>, depth: usize) -> bool {
    let is_part = |part: Value<'c>| {
        let is_shared = part.is_constant() || !divergence.differs(part);
        is_shared || is_first_row(part, divergence) || is_bound(part, divergence, depth + 1)
    };
    let parts = || condition.operands().into_iter().all(is_part);
    if depth > MOST_DEPTH || !condition.is_instruction() {
        return false;
    }
    match condition.opcode() {
        Opcode::ICmp => {
            let [left, right] = [0, 1].map(|side| divergence.differs(condition.operand(side)));
            let is_order = !matches!(condition.icmp_predicate(), IntPredicate::Eq | IntPredicate::Ne);
            is_order && left != right && condition.operands().into_iter().all(|o| is_position(o, divergence, depth))
        }
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Select | Opcode::Freeze => parts(),
        _ => false,
    }
}

/// Whether a value is computed from the thread's position and from values that all threads share.
fn is_position<'c>(value: Value<'c>, divergence: &Divergence<'c>, depth: usize) -> bool {
    use Opcode::{Add, And, Freeze, LShr, Mul, Or, SExt, Shl, Sub, Trunc, UDiv, URem, ZExt};
    if value.is_constant() || !divergence.differs(value) {
        return true;
    }
    let parts = || value.operands().into_iter().all(|part| is_position(part, divergence, depth + 1));
    match value.opcode() {
        _ if depth > MOST_DEPTH => false,
        Opcode::Call => {
            Builtin::called_by(value).is_some_and(|b| matches!(b.id, BuiltinId::Device(DeviceBuiltin::ThreadId(_))))
        }
        Add | Sub | Mul | Shl | LShr | UDiv | URem | And | Or | ZExt | SExt | Trunc | Freeze => parts(),
        Opcode::Select => {
            let [condition, numbers @ ..] = &value.operands()[..] else { return false };
            let is_known = !divergence.differs(*condition) || is_first_row(*condition, divergence);
            is_known && numbers.iter().all(|number| is_position(*number, divergence, depth + 1))
        }
        _ => false,
    }
}

/// Whether a condition compares the row or the layer of the thread in its block with the first: `(y | z) == 0`. It is
/// the same in all threads of a block with one row.
fn is_first_row<'c>(condition: Value<'c>, divergence: &Divergence<'c>) -> bool {
    if !condition.is(Opcode::ICmp) || !matches!(condition.icmp_predicate(), IntPredicate::Eq | IntPredicate::Ne) {
        return false;
    }
    let [left, right] = [condition.operand(0), condition.operand(1)];
    right.as_u64() == Some(0) && is_row(left, divergence, 0)
}

fn is_row<'c>(value: Value<'c>, divergence: &Divergence<'c>, depth: usize) -> bool {
    if !divergence.differs(value) {
        return true;
    }
    let parts = || value.operands().into_iter().all(|part| is_row(part, divergence, depth + 1));
    match value.opcode() {
        _ if depth > MOST_DEPTH => false,
        Opcode::Call => Builtin::called_by(value)
            .is_some_and(|builtin| matches!(builtin.id, BuiltinId::Device(DeviceBuiltin::ThreadId(Axis::Y | Axis::Z)))),
        Opcode::Or | Opcode::ZExt | Opcode::Freeze => parts(),
        _ => false,
    }
}

/// Gives the optimiser the promised number of threads in a block. Returns whether there is such a promise.
///
/// Every runtime refuses launches with more threads than promised. Whether it refuses another shape with as many
/// depends on the driver, so the number of a thread in each direction is only below all of them.
fn bound_threads<'c>(module: &Module<'c>, kernel: Function<'c>) -> bool {
    let promise = |call: Value<'c>| {
        let numbers: Vec<_> = call.arguments().into_iter().map_while(Value::as_u64).collect();
        match (Builtin::called_by(call)?.id, &numbers[..]) {
            (BuiltinId::LaunchBounds, [threads, _]) => Some(*threads),
            (BuiltinId::BlockSize, [x, y, z]) => Some(x.saturating_mul(*y).saturating_mul(*z)),
            _ => None,
        }
    };
    let promises = [LAUNCH_BOUNDS, BLOCK_SIZE].into_iter().filter_map(|name| module.function(name));
    let calls = promises.flat_map(|function| function.calls()).filter(|call| call.function() == kernel);
    let Some(most) = calls.filter_map(promise).filter(|most| *most > 0).min() else { return false };
    for axis in Axis::ALL {
        let position = module.function(DeviceBuiltin::ThreadId(axis).symbol());
        let calls = position.iter().flat_map(|function| function.calls()).filter(|call| call.function() == kernel);
        calls.for_each(|call| call.bound_result(most));
    }
    true
}

fn agree<'c>(module: &Module<'c>, branch: Value<'c>, number: usize, mode: DevicePanic, table: &mut PanicTable) {
    let i32 = module.types().i32();
    let condition = branch.condition().expect("a guard has a condition");
    let above = branch.block();
    let kernel = above.function();
    let answer = module.add_variable(&format!("{}.answer{number}", kernel.name()), i32, 0);
    answer.set_initializer(Some(i32.poison()));
    answer.set_linkage(Linkage::Internal);
    answer.set_section(SHARED_SECTION);
    answer.set_alignment(4);

    let [tell, wait, wrong] = ["tell", "wait", "wrong"].map(|name| kernel.append_block(name));
    let builder = Builder::before(branch);
    builder.locate_as(branch);
    let own = builder.cast(Opcode::ZExt, condition, i32, "own");
    let position = Axis::ALL.map(|axis| {
        let builtin = DeviceBuiltin::ThreadId(axis).builtin();
        builder.call(module.declare(builtin.name, builtin.function_type(module)), &[], "")
    });
    let number = position.into_iter().reduce(|all, one| builder.binary(Opcode::Or, all, one, ""));
    let is_first = builder.icmp(IntPredicate::Eq, number.expect("there are axes"), i32.zero(), "first");
    let below = branch.split_block("agreed");
    above.terminator().expect("a block that was split goes on").erase();
    Builder::at_end(above).cond_br(is_first, tell, wait);

    let builder = Builder::at_end(tell);
    builder.store(own, answer, 4);
    builder.br(wait);

    let builder = Builder::at_end(wait);
    builder.locate_as(branch);
    let barrier = DeviceBuiltin::SyncThreads.builtin();
    let barrier = builder.call(module.declare(barrier.name, barrier.function_type(module)), &[], "");
    barrier.mark("convergent");
    let common = builder.load(i32, answer, 4, "common");
    builder.cond_br(builder.icmp(IntPredicate::Eq, common, own, ""), below, wrong);

    panic(module, &Builder::at_end(wrong), branch, mode, table);

    let builder = Builder::before(branch);
    let all = builder.icmp(IntPredicate::Ne, common, i32.zero(), "all");
    branch.set_operand(0, all);
}

/// Ends the block with a panic at the place of the branch.
fn panic<'c>(module: &Module<'c>, builder: &Builder<'c>, branch: Value<'c>, mode: DevicePanic, table: &mut PanicTable) {
    let types = module.types();
    let (i32, i64) = (types.i32(), types.i64());
    match mode {
        DevicePanic::Report => {
            let place = own_location(branch);
            let place = place.map(|at| SourceLocation { file: at.file, line: at.line, column: at.column });
            let place = place.map_or(0, |place| table.add_place(place));
            let panic = module.declare(PANIC, types.void().function(&[i32, i32, i64, i64, i64]));
            let numbers = [table.message(TEXT), place].map(|number| i32.constant(number.into()));
            builder.call(panic, &[&numbers[..], &[i64.zero(); 3]].concat(), "");
        }
        DevicePanic::Trap => _ = builder.call(module.intrinsic("llvm.trap", &[]), &[], ""),
        DevicePanic::Unreachable => {}
    }
    builder.unreachable();
}
