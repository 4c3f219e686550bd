//! The MODE register: how numbers are rounded, and whether denormals are flushed.

/// Bits 3:0 round, 7:4 denormals, 8 DX10_CLAMP, 9 IEEE (RDNA3 ISA, "Mode Register"; CDNA2 ISA, the same).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mode(pub(crate) u32);

/// A rounding mode's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    NearestEven,
    Up,
    Down,
    Zero,
}

impl Mode {
    fn round(self, shift: u32) -> Round {
        match self.0 >> shift & 3 {
            0 => Round::NearestEven,
            1 => Round::Up,
            2 => Round::Down,
            _ => Round::Zero,
        }
    }

    /// How numbers of 32 bits are rounded.
    pub(crate) fn round_32(self) -> Round {
        self.round(0)
    }

    /// How numbers of 16 and 64 bits are rounded.
    pub(crate) fn round_16_64(self) -> Round {
        self.round(2)
    }

    /// Whether denormal sources of 32 bits are zero.
    pub(crate) fn flushes_sources_32(self) -> bool {
        self.0 >> 4 & 1 == 0
    }

    /// Whether denormal results of 32 bits are zero.
    pub(crate) fn flushes_results_32(self) -> bool {
        self.0 >> 5 & 1 == 0
    }

    /// Whether denormal sources of 16 and 64 bits are zero.
    pub(crate) fn flushes_sources_16_64(self) -> bool {
        self.0 >> 6 & 1 == 0
    }

    /// Whether denormal results of 16 and 64 bits are zero.
    pub(crate) fn flushes_results_16_64(self) -> bool {
        self.0 >> 7 & 1 == 0
    }

    /// Whether `clamp` makes NaN zero.
    pub(crate) fn clamps_nan(self) -> bool {
        self.0 >> 8 & 1 != 0
    }

    /// Whether minima and maxima quiet signalling NaNs.
    pub(crate) fn is_ieee(self) -> bool {
        self.0 >> 9 & 1 != 0
    }
}
