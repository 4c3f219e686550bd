//! The registration with LLVM's libomptarget: offload entries, device images, and the descriptor of both.
//!
//! The layouts are those of `llvm/Frontend/Offloading/Utility.h` and libomptarget's `APITypes.h` in LLVM 22. The table
//! of entries belongs to this object, and is not in the section `llvm_offload_entries`, which all objects of a program
//! share: libomptarget traverses host and device tables in parallel, and fails if an entry of another language is
//! between them.

use super::ImageKind;
use super::calls::Call;
use super::registration::{Registration, RuntimeHooks, RuntimeInputs};
use super::relocatable::{Record, Relocatable, Section};
use super::symbol::Symbol;
use crate::error::Result;
use std::ops::Range;

const ENTRY_VERSION: u16 = 1;
/// OpenMP's bit of LLVM's `OffloadKind`; libomptarget ignores entries without it.
const OFFLOAD_KIND_OPENMP: u16 = 1;
const ENTRY_SIZE: usize = 56;

/// The table of entries.
struct Entries {
    begin: Symbol,
    bytes: usize,
}

impl Entries {
    /// Adds the addresses of the table's start and end.
    fn address_range(&self, record: &mut Record) {
        record.address(Some(self.begin), 0).address(Some(self.begin), self.bytes);
    }
}

/// Adds entries, images and descriptor to the object. Returns the functions that register the descriptor.
pub(super) fn place(
    registration: &Registration<'_>,
    object: &mut Relocatable<'_>,
    parts: &RuntimeInputs,
) -> Result<RuntimeHooks> {
    let hash = registration.hash;
    let entries = object.local(format!("__offload_omptarget_entries.{hash}"));
    object.define(entries, Section::Relocated, entry_table(parts))?;
    let entries = Entries { begin: entries, bytes: parts.handles.len() * ENTRY_SIZE };
    let ranges = elf_images(registration, parts);
    let images = object.local(format!("__offload_omptarget_images.{hash}"));
    object.define(images, Section::Relocated, image_table(parts, &ranges, &entries))?;
    let descriptor = object.local(format!("__offload_omptarget_descriptor.{hash}"));
    object.define(descriptor, Section::Relocated, describe(ranges.len(), images, &entries))?;
    Ok(RuntimeHooks {
        at_load: vec![Call::with("__tgt_register_lib", descriptor)],
        at_unload: vec![Call::with("__tgt_unregister_lib", descriptor)],
    })
}

/// ```c
/// struct __tgt_offload_entry {
///   uint64_t reserved;
///   uint16_t version, kind;
///   uint32_t flags;
///   void *address;          // a kernel's handle
///   char *symbol_name;      // its name in the images
///   uint64_t size;          // 0: a kernel
///   uint64_t data;
///   void *aux_address;
/// } entries[kernel_count];
/// ```
fn entry_table(parts: &RuntimeInputs) -> Record {
    let mut record = Record::default();
    for (handle, name) in parts.handles.iter().zip(&parts.written.names) {
        record.u64(0).u16(ENTRY_VERSION).u16(OFFLOAD_KIND_OPENMP).u32(0);
        record.address(Some(*handle), 0).address(Some(parts.table), *name);
        record.u64(0).u64(0).address(None, 0);
    }
    record
}

/// Whether libomptarget reads images of this kind: ELF files. It reads no others, such as PTX text.
pub(super) fn reads(kind: ImageKind) -> bool {
    matches!(kind, ImageKind::Object | ImageKind::Cubin)
}

/// Where the images lie that libomptarget can read.
fn elf_images(registration: &Registration<'_>, parts: &RuntimeInputs) -> Vec<Range<usize>> {
    let images = registration.images.images().iter().zip(&parts.images);
    let readable = images.filter(|(image, _)| reads(image.kind));
    readable.map(|(_, range)| range.clone()).collect()
}

/// ```c
/// struct __tgt_device_image {
///   void *image_start, *image_end;     // within the containers
///   struct __tgt_offload_entry *entries_begin, *entries_end;
/// } images[image_count];
/// ```
fn image_table(parts: &RuntimeInputs, ranges: &[Range<usize>], entries: &Entries) -> Record {
    let mut record = Record::default();
    for range in ranges {
        record.address(parts.containers, range.start).address(parts.containers, range.end);
        entries.address_range(&mut record);
    }
    record
}

/// ```c
/// struct __tgt_bin_desc {
///   int32_t image_count;               // and 4 bytes of padding
///   struct __tgt_device_image *images;
///   struct __tgt_offload_entry *entries_begin, *entries_end;
/// };
/// ```
fn describe(image_count: usize, images: Symbol, entries: &Entries) -> Record {
    let mut record = Record::default();
    record.u64(image_count as u64).address(Some(images), 0);
    entries.address_range(&mut record);
    record
}
