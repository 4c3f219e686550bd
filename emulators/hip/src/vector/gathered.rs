//! Room for the sources and the result of an instruction.

use super::op::{Known, Sources};
use crate::registers::{Bits, Row};

/// The sources of an instruction, read before anything is written.
pub(crate) struct Gathered {
    pub(super) rows: [Row; 4],
    pub(super) result: Row,
    pub(super) count: usize,
    /// The lanes whose result is written.
    pub(super) written: u64,
    pub(super) partial: bool,
}

impl Gathered {
    pub(super) fn new() -> Box<Gathered> {
        let row = Row::new;
        Box::new(Gathered { rows: [row(), row(), row(), row()], result: row(), count: 0, written: 0, partial: false })
    }

    #[inline]
    pub(super) fn values(&self, lane: usize) -> Sources {
        [self.rows[0].value[lane], self.rows[1].value[lane], self.rows[2].value[lane], self.rows[3].value[lane]]
    }

    #[inline]
    pub(super) fn known(&self, lane: usize) -> Known {
        std::array::from_fn(|i| if i < self.count { self.rows[i].lane(lane) } else { Bits::default() })
    }
}
