//! Lets a thread that has left a kernel leave it again after each barrier.
//!
//! In OpenCL, the behaviour is undefined if a thread returns while the others of its block wait at a barrier. Intel's
//! implementation for CPUs runs the code between two barriers for one thread after the other. After a barrier it
//! resumes all threads, also those that have returned, with the values that an earlier block left in their place. Such
//! a thread would store to the addresses of that block.
//!
//! ```c
//! void kernel(...) {
//!   volatile int gone = 0;
//!   if (!x) { gone = 1; __offload_leave(); }
//!   barrier();
//!   if (gone) __offload_leave();
//! ```
//!
//! Before: each barrier of a kernel with exits, and each of its exits, is in the kernel itself. After: no thread
//! continues after a barrier that it has not reached.

use super::lower_thread_exit::{add_flag, check_after, declare_leave, set_at_exits};
use crate::contract::kernel::KernelSet;
use crate::llvm::{Function, Module, Value};

/// Rewrites the kernels of `module`. `exits` are the names of the functions that end a thread.
pub fn leave_after_barriers(module: &Module<'_>, kernels: &KernelSet, barrier: &str, exits: &[&str]) {
    let Some(barrier) = module.function(barrier) else { return };
    let exits: Vec<_> = exits.iter().filter_map(|name| module.function(name)).collect();
    for kernel in kernels.functions(module) {
        let barriers = calls_in(kernel, &[barrier]);
        if barriers.is_empty() || calls_in(kernel, &exits).is_empty() {
            continue;
        }
        let flag = add_flag(module, kernel, "gone");
        set_at_exits(kernel, flag, &exits);
        let leave = declare_leave(module);
        for barrier in barriers {
            // No path leads from the store of the flag to this load, so the load must be volatile.
            check_after(barrier, flag, leave).set_volatile();
        }
    }
}

fn calls_in<'c>(kernel: Function<'c>, callees: &[Function<'c>]) -> Vec<Value<'c>> {
    let called = |i: &Value<'c>| i.called_function().is_some_and(|callee| callees.contains(&callee));
    kernel.instructions().filter(called).collect()
}
