//! Launches: the arguments of a kernel, its launch state, its launch bounds.

pub mod bound_threads;
pub mod compare_indices;
pub mod fold_late_constants;
pub mod launch_bounds;
pub mod launch_state;
pub mod lower_host_calls;
pub mod lower_kernel_abi;
pub mod mark_read_only_loads;
pub mod mark_unrolled_loops;
pub mod specialize_kernel;
pub mod take_parameters;
pub mod take_restrict;
