//! What liboffloadrt registers: kernel handles and a descriptor. Every object has them, whatever the runtime.
//!
//! The structures are those of `runtime-c/offloadrt.h`, under "What offloadc emits".

use super::registration::{Parts, Registered, Registration};
use super::relocatable::{Call, Place, Record, Relocatable, Symbol};
use crate::error::Result;

const KERNEL_SIZE: u32 = 64;
const KERNEL_VERSION: u32 = 1;
/// `OFFLOAD_KERNEL_TAKES_STATE`.
const TAKES_STATE: u32 = 1;
/// `OFFLOAD_KERNEL_NEEDS_HEAP`.
const NEEDS_HEAP: u32 = 2;
/// `OFFLOAD_KERNEL_HAS_EXTENTS`.
const HAS_EXTENTS: u32 = 4;
/// `OFFLOAD_KERNEL_KEEPS_HEAP`.
const KEEPS_HEAP: u32 = 8;
const DESCRIPTOR_SIZE: u32 = 64;
const DESCRIPTOR_VERSION: u32 = 1;

/// Places handles and descriptor; gives the descriptor.
pub(super) fn place(registration: &Registration<'_>, object: &mut Relocatable<'_>, parts: &Parts) -> Result<Symbol> {
    let descriptor = object.hidden(format!("__offload_descriptor.{}", registration.hash));
    for (index, handle) in parts.handles.iter().enumerate() {
        let record = kernel(registration, object, parts, index, descriptor);
        object.define(*handle, Place::Relocated, record)?;
    }
    object.define(descriptor, Place::Writable, describe(parts))?;
    Ok(descriptor)
}

/// ```c
/// struct offload_kernel {
///   uint32_t size, version;
///   const char *name;
///   const struct offload_parameter *parameters;
///   uint32_t parameter_count, argument_bytes, argument_align, shared_bytes;
///   offload_cpu_entry cpu_entry;
///   const struct offload_descriptor *descriptor;
///   uint32_t flags, threads_per_block;
/// };
/// ```
fn kernel(
    registration: &Registration<'_>,
    object: &mut Relocatable<'_>,
    parts: &Parts,
    index: usize,
    descriptor: Symbol,
) -> Record {
    let row = &registration.kernels[index];
    let cpu_entry = row.has_cpu_code.then(|| object.hidden(row.kernel.cpu_symbol(registration.hash)));
    let mut record = Record::default();
    record.u32(KERNEL_SIZE).u32(KERNEL_VERSION);
    record.address(Some(parts.table), parts.written.names[index]);
    record.address(Some(parts.table), parts.written.parameters[index]);
    record.u32(row.kernel.parameters.len() as u32).u32(row.kernel.argument_bytes());
    record.u32(row.kernel.argument_align()).u32(row.shared_bytes);
    record.address(cpu_entry, 0).address(Some(descriptor), 0);
    let flags = [
        (row.takes_state, TAKES_STATE),
        (row.needs_heap, NEEDS_HEAP),
        (row.kernel.has_extents(), HAS_EXTENTS),
        (row.keeps_heap, KEEPS_HEAP),
    ];
    record.u32(flags.iter().filter(|(is, _)| *is).map(|(_, flag)| flag).sum()).u32(row.threads_per_block);
    record
}

/// ```c
/// struct offload_descriptor {
///   uint32_t size, version;
///   const struct offload_kernel *kernels;
///   uint64_t kernel_count;
///   const unsigned char *images_begin, *images_end;
///   struct offload_descriptor *next;
///   uint64_t serial;
///   const struct offload_panic_texts *panics;
/// };
/// ```
fn describe(parts: &Parts) -> Record {
    let mut record = Record::default();
    record.u32(DESCRIPTOR_SIZE).u32(DESCRIPTOR_VERSION);
    // The handles stand one after another.
    record.address(parts.handles.first().copied(), 0).u64(parts.handles.len() as u64);
    record.address(parts.containers, 0).address(parts.containers, parts.containers_size);
    record.address(None, 0).u64(0).address(parts.panics, 0);
    record
}

/// The runtime's functions for a descriptor.
pub(super) fn registered(descriptor: Symbol) -> Registered {
    Registered {
        at_load: Call { callee: "offloadrt_register", argument: descriptor },
        at_unload: Call { callee: "offloadrt_unregister", argument: descriptor },
    }
}
