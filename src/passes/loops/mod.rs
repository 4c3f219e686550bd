//! Loops: how they end.

pub mod drop_counters;
pub mod keep_loop_entries;
pub mod merge_exits;
pub mod simplify_counts;
