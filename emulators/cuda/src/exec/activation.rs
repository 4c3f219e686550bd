//! Calls of functions, and the groups of lanes that are in them.

use std::sync::Arc;

use crate::lanes::Lanes;
use crate::program::Function;
use crate::program::code::{CONSTANTS, Source};

/// A call of a function by some lanes of a warp, which share its registers.
pub(super) struct Activation {
    pub(super) function: Arc<Function>,
    pub(super) registers: Vec<Lanes>,
    /// The call that this one is made from, and the place of its call instruction.
    pub(super) caller: Option<(usize, usize)>,
    /// The number of calls around it.
    pub(super) depth: u32,
    /// The lanes that are in it or in a function that it calls.
    pub(super) lanes: u32,
    /// The address of its frame in local memory.
    pub(super) frame: u64,
}

impl Activation {
    /// The value of an operand.
    #[inline]
    pub(super) fn get(&self, source: Source) -> &Lanes {
        get(&self.function, &self.registers, source)
    }
}

/// The value of an operand.
#[inline]
pub(super) fn get<'a>(function: &'a Function, registers: &'a [Lanes], source: Source) -> &'a Lanes {
    if source >= CONSTANTS { &function.constants[(source - CONSTANTS) as usize] } else { &registers[source as usize] }
}

/// The event that a group of lanes waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum State {
    /// Nothing.
    Ready,
    /// The other lanes of a mask, at an operation with the same key.
    Lanes { key: u32, mask: u32 },
    /// A barrier of the block: its number, and how many threads it waits for.
    Block { number: u64, count: Option<u64> },
}

/// Lanes with one program counter.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) lanes: u32,
    pub(super) activation: usize,
    pub(super) pc: usize,
    pub(super) state: State,
    /// How often the group went round a loop while others waited: the others go first then.
    pub(super) rounds: u32,
}
