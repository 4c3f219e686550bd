//! The vectoriser: makes the code of one thread into code of several threads of a row.

pub(crate) mod assumed_affine;
pub(crate) mod assumptions;
pub(crate) mod bounds_checks;
pub(crate) mod branches;
pub(crate) mod compaction;
pub(crate) mod conversions;
pub(crate) mod cost;
pub(crate) mod divergent_path;
pub(crate) mod first_thread;
pub(crate) mod flatten;
pub(crate) mod function;
pub(crate) mod group;
pub(crate) mod group_start;
pub(crate) mod half_width;
pub(crate) mod masked;
pub(crate) mod memory;
pub(crate) mod scalar_path;
pub(crate) mod trip_counts;
pub(crate) mod undo_jump_threading;
pub(crate) mod wide;
pub(crate) mod widen;
pub(crate) mod widening;
pub(crate) mod width;
