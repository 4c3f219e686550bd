//! Threads that may wait for other threads.

use crate::analysis::control_flow::ControlFlow;
use crate::analysis::cycles::cycles;
use crate::analysis::reach::Reach;
use crate::llvm::{Function, Opcode, Value};
use crate::spmd::cause::{Cause, Reason, callee};

/// Whether a thread may wait for another one, such as for a lock. A thread that has the lock would wait at the end of
/// the loop for the threads that wait for the lock in it. In a callee, an atomic outside of loops counts, too.
pub(crate) fn may_wait(function: Function<'_>) -> Option<Cause> {
    let learns = |i: Value<'_>| match i.opcode() {
        Opcode::AtomicCmpXchg => true,
        Opcode::AtomicRMW => i.is_used(),
        _ => i.is(Opcode::Load) && i.is_atomic(),
    };
    let flow = ControlFlow::of(function);
    let blocks: Vec<_> = function.blocks().into_iter().filter(|block| flow.reaches_exit(*block)).collect();
    let in_loops = cycles(&blocks).into_iter().flatten().flat_map(|block| block.instructions().collect::<Vec<_>>());
    let calls = blocks.iter().flat_map(|b| b.instructions()).filter(|i| i.is_call() && i.called_intrinsic().is_none());
    let calls: Vec<_> = calls.collect();
    let called_learns = |called: &Value<'_>| {
        let reached = called.called_function().into_iter().flat_map(|callee| Reach::new(&[callee]).order);
        reached.filter_map(Value::as_function).any(|callee| callee.instructions().any(learns))
    };
    let waits = in_loops.into_iter().find(|i| learns(*i)).map(|i| Cause::at(Reason::Waits, i));
    let indirect = || calls.iter().find(|call| call.is_indirect_call());
    let called = || calls.iter().find(|call| called_learns(call));
    waits
        .or_else(|| indirect().map(|call| Cause::at(Reason::CallThroughPointer, *call)))
        .or_else(|| called().map(|call| Cause::at(Reason::CalledWaits(callee(*call)), *call)))
}
