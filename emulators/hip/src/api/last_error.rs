//! The last error of a thread.

use super::error::Error;
use super::state::take_last_error;

/// The last error of this thread, which is forgotten.
#[unsafe(no_mangle)]
pub extern "C" fn hipGetLastError() -> Error {
    take_last_error(true)
}

/// The last error of this thread.
#[unsafe(no_mangle)]
pub extern "C" fn hipPeekAtLastError() -> Error {
    take_last_error(false)
}
