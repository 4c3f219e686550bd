//! An operation of the lanes of a warp.

use core::panic::Location;

/// The kind of an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Shuffle,
    ShuffleXor,
    ShuffleUp,
    ShuffleDown,
    Ballot,
    Any,
    All,
    ActiveMask,
    Sync,
}

/// An operation that a lane has reached.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    pub(super) kind: Kind,
    /// The lanes that take part, for an operation with a mask.
    pub(super) mask: Option<u64>,
    /// The value that the lane brings.
    pub(super) word: u64,
    /// The lane, mask or distance of a shuffle.
    pub(super) argument: u32,
    pub(super) place: &'static Location<'static>,
}
