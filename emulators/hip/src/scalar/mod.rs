//! Instructions that compute one value for the whole wave, and those that decide where it goes on.

pub(crate) mod control;
pub(crate) mod execute;
pub(crate) mod load;
pub(crate) mod ops;
pub(crate) mod save_exec;
