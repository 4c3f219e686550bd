//! Loops: how they end.

pub mod drop_counters;
