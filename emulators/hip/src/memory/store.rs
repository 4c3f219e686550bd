//! Stores, which are kept until they are complete.

use super::location::{Location, Manner};
use super::space::{PRIVATE, SHARED, aligned, outside, segment_store};
use crate::environment::Environment;
use crate::registers::Bits;
use crate::wave::Wave;
use crate::wrong::Wrong;

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
