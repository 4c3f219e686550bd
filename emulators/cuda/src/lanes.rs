//! The values of one register in all lanes of a warp.

/// One word for each lane.
pub(crate) type Word = [u64; 32];

/// A register: bits, masks of undefined bits, and the lanes whose masks are not zero.
#[derive(Clone, Debug)]
pub(crate) struct Lanes {
    /// The bits.
    pub(crate) bits: Word,
    /// Masks of undefined bits; only those of `dirty` lanes mean anything.
    masks: Word,
    /// The lanes that may have undefined bits.
    pub(crate) dirty: u32,
}

impl Lanes {
    /// The same value in each lane.
    pub(crate) fn splat(value: u64) -> Lanes {
        Lanes { bits: [value; 32], masks: [0; 32], dirty: 0 }
    }

    /// A value that nobody wrote.
    pub(crate) fn undefined() -> Lanes {
        Lanes { bits: [0; 32], masks: [u64::MAX; 32], dirty: u32::MAX }
    }

    /// The undefined bits of a lane.
    #[inline]
    pub(crate) fn mask(&self, lane: usize) -> u64 {
        if self.dirty >> lane & 1 != 0 { self.masks[lane] } else { 0 }
    }

    /// The undefined bits of all lanes.
    pub(crate) fn masks(&self) -> Word {
        std::array::from_fn(|lane| self.mask(lane))
    }

    /// New values, all defined, in the lanes of `active`.
    #[inline]
    pub(crate) fn put(&mut self, active: u32, values: &Word) {
        if active == u32::MAX {
            self.bits = *values;
            self.dirty = 0;
            return;
        }
        for (lane, (own, value)) in self.bits.iter_mut().zip(values).enumerate() {
            if (active >> lane) & 1 != 0 {
                *own = *value;
            }
        }
        self.dirty &= !active;
    }

    /// New values with their undefined bits in the lanes of `active`.
    pub(crate) fn put_with(&mut self, active: u32, values: &Word, masks: &Word) {
        for lane in lanes(active) {
            self.put_lane(lane, values[lane], masks[lane]);
        }
    }

    /// A new value in one lane.
    #[inline]
    pub(crate) fn put_lane(&mut self, lane: usize, value: u64, mask: u64) {
        self.bits[lane] = value;
        if mask == 0 {
            self.dirty &= !(1 << lane);
        } else {
            self.masks[lane] = mask;
            self.dirty |= 1 << lane;
        }
    }

    /// Nothing is defined any more in the lanes of `active`.
    pub(crate) fn forget(&mut self, active: u32) {
        for lane in lanes(active) {
            self.masks[lane] = u64::MAX;
        }
        self.dirty |= active;
    }
}

/// The numbers of the lanes of a mask.
#[inline]
pub(crate) fn lanes(mut active: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = active.trailing_zeros() as usize;
        active &= active.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}
