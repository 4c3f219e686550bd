//! Barriers and operations between lanes: what keeps them whole, and what makes them whole again.

pub mod mark_convergent;
pub mod mask_operations;
pub mod repair_convergence;
