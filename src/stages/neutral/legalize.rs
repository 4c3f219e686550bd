//! Removes the host's properties and constructs from the device module.
//!
//! After: no attribute names the host; instructions of its processor are replaced by code with the same meaning for any
//! target; panics are calls with numbers; nothing unwinds; there is no alias, comdat, personality or section other than
//! the contract's; all functions but the kernels are internal; `convergent` is set where it is needed, before any pass
//! of LLVM runs; no conversion is between a float and more than 64 bits; an extremum distinguishes -0 from +0;
//! functions that reach a barrier are marked for inlining into their kernel.

use std::collections::HashSet;

use super::options::NeutralOptions;
use super::types::Legalized;
use crate::bundle::Runtime;
use crate::checks::check_device::find_candidates;
use crate::contract::builtin::{BUILTINS, Builtin, BuiltinId, DeviceBuiltin, IS_DEVICE};
use crate::contract::kernel::KernelSet;
use crate::contract::queries::{HAS_FEATURE, LINKED_FUNCTION, QUERIES, asks_arch};
use crate::error::Result;
use crate::input::bodies::Unresolved;
use crate::llvm::{Attribute, Linkage, Module, Place};
use crate::passes::address_space::declare_shared_arrays::declare_shared_arrays;
use crate::passes::atomics::lower_atomics::lower_constant_atomics;
use crate::passes::builtins::describe_intrinsics::describe_intrinsics;
use crate::passes::builtins::drop_prints::drop_prints;
use crate::passes::convergence::mark_convergent::mark_convergent;
use crate::passes::expand::expand_conversions::expand_conversions;
use crate::passes::expand::expand_vectors::expand_vectors;
use crate::passes::legalize::lower_relative_tables::lower_relative_tables;
use crate::passes::legalize::prune::prune;
use crate::passes::legalize::strip_host::{strip_host, strip_host_of_variable};
use crate::passes::legalize::translate_host::translate_host;
use crate::passes::library::fix_hash_keys::fix_hash_keys;
use crate::passes::library::match_call_types::match_call_types;
use crate::passes::panic::hide_lines::hide_lines;
use crate::passes::panic::lower_panics::lower_panics;
use crate::passes::pass::{Passes, pass};
use crate::stages::device_variables::is_registered;

/// The only named metadata that is not specific to the host or to the back end of one target.
const DEBUG_METADATA: &str = "llvm.dbg.cu";

/// Legalizes `module`, the output of `resolve`.
pub fn legalize(
    passes: &Passes,
    module: &Module<'_>,
    kernels: &KernelSet,
    unresolved: &Unresolved,
    options: &NeutralOptions<'_>,
) -> Result<Legalized> {
    let asks_arch = asks_arch(module);
    let asks_where = module.function(IS_DEVICE).is_some();
    pass!(passes, replace_aliases(module))?;
    pass!(passes, match_call_types(module))?;
    pass!(passes, declare_shared_arrays(module))?;
    pass!(passes, translate_host(module, kernels)?)?;
    pass!(passes, fix_hash_keys(module)?)?;
    pass!(passes, strip_host_of_module(module, kernels, options.runtime))?;
    pass!(passes, lower_relative_tables(module))?;
    pass!(passes, expand_vectors(module))?;
    pass!(passes, describe_builtins(module))?;
    pass!(passes, describe_intrinsics(module))?;
    pass!(passes, lower_constant_atomics(module))?;
    pass!(passes, hide_lines(module))?;
    let panics = pass!(passes, lower_panics(module, kernels, options.device_panic))?;
    pass!(passes, reset_flags(module))?;
    pass!(passes, mark_convergent(module))?;
    pass!(passes, expand_conversions(module))?;
    pass!(passes, lower_unwinding(module)?)?;
    if asks_where {
        pass!(passes, prune(module)?)?;
    }
    let dropped_prints = if options.device_print { None } else { pass!(passes, drop_prints(module))? };
    let candidates = find_candidates(module, kernels, unresolved);
    Ok(Legalized { candidates, asks_arch, panics, dropped_prints })
}

