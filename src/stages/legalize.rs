//! Takes out of the device module what only a host understands.
//!
//! After: no attribute names the host; its processor's instructions are what they mean on any; panics are cut off; nothing
//! unwinds; there is no alias, comdat, personality or section but the contract's; everything but the kernels is internal;
//! `convergent` is set where it must be, before any of LLVM's passes has run; no conversion is between a float and more
//! than 64 bits; an extremum tells -0 from +0; functions that reach a barrier are marked to be inlined into their kernel.

use std::collections::HashSet;

use crate::checks::check_intrinsics::describe_intrinsics;
use crate::contract::builtin::{
    ARCH, BLOCK_SIZE, BUILTINS, Builtin, CONSTANT_SECTION, LAUNCH_BOUNDS, PRINT, SHARED_SECTION,
};
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::{DevicePanic, PanicTable};
use crate::error::Result;
use crate::llvm::{Attribute, Linkage, Module, Opcode, Place, Value};
use crate::passes::atomics::lower_atomics::lower_constant_atomics;
use crate::passes::convergence::mark_convergent::mark_convergent;
use crate::passes::expand::expand_conversions::expand_conversions;
use crate::passes::expand::expand_vectors::expand_vectors;
use crate::passes::legalize::absolute_tables::make_tables_absolute;
use crate::passes::legalize::translate_host::translate_host;
use crate::passes::library::match_call_types::match_call_types;
use crate::passes::panic::cut_panics::{cut_panics, trap_panics};

/// Attributes of functions that only mean something for host code, or keep a device from optimising it.
const HOST_ATTRIBUTES: &[&str] = &[
    "uwtable",
    "nonlazybind",
    "ssp",
    "sspstrong",
    "sspreq",
    "safestack",
    "shadowcallstack",
    "noredzone",
    "optnone",
    "naked",
    "sanitize_address",
    "sanitize_hwaddress",
    "sanitize_memory",
    "sanitize_thread",
    "sanitize_memtag",
];

/// Named metadata that describes the host's object file.
const HOST_METADATA: &[&str] = &["llvm.module.flags", "llvm.ident", "llvm.commandline", "llvm.linker.options"];

/// Legalizes `module`, which `split` made; gives what panics that are reported refer to.
pub fn legalize(module: &Module<'_>, kernels: &KernelSet, panic: DevicePanic) -> Result<PanicTable> {
    replace_aliases(module);
    match_call_types(module);
    translate_host(module, kernels)?;
    let names: HashSet<&str> = kernels.iter().map(|k| k.name.as_str()).collect();
    let is_kernel = |v: &Value<'_>| names.contains(v.name().as_str());
    for function in module.functions() {
        strip(function);
        if !function.is_declaration() && !is_kernel(&function) {
            function.set_linkage(Linkage::LLVMInternalLinkage);
            function.set_unnamed_address();
        }
    }
    for variable in module.variables() {
        strip_variable(variable);
    }
    // One whose choice is known goes with its last call; what is left of them is refused.
    module.ifuncs().into_iter().for_each(|ifunc| ifunc.set_linkage(Linkage::LLVMInternalLinkage));
    make_tables_absolute(module);
    expand_vectors(module);
    describe_builtins(module);
    describe_intrinsics(module);
    lower_constant_atomics(module);
    let panics = cut_panics(module, kernels, panic);
    reset_flags(module);
    mark_convergent(module);
    for function in module.functions() {
        expand_conversions(module, function);
    }
    lower_unwinding(module)?;
    Ok(panics)
}

/// Does the same for functions out of a library that came after [`legalize`].
pub fn legalize_added(module: &Module<'_>, functions: &[Value<'_>]) {
    for function in functions {
        strip(*function);
        if !function.is_declaration() {
            function.set_linkage(Linkage::LLVMInternalLinkage);
            function.set_unnamed_address();
            function.clear_personality();
        }
    }
    if !functions.is_empty() {
        module.variables().into_iter().filter(|v| v.linkage() == Linkage::LLVMExternalLinkage).for_each(strip_variable);
        make_tables_absolute(module);
        trap_panics(module);
    }
}

fn replace_aliases(module: &Module<'_>) {
    for alias in module.aliases() {
        // An alias may stand for a place inside a variable.
        alias.replace_all_uses_with(alias.alias_target());
        alias.erase_global();
    }
}

