//! Lets a thread end in a function that the kernel calls: the function and its callers return to the kernel.
//!
//! ```c
//! // Before: int f(int x) { if (!x) __offload_leave(); return g(x) + 1; }     with g one of the functions
//! int f(int x, int *left) {
//!   if (!x) { *left = 1; __offload_leave(); }                                 // the target's to make a return
//!   int y = g(x, left);
//!   if (*left) __offload_leave();
//!   return y + 1;
//! }
//! void kernel(...) { int left = 0; ... }
//! ```
//!
//! Before: all other functions that may end a thread are inlined, and functions are only called. After: in each
//! function, a call of one of `exits` may be replaced by a return of any value.

use std::collections::{HashMap, HashSet};

use crate::contract::builtin::LEAVE;
use crate::contract::kernel::KernelSet;
use crate::llvm::{Builder, Function, IntPredicate, Module, Place, Value};

/// Rewrites `functions` and their callers. `exits` are the names of the functions that end a thread.
pub fn lower_thread_exit<'c>(module: &Module<'c>, kernels: &KernelSet, functions: &[Function<'c>], exits: &[&str]) {
    let exits: Vec<_> = exits.iter().filter_map(|name| module.function(name)).collect();
    let leaving = leaving(functions, &exits);
    if leaving.is_empty() {
        return;
    }
    let leave = declare_leave(module);
    let new: Vec<_> = leaving.iter().map(|f| (*f, extend(module, *f))).collect();
    let mut flags = Flags { module, of_kernels: HashMap::new() };
    for (_, function) in &new {
        set_at_exits(*function, flags.own(*function), &exits);
    }
    let entries: HashSet<_> = kernels.functions(module).collect();
    for (function, extended) in new {
        for call in function.users() {
            let caller = call.function();
            let flag = if entries.contains(&caller) { flags.of_kernel(caller) } else { flags.own(caller) };
            drop_memory_attributes(call);
            check_after(call.append_arguments(extended, &[flag]), flag, leave);
        }
        function.erase_global();
    }
}

/// The function that ends a thread, for the target to replace.
pub(super) fn declare_leave<'c>(module: &Module<'c>) -> Function<'c> {
    let leave = module.declare(LEAVE, module.types().void().function(&[]));
    ["cold", "noreturn", "nounwind"].into_iter().for_each(|name| leave.mark(name));
    leave
}

/// Returns those of `functions` that call an exit, directly or through other functions of the list.
fn leaving<'c>(functions: &[Function<'c>], exits: &[Function<'c>]) -> Vec<Function<'c>> {
    let known: HashSet<_> = functions.iter().copied().collect();
    let (mut found, mut work) = (HashSet::new(), exits.to_vec());
    while let Some(callee) = work.pop() {
        let callers = callee.direct_calls().into_iter().map(Value::function);
        work.extend(callers.filter(|caller| known.contains(caller) && found.insert(*caller)));
    }
    functions.iter().copied().filter(|function| found.contains(function)).collect()
}

fn extend<'c>(module: &Module<'c>, function: Function<'c>) -> Function<'c> {
    drop_memory_attributes(*function);
    function.extend_signature(function.function_type().result(), &[module.types().ptr(0)])
}

/// Removes memory attributes of functions and calls, because they now write the flag.
fn drop_memory_attributes(of: Value<'_>) {
    for name in ["memory", "nosync", "willreturn"] {
        of.remove_attribute(Place::Function, name);
    }
}

/// `*left = 1;` before every exit.
pub(super) fn set_at_exits<'c>(function: Function<'c>, flag: Value<'c>, exits: &[Function<'c>]) {
    let is_exit = |i: &Value<'c>| i.called_function().is_some_and(|callee| exits.contains(&callee));
    for exit in function.instructions().filter(is_exit).collect::<Vec<_>>() {
        // No instruction after the exit reads the flag, so the store must be volatile.
        Builder::before(exit).volatile_store(flag.types().i32().constant(1), flag, 4);
    }
}

/// Inserts `if (*left) __offload_leave();` after a call. Returns the load.
pub(super) fn check_after<'c>(call: Value<'c>, flag: Value<'c>, leave: Function<'c>) -> Value<'c> {
    let next = call.next().expect("a call is no terminator").split_block("");
    let block = call.block();
    block.terminator().expect("a block that was split ends").erase();
    let gone = call.function().append_block("left");
    let builder = Builder::at_end(block);
    let left = builder.load(flag.types().i32(), flag, 4, "");
    let stays = builder.icmp(IntPredicate::Eq, left, left.ty().zero(), "");
    builder.cond_br(stays, next, gone);
    builder.move_to_end(gone);
    builder.call(leave, &[], "");
    builder.unreachable();
    left
}

/// `int name = 0;` at the start of a function. Returns its address.
pub(super) fn add_flag<'c>(module: &Module<'c>, function: Function<'c>, name: &str) -> Value<'c> {
    let (i32, builder) = (module.types().i32(), Builder::at_start(function.blocks()[0]));
    let flag = builder.alloca(i32, name);
    builder.store(i32.zero(), flag, 4);
    flag
}

/// The address of the flag in each function.
struct Flags<'m, 'c> {
    module: &'m Module<'c>,
    of_kernels: HashMap<Function<'c>, Value<'c>>,
}

impl<'c> Flags<'_, 'c> {
    fn own(&self, function: Function<'c>) -> Value<'c> {
        function.parameters().pop().expect("the parameter was added")
    }

    fn of_kernel(&mut self, kernel: Function<'c>) -> Value<'c> {
        *self.of_kernels.entry(kernel).or_insert_with(|| add_flag(self.module, kernel, "left"))
    }
}
