//! Warps: lanes that wait for each other at cross-lane operations.

pub(crate) mod blocks;
pub(crate) mod full;
pub(crate) mod lane_loops;
pub(crate) mod masks;
pub(crate) mod rows;
pub(crate) mod schedule;
pub(crate) mod vectors;
