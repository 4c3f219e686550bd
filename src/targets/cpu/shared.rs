//! Static shared memory: the offset of each static of `.offload.shared` in the block's shared memory.
//!
//! Two statics may overlap if no kernel can access both, so a kernel needs memory only for its own statics.
//! Initialisers are removed, as on GPUs, because shared memory is not initialised.

use crate::analysis::callees::AddressTaken;
use crate::analysis::reach::Reach;
use crate::checks::check_statics::check_shared_addresses;
use crate::contract::builtin::SHARED_SECTION;
use crate::contract::checker::is_instrumented;
use crate::contract::kernel::KernelSet;
use crate::diagnostics::{Code, Diagnostic};
use crate::error::{Context, Error, Result};
use crate::llvm::{Module, Value};
use crate::rust_std::demangle::demangle;

/// The section with the static shared memory of each kernel: one `u32` for each kernel, in order.
const SHARED_BYTES_SECTION: &str = ".offload.cpu.shared_bytes";
/// The alignment of `offload_cpu_block.shared` in bytes, for any size.
const SHARED_ALIGN: u32 = 64;
/// The largest alignment in bytes. A smaller size has the alignment of the largest power of two that divides it.
const MOST_SHARED_ALIGN: u32 = 4096;

/// The number of bytes between two statics of an instrumented kernel, so that an access beyond one does not reach the
/// next one.
const CHECKED_GAP: u64 = 64;

/// The offsets of all shared statics.
pub(super) struct SharedLayout<'c> {
    /// The statics, in the order of the module, with their offsets in bytes.
    pub(super) variables: Vec<(Value<'c>, u64)>,
    /// The number of bytes that each kernel's blocks need, in the order of the kernels.
    pub(super) bytes: Vec<u32>,
    /// The offsets and sizes of the statics of each kernel.
    pub(super) ranges: Vec<Vec<(u64, u64)>>,
}

struct PlacedStatic<'c> {
    variable: Value<'c>,
    kernels: Vec<usize>,
    begin: u64,
    end: u64,
}

impl<'c> SharedLayout<'c> {
    /// Assigns each static the lowest offset at which it overlaps no static of the same kernels.
    pub(super) fn new(module: &Module<'c>, kernels: &KernelSet) -> Self {
        if shared_variables(module).next().is_none() {
            return SharedLayout {
                variables: Vec::new(),
                bytes: vec![0; kernels.len()],
                ranges: vec![Vec::new(); kernels.len()],
            };
        }
        let addressed = AddressTaken::of(module);
        let reached = |function| Reach::of_execution(function, &addressed).order;
        let reached: Vec<Vec<Value<'c>>> =
            kernels.iter().map(|k| module.function(&k.name).map_or_else(Vec::new, reached)).collect();
        let gap = if is_instrumented(module) { CHECKED_GAP } else { 0 };
        let mut placed: Vec<PlacedStatic<'c>> = Vec::new();
        for variable in shared_variables(module) {
            let kernels = (0..reached.len()).filter(|k| reached[*k].contains(&variable)).collect::<Vec<_>>();
            let size = variable.value_type().alloc_size(module);
            let begin = lowest_free(&placed, &kernels, size, alignment(module, variable).into(), gap);
            placed.push(PlacedStatic { variable, kernels, begin, end: begin + size });
        }
        let bytes = (0..reached.len()).map(|k| bytes_of(module, &placed, k)).collect();
        let of = |k| placed.iter().filter(move |p| p.kernels.contains(&k)).map(|p| (p.begin, p.end - p.begin));
        let ranges = (0..reached.len()).map(|k| of(k).collect()).collect();
        SharedLayout { variables: placed.iter().map(|p| (p.variable, p.begin)).collect(), bytes, ranges }
    }
}

/// The number of bytes that a kernel needs, rounded up so that the scheduler aligns them as the statics require.
fn bytes_of<'c>(module: &Module<'c>, placed: &[PlacedStatic<'c>], kernel: usize) -> u32 {
    let reached = || placed.iter().filter(|p| p.kernels.contains(&kernel));
    let end = reached().map(|p| p.end).max().unwrap_or(0);
    let align =
        reached().map(|p| alignment(module, p.variable)).filter(|align| *align > SHARED_ALIGN).max().unwrap_or(1);
    u32::try_from(end.next_multiple_of(align.into())).unwrap_or(u32::MAX)
}

fn lowest_free(placed: &[PlacedStatic<'_>], kernels: &[usize], size: u64, align: u64, gap: u64) -> u64 {
    let mut neighbours: Vec<_> = placed.iter().filter(|p| p.kernels.iter().any(|k| kernels.contains(k))).collect();
    neighbours.sort_by_key(|p| p.begin);
    let mut begin = 0u64;
    for neighbour in neighbours {
        if begin + size + gap > neighbour.begin && begin < neighbour.end + gap {
            begin = (neighbour.end + gap).next_multiple_of(align);
        }
    }
    begin
}

fn shared_variables<'c>(module: &Module<'c>) -> impl Iterator<Item = Value<'c>> {
    module.variables().into_iter().filter(|v| v.section() == SHARED_SECTION)
}

fn alignment<'c>(module: &Module<'c>, variable: Value<'c>) -> u32 {
    variable.alignment().max(variable.value_type().alignment(module))
}

/// Reports statics that shared memory cannot contain, and statics that contain the address of shared memory.
pub(super) fn check(module: &Module<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for variable in shared_variables(module) {
        let align = alignment(module, variable);
        if align > MOST_SHARED_ALIGN {
            let name = demangle(&variable.name());
            let message =
                format!("shared static `{name}` is aligned to {align} bytes, and the limit is {MOST_SHARED_ALIGN}");
            found.push(Diagnostic::coded(Code::UnsupportedType, message));
        }
    }
    found.extend(check_shared_addresses(module));
    found
}

/// Writes the size of each kernel's static shared memory into a section that linkers may drop.
pub(super) fn keep_shared_bytes(module: &Module<'_>, bytes: &[u32]) {
    let bytes: Vec<u8> = bytes.iter().flat_map(|b| b.to_le_bytes()).collect();
    let variable = module.add_bytes("offload.shared_bytes", &bytes);
    variable.set_section(SHARED_BYTES_SECTION);
    variable.set_alignment(4);
    module.keep(variable);
}

/// Reads the section of `keep_shared_bytes`.
pub(super) fn shared_bytes(object: &[u8]) -> Result<Vec<u32>> {
    let doing = "cannot read the object of the cpu's code";
    let elf = goblin::elf::Elf::parse(object).map_err(|e| Error::internal(e.to_string())).context(doing)?;
    let section = elf.section_headers.iter().find(|h| elf.shdr_strtab.get_at(h.sh_name) == Some(SHARED_BYTES_SECTION));
    let bytes = section.and_then(|h| object.get(h.file_range()?)).unwrap_or_default();
    Ok(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}
