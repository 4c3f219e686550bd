//! The bytes of a location, with their definedness.

use emulator_core::{Cache, Segment};

use super::location::{Location, Manner};
use crate::registers::Bits;
use crate::wave::Wave;
use crate::wrong::Wrong;

/// The error of an access beyond the end of its memory.
pub(super) fn outside(lane: usize, verb: &str, size: usize, offset: u64, space: &str, limit: usize) -> Wrong {
    let message = format!("{verb}: {size} bytes at offset {offset:#x} are not in the {limit} bytes of {space}");
    Wrong::of_lane(lane, message)
}

pub(super) const SHARED: &str = "the block's shared memory";
pub(super) const PRIVATE: &str = "the thread's private memory";

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

pub(super) fn segment_store(
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

pub(super) fn aligned(lane: usize, verb: &str, offset: u64, size: usize, alignment: usize) -> Result<(), Wrong> {
    if offset.is_multiple_of(alignment as u64) {
        return Ok(());
    }
    let message = format!("{verb}: {size} bytes at offset {offset:#x} of {SHARED} are not aligned to {alignment}");
    Err(Wrong::of_lane(lane, message))
}
