//! The kernel table: a description of an object's kernels that can be read without relocations and symbols. It is in a
//! separate section that linkers and `strip` do not change.
//!
//! The kernels' handles point into it for names and parameters. A linked program contains the tables of all its
//! objects, one after another, at multiples of 8. Numbers are little-endian, and offsets are relative to the start of
//! the table. A table begins with a `struct offload_table` ([`abi::Table`], docs/format.md). The rows of the kernels
//! follow, then their parameters with their extents, then NUL-terminated strings.

use std::mem::offset_of;

use super::Runtime;
use super::bytes::{number, part, string_at};
use super::registration::{KernelRow, Registration, WrittenTable};
use crate::contract::abi::{
    self, KernelFlag, MapFlag, ScalarFlag, TABLE_VERSION, Table as Header, TableKernel as Row, structure,
};
use crate::contract::kernel::{Extent, Parameter, ParameterKind, Scalar};
use crate::error::{Error, Result};

const MAGIC: &[u8; 8] = b"offloadk";
const HEADER_SIZE: usize = size_of::<Header>();
const ROW_SIZE: usize = size_of::<Row>();
const PARAMETER_SIZE: usize = size_of::<abi::Parameter>();
const EXTENT_SIZE: usize = size_of::<abi::Extent>();
const SCALAR_SIZE: usize = size_of::<abi::Scalar>();

/// Strings at known offsets.
struct Strings {
    start: usize,
    bytes: Vec<u8>,
}

impl Strings {
    /// Adds a string. Returns its offset.
    fn add(&mut self, text: &str) -> usize {
        let at = self.start + self.bytes.len();
        self.bytes.extend(text.bytes().filter(|byte| *byte != 0));
        self.bytes.push(0);
        at
    }
}

/// Writes the table of an object. Fails only if it would be larger than 4 GiB.
pub(super) fn write(registration: &Registration<'_>) -> Result<WrittenTable> {
    let kernels = registration.kernels;
    let parameters_at = HEADER_SIZE + kernels.len() * ROW_SIZE;
    let parameters_room: usize = kernels.iter().map(room_for_parameters).sum();
    let mut strings = Strings { start: parameters_at + parameters_room, bytes: Vec::new() };
    let hash = strings.add(registration.hash);
    let (mut rows, mut parameters) = (Vec::new(), Vec::new());
    let mut written = WrittenTable { bytes: Vec::new(), names: Vec::new(), parameters: Vec::new() };
    for row in kernels {
        let kernel = row.kernel;
        let (name, here) = (strings.add(&kernel.name), parameters_at + parameters.len());
        let display = if kernel.display == kernel.name { name } else { strings.add(&kernel.display) };
        written.names.push(name);
        written.parameters.push(here);
        rows.extend(structure::<ROW_SIZE>(&[
            (offset_of!(Row, name), word(name)?),
            (offset_of!(Row, display), word(display)?),
            (offset_of!(Row, parameters), word(here)?),
            (offset_of!(Row, parameter_count), word(kernel.parameters.len())?),
            (offset_of!(Row, argument_bytes), kernel.argument_bytes()),
            (offset_of!(Row, argument_align), kernel.argument_align()),
            (offset_of!(Row, shared_bytes), row.shared_bytes),
            (offset_of!(Row, flags), row.flags(registration.runtime)),
        ]));
        parameters.extend(kernel.parameters.iter().flat_map(parameter_bytes));
        if kernel.has_extents() {
            parameters.extend(kernel.parameters.iter().flat_map(|p| extent_bytes(p.extent)));
        }
        if !row.scalars.is_empty() {
            parameters.extend(row.scalars.iter().flat_map(|scalar| scalar_bytes(*scalar)));
            parameters.extend([0; SCALAR_SIZE]);
        }
    }
    let size = (strings.start + strings.bytes.len()).next_multiple_of(8);
    written.bytes.extend(header(registration, size, hash)?);
    written.bytes.extend(rows);
    written.bytes.extend(parameters);
    written.bytes.extend(strings.bytes);
    written.bytes.resize(size, 0);
    Ok(written)
}

