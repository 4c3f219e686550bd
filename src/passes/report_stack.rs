//! Gives devices without a stack the panic of one that is full, and finds the kernels that may come to it.
//!
//! What recurses is only known for sure when calls through pointers are calls by name, which is a matter of each target: here
//! such a call may lead to every function whose address is taken.

use std::collections::HashSet;

use super::lower_recursion::cycles;
use super::reach::Reach;
use crate::builtin::PANIC;
use crate::kernel::KernelSet;
use crate::llvm::{Builder, Linkage, Module, Opcode, Value};
use crate::panic_table::{DevicePanic, PanicTable};

/// The function that is called where a frame does not fit. Only targets without a stack keep it.
pub const STACK_FULL: &str = "offload_stack_full";

/// Defines [`STACK_FULL`] where kernels may recurse; gives their names. `bytes` is how large the stack is.
pub fn report_stack(
    module: &Module<'_>,
    kernels: &KernelSet,
    mode: DevicePanic,
    bytes: u32,
    table: &mut PanicTable,
) -> Vec<String> {
    let recursive: HashSet<_> = may_recurse(module).into_iter().flatten().collect();
    let recurses = |name: &&String| {
        let kernel = module.function(name);
        kernel.is_some_and(|kernel| Reach::new(&[kernel]).order.iter().any(|global| recursive.contains(global)))
    };
    let names: Vec<_> = kernels.iter().map(|kernel| &kernel.name).filter(recurses).cloned().collect();
    if !names.is_empty() {
        define(module, mode, bytes, table);
    }
    names
}

/// Functions that may call each other.
fn may_recurse<'c>(module: &Module<'c>) -> Vec<Vec<Value<'c>>> {
    let bodies: Vec<_> = module.functions().into_iter().filter(|f| !f.is_declaration()).collect();
    let taken = |f: &Value<'c>| f.users().into_iter().any(|user| !user.is_plain_call_of(*f));
    let addressed: Vec<_> = bodies.iter().copied().filter(taken).collect();
    let callees = |function: Value<'c>| {
        let calls: Vec<_> = function.instructions().filter(|i| i.is(Opcode::LLVMCall)).collect();
        let through_pointer = calls.iter().any(|c| c.called_function().is_none() && !c.calls_inline_asm());
        let named = calls.iter().filter_map(|call| call.called_function()).filter(|f| !f.is_declaration());
        named.chain(addressed.iter().copied().filter(|_| through_pointer)).collect()
    };
    cycles(&bodies, callees)
}

fn define(module: &Module<'_>, mode: DevicePanic, bytes: u32, table: &mut PanicTable) {
    let ty = module.void().function(&[]);
    let function = module.define(STACK_FULL, ty, Linkage::LLVMInternalLinkage, |_, block| {
        let builder = Builder::at_end(block);
        if mode == DevicePanic::Report {
            let text = format!("stack overflow: recursion needs more than {bytes} bytes (`--device-stack`)");
            let (i32, i64) = (module.void().int(32), module.void().int(64));
            let panic = module.declare(PANIC, module.void().function(&[i32, i32, i64, i64, i64]));
            let message = i32.constant(table.message(&text).into());
            let _panic = builder.call(panic, &[message, i32.zero(), i64.zero(), i64.zero(), i64.zero()], "");
        } else {
            let _trap = builder.call(module.intrinsic("llvm.trap", &[]), &[], "");
        }
        let _end = builder.unreachable();
    });
    ["cold", "noreturn", "nounwind"].into_iter().for_each(|name| function.mark(name));
}
