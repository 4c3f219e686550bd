//! What a wave reaches beside its own registers.

use emulator_core::{Cache, Segment};

/// The memory around a wave, and the clock.
pub(crate) struct Environment<'launch> {
    pub(crate) global: Cache<'launch>,
    /// The shared memory of the block.
    pub(crate) shared: &'launch mut Segment,
    /// How many instructions the launch has executed: the time.
    pub(crate) clock: u64,
}

/// Where a wave goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// With the next instruction.
    Go,
    Jump(u64),
    /// After the block's other waves have come here.
    Barrier,
    End,
}
