//! The code of blocks from the code of one thread: a kernel is split into regions at its stops, regions get versions
//! for common cases and for several threads at once, and an entry runs them for all threads of a block.
//!
//! `passes.rs` has the order. This room depends on the struct of a block (`contract/abi.rs`), and on no target.

mod cause;
mod emit;
mod entry;
mod facts;
mod idioms;
mod options;
mod passes;
mod prepare;
mod region;
mod remarks;
mod tuning;
mod vectorize;
mod version;
mod warps;

pub(crate) use cause::Reason;
pub(crate) use entry::{EntryVariables, build_entry};
pub(crate) use facts::accesses::{Addresses, Neighbours};
pub(crate) use idioms::block_atomics::{mark_block_atomics, relax_block_atomics};
pub(crate) use idioms::scan::scan_in_one_pass;
pub(crate) use options::{VectorOptions, When};
pub(crate) use passes::{
    convert_phis_to_selects, guard_loop_iterations, hoist_position, hoist_uniform_loads, promote_slots, refusals,
    speculate_stores, split_row_ranges, vectorize, version_low_bits, version_trip_counts, version_uniform_branches,
};
pub(crate) use prepare::inline_short::mark_inlined;
pub(crate) use prepare::inline_stops::{inline_marked, inline_stops};
pub(crate) use prepare::unroll::unroll_inner_loops;
pub(crate) use region::internalize::internalize_kernels;
pub(crate) use region::split::split_regions;
pub(crate) use region::{code_table, position, stops};
pub(crate) use warps::masks::{keep_mask_panic, release_mask_panic};
pub(crate) use warps::schedule::link_warp;
