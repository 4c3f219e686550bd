//! The loops of an entry over the threads of a block.

pub(crate) mod checker;
pub(crate) mod counted_loop;
pub(crate) mod exit_bits;
pub(crate) mod iterations;
pub(crate) mod launch;
pub(crate) mod loops;
pub(crate) mod regions;
