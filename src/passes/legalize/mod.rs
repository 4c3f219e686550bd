//! Replaces host-specific code by code that any device understands.

pub mod define_host_intrinsics;
pub mod empty_assembly;
pub mod legalize_linked;
pub mod lower_relative_tables;
pub mod prune;
pub mod strip_host;
pub mod translate_host;
