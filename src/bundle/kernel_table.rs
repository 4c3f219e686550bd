//! The kernel table: what can be known of an object's kernels without relocations or symbols, in a section of its own
//! that linkers and `strip` leave alone.
//!
//! The kernels' handles point into it for names and parameters. Linked programs hold one table for each object, one
//! after another, at multiples of 8. Everything is little-endian; offsets count from the table's start:
//!
//! ```c
//! struct table {
//!   char magic[8];                      //  0: "offloadk"
//!   uint32_t version;                   //  8: 1
//!   uint32_t size;                      // 12: of the whole table, a multiple of 8
//!   uint32_t runtime;                   // 16: 0 offloadrt, 1 omptarget, 2 none
//!   uint32_t kernel_count;              // 20
//!   uint32_t hash;                      // 24: offset of the object's hash, a string
//!   uint32_t reserved;                  // 28: 0
//!   struct kernel {
//!     uint32_t name, display;           //  0: offsets of strings
//!     uint32_t parameters;              //  8: offset of the first struct offload_parameter
//!     uint32_t parameter_count;         // 12
//!     uint32_t argument_bytes;          // 16
//!     uint32_t argument_align;          // 20
//!     uint32_t shared_bytes;            // 24: static shared memory of the cpu's code, per block
//!     uint32_t flags;                   // 28: 1: the object has cpu code of this kernel; 2: it allocates
//!                                       //     memory, so that a launch must give it a heap; 4: behind its
//!                                       //     parameters stand as many struct offload_extent; 8: its
//!                                       //     launches keep their heaps
//!   } kernels[kernel_count];
//!   struct offload_parameter parameters[];  // of each kernel, and its struct offload_extent
//!   char strings[];                     // NUL-terminated
//! };
//! ```

use super::Runtime;
use super::offload_binary::{number, part, string_at};
use super::registration::Registration;
use crate::contract::kernel::{Extent, Kernel, Parameter, ParameterKind};
use crate::error::{Error, Result};

const MAGIC: &[u8; 8] = b"offloadk";
const VERSION: u32 = 1;
const HEADER_SIZE: usize = 32;
const ROW_SIZE: usize = 32;
const PARAMETER_SIZE: usize = 16;
const HAS_CPU_CODE: u32 = 1;
const NEEDS_HEAP: u32 = 2;
const HAS_EXTENTS: u32 = 4;
const KEEPS_HEAP: u32 = 8;
const EXTENT_SIZE: usize = 16;
/// `enum offloadrt_map_flag`.
const TO: u32 = 1;
const FROM: u32 = 2;

/// A table's bytes, and what handles point to in it.
pub(super) struct Written {
    pub(super) bytes: Vec<u8>,
    /// The offset of each kernel's name.
    pub(super) names: Vec<usize>,
    /// The offset of each kernel's parameters.
    pub(super) parameters: Vec<usize>,
}

/// Strings behind a known offset.
struct Strings {
    start: usize,
    bytes: Vec<u8>,
}

impl Strings {
    /// Adds a string; gives its offset.
    fn add(&mut self, text: &str) -> usize {
        let at = self.start + self.bytes.len();
        self.bytes.extend(text.bytes().filter(|byte| *byte != 0));
        self.bytes.push(0);
        at
    }
}

/// Writes the table of an object. Fails only where it would be larger than 4 GiB.
pub(super) fn write(registration: &Registration<'_>) -> Result<Written> {
    let kernels = registration.kernels;
    let parameters_at = HEADER_SIZE + kernels.len() * ROW_SIZE;
    let parameter_bytes: usize = kernels.iter().map(|row| parameter_bytes(row.kernel)).sum();
    let mut strings = Strings { start: parameters_at + parameter_bytes, bytes: Vec::new() };
    let hash = strings.add(registration.hash);
    let (mut rows, mut parameters) = (Vec::new(), Vec::new());
    let mut written = Written { bytes: Vec::new(), names: Vec::new(), parameters: Vec::new() };
    for row in kernels {
        let kernel = row.kernel;
        let (name, here) = (strings.add(&kernel.name), parameters_at + parameters.len());
        let display = if kernel.display == kernel.name { name } else { strings.add(&kernel.display) };
        written.names.push(name);
        written.parameters.push(here);
        rows.extend([word(name)?, word(display)?, word(here)?, word(kernel.parameters.len())?]);
        rows.extend([kernel.argument_bytes(), kernel.argument_align(), row.shared_bytes]);
        let extents = (kernel.has_extents(), HAS_EXTENTS);
        let flags =
            [(row.has_cpu_code, HAS_CPU_CODE), (row.needs_heap, NEEDS_HEAP), extents, (row.keeps_heap, KEEPS_HEAP)];
        rows.push(flags.iter().filter(|(is, _)| *is).map(|(_, flag)| flag).sum());
        for p in &kernel.parameters {
            parameters.extend([p.offset, p.size, p.align, p.kind as u32].map(u32::to_le_bytes).concat());
        }
        if kernel.has_extents() {
            parameters.extend(kernel.parameters.iter().flat_map(|p| extent_bytes(p.extent)));
        }
    }
    let size = (strings.start + strings.bytes.len()).next_multiple_of(8);
    let header = [VERSION, word(size)?, registration.runtime as u32, word(kernels.len())?, word(hash)?, 0];
    written.bytes.extend(MAGIC);
    written.bytes.extend(header.iter().chain(&rows).flat_map(|number| number.to_le_bytes()));
    written.bytes.extend(parameters);
    written.bytes.extend(strings.bytes);
    written.bytes.resize(size, 0);
    Ok(written)
}

