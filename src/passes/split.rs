//! Splits the device module out of the host module, and turns the host's kernel marks into handles.
//!
//! Before: the kernel list is fixed. After: the device module holds what the kernels reach and nothing else, each
//! kernel under its own name; the host module names no marker call any more and keeps everything it needs.

use super::find_kernels::{Found, KERNEL_CONVENTIONS};
use super::reach::Reach;
use crate::builtin::{CONSTANT_SECTION, IS_DEVICE, KERNELS_SECTION, SHARED_SECTION};
use crate::kernel::Kernel;
use crate::llvm::{Builder, Linkage, Module, Place, Value};

/// Makes the device module; the host module is not changed.
pub fn split<'c>(host: &Module<'c>, found: &Found<'c>) -> Module<'c> {
    let reach = Reach::new(&found.functions);
    let kept: Vec<_> = reach.order.iter().copied().filter(|g| !g.is_declaration()).collect();
    let device = host.clone_definitions(&kept);
    device.set_name("device");
    device.clear_inline_asm();
    erase_unused_declarations(&device);
    for kernel in &found.kernels {
        take_entry(&device, kernel);
    }
    fold_is_device(&device, 1);
    erase_unused_declarations(&device);
    device
}

/// Removes what the clone declares and nothing uses; `llvm.used` and its like are among it.
fn erase_unused_declarations(module: &Module<'_>) {
    for global in module.globals() {
        if global.is_declaration() && !global.is_used() {
            global.erase_global();
        }
    }
}

/// Gives a kernel its own function of its own name. A kernel that device code also calls, or that shares its body with
/// another kernel, becomes a function that calls the body.
fn take_entry<'c>(device: &Module<'c>, kernel: &Kernel) {
    let named = device.globals().into_iter().find(|g| g.name() == kernel.symbol && !g.is_declaration());
    let Some(named) = named else {
        // An earlier kernel took the name along with the body: then that one has the same symbol, which `find_kernels`
        // rules out.
        unreachable!("kernel `{}` was reached and defined", kernel.symbol)
    };
    let body = named.aliasee();
    if named.is_alias() {
        named.set_name(&format!("{}.alias", kernel.name));
    }
    let alone = named.is_function() && !named.is_used() && named.name() == kernel.symbol;
    let entry = if alone { named } else { wrap(device, kernel, body) };
    if alone {
        entry.set_name(&kernel.name);
    }
    entry.set_linkage(Linkage::LLVMExternalLinkage);
    entry.set_default_visibility();
    entry.set_calling_convention(0);
    entry.set_significant_address();
    entry.clear_comdat();
}

/// A function of the kernel's name that calls `body`.
fn wrap<'c>(device: &Module<'c>, kernel: &Kernel, body: Value<'c>) -> Value<'c> {
    if body.name() == kernel.name {
        body.set_name(&format!("{}.body", kernel.name));
    }
    body.set_calling_convention(0);
    for user in body.users() {
        if user.is_call() && user.callee() == body {
            user.set_calling_convention(0);
        }
    }
    let ty = body.function_type();
    let entry = device.add_function(&kernel.name, ty);
    let block = entry.append_block("entry");
    let builder = Builder::at_end(block);
    let call = builder.call(body, &entry.parameters(), "");
    for i in 0..ty.parameters().len() as u32 {
        if let Some(pointee) = body.byval_type(i) {
            let place = Place::Parameter(i);
            call.add_type_attribute(place, "byval", pointee);
            entry.add_type_attribute(place, "byval", pointee);
        }
    }
    let _ret = builder.ret_void();
    entry
}

/// Gives `__offload_is_device` its answer, so that the optimiser removes the other side.
pub fn fold_is_device(module: &Module<'_>, answer: u64) {
    let Some(function) = module.function(IS_DEVICE).filter(|f| f.is_declaration()) else { return };
    let result = function.function_type().result();
    if result.int_width().is_none() {
        return;
    }
    let block = function.append_block("entry");
    let _ret = Builder::at_end(block).ret(result.constant(answer));
    function.set_linkage(Linkage::LLVMInternalLinkage);
    function.remove_attribute(Place::Function, "noinline");
    function.mark("alwaysinline");
}

/// Turns the host module into a program of its own: markers give handles, kernels are ordinary functions, statics in the
/// contract's sections are ordinary statics.
pub fn finish_host<'c>(host: &Module<'c>, found: &Found<'c>, hash: &str) {
    let handles: Vec<_> = found.kernels.iter().map(|k| handle(host, &k.handle_symbol(hash))).collect();
    for (i, mark) in found.marks.iter().enumerate() {
        give_handle(host, mark.call, handles[mark.kernel], i);
    }
    for handle in handles {
        if !handle.is_used() {
            handle.erase_global();
        }
    }
    for function in &found.functions {
        make_ordinary(function.aliasee());
    }
    for variable in host.variables() {
        if [KERNELS_SECTION, SHARED_SECTION, CONSTANT_SECTION].contains(&variable.section().as_str()) {
            variable.set_section("");
        }
    }
    fold_is_device(host, 0);
}

/// The declaration of a handle, which the registration object defines.
fn handle<'c>(host: &Module<'c>, symbol: &str) -> Value<'c> {
    let handle = host.add_variable(symbol, host.void().int(8), 0);
    handle.set_hidden();
    handle
}

/// Lets a marker call, invoke or not, call a function that returns the handle; the optimiser inlines it.
fn give_handle<'c>(host: &Module<'c>, call: Value<'c>, handle: Value<'c>, number: usize) {
    let name = format!("__offload_handle_of.{number}");
    let ty = call.called_type();
    let function = host.define(&name, ty, Linkage::LLVMInternalLinkage, |_, block| {
        let builder = Builder::at_end(block);
        let result = ty.result();
        let _ret = if result.is_void() {
            builder.ret_void()
        } else if result.is_pointer() {
            builder.ret(handle)
        } else {
            builder.ret(builder.cast(crate::llvm::Opcode::LLVMPtrToInt, handle, result, "handle"))
        };
    });
    function.mark("alwaysinline");
    call.set_callee(function);
}

/// A kernel is an ordinary C function on the host.
fn make_ordinary(function: Value<'_>) {
    if !KERNEL_CONVENTIONS.contains(&function.calling_convention()) {
        return;
    }
    function.set_calling_convention(0);
    for user in function.users() {
        if user.is_call() && user.callee() == function {
            user.set_calling_convention(0);
        }
    }
}
