//! Blocks of the size that their kernel promises.
//!
//! The entry of a kernel that promises the size of its blocks is compiled for this size: the numbers of threads and
//! rows are constants, so that no thread is left over after the groups, and a block of one row has one loop.
//! A launch may break the promise. A block of another size is executed by another function, one thread after another.

use crate::llvm::{Attribute, Block, Builder, Function, IntPredicate, Linkage, Module, Opcode, Place, Value};
use crate::spmd::emit::launch::Launch;
use crate::spmd::region::types::Regions;
use crate::spmd::region::versions::{Guard, Version};
use crate::spmd::tuning::REGIONS_IN_ENTRY;
use crate::spmd::warps::blocks;

/// Reads the block and the arguments in a function with the parameters of an entry.
type Read<'a, 'm, 'c> = dyn Fn(&Builder<'c>, Function<'c>) -> Launch<'m, 'c> + 'a;

/// Runs all threads of a block in `entry`, which has one empty block.
pub(crate) fn run<'m, 'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    entry: Function<'c>,
    regions: &Regions<'c>,
    read: &Read<'_, 'm, 'c>,
) {
    let launch = read(builder, entry);
    let Some(size) = launch.size.filter(|_| have_faster_loops(regions) && launch.is_plain()) else {
        launch.run_all(builder, entry, regions);
        return builder.ret_void();
    };
    let other = other_sizes(module, entry, regions, read);
    let [sized, others] = ["sized", "others"].map(|name| entry.append_block(name));
    let promised = [0, 1, 2].map(|axis: usize| launch.dim[axis].ty().constant(size[axis].into()));
    let same = launch.dim.into_iter().zip(promised).map(|(a, b)| builder.icmp(IntPredicate::Eq, a, b, ""));
    let holds = same.reduce(|a, b| builder.binary(Opcode::And, a, b, "")).expect("there are three axes");
    builder.cond_br(holds, sized, others);
    builder.move_to_end(others);
    builder.call(other, &entry.parameters(), "");
    builder.ret_void();
    builder.move_to_end(sized);
    launch.with_size(promised).run_all(builder, entry, regions);
    builder.ret_void();
    inline_single_calls(entry, other);
}

/// A function that runs a block of any size, one thread after another. It calls the code of one thread, instead of
/// containing it.
fn other_sizes<'m, 'c>(
    module: &Module<'c>,
    entry: Function<'c>,
    regions: &Regions<'c>,
    read: &Read<'_, 'm, 'c>,
) -> Function<'c> {
    let name = format!("{}.other", entry.name());
    let other = module.define(&name, entry.function_type(), Linkage::Internal, |_, _| {});
    for name in ["noinline", "nounwind"] {
        other.mark(name);
    }
    let builder = Builder::at_end(other.blocks()[0]);
    let launch = read(&builder, other);
    launch.one_by_one().run_all(&builder, other, regions);
    builder.ret_void();
    calls_in(&other.blocks()).for_each(|call| call.add_attribute(Place::Function, &Attribute::Enum("noinline", 0)));
    other.describe_like(regions.any());
    other
}

/// Inlines functions into the entry whose only other calls are those for blocks of other sizes, as LLVM does with a
/// function that is called once.
fn inline_single_calls<'c>(entry: Function<'c>, other: Function<'c>) {
    for call in calls_in(&entry.blocks()).collect::<Vec<_>>() {
        let Some(callee) = call.called_function().filter(|callee| *callee != other && !callee.is_declaration()) else {
            continue;
        };
        let calls: Vec<_> = callee.users().into_iter().filter(|user| user.function() != other).collect();
        if calls == [call] && calls.len() < callee.users().len() && !callee.has_attribute(Place::Function, "noinline") {
            call.add_attribute(Place::Function, &Attribute::Enum("alwaysinline", 0));
        }
    }
}

fn calls_in<'c>(blocks: &[Block<'c>]) -> impl Iterator<Item = Value<'c>> + use<'c> {
    let all: Vec<_> = blocks.iter().flat_map(|block| block.instructions()).collect();
    all.into_iter().filter(|i| i.is_call() && i.called_intrinsic().is_none())
}

/// Whether the loops over the threads are in the entry itself, and some of them execute faster versions. Warps have
/// separate versions for other blocks.
fn have_faster_loops(regions: &Regions<'_>) -> bool {
    let has_loop = |version: &Version<'_>| version.has(&|guard| !matches!(guard, Guard::Block(_)));
    match regions {
        Regions::One(version) => has_loop(version),
        Regions::Several(split) => {
            let is_inlined = split.warps.is_none() && split.regions.len() <= REGIONS_IN_ENTRY;
            is_inlined && split.regions.iter().any(|region| has_loop(&region.version))
        }
    }
}

impl<'c> Launch<'_, 'c> {
    /// Runs all threads of the block.
    pub(crate) fn run_all(&self, builder: &Builder<'c>, entry: Function<'c>, regions: &Regions<'c>) {
        match regions {
            Regions::One(version) => {
                self.each_version(builder, version, &|_| Vec::new(), &mut |builder, function, thread| {
                    self.call(builder, function, thread, &[]);
                });
            }
            Regions::Several(split) => match &split.warps {
                None => self.run(builder, entry, split),
                Some(warps) => blocks::run(self, builder, split, warps),
            },
        }
    }
}
