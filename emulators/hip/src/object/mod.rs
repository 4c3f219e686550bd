//! Code objects: their bytes in memory, their kernels, and their debug information.

pub(crate) mod bundle;
pub(crate) mod code;
pub(crate) mod descriptor;
pub(crate) mod frames;
pub(crate) mod image;
pub(crate) mod lacking;
pub(crate) mod lines;
pub(crate) mod metadata;
