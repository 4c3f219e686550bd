//! Launches: what a kernel finds when it begins, and how its waves are executed.

pub(crate) mod arguments;
pub(crate) mod group;
pub(crate) mod launch;
pub(crate) mod print;
pub(crate) mod setup;
pub(crate) mod step;
