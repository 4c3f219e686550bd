//! Launches: the state at the beginning of a kernel, and the execution of its waves.

pub(crate) mod arguments;
pub(crate) mod group;
pub(crate) mod launch;
pub(crate) mod print;
pub(crate) mod setup;
pub(crate) mod step;
