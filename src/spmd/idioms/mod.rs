//! Idioms of GPU code that have a faster form on a processor.

pub(crate) mod block_atomics;
pub(crate) mod exchange;
pub(crate) mod scan;
