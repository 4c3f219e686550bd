//! Facts about the code of one thread: how its values differ between neighbouring threads, and where threads may take
//! different paths. Nothing here changes a module.

pub(crate) mod accesses;
pub(crate) mod affine;
pub(crate) mod affine_sum;
pub(crate) mod divergence;
pub(crate) mod intrinsics;
pub(crate) mod kernel_shapes;
pub(crate) mod low_bits;
pub(crate) mod markers;
pub(crate) mod shape;
pub(crate) mod shapes;
#[cfg(test)]
mod shapes_tests;
pub(crate) mod trip_count;
pub(crate) mod uniform;
pub(crate) mod waits;
