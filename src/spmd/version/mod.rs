//! Versions of a region for a case that is common and cheap to recognise: each file finds the case, and makes the
//! version and the function that guards it.

mod guard;
pub(crate) mod loop_iterations;
pub(crate) mod low_bits;
pub(crate) mod one_lane;
pub(crate) mod row_range;
pub(crate) mod trip_count;
pub(crate) mod uniform_branch;
pub(crate) mod uniform_loads;
