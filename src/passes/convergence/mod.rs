//! Barriers and cross-lane operations: marks them as convergent, repairs duplicates, and adds masks.

pub mod mark_convergent;
pub mod mask_operations;
pub mod repair_convergence;