/// How much room a kernel's parameters take, with their extents.
fn parameter_bytes(kernel: &Kernel) -> usize {
    let extents = if kernel.has_extents() { EXTENT_SIZE } else { 0 };
    kernel.parameters.len() * (PARAMETER_SIZE + extents)
}

/// ```c
/// struct offload_extent {
///   uint64_t bytes;
///   uint32_t directions, reserved;
/// };
/// ```
fn extent_bytes(extent: Option<Extent>) -> Vec<u8> {
    let Some(Extent { bytes, read, written }) = extent else { return vec![0; EXTENT_SIZE] };
    let directions = if read { TO } else { 0 } | if written { FROM } else { 0 };
    [bytes, u64::from(directions)].map(u64::to_le_bytes).concat()
}

fn word(number: usize) -> Result<u32> {
    u32::try_from(number).map_err(|_| Error::new("the kernel table is larger than 4 GiB"))
}

/// A table as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table<'a> {
    pub(super) runtime: Runtime,
    pub(super) hash: &'a str,
    pub(super) kernels: Vec<KernelView<'a>>,
}

/// A kernel's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KernelView<'a> {
    pub(super) name: &'a str,
    pub(super) display: &'a str,
    pub(super) parameters: Vec<Parameter>,
    pub(super) argument_bytes: u32,
    pub(super) argument_align: u32,
    pub(super) shared_bytes: u32,
    pub(super) has_cpu_code: bool,
    pub(super) needs_heap: bool,
    pub(super) keeps_heap: bool,
}

/// Reads tables that stand one after another, zeros between them.
pub(super) fn read(mut bytes: &[u8]) -> Result<Vec<Table<'_>>> {
    let mut tables = Vec::new();
    let start = bytes.len();
    loop {
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        bytes = &bytes[zeros..];
        if bytes.is_empty() {
            return Ok(tables);
        }
        let place = || format!("the kernel table at offset {}", start - bytes.len());
        let version = number::<4>(bytes, 8).filter(|_| bytes.starts_with(MAGIC));
        if version.is_some_and(|version| version != u64::from(VERSION)) {
            return Err(Error::new("its version is not 1").context(place()));
        }
        let size = version.and_then(|_| number::<4>(bytes, 12)).map(|size| size as usize);
        let table = size.filter(|size| *size >= HEADER_SIZE).and_then(|size| part(bytes, 0, size));
        let table = table.ok_or_else(|| Error::new("it is damaged or truncated").context(place()))?;
        tables.push(read_one(table).ok_or_else(|| Error::new("it is damaged").context(place()))?);
        bytes = &bytes[table.len()..];
    }
}

fn read_one(table: &[u8]) -> Option<Table<'_>> {
    let field = |at| Some(number::<4>(table, at)? as usize);
    let rows = part(table, HEADER_SIZE, field(20)?.checked_mul(ROW_SIZE)?)?;
    let kernels = rows.chunks_exact(ROW_SIZE).map(|row| read_kernel(table, row)).collect::<Option<_>>()?;
    let runtime = Runtime::from_number(number::<4>(table, 16)? as u32)?;
    Some(Table { runtime, hash: string_at(table, field(24)?)?, kernels })
}

