//! The memory behind an address: which space it is in, and bytes with their definedness.

use emulator_core::{Cache, Segment};

use super::pending::Manner;
use crate::environment::Environment;
use crate::registers::Bits;
use crate::wave::{PRIVATE_APERTURE, SHARED_APERTURE, Wave};
use crate::wrong::Wrong;

/// A location of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    Global(u64),
    Shared(u64),
    Private(u64),
    /// A buffer's descriptor says that nothing is there: loads give zero, stores do nothing.
    Nowhere,
}

impl Location {
    /// The location that a generic address means.
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

/// What a message calls the memory of a location.
fn outside(lane: usize, verb: &str, size: usize, offset: u64, space: &str, limit: usize) -> Wrong {
    let message = format!("{verb}: {size} bytes at offset {offset:#x} are not in the {limit} bytes of {space}");
    Wrong::of_lane(lane, message)
}

const SHARED: &str = "the block's shared memory";
const PRIVATE: &str = "the thread's private memory";

fn segment_load(
    segment: &Segment,
    offset: u64,
    size: usize,
    lane: usize,
    space: &str,
    manner: Manner,
) -> Result<Bits, Wrong> {
    let loaded = segment.load(offset, size);
    let (value, undefined) = loaded.ok_or_else(|| outside(lane, manner.verb(), size, offset, space, segment.len()))?;
    Ok(Bits { value, undefined })
}

fn segment_store(
    segment: &mut Segment,
    offset: u64,
    size: usize,
    bits: Bits,
    lane: usize,
    space: &str,
    manner: Manner,
) -> Result<(), Wrong> {
    let limit = segment.len();
    let stored = segment.store(offset, size, bits.value, bits.undefined);
    stored.ok_or_else(|| outside(lane, manner.verb(), size, offset, space, limit))
}

/// Loads at most 8 bytes, for a load or an atomic.
pub(crate) fn load(
    wave: Option<&Wave>,
    global: &mut Cache<'_>,
    shared: &Segment,
    lane: usize,
    location: Location,
    size: usize,
    manner: Manner,
) -> Result<Bits, Wrong> {
    let alignment = manner.alignment(size);
    match location {
        Location::Nowhere => Ok(Bits::default()),
        Location::Shared(offset) => {
            aligned(lane, manner.verb(), offset, size, alignment)?;
            segment_load(shared, offset, size, lane, SHARED, manner)
        }
        Location::Private(offset) => match wave {
            Some(wave) => segment_load(&wave.scratch[lane], offset, size, lane, PRIVATE, manner),
            None => Ok(Bits::default()),
        },
        Location::Global(address) => {
            let found = global.find(address, size, alignment, false);
            let view = found.map_err(|fault| Wrong::of_fault(lane, manner.verb(), &fault))?;
            let (value, undefined) = view.load(address, size);
            Ok(Bits { value, undefined })
        }
    }
}

/// Checks a store of at most 8 bytes, and keeps it until it is complete; a thread's own memory is written at once. An
/// atomic must be aligned.
pub(crate) fn store(
    wave: &mut Wave,
    environment: &mut Environment<'_>,
    lane: usize,
    location: Location,
    size: usize,
    bits: Bits,
    manner: Manner,
) -> Result<(), Wrong> {
    let alignment = manner.alignment(size);
    match location {
        Location::Nowhere => return Ok(()),
        Location::Private(offset) => {
            return segment_store(&mut wave.scratch[lane], offset, size, bits, lane, PRIVATE, manner);
        }
        Location::Shared(offset) => {
            aligned(lane, manner.verb(), offset, size, alignment)?;
            let limit = environment.shared.len();
            if offset.saturating_add(size as u64) > limit as u64 {
                return Err(outside(lane, manner.verb(), size, offset, SHARED, limit));
            }
        }
        Location::Global(address) => {
            let found = environment.global.find(address, size, alignment, true);
            let _view = found.map_err(|fault| Wrong::of_fault(lane, manner.verb(), &fault))?;
        }
    }
    environment.come(lane, location, size, manner)?;
    environment.keep(lane, location, size, manner, bits);
    Ok(())
}

/// Stores at most 8 bytes in memory that other waves see.
pub(crate) fn store_now(
    global: &mut Cache<'_>,
    shared: &mut Segment,
    lane: usize,
    location: Location,
    size: usize,
    bits: Bits,
    manner: Manner,
) -> Result<(), Wrong> {
    match location {
        Location::Nowhere | Location::Private(_) => Ok(()),
        Location::Shared(offset) => segment_store(shared, offset, size, bits, lane, SHARED, manner),
        Location::Global(address) => {
            let found = global.find(address, size, 1, true);
            let view = found.map_err(|fault| Wrong::of_fault(lane, manner.verb(), &fault))?;
            view.store(address, size, bits.value, bits.undefined);
            Ok(())
        }
    }
}

fn aligned(lane: usize, verb: &str, offset: u64, size: usize, alignment: usize) -> Result<(), Wrong> {
    if offset.is_multiple_of(alignment as u64) {
        return Ok(());
    }
    let message = format!("{verb}: {size} bytes at offset {offset:#x} of {SHARED} are not aligned to {alignment}");
    Err(Wrong::of_lane(lane, message))
}
