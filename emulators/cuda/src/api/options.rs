//! Options of the compiler in the driver (`CUjit_option`): its logs.

use std::ffi::{c_char, c_int, c_void};

const INFO_LOG: c_int = 3;
const ERROR_LOG: c_int = 5;

/// A log buffer of the caller's.
#[derive(Clone, Copy)]
struct Log {
    text: *mut c_char,
    size: usize,
}

/// The options of one load.
pub(super) struct JitOptions {
    errors: Option<Log>,
}

impl JitOptions {
    /// Reads the arrays of options and values. The logs are empty at first.
    ///
    /// # Safety
    ///
    /// Both arrays have `count` elements, and log buffers have the sizes that the options give.
    pub(super) unsafe fn read(count: u32, options: *const c_int, values: *const *mut c_void) -> JitOptions {
        let find = |wanted: c_int| {
            (0..count as usize).find_map(|i| {
                // SAFETY: the caller's.
                unsafe { (*options.add(i) == wanted).then(|| *values.add(i)) }
            })
        };
        let log = |which: c_int| {
            let (text, size) = (find(which)?.cast::<c_char>(), find(which + 1)? as usize);
            (!text.is_null() && size > 0).then_some(Log { text, size })
        };
        for log in [log(INFO_LOG), log(ERROR_LOG)].into_iter().flatten() {
            // SAFETY: the buffer has at least one byte.
            unsafe { log.text.write(0) };
        }
        JitOptions { errors: log(ERROR_LOG) }
    }

    /// Writes into the log of errors.
    pub(super) fn error(&self, message: &str) {
        let Some(Log { text, size }) = self.errors else { return };
        let count = message.len().min(size - 1);
        // SAFETY: `read` was promised a buffer of this size.
        unsafe {
            std::ptr::copy_nonoverlapping(message.as_ptr().cast(), text, count);
            text.add(count).write(0);
        }
    }
}
