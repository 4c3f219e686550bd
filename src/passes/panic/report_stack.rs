//! Defines the panic of a full stack, for devices without a hardware stack.

use crate::contract::builtin::PANIC;
use crate::contract::panic_table::{DevicePanic, PanicTable};
use crate::contract::symbols::STACK_FULL;
use crate::llvm::{Builder, Linkage, Module};

/// Defines [`STACK_FULL`] for stacks of `bytes` bytes.
pub fn report_stack(module: &Module<'_>, mode: DevicePanic, bytes: u32, table: &mut PanicTable) {
    let text = format!("stack overflow: recursion needs more than {bytes} bytes (`--device-stack`)");
    define_panic(module, STACK_FULL, &text, mode, table);
}

/// Defines a function that panics with `text`.
pub(super) fn define_panic(module: &Module<'_>, name: &str, text: &str, mode: DevicePanic, table: &mut PanicTable) {
    let ty = module.types().void().function(&[]);
    let function = module.define(name, ty, Linkage::Internal, |_, block| {
        let builder = Builder::at_end(block);
        if mode == DevicePanic::Report {
            let types = module.types();
            let (i32, i64) = (types.i32(), types.i64());
            let panic = module.declare(PANIC, module.types().void().function(&[i32, i32, i64, i64, i64]));
            let message = i32.constant(table.message(text).into());
            builder.call(panic, &[message, i32.zero(), i64.zero(), i64.zero(), i64.zero()], "");
        } else {
            builder.call(module.intrinsic("llvm.trap", &[]), &[], "");
        }
        builder.unreachable();
    });
    ["cold", "noreturn", "nounwind"].into_iter().for_each(|name| function.mark(name));
}
