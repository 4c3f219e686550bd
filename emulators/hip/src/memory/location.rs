//! The location of an address, in one of the address spaces.

/// Where generic addresses of shared memory begin; the hardware looks only at the upper half.
pub(crate) const SHARED_APERTURE: u64 = 0x1_0000_0000_0000;
/// Where generic addresses of private memory begin.
pub(crate) const PRIVATE_APERTURE: u64 = 0x2_0000_0000_0000;
/// The size of an aperture.
pub(crate) const APERTURE_SIZE: u64 = 1 << 32;

/// A location of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    Global(u64),
    Shared(u64),
    Private(u64),
    /// Outside of a buffer, by its descriptor: loads give zero, stores do nothing.
    Nowhere,
}

impl Location {
    /// The location of a generic address.
    pub(crate) fn generic(address: u64) -> Location {
        let offset = address & 0xffff_ffff;
        match address >> 32 {
            upper if upper == SHARED_APERTURE >> 32 => Location::Shared(offset),
            upper if upper == PRIVATE_APERTURE >> 32 => Location::Private(offset),
            _ => Location::Global(address),
        }
    }

    /// The location some bytes further on.
    pub(crate) fn further(self, by: u64) -> Location {
        match self {
            Location::Global(address) => Location::Global(address.wrapping_add(by)),
            // Offsets are of 32 bits: a negative base and an offset are a small one (LLVM, `isDSOffsetLegal`).
            Location::Shared(offset) => Location::Shared(offset.wrapping_add(by) & 0xffff_ffff),
            Location::Private(offset) => Location::Private(offset.wrapping_add(by)),
            Location::Nowhere => Location::Nowhere,
        }
    }
}

/// How an access touches memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    Read,
    Write,
    Update,
}

impl Manner {
    /// The name of such an instruction in reports.
    pub(crate) fn verb(self) -> &'static str {
        match self {
            Manner::Read => "load",
            Manner::Write => "store",
            Manner::Update => "atomic",
        }
    }

    /// The alignment that such an instruction of this many bytes needs.
    pub(crate) fn alignment(self, size: usize) -> usize {
        if self == Manner::Update { size } else { 1 }
    }
}