/// Removes the host's attributes from all functions and statics, and makes all internal except the kernels and the
/// statics that the runtime finds by their symbols.
fn strip_host_of_module(module: &Module<'_>, kernels: &KernelSet, runtime: Runtime) {
    let names: HashSet<&str> = kernels.iter().map(|k| k.name.as_str()).collect();
    for function in module.functions() {
        strip_host(function);
        if !function.is_declaration() && !names.contains(function.name().as_str()) {
            function.set_linkage(Linkage::Internal);
            function.set_unnamed_address();
        }
    }
    for variable in module.variables() {
        strip_host_of_variable(variable, is_registered(variable, runtime));
    }
    // An ifunc whose choice is known disappears with its last call. The others are refused.
    module.ifuncs().into_iter().for_each(|ifunc| ifunc.set_linkage(Linkage::Internal));
}

/// Replaces each alias by its target.
pub(super) fn replace_aliases(module: &Module<'_>) {
    for alias in module.aliases() {
        // An alias may be an address inside a variable.
        alias.replace_all_uses_with(alias.alias_target());
        alias.erase_global();
    }
}

/// Adds attributes that describe each builtin to the optimiser.
fn describe_builtins(module: &Module<'_>) {
    // The values of memory(...): 0 is none; 12 is memory that no other code can access, so that calls without a result
    // are not removed; 13 is that, and reads of the memory that an argument points to.
    let memory = |b: &Builtin| match b.id {
        BuiltinId::LaunchBounds
        | BuiltinId::BlockSize
        | BuiltinId::ReadOnly
        | BuiltinId::ParameterPointer
        | BuiltinId::Restrict
        | BuiltinId::Parameter
        | BuiltinId::SpecializeBlockDim
        | BuiltinId::MaxRegisters
        | BuiltinId::FpContract
        | BuiltinId::FastMath
        | BuiltinId::Unroll => Some(12),
        BuiltinId::Print => Some(13),
        // A function of the host may do anything.
        BuiltinId::Device(DeviceBuiltin::Fence(_)) | BuiltinId::CallHost => None,
        BuiltinId::Device(_) | BuiltinId::FunctionPointer | BuiltinId::SharedArray | BuiltinId::Fast(_) => {
            (!b.convergent).then_some(0)
        }
    };
    let builtins = BUILTINS.iter().map(|b| (b.name, memory(b)));
    // The text of a query is constant, but its address is an argument: 1 is reads of the memory that it leads to.
    let queries = QUERIES.iter().map(|query| (*query, Some(u64::from(*query == HAS_FEATURE))));
    for (name, memory) in builtins.chain(queries).chain([(LINKED_FUNCTION, Some(0))]) {
        let Some(function) = module.function(name).filter(|f| f.is_declaration()) else { continue };
        function.mark("nounwind");
        function.mark("willreturn");
        if let Some(memory) = memory {
            function.add_attribute(Place::Function, &Attribute::Enum("memory", memory));
        }
    }
}

/// Turns every invoke into a call and deletes the landing pads, which are then unreachable.
fn lower_unwinding(module: &Module<'_>) -> Result<()> {
    module.run_neutral_passes("function(lower-invoke)")?;
    for function in module.definitions() {
        function.erase_unreachable_blocks();
        function.clear_personality();
    }
    Ok(())
}

/// Keeps only the metadata and the module flags that debug information needs.
fn reset_flags(module: &Module<'_>) {
    let kept: Vec<_> = ["Debug Info Version", "Dwarf Version"]
        .into_iter()
        .filter_map(|name| Some((name, module.flag(name)?)))
        .collect();
    module.erase_named_metadata_except(DEBUG_METADATA);
    for (name, value) in kept {
        module.set_flag(name, value);
    }
}
