//! The registration with liboffloadrt: kernel handles and a descriptor. Every object has them, for all runtimes.
//!
//! `runtime-c/offloadrt.h` defines the structures, under "What offloadc emits".

use std::mem::offset_of;

use super::calls::Call;
use super::registration::{Registration, RuntimeHooks, RuntimeInputs};
use super::relocatable::{Record, Relocatable, Section};
use super::symbol::Symbol;
use crate::contract::abi::{Address, DESCRIPTOR_VERSION, Descriptor, KERNEL_VERSION, Kernel, KernelLevels};
use crate::contract::kernel::CpuLevels;
use crate::error::Result;

/// Adds handles and descriptor to the object. Returns the descriptor.
pub(super) fn place(
    registration: &Registration<'_>,
    object: &mut Relocatable<'_>,
    parts: &RuntimeInputs,
) -> Result<Symbol> {
    let descriptor = object.hidden(format!("__offload_descriptor.{}", registration.hash));
    for (index, handle) in parts.handles.iter().enumerate() {
        let record = kernel(registration, object, parts, index, descriptor);
        object.define(*handle, Section::Relocated, record)?;
    }
    object.define(descriptor, Section::Writable, describe(registration, parts))?;
    Ok(descriptor)
}

/// A kernel's handle.
fn kernel(
    registration: &Registration<'_>,
    object: &mut Relocatable<'_>,
    parts: &RuntimeInputs,
    index: usize,
    descriptor: Symbol,
) -> Record {
    let row = &registration.kernels[index];
    let mut entry = |level: u32| {
        let symbol = || row.kernel.cpu_symbol(level, registration.hash);
        row.cpu_levels.contains(level).then(|| object.hidden(symbol()))
    };
    let cpu_entry = entry(1);
    let size = if row.cpu_levels.has_higher() { size_of::<KernelLevels>() } else { size_of::<Kernel>() };
    let mut record = Record::zeros(size);
    if row.cpu_levels.has_higher() {
        for level in 2..=CpuLevels::MOST {
            let place = offset_of!(KernelLevels, entries) + (level as usize - 2) * size_of::<Address>();
            record.set_address(place, entry(level), 0);
        }
    }
    record
        .set_u32(offset_of!(Kernel, size), size as u32)
        .set_u32(offset_of!(Kernel, version), KERNEL_VERSION)
        .set_address(offset_of!(Kernel, name), Some(parts.table), parts.written.names[index])
        .set_address(offset_of!(Kernel, parameters), Some(parts.table), parts.written.parameters[index])
        .set_u32(offset_of!(Kernel, parameter_count), row.kernel.parameters.len() as u32)
        .set_u32(offset_of!(Kernel, argument_bytes), row.kernel.argument_bytes())
        .set_u32(offset_of!(Kernel, argument_align), row.kernel.argument_align())
        .set_u32(offset_of!(Kernel, shared_bytes), row.shared_bytes)
        .set_address(offset_of!(Kernel, cpu_entry), cpu_entry, 0)
        .set_address(offset_of!(Kernel, descriptor), Some(descriptor), 0)
        .set_u32(offset_of!(Kernel, flags), row.flags(registration.runtime))
        .set_u32(offset_of!(Kernel, threads_per_block), row.threads_per_block);
    record
}

/// The descriptor of the object. Its handles are consecutive.
fn describe(registration: &Registration<'_>, parts: &RuntimeInputs) -> Record {
    let mut record = Record::zeros(size_of::<Descriptor>());
    record
        .set_u32(offset_of!(Descriptor, size), size_of::<Descriptor>() as u32)
        .set_u32(offset_of!(Descriptor, version), DESCRIPTOR_VERSION)
        .set_address(offset_of!(Descriptor, kernels), parts.handles.first().copied(), 0)
        .set_u64(offset_of!(Descriptor, kernel_count), parts.handles.len() as u64)
        .set_address(offset_of!(Descriptor, images_begin), parts.containers, 0)
        .set_address(offset_of!(Descriptor, images_end), parts.containers, parts.containers_size)
        .set_address(offset_of!(Descriptor, panics), parts.panics, 0)
        .set_address(offset_of!(Descriptor, host_functions), parts.host_functions, 0)
        .set_u64(offset_of!(Descriptor, host_function_count), registration.host_functions as u64)
        .set_u64(offset_of!(Descriptor, first_function), registration.functions.0)
        .set_u64(offset_of!(Descriptor, function_count), registration.functions.1 as u64);
    record
}

/// The runtime's functions for a descriptor.
pub(super) fn hooks(descriptor: Symbol) -> RuntimeHooks {
    RuntimeHooks {
        at_load: vec![Call::with("offloadrt_register", descriptor)],
        at_unload: vec![Call::with("offloadrt_unregister", descriptor)],
    }
}
