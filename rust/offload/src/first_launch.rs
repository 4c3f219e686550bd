//! The first launch on a device, before which it gets the constants that the program has set.

use core::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use crate::device::Stream;
use crate::error::Result;

/// The work of the first launch on a device.
pub(crate) struct Pending {
    /// Whether a kernel has been launched on any device.
    pub(crate) launched: bool,
    /// The constants that were set.
    pub(crate) constants: Vec<Constant>,
}

/// The two uses of a constant's value.
pub(crate) struct Constant {
    /// Tells it to the runtime, which puts it into the code of images that it makes.
    pub(crate) tell: fn() -> Result<()>,
    /// Writes it on a device, for other images.
    pub(crate) write: fn(&Stream) -> Result<()>,
}

static PENDING: Mutex<Pending> = Mutex::new(Pending { launched: false, constants: Vec::new() });

/// The work of the first launch, for one thread at a time.
pub(crate) fn pending() -> MutexGuard<'static, Pending> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes the constants that were set to the stream's device, before the first launch there.
#[inline]
pub(crate) fn before_launch(stream: &Stream) -> Result<()> {
    if stream.device().has_launched().load(Ordering::Acquire) { Ok(()) } else { write_all(stream) }
}

#[cold]
fn write_all(stream: &Stream) -> Result<()> {
    let mut pending = pending();
    pending.launched = true;
    let launched = stream.device().has_launched();
    // Another thread may have been here first.
    if launched.load(Ordering::Acquire) {
        return Ok(());
    }
    // The first launch may make an image, so the runtime knows all values before.
    pending.constants.iter().try_for_each(|constant| (constant.tell)())?;
    pending.constants.iter().try_for_each(|constant| (constant.write)(stream))?;
    launched.store(true, Ordering::Release);
    Ok(())
}
