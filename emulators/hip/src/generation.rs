//! The differences between the two generations that are emulated.

/// A family of processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    /// gfx9: waves of 64 lanes; here CDNA2.
    Gcn,
    /// gfx11: waves of 32 lanes; here RDNA3.
    Rdna,
}

impl Generation {
    /// The generation of a processor that is emulated.
    pub(crate) fn of(processor: &str) -> Option<Generation> {
        match processor {
            "gfx90a" => Some(Generation::Gcn),
            "gfx1100" | "gfx1101" | "gfx1102" | "gfx1103" => Some(Generation::Rdna),
            _ => None,
        }
    }

    /// Whether results of 16 bits keep the other half of their register; GCN makes it zero (LLVM's
    /// `zeroesHigh16BitsOfDest` and the ISA documents' notes on 16-bit instructions).
    pub(crate) fn keeps_halves(self) -> bool {
        self == Generation::Rdna
    }

    /// Whether a load of 16 bits keeps the other half of its register. Registers with error correction are written as a
    /// whole (LLVM's `d16PreservesUnusedBits`), and the emulated GCN reports `sramecc+`.
    pub(crate) fn loads_keep_halves(self) -> bool {
        self == Generation::Rdna
    }

    /// Whether the base of scratch memory is known to the hardware; GCN has it in registers.
    pub(crate) fn has_architected_scratch(self) -> bool {
        self == Generation::Rdna
    }
}