fn header(registration: &Registration<'_>, size: usize, hash: usize) -> Result<[u8; HEADER_SIZE]> {
    let mut header = structure(&[
        (offset_of!(Header, version), TABLE_VERSION),
        (offset_of!(Header, size), word(size)?),
        (offset_of!(Header, runtime), registration.runtime as u32),
        (offset_of!(Header, kernel_count), word(registration.kernels.len())?),
        (offset_of!(Header, hash), word(hash)?),
    ]);
    let magic = offset_of!(Header, magic);
    header[magic..magic + MAGIC.len()].copy_from_slice(MAGIC);
    Ok(header)
}

/// The size of a kernel's parameters with their extents, and of its scalars, in bytes.
fn room_for_parameters(row: &KernelRow<'_>) -> usize {
    let extents = if row.kernel.has_extents() { EXTENT_SIZE } else { 0 };
    let scalars = if row.scalars.is_empty() { 0 } else { (row.scalars.len() + 1) * SCALAR_SIZE };
    row.kernel.parameters.len() * (PARAMETER_SIZE + extents) + scalars
}

fn scalar_bytes(scalar: Scalar) -> [u8; SCALAR_SIZE] {
    structure(&[
        (offset_of!(abi::Scalar, offset), scalar.offset),
        (offset_of!(abi::Scalar, size), scalar.size),
        (offset_of!(abi::Scalar, flags), if scalar.is_specialized { ScalarFlag::Specialized as u32 } else { 0 }),
    ])
}

fn parameter_bytes(parameter: &Parameter) -> [u8; PARAMETER_SIZE] {
    structure(&[
        (offset_of!(abi::Parameter, offset), parameter.offset),
        (offset_of!(abi::Parameter, size), parameter.size),
        (offset_of!(abi::Parameter, align), parameter.align),
        (offset_of!(abi::Parameter, kind), parameter.kind as u32),
    ])
}

/// Zeros for a parameter without an extent.
fn extent_bytes(extent: Option<Extent>) -> [u8; EXTENT_SIZE] {
    let Some(Extent { bytes, read, written }) = extent else { return [0; EXTENT_SIZE] };
    let to = if read { MapFlag::To as u32 } else { 0 };
    let from = if written { MapFlag::From as u32 } else { 0 };
    let mut row = structure(&[(offset_of!(abi::Extent, directions), to | from)]);
    let at = offset_of!(abi::Extent, bytes);
    row[at..at + 8].copy_from_slice(&bytes.to_le_bytes());
    row
}

fn word(number: usize) -> Result<u32> {
    u32::try_from(number).map_err(|_| Error::new("the kernel table is larger than 4 GiB"))
}

/// A table that was read.
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
    pub(super) may_allocate: bool,
    pub(super) keeps_heap: bool,
    pub(super) calls_host: bool,
}

/// Reads consecutive tables, which may be separated by zeros.
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
        let field = |at| number::<4>(bytes, at).map(|number| number as usize);
        let version = field(offset_of!(Header, version)).filter(|_| bytes.starts_with(MAGIC));
        if let Some(version) = version.filter(|version| *version != TABLE_VERSION as usize) {
            let message = format!("its version is {version}, not {TABLE_VERSION}");
            return Err(Error::new(message).context(place()));
        }
        let size = version.and_then(|_| field(offset_of!(Header, size)));
        let table = size.filter(|size| *size >= HEADER_SIZE).and_then(|size| part(bytes, 0, size));
        let table = table.ok_or_else(|| Error::new("it is damaged or truncated").context(place()))?;
        tables.push(read_one(table).ok_or_else(|| Error::new("it is damaged").context(place()))?);
        bytes = &bytes[table.len()..];
    }
}

