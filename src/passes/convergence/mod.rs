//! Barriers and cross-lane operations: marks them as convergent, repairs duplicates, and adds masks. Keeps
//! what lanes that leave a loop have computed in it.

pub mod agree_on_returns;
pub mod keep_exit_values;
pub mod mark_convergent;
pub mod mask_operations;
pub mod repair_convergence;
