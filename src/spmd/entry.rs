//! Entries: loops that run the threads of one block.
//!
//! `void entry(const struct offload_cpu_block *block, const unsigned char *arguments)` reads the arguments and then
//! runs the regions, each for every thread, with x in the innermost loop, so that LLVM can vectorise over x.

mod promised_size;

use super::emit::checker::begin_block;
use super::emit::launch::Launch;
use super::emit::loops;
use super::region::code_table::KernelCode;
use crate::llvm::{Attribute, Builder, Function, Linkage, Module, Place, Value};
use crate::passes::launch::launch_bounds::LaunchBounds;

/// The variables that an entry accesses.
pub(crate) struct EntryVariables<'c> {
    /// The variable with the position for thunks.
    pub(crate) position: Option<Value<'c>>,
    /// The shared statics, if the checker needs them.
    pub(crate) ranges: Option<Value<'c>>,
}

/// Builds the entry of a kernel. It has external linkage.
pub(crate) fn build_entry<'c>(
    module: &Module<'c>,
    symbol: &str,
    code: &KernelCode<'c>,
    EntryVariables { position, ranges }: EntryVariables<'c>,
) -> Function<'c> {
    let (pointer, regions) = (module.types().ptr(0), &code.regions);
    let ty = module.types().void().function(&[pointer, pointer]);
    let entry = module.define(symbol, ty, Linkage::External, |_, _| {});
    entry.mark("nounwind");
    for (index, align) in [8, code.argument_align].into_iter().enumerate() {
        let place = Place::Parameter(index as u32);
        for name in ["noalias", "nonnull", "noundef", "readonly"] {
            entry.add_attribute(place, &Attribute::Enum(name, 0));
        }
        entry.add_attribute(place, &Attribute::Enum("align", align.into()));
    }
    let builder = Builder::at_end(entry.blocks()[0]);
    if let Some(ranges) = ranges {
        begin_block(module, &builder, entry.parameters()[0], ranges);
    }
    let (one, checked) = (regions.any(), ranges.is_some());
    let size = Some(LaunchBounds::of(one).size).filter(|size| *size != [0; 3]);
    loops::read_once(entry, code, size);
    promised_size::run(module, &builder, entry, regions, &|builder, entry| Launch {
        checked,
        size,
        ..Launch::read(module, builder, entry, code, position)
    });
    entry.describe_like(one);
    entry
}