fn read_one(table: &[u8]) -> Option<Table<'_>> {
    let field = |at| Some(number::<4>(table, at)? as usize);
    let rows = part(table, HEADER_SIZE, field(offset_of!(Header, kernel_count))?.checked_mul(ROW_SIZE)?)?;
    let kernels = rows.chunks_exact(ROW_SIZE).map(|row| read_kernel(table, row)).collect::<Option<_>>()?;
    let runtime = Runtime::from_number(field(offset_of!(Header, runtime))? as u32)?;
    Some(Table { runtime, hash: string_at(table, field(offset_of!(Header, hash))?)?, kernels })
}

fn read_kernel<'a>(table: &'a [u8], row: &[u8]) -> Option<KernelView<'a>> {
    let field = |at| Some(number::<4>(row, at)? as usize);
    let flags = field(offset_of!(Row, flags))? as u32;
    let has = |flag: KernelFlag| flags & flag as u32 != 0;
    let at = field(offset_of!(Row, parameters))?;
    let size = field(offset_of!(Row, parameter_count))?.checked_mul(PARAMETER_SIZE)?;
    let parameters = part(table, at, size)?.chunks_exact(PARAMETER_SIZE).map(read_parameter);
    let mut parameters = parameters.collect::<Option<Vec<_>>>()?;
    let argument_bytes = field(offset_of!(Row, argument_bytes))? as u32;
    let argument_align = field(offset_of!(Row, argument_align))? as u32;
    if !are_in_place(&parameters, argument_bytes, argument_align) {
        return None;
    }
    if has(KernelFlag::HasExtents) {
        let extents = part(table, at.checked_add(size)?, size)?.chunks_exact(EXTENT_SIZE);
        for (parameter, row) in parameters.iter_mut().zip(extents) {
            parameter.extent = read_extent(row)?;
        }
    }
    Some(KernelView {
        name: string_at(table, field(offset_of!(Row, name))?)?,
        display: string_at(table, field(offset_of!(Row, display))?)?,
        parameters,
        argument_bytes,
        argument_align,
        shared_bytes: field(offset_of!(Row, shared_bytes))? as u32,
        has_cpu_code: has(KernelFlag::HasCpuCode),
        needs_heap: has(KernelFlag::NeedsHeap),
        may_allocate: has(KernelFlag::MayAllocate),
        keeps_heap: has(KernelFlag::KeepsHeap),
        calls_host: has(KernelFlag::CallsHost),
    })
}

/// Whether each parameter is at the first multiple of its alignment after the previous one, and the buffer ends after
/// the last one. `check_layout` of `runtime-c/launch/arguments.c` checks the same.
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
    let kind = ParameterKind::ALL.get(field(offset_of!(abi::Parameter, kind))? as usize).copied();
    Some(Parameter {
        offset: field(offset_of!(abi::Parameter, offset))?,
        size: field(offset_of!(abi::Parameter, size))?,
        align: field(offset_of!(abi::Parameter, align))?,
        kind: kind?,
        extent: None,
    })
}

/// The inner none is the row of a parameter without an extent; the outer none is an invalid row.
fn read_extent(row: &[u8]) -> Option<Option<Extent>> {
    let bytes = number::<8>(row, offset_of!(abi::Extent, bytes))?;
    let directions = number::<4>(row, offset_of!(abi::Extent, directions))? as u32;
    let has = |flag: MapFlag| directions & flag as u32 != 0;
    let extent = Extent { bytes, read: has(MapFlag::To), written: has(MapFlag::From) };
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
        newer[offset_of!(Header, version)] = 3;
        let message = read(&newer).unwrap_err().to_string();
        assert_eq!(message, "the kernel table at offset 0: its version is 3, not 2");
        let message = read(&good[..good.len() - 8]).unwrap_err().to_string();
        assert_eq!(message, "the kernel table at offset 0: it is damaged or truncated");
    }
}