fn read_kernel<'a>(table: &'a [u8], row: &[u8]) -> Option<KernelView<'a>> {
    let field = |at| Some(number::<4>(row, at)? as usize);
    let flags = field(28)? as u32;
    let (size, at) = (field(12)?.checked_mul(PARAMETER_SIZE)?, field(8)?);
    let parameters = part(table, at, size)?.chunks_exact(PARAMETER_SIZE).map(read_parameter);
    let mut parameters = parameters.collect::<Option<Vec<_>>>()?;
    let (argument_bytes, argument_align) = (field(16)? as u32, field(20)? as u32);
    if !are_in_place(&parameters, argument_bytes, argument_align) {
        return None;
    }
    if flags & HAS_EXTENTS != 0 {
        let extents = part(table, at.checked_add(size)?, size)?.chunks_exact(EXTENT_SIZE);
        for (parameter, row) in parameters.iter_mut().zip(extents) {
            parameter.extent = read_extent(row)?;
        }
    }
    Some(KernelView {
        name: string_at(table, field(0)?)?,
        display: string_at(table, field(4)?)?,
        parameters,
        argument_bytes,
        argument_align,
        shared_bytes: field(24)? as u32,
        has_cpu_code: flags & HAS_CPU_CODE != 0,
        needs_heap: flags & NEEDS_HEAP != 0,
        keeps_heap: flags & KEEPS_HEAP != 0,
    })
}

/// Whether each stands at the first multiple of its alignment behind the one before, and the buffer ends behind the last;
/// `check_layout` of `runtime-c/arguments.c` asks the same.
fn are_in_place(parameters: &[Parameter], bytes: u32, align: u32) -> bool {
    let round_up = |end: u32, align: u32| end.checked_next_multiple_of(align).filter(|_| align.is_power_of_two());
    let end = parameters.iter().try_fold(0, |end, parameter| {
        let at = round_up(end, parameter.align)?;
        (at == parameter.offset).then(|| at.checked_add(parameter.size)).flatten()
    });
    end.and_then(|end| round_up(end, align)) == Some(bytes)
}

fn read_parameter(row: &[u8]) -> Option<Parameter> {
    let field = |at| Some(number::<4>(row, at)? as u32);
    let kind = [ParameterKind::Value, ParameterKind::Pointer, ParameterKind::Block].get(field(12)? as usize).copied();
    Some(Parameter { offset: field(0)?, size: field(4)?, align: field(8)?, kind: kind?, extent: None })
}

/// None of none is a row of a parameter without one.
fn read_extent(row: &[u8]) -> Option<Option<Extent>> {
    let (bytes, directions) = (number::<8>(row, 0)?, number::<4>(row, 8)? as u32);
    let extent = Extent { bytes, read: directions & TO != 0, written: directions & FROM != 0 };
    Some((bytes != 0).then_some(extent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::registration::example;

    #[test]
    fn what_is_written_is_read() {
        let kernels = example::kernels();
        let written = write(&example::registration(Runtime::Omptarget, &example::rows(&kernels))).unwrap();
        assert_eq!(written.bytes.len() % 8, 0);
        let mut twice = written.bytes.clone();
        twice.extend([0; 8]);
        twice.extend(&written.bytes);
        let tables = read(&twice).unwrap();
        assert_eq!(tables.len(), 2);
        assert_eq!(tables[0], tables[1]);
        assert_eq!((tables[0].runtime, tables[0].hash), (Runtime::Omptarget, example::HASH));
        for (view, kernel) in tables[0].kernels.iter().zip(&kernels) {
            assert_eq!((view.name, view.display), (&*kernel.name, &*kernel.display));
            assert_eq!(view.parameters, kernel.parameters);
            assert_eq!((view.argument_bytes, view.argument_align), (kernel.argument_bytes(), kernel.argument_align()));
        }
        assert_eq!(string_at(&written.bytes, written.names[1]), Some(&*kernels[1].name));
        assert_eq!(number::<4>(&written.bytes, written.parameters[1] + 4), Some(48));
    }

    #[test]
    fn damage_is_an_error_and_never_a_panic() {
        let kernels = example::kernels();
        let good = write(&example::registration(Runtime::None, &example::rows(&kernels))).unwrap().bytes;
        for at in 0..good.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = good.clone();
                bytes[at] = value;
                let _either = read(&bytes);
                let _either = read(&good[..at]);
            }
        }
        // The offset of the first kernel's second parameter.
        let mut moved = good.clone();
        moved[HEADER_SIZE + kernels.len() * ROW_SIZE + PARAMETER_SIZE] ^= 1;
        assert_eq!(read(&moved).unwrap_err().to_string(), "the kernel table at offset 0: it is damaged");
        let mut newer = good.clone();
        newer[8] = 2;
        let message = read(&newer).unwrap_err().to_string();
        assert_eq!(message, "the kernel table at offset 0: its version is not 1");
        let message = read(&good[..good.len() - 8]).unwrap_err().to_string();
        assert_eq!(message, "the kernel table at offset 0: it is damaged or truncated");
    }
}
