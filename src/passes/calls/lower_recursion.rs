//! Removes recursion from the call graph, for devices that have no stack, or whose stack overflows without an error.
//!
//! Functions that call each other are in one strongly connected component of the call graph. Each function of a
//! component becomes a step function. It executes the code from one call within the component to the next, and returns
//! the number of the next step; a loop runs the steps. Parameters, locals, and values that are used after a call are in
//! a frame. The frames are in an array that belongs to the thread: the kernel allocates it and passes it down.
//!
//! ```c
//! // Before: uint32_t fib(uint32_t n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
//! uint32_t fib(uint32_t n, char *stack, uint32_t used) {
//!   if (used > STACK - sizeof(frame)) offload_stack_full();
//!   frame_at(stack, used) = {.back = 0, .n = n};
//!   for (uint32_t at = used, step = 1; step;)
//!     step = fib_step(stack, &at, step);
//!   return *result_at(stack, used);
//! }
//! ```
//!
//! A tail call reuses the caller's frame, unless the caller has locals. If a frame does not fit, the thread panics in
//! the function that `report_stack.rs` defines, or traps if there is none.
//!
//! Before: functions are only called; all but the kernels are internal; pointers are generic and lead to generic
//! memory; no barrier is in a recursive function. After: the call graph has no cycle. Line numbers are kept, locations
//! of variables are not.

mod frame;
mod step;

use std::collections::{HashMap, HashSet};

use crate::analysis::recursion::components;
use crate::contract::kernel::KernelSet;
use crate::contract::symbols::STACK_FULL;
use crate::llvm::{Builder, Function, Linkage, Module, Opcode, Place, Type, Value};

/// The minimum alignment of an address on the stack.
const ALIGN: u32 = 16;

/// Rewrites `module`. Each kernel that recurses gets a stack of `bytes` bytes.
pub fn lower_recursion(module: &Module<'_>, kernels: &KernelSet, bytes: u32) {
    let components = components(module);
    if !components.is_empty() {
        unwind(module, kernels, bytes, components);
    }
    // LLVM does not see it where a function has assembly. AMD's back end would reserve a stack of unknown size.
    module.definitions().for_each(|function| function.mark("norecurse"));
}

fn unwind<'c>(module: &Module<'c>, kernels: &KernelSet, bytes: u32, components: Vec<Vec<Function<'c>>>) {
    let entries: HashSet<_> = kernels.functions(module).collect();
    let mut stacks = Stacks { module, bytes, of_kernels: Vec::new() };
    let new: HashMap<_, _> = stacks.pass_down(&components.concat(), &entries);
    let full = stack_full(module);
    for component in components {
        let members: Vec<_> = component.iter().map(|function| new[function]).collect();
        let align = step::lower_component(module, &members, bytes, full);
        stacks.align(align);
    }
}

/// `void offload_stack_full(void)`, which does not return.
fn stack_full<'c>(module: &Module<'c>) -> Function<'c> {
    module.function(STACK_FULL).unwrap_or_else(|| {
        let ty = module.types().void().function(&[]);
        let function = module.define(STACK_FULL, ty, Linkage::Internal, |_, block| {
            let builder = Builder::at_end(block);
            builder.call(module.intrinsic("llvm.trap", &[]), &[], "");
            builder.unreachable();
        });
        ["cold", "noreturn", "nounwind"].into_iter().for_each(|name| function.mark(name));
        function
    })
}

/// The stacks of the kernels.
struct Stacks<'m, 'c> {
    module: &'m Module<'c>,
    bytes: u32,
    of_kernels: Vec<KernelStack<'c>>,
}

/// The stack of one kernel: the alloca, and its address as a generic pointer.
struct KernelStack<'c> {
    kernel: Function<'c>,
    memory: Value<'c>,
    address: Value<'c>,
}

impl<'c> Stacks<'_, 'c> {
    /// Appends two parameters to every function that calls one of `recursive`, directly or not: the stack, and the
    /// number of bytes in use. Returns the new functions.
    fn pass_down(
        &mut self,
        recursive: &[Function<'c>],
        kernels: &HashSet<Function<'c>>,
    ) -> HashMap<Function<'c>, Function<'c>> {
        let taking = reaching(recursive, kernels);
        let types = [self.pointer(), self.module.types().i32()];
        let new: HashMap<_, _> = taking.iter().map(|f| (*f, self.extend(*f, &types))).collect();
        for function in taking {
            for user in function.users() {
                let caller = user.function();
                let extra = if kernels.contains(&caller) { self.of_kernel(caller) } else { own_stack(caller) };
                drop_memory_attributes(user);
                user.append_arguments(new[&function], &extra);
            }
            function.erase_global();
        }
        new
    }

    fn pointer(&self) -> Type<'c> {
        self.module.types().ptr(0)
    }

    fn extend(&self, function: Function<'c>, types: &[Type<'c>]) -> Function<'c> {
        drop_memory_attributes(*function);
        function.extend_signature(function.function_type().result(), types)
    }

    /// `char stack[STACK]; 0`
    fn of_kernel(&mut self, kernel: Function<'c>) -> [Value<'c>; 2] {
        let (module, bytes) = (self.module, self.bytes);
        let known = self.of_kernels.iter().find(|stack| stack.kernel == kernel).map(|stack| stack.address);
        let stack = known.unwrap_or_else(|| {
            let ty = module.types().i8().array(bytes.into());
            let builder = Builder::at_start(kernel.blocks()[0]);
            let memory = builder.alloca(ty, "stack");
            memory.set_alignment(ALIGN);
            let address = builder.address_space_cast(memory, self.pointer(), "");
            self.of_kernels.push(KernelStack { kernel, memory, address });
            address
        });
        [stack, module.types().i32().zero()]
    }

    fn align(&self, align: u32) {
        for stack in self.of_kernels.iter().filter(|stack| stack.memory.alignment() < align) {
            stack.memory.set_alignment(align);
        }
    }
}

/// A function's two parameters for the stack.
fn own_stack<'c>(function: Function<'c>) -> [Value<'c>; 2] {
    let parameters = function.parameters();
    [parameters[parameters.len() - 2], parameters[parameters.len() - 1]]
}

/// The functions that call one of these, directly or not, and these themselves, without the kernels.
fn reaching<'c>(functions: &[Function<'c>], kernels: &HashSet<Function<'c>>) -> Vec<Function<'c>> {
    let mut order = functions.to_vec();
    let mut seen: HashSet<_> = order.iter().copied().collect();
    let mut next = 0;
    while let Some(function) = order.get(next).copied() {
        next += 1;
        for call in function.users() {
            if !call.is_plain_call_of(function) {
                // A call with another function type is undefined behaviour.
                undo(call);
            } else if !kernels.contains(&call.function()) && seen.insert(call.function()) {
                order.push(call.function());
            }
        }
    }
    order
}

fn undo(user: Value<'_>) {
    if user.is(Opcode::Call) {
        if !user.ty().is_void() {
            user.replace_all_uses_with(user.ty().poison());
        }
        user.erase();
    }
}

/// Removes memory attributes of functions and calls, because frames are in memory.
fn drop_memory_attributes(of: Value<'_>) {
    for name in ["memory", "nosync", "willreturn", "alwaysinline", "norecurse"] {
        of.remove_attribute(Place::Function, name);
    }
    let count = of.as_function().map_or_else(|| of.arguments().len(), |function| function.parameters().len());
    for index in 0..count as u32 {
        for name in ["noalias", "captures", "initializes"] {
            of.remove_attribute(Place::Parameter(index), name);
        }
    }
}
