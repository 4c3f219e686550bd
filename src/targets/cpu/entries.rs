//! The entries of kernels as the runtime and the checker find them.

use super::abi::checker;
use super::abi::omptarget;
use super::levels::level;
use super::shared::SharedLayout;
use crate::bundle::Runtime;
use crate::contract::checker::is_instrumented;
use crate::contract::kernel::cpu_symbol_start;
use crate::error::Result;
use crate::llvm::{Linkage, Module, Value};
use crate::spmd::code_table;
use crate::spmd::{EntryVariables, build_entry};
use crate::targets::DeviceJob;

/// Makes the entry of each kernel, whose regions are loops over the threads of a block. `position` is the variable with
/// the position for thunks. The table of the kernels' code is not needed any more.
pub(super) fn emit_entries<'c>(
    module: &Module<'c>,
    job: &DeviceJob<'_>,
    layout: &SharedLayout<'c>,
    position: Option<Value<'c>>,
) -> Result<()> {
    // The checker needs the number of each thread, which the loops of guarded threads do not count.
    let (checked, lanes) = (is_instrumented(module), job.arch.options.cpu_warp_size());
    for code in code_table::read(module)? {
        let kernel = job.kernels.iter().position(|kernel| kernel.name == code.name);
        let ranges = kernel.map_or(&[][..], |kernel| &layout.ranges[kernel]);
        let ranges = checked.then(|| checker::shared_ranges(module, lanes, ranges));
        let symbol = cpu_symbol_start(level(&job.arch.processor), job.hash) + &code.name;
        let entry = build_entry(module, &symbol, &code, EntryVariables { position, ranges });
        if let Some(kernel) = kernel.filter(|_| job.runtime == Runtime::Omptarget) {
            entry.set_linkage(Linkage::Internal);
            omptarget::define_entry_point(module, &job.kernels[kernel], entry, layout.bytes[kernel]);
        } else if !job.standalone {
            entry.set_hidden();
        }
    }
    code_table::erase(module);
    Ok(())
}
