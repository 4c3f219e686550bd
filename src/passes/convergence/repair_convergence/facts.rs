//! The results of the divergence analysis for a kernel whose barriers may have been copied.
//!
//! Its usual answer assumes that all threads read a place of memory between the same barriers. Copies of barriers
//! invalidate this assumption, because the analysis derives "between" from the control flow. So values that depend on
//! memory of others are left to the proof by time (`agreement.rs`), and here count as divergent. All other values
//! depend on the thread's own values alone: a block that is not control-dependent is executed equally often by all
//! threads, with equal values each time, wherever their barriers are.
//!
//! The address of a local is never equal. To the divergence analysis, a pointer to the same local in each thread is
//! uniform, because for each load it computes whether the contents of the locals differ. The proof takes loads from
//! equal addresses for loads from one place.

use std::collections::HashSet;

use super::terms::may_read_of_others;
use crate::analysis::divergence::Divergence;
use crate::analysis::exposed_addresses::exposed_addresses;
use crate::analysis::locals::{Locals, is_local};
use crate::llvm::{Block, Function, Module, Opcode, Value};

/// The answers about one function.
pub(super) struct Facts<'c> {
    /// The sources of divergence of the module, and the values in the function that depend on addresses.
    pub(super) sources: HashSet<Value<'c>>,
    /// The usual divergence analysis.
    pub(super) divergence: Divergence<'c>,
    /// The same where memory of others is divergent.
    private: Divergence<'c>,
}

impl<'c> Facts<'c> {
    /// The facts about a function whose barriers are isolated; `sources` is the result of `divergence_sources`.
    pub(super) fn of(module: &Module<'c>, function: Function<'c>, sources: &HashSet<Value<'c>>) -> Self {
        let divergence = Divergence::of(module, function, sources);
        let (mut sources, locals) = (sources.clone(), Locals::of(module, function));
        sources.extend(exposed_addresses(function, &locals));
        // Loads from common memory that may return the address of a local.
        let is_published =
            |i: &Value<'c>| i.is(Opcode::Load) && locals.addresses.contains(*i) && !is_local(i.operand(0));
        sources.extend(function.instructions().filter(is_published));
        let mut all = sources.clone();
        all.extend(function.instructions().filter(|i| may_read_of_others(*i)));
        let private = Divergence::of(module, function, &all);
        Facts { sources, divergence, private }
    }

    /// Whether all threads that are in the block `place` for the n-th time see the same last value of an instruction.
    pub(super) fn are_uniform(&self, value: Value<'c>, place: Block<'c>) -> bool {
        !self.private.differs(value)
            && !self.private.is_own_address(value)
            && !self.private.is_control_dependent(value.block())
            && !self.private.is_control_dependent(place)
    }
}
