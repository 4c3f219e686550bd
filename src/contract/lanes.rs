//! The operations of the lanes of a warp.

use super::builtin::{Builtin, DeviceBuiltin};

/// How a shuffle chooses the lane whose value it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShuffleMode {
    /// By its number.
    Index,
    /// By this lane's number exclusive-or a distance.
    Xor,
    /// By this lane's number minus a distance.
    Up,
    /// By this lane's number plus a distance.
    Down,
}

/// The lanes that take part in an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Participants {
    /// Those that reach the call together.
    Active,
    /// Those of a mask, which is the first argument.
    Masked,
}

/// An operation of the lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneOperation {
    /// The value of another lane.
    Shuffle(ShuffleMode, Participants),
    /// One bit for each lane whose condition holds, lane 0 lowest.
    Ballot(Participants),
    /// Whether the condition of any lane holds.
    Any(Participants),
    /// Whether the conditions of all lanes hold.
    All(Participants),
    /// The lanes that reach the call together.
    ActiveMask,
    /// A barrier for the lanes of a mask.
    SyncWarp,
}

impl LaneOperation {
    /// Whether its first argument is a mask.
    pub const fn is_masked(self) -> bool {
        match self {
            LaneOperation::Shuffle(_, participants)
            | LaneOperation::Ballot(participants)
            | LaneOperation::Any(participants)
            | LaneOperation::All(participants) => matches!(participants, Participants::Masked),
            LaneOperation::ActiveMask => false,
            LaneOperation::SyncWarp => true,
        }
    }

    /// The same operation for the lanes of a mask. None for the active mask, which has no such variant.
    pub fn masked(self) -> Option<Self> {
        match self {
            LaneOperation::Shuffle(mode, _) => Some(LaneOperation::Shuffle(mode, Participants::Masked)),
            LaneOperation::Ballot(_) => Some(LaneOperation::Ballot(Participants::Masked)),
            LaneOperation::Any(_) => Some(LaneOperation::Any(Participants::Masked)),
            LaneOperation::All(_) => Some(LaneOperation::All(Participants::Masked)),
            LaneOperation::ActiveMask => None,
            LaneOperation::SyncWarp => Some(self),
        }
    }

    /// Its row of the table.
    pub fn builtin(self) -> &'static Builtin {
        DeviceBuiltin::Lanes(self).builtin()
    }
}
