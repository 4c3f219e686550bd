//! What only a host's processor understands, in what any device understands.

pub mod absolute_tables;
pub mod host_intrinsics;
pub mod translate_host;
