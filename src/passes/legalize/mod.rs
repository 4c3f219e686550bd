//! What only a host's processor understands, in what any device understands.

pub mod absolute_tables;
pub mod empty_assembly;
pub mod host_intrinsics;
pub mod legalize_added;
pub mod strip_host;
pub mod translate_host;