/// Tells a back end for which registers, not for which values: on a GPU, those that all lanes share.
const IN_REGISTER: &str = "inreg";

fn strip(function: Value<'_>) {
    function.remove_text_attributes();
    forget_registers(function, function.parameters().len());
    for name in HOST_ATTRIBUTES {
        function.remove_attribute(Place::Function, name);
    }
    function.set_section("");
    function.clear_comdat();
    function.set_default_visibility();
    if function.is_intrinsic() {
        return;
    }
    function.set_calling_convention(0);
    if function.is_declaration() {
        return;
    }
    function.clear_host_frame();
    for call in function.instructions().filter(|i| i.is_call()) {
        call.remove_text_attributes();
        forget_registers(call, call.arguments().len());
        call.set_calling_convention(0);
        if call.is_musttail() {
            // Conventions that promise it are the host's.
            call.clear_tail_kind();
        }
        if is_pause(call) {
            call.erase();
        } else if is_extremum(call) {
            call.tell_zeros_apart();
        }
    }
}

fn forget_registers(function: Value<'_>, parameters: usize) {
    function.remove_attribute(Place::Return, IN_REGISTER);
    (0..parameters as u32).for_each(|index| function.remove_attribute(Place::Parameter(index), IN_REGISTER));
}

/// Rust says of `max(0.0, -0.0)` that it is either, since 1.96 by a flag; here it is the same on all devices.
fn is_extremum(call: Value<'_>) -> bool {
    let name = call.called_function().map(Value::name).unwrap_or_default();
    ["llvm.maximumnum.", "llvm.maxnum.", "llvm.minimumnum.", "llvm.minnum."].iter().any(|start| name.starts_with(start))
}

/// What `core::hint::spin_loop` becomes on the host: a hint as well.
fn is_pause(call: Value<'_>) -> bool {
    call.is(Opcode::LLVMCall) && call.called_function().is_some_and(|f| f.name() == "llvm.x86.sse2.pause")
}

fn strip_variable(variable: Value<'_>) {
    variable.clear_comdat();
    variable.set_default_visibility();
    let of_the_contract = [SHARED_SECTION, CONSTANT_SECTION].contains(&variable.section().as_str());
    if !of_the_contract {
        variable.set_section("");
    }
    if !variable.is_declaration() {
        variable.set_linkage(Linkage::LLVMInternalLinkage);
        // What the host may write must not be folded to its first value before anybody is told of it.
        variable.set_externally_initialized(!of_the_contract && !variable.is_constant_global());
    }
}

/// Tells the optimiser what it may know of each builtin.
fn describe_builtins(module: &Module<'_>) {
    // Of memory(...), 0 is none, and 12 memory that nothing else can see: calls that give nothing must not be dropped.
    // 13 is that, and reading what an argument points to.
    let memory = |b: &Builtin| match b.name {
        LAUNCH_BOUNDS | BLOCK_SIZE => Some(12),
        PRINT => Some(13),
        name => (!b.convergent && !name.contains("_fence_")).then_some(0),
    };
    let builtins = BUILTINS.iter().map(|b| (b.name, memory(b)));
    for (name, memory) in builtins.chain([(ARCH, Some(0))]) {
        let Some(function) = module.function(name).filter(|f| f.is_declaration()) else { continue };
        function.mark("nounwind");
        function.mark("willreturn");
        if let Some(memory) = memory {
            function.add_attribute(Place::Function, &Attribute::Known("memory", memory));
        }
    }
}

/// Turns every invoke into a call and deletes the landing pads, which then nothing leads to.
fn lower_unwinding(module: &Module<'_>) -> Result<()> {
    module.run_neutral_passes("function(lower-invoke)")?;
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        function.erase_unreachable_blocks();
        function.clear_personality();
    }
    Ok(())
}

/// Keeps of the module's flags only what debug information needs.
fn reset_flags(module: &Module<'_>) {
    let kept: Vec<_> = ["Debug Info Version", "Dwarf Version"]
        .into_iter()
        .filter_map(|name| Some((name, module.flag(name)?)))
        .collect();
    for name in HOST_METADATA {
        module.erase_named_metadata(name);
    }
    for (name, value) in kept {
        module.set_flag(name, value);
    }
}
