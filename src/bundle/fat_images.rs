//! The part of a registration that CUDA and HIP share: one file with the code for all archs, a structure that leads to
//! it, and a call for each kernel and for each static that both sides export.
//!
//! The calls, their order and their arguments are those of LLVM 22 (`llvm/Frontend/Offloading/OffloadWrapper.h`).

use super::calls::{Argument, Call};
use super::registration::{Registration, RuntimeHooks, RuntimeInputs};
use super::relocatable::{Record, Relocatable, Section};
use crate::error::Result;

const WRAPPER_VERSION: u32 = 1;

/// The names of a runtime for the same steps.
pub(super) struct FatRuntime {
    /// The first number of the wrapper.
    pub(super) magic: u32,
    /// The sections of the file and of the wrapper.
    pub(super) sections: [Section; 2],
    /// The function that receives the wrapper.
    pub(super) register: &'static str,
    /// The function that receives a kernel.
    pub(super) register_function: &'static str,
    /// The function that receives a static.
    pub(super) register_variable: &'static str,
    /// The function that receives the end of the list of kernels, if there is one.
    pub(super) register_end: Option<&'static str>,
    /// The function that ends the registration.
    pub(super) unregister: &'static str,
}

/// Adds the file with the images, and its wrapper. Returns the calls that register them.
pub(super) fn place(
    runtime: &FatRuntime,
    registration: &Registration<'_>,
    object: &mut Relocatable<'_>,
    (parts, bytes): (&RuntimeInputs, Vec<u8>),
) -> Result<RuntimeHooks> {
    let hash = registration.hash;
    let images = object.local(format!("__offload_fat_images.{hash}"));
    object.define(images, runtime.sections[0], Record::of(bytes))?;
    // struct { int32_t magic, version; const void *images, *unused; };
    let mut record = Record::default();
    record.u32(runtime.magic).u32(WRAPPER_VERSION).address(Some(images), 0).address(None, 0);
    let wrapper = object.local(format!("__offload_fat_wrapper.{hash}"));
    object.define(wrapper, runtime.sections[1], record)?;
    let binary = object.local(format!("__offload_fat_handle.{hash}"));
    object.define(binary, Section::Writable, Record::zeros(8))?;
    let binary_argument = Argument::Loaded(binary, 0);
    let end = |callee| Call { callee, arguments: vec![binary_argument], result: None };
    // Not a destructor: the runtime's library may end before the destructors of the program.
    let unregister = object.function("unregister", &[end(runtime.unregister)])?;
    let mut at_load = vec![Call { result: Some((binary, 0)), ..Call::with(runtime.register, wrapper) }];
    for (handle, name) in parts.handles.iter().zip(&parts.written.names) {
        let name = Argument::Address(parts.table, *name);
        let mut arguments = vec![binary_argument, Argument::Address(*handle, 0), name, name, Argument::Number(-1)];
        // Places for numbers of threads and blocks, which no runtime fills in.
        arguments.extend([Argument::Number(0); 5]);
        at_load.push(Call { callee: runtime.register_function, arguments, result: None });
    }
    for (number, variable) in registration.variables.iter().enumerate() {
        let name = object.local(format!("__offload_variable.{hash}.{number}"));
        object.define(name, Section::Relocated, Record::of([variable.symbol.as_bytes(), b"\0"].concat()))?;
        let host = object.exported(&variable.symbol);
        let mut record = Record::default();
        record.address(Some(host), 0);
        // In a shared object, code cannot name the address of a symbol that another library may replace.
        let place = object.local(format!("__offload_variable_address.{hash}.{number}"));
        object.define(place, Section::Relocated, record)?;
        let (host, name) = (Argument::Loaded(place, 0), Argument::Address(name, 0));
        let (size, zero) = (Argument::Number(variable.size as i64), Argument::Number(0));
        let arguments = vec![binary_argument, host, name, name, zero, size, zero, zero];
        at_load.push(Call { callee: runtime.register_variable, arguments, result: None });
    }
    at_load.extend(runtime.register_end.map(end));
    at_load.push(Call::with("atexit", unregister));
    Ok(RuntimeHooks { at_load, at_unload: Vec::new() })
}
