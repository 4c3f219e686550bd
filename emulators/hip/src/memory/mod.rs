//! Loads, stores and atomics by vector registers, in all address spaces.

pub(crate) mod access;
pub(crate) mod address;
pub(crate) mod atomic;
pub(crate) mod counters;
pub(crate) mod execute;
pub(crate) mod issue;
pub(crate) mod location;
pub(crate) mod pending;
pub(crate) mod space;
pub(crate) mod store;
