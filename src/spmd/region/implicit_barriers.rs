//! Puts the loop over the threads of a block inside of grid-stride loops.
//!
//! In `for (i = index; i < n; i += grid_size)`, neighbouring threads access neighbouring elements in each iteration. A
//! thread that runs its whole loop at once would read one element of each of many cache lines. So each iteration of
//! such a loop is a region: the threads stop at its start, as at a barrier, and all of them run one iteration before
//! any runs the next (pocl calls this an implicit barrier). Values that an iteration hands to the next are in slots.
//!
//! It is no barrier. Threads whose loops have fewer iterations do not wait here, and threads at a real barrier wait for
//! those that have stopped here, see `entry.rs`.

use std::mem::offset_of;

use super::barriers;
use super::position::is_loaded_from;
use crate::analysis::cycles::{Loop, loops};
use crate::analysis::effects::{made_of, touches_memory};
use crate::contract::abi::CpuBlock;
use crate::llvm::{Block, Builder, Function, Module, Opcode, Value};
use crate::spmd::facts::waits::may_wait;
use crate::spmd::tuning::STRIDED_LOOP_PHIS;

/// Inserts a call where threads stop in each iteration of a grid-stride loop. `block` is the parameter with the block.
pub(crate) fn insert_stops<'c>(module: &Module<'c>, body: Function<'c>, block: Value<'c>) -> Vec<Value<'c>> {
    let has_locals = body.instructions().any(|i| i.is(Opcode::Alloca));
    if has_locals || may_wait(body).is_some() {
        return Vec::new();
    }
    let barriers = barriers::in_function(module, body);
    let all = loops(body);
    let strided: Vec<_> = all
        .iter()
        .filter(|l| all.iter().all(|other| other.header == l.header || !other.blocks.contains(&l.header)))
        .filter(|l| !barriers.iter().any(|barrier| l.blocks.contains(&barrier.block())))
        .filter(|l| is_strided(l, block))
        .collect();
    let stop = module.declare("offload.spmd.iteration", module.types().void().function(&[]));
    let first = |l: &Loop<'c>| l.header.instructions().find(|i| !i.is(Opcode::Phi)).expect("a block has a terminator");
    strided.into_iter().map(|l| Builder::before(first(l)).call(stop, &[], "")).collect()
}

/// Whether a loop counts in steps of the size of the grid, and its iterations access memory.
fn is_strided<'c>(l: &Loop<'c>, block: Value<'c>) -> bool {
    let phis: Vec<_> = l.header.instructions().take_while(|i| i.is(Opcode::Phi)).collect();
    let counts = |phi: &Value<'c>| {
        let next = phi.incoming().into_iter().find(|(_, from)| *from == l.latch).map(|(next, _)| next);
        let step = match next.filter(|next| next.is(Opcode::Add)).map(Value::operands).as_deref() {
            Some([a, b]) if a == phi => *b,
            Some([a, b]) if b == phi => *a,
            _ => return false,
        };
        let is_fixed = !step.is_instruction() || !l.blocks.contains(&step.block());
        is_fixed && depends_on_grid(step, block)
    };
    phis.len() <= STRIDED_LOOP_PHIS
        && ends_by_count(l)
        && l.in_order.iter().any(|block| block.instructions().any(touches_memory))
        && phis.iter().any(counts)
}

/// Whether threads leave a loop at its start or its end only, or in a panic.
fn ends_by_count(l: &Loop<'_>) -> bool {
    let leaves = |block: &Block<'_>| {
        let panics = |next: &Block<'_>| next.terminator().is_some_and(|end| end.is(Opcode::Unreachable));
        block.successors().iter().any(|next| !l.blocks.contains(next) && !panics(next))
    };
    l.in_order.iter().all(|block| *block == l.header || *block == l.latch || !leaves(block))
}

/// Whether a value depends on the size of the grid.
fn depends_on_grid<'c>(value: Value<'c>, block: Value<'c>) -> bool {
    let parts = made_of(value, |v| !v.is(Opcode::Phi) && !v.is(Opcode::Load));
    parts.into_iter().any(|part| is_loaded_from(part, block, offset_of!(CpuBlock, grid_dim)))
}
