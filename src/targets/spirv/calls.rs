//! Calls of functions that LLVM's back end turns into instructions, and the numbers of the scopes and orders in them.

use super::SPIR_FUNC;
use crate::llvm::{Attribute, Builder, Module, Place, Type, Value};

/// `memory_scope_work_group`.
pub(super) const WORKGROUP: u64 = 2;
/// `memory_scope_device`.
pub(super) const DEVICE: u64 = 1;
/// `memory_scope_all_svm_devices`.
pub(super) const CROSS_DEVICE: u64 = 0;

/// SequentiallyConsistent | WorkgroupMemory | CrossWorkgroupMemory.
pub(super) const SEQUENTIAL: u64 = 0x10 | MEMORY;
/// WorkgroupMemory | CrossWorkgroupMemory: the memory that a block's threads share.
pub(super) const MEMORY: u64 = 0x100 | 0x200;

/// `llvm.trap` and similar intrinsics, which end the thread.
pub(super) const TRAPS: [&str; 2] = ["llvm.trap", "llvm.ubsantrap"];

/// The effects of a function that the back end turns into an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It always returns the same value.
    None,
    /// All threads execute it together.
    Convergent,
    /// It reads or writes memory.
    Memory,
}

/// A call of an OpenCL function, or of a SPIR-V instruction whose name is used as a function.
pub(super) fn call<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    (name, effect): (&str, Effect),
    result: Type<'c>,
    arguments: &[Value<'c>],
) -> Value<'c> {
    let types: Vec<_> = arguments.iter().map(|a| a.ty()).collect();
    let function = module.declare(name, result.function(&types));
    function.set_calling_convention(SPIR_FUNC);
    function.mark("nounwind");
    function.mark("willreturn");
    match effect {
        // The value 0 of memory(...) is none.
        Effect::None => function.add_attribute(Place::Function, &Attribute::Enum("memory", 0)),
        Effect::Convergent => function.mark("convergent"),
        Effect::Memory => {}
    }
    let call = builder.call(function, arguments, "");
    call.set_calling_convention(SPIR_FUNC);
    call
}

/// `OpMemoryBarrier`.
pub(super) fn memory_barrier<'c>(module: &Module<'c>, builder: &Builder<'c>, scope: u64, semantics: u64) {
    let [scope, semantics] = [scope, semantics].map(|n| module.types().i32().constant(n));
    let name = ("_Z21__spirv_MemoryBarrierjj", Effect::Memory);
    call(module, builder, name, module.types().void(), &[scope, semantics]);
}
