//! The statics of a device that the host finds by their symbols.

use crate::bundle::Runtime;
use crate::contract::builtin::STATIC_SECTION;
use crate::contract::variable::DeviceVariable;
use crate::llvm::{Linkage, Module, Value};

/// The variables of a device module that has just been separated, in their order. CUDA and HIP have a call that
/// registers a variable; with other runtimes, statics of a device have no address for the host.
pub fn device_variables(module: &Module<'_>, runtime: Runtime) -> Vec<DeviceVariable> {
    let own = module.variables().into_iter().filter(|variable| is_registered(*variable, runtime));
    own.map(|own| DeviceVariable { symbol: own.name(), size: own.value_type().store_size(module) }).collect()
}

/// Whether the host finds a static by its symbol: an exported one in the contract's section.
pub fn is_registered(variable: Value<'_>, runtime: Runtime) -> bool {
    let registers = matches!(runtime, Runtime::Cuda | Runtime::Hip);
    let is_exported = variable.linkage() == Linkage::External && !variable.is_hidden() && !variable.is_declaration();
    registers && is_exported && !variable.is_constant_global() && variable.section() == STATIC_SECTION
}

/// Makes them internal, for a target whose images have no symbols of variables.
pub fn hide_variables(module: &Module<'_>) {
    let own = module.variables().into_iter().filter(|v| v.section() == STATIC_SECTION && !v.is_declaration());
    own.for_each(|variable| variable.set_linkage(Linkage::Internal));
}
