//! What only a host's processor understands, in what any device understands.

pub mod define_host_intrinsics;
pub mod empty_assembly;
pub mod legalize_linked;
pub mod lower_relative_tables;
pub mod strip_host;
pub mod translate_host;
