//! The additions of `--sanitize` to kernels: calls of the checker before each access and at each point where threads
//! wait for each other.

pub mod check_accesses;
pub mod check_values;
pub mod drop_settled_checks;
pub mod expose_accesses;
