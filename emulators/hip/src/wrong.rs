//! An error of a wave.

use emulator_core::Fault;

use crate::registers::Beyond;

/// An error of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wrong {
    /// The description of the error: lower case, without a final period.
    pub(crate) message: String,
    /// The lane that did it, if it is one.
    pub(crate) lane: Option<usize>,
    /// The other instruction that contributes to it.
    pub(crate) other: Option<u64>,
}

impl Wrong {
    /// An error of the whole wave.
    pub(crate) fn new(message: impl Into<String>) -> Wrong {
        Wrong { message: message.into(), lane: None, other: None }
    }

    /// An error of one lane.
    pub(crate) fn of_lane(lane: usize, message: impl Into<String>) -> Wrong {
        Wrong { message: message.into(), lane: Some(lane), other: None }
    }

    /// Bits that nobody wrote decide something.
    pub(crate) fn undefined(what: &str) -> Wrong {
        Wrong::new(format!("a value that was never written decides {what}"))
    }

    /// The same in one lane.
    pub(crate) fn undefined_in(lane: usize, what: &str) -> Wrong {
        Wrong { lane: Some(lane), ..Wrong::undefined(what) }
    }

    /// An access that memory refuses.
    pub(crate) fn of_fault(lane: usize, verb: &str, fault: &Fault) -> Wrong {
        Wrong::of_lane(lane, format!("{verb}: {fault}"))
    }
}

impl From<Beyond> for Wrong {
    fn from(beyond: Beyond) -> Wrong {
        let Beyond { is_vector, number, count } = beyond;
        let kind = if is_vector { "vector" } else { "scalar" };
        Wrong::new(format!("{kind} register {number} is beyond the {count} that the kernel's descriptor asks for"))
    }
}
