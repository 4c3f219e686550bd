//! Barriers and cross-lane operations: marks them as convergent, repairs duplicates, and adds masks. Keeps the values
//! with which lanes leave a loop.

pub mod agree_on_returns;
pub mod keep_exit_values;
pub mod mark_convergent;
pub mod mask_operations;
pub mod repair_convergence;
