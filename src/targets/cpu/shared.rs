//! Static shared memory: where each static of `.offload.shared` stands in the block's shared memory.
//!
//! Two statics overlap when no kernel reaches both, so that a kernel pays for its own only. Initialisers are dropped,
//! as on GPUs: shared memory is not initialised.

use crate::analysis::reach::Reach;
use crate::checks::check_statics::check_shared_addresses;
use crate::contract::builtin::SHARED_SECTION;
use crate::contract::kernel::KernelSet;
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Module, Value};
use crate::rust_std::demangle::demangle;

/// What `offload_cpu_block.shared` is aligned to, in bytes, whatever a kernel's shared memory is.
const SHARED_ALIGN: u32 = 64;
/// What it is aligned to at most, where the size is a multiple of that.
const MOST_SHARED_ALIGN: u32 = 4096;

/// The place of every shared static.
pub(super) struct SharedLayout<'c> {
    /// The statics, in the module's order, with their offsets in bytes.
    pub(super) variables: Vec<(Value<'c>, u64)>,
    /// How many bytes each kernel's blocks need, in the kernels' order.
    pub(super) bytes: Vec<u32>,
}

struct PlacedStatic<'c> {
    variable: Value<'c>,
    kernels: Vec<usize>,
    begin: u64,
    end: u64,
}

impl<'c> SharedLayout<'c> {
    /// Places each static at the lowest offset that no static of the same kernels covers.
    pub(super) fn new(module: &Module<'c>, kernels: &KernelSet) -> Self {
        if shared_variables(module).next().is_none() {
            return SharedLayout { variables: Vec::new(), bytes: vec![0; kernels.len()] };
        }
        let reached: Vec<Vec<Value<'c>>> = kernels
            .iter()
            .map(|k| module.function(&k.name).map_or_else(Vec::new, |function| Reach::new(&[function]).order))
            .collect();
        let mut placed: Vec<PlacedStatic<'c>> = Vec::new();
        for variable in shared_variables(module) {
            let kernels = (0..reached.len()).filter(|k| reached[*k].contains(&variable)).collect::<Vec<_>>();
            let size = variable.value_type().alloc_size(module);
            let begin = lowest_free(&placed, &kernels, size, alignment(module, variable).into());
            placed.push(PlacedStatic { variable, kernels, begin, end: begin + size });
        }
        let bytes = (0..reached.len()).map(|k| bytes_of(module, &placed, k)).collect();
        SharedLayout { variables: placed.iter().map(|p| (p.variable, p.begin)).collect(), bytes }
    }
}

/// How many bytes a kernel needs: so many that the scheduler aligns them as the statics want.
fn bytes_of<'c>(module: &Module<'c>, placed: &[PlacedStatic<'c>], kernel: usize) -> u32 {
    let reached = || placed.iter().filter(|p| p.kernels.contains(&kernel));
    let end = reached().map(|p| p.end).max().unwrap_or(0);
    let align =
        reached().map(|p| alignment(module, p.variable)).filter(|align| *align > SHARED_ALIGN).max().unwrap_or(1);
    u32::try_from(end.next_multiple_of(align.into())).unwrap_or(u32::MAX)
}

fn lowest_free(placed: &[PlacedStatic<'_>], kernels: &[usize], size: u64, align: u64) -> u64 {
    let mut neighbours: Vec<_> = placed.iter().filter(|p| p.kernels.iter().any(|k| kernels.contains(k))).collect();
    neighbours.sort_by_key(|p| p.begin);
    let mut begin = 0u64;
    for neighbour in neighbours {
        if begin + size > neighbour.begin && begin < neighbour.end {
            begin = neighbour.end.next_multiple_of(align);
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

/// Statics that shared memory cannot hold, and statics that hold the address of shared memory.
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
