//! The errors of calls on the host, as one enum.

use core::ffi::{CStr, c_int};
use core::fmt;
use std::string::String;

use crate::abi::status;

/// The error of a call on the host. The text comes from the runtime, and includes the message of the driver.
///
/// [Concepts](crate::concepts#panics-and-errors) says which calls report which errors. `{:?}` prints the text, too, and
/// so does a `main` that returns the error.
///
/// ```
/// use offload::{Device, Error};
///
/// match Device::open("cuda:7") {
///     Ok(device) => println!("{} is open", device.name()),
///     Err(Error::NoDevice(text)) => println!("{text}"),
///     Err(other) => panic!("{other}"),
/// }
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// An argument of the call is not valid: for example, a launch without threads, or with more than the device
    /// allows.
    Invalid(String),
    /// This machine has no such device, or the program has no device code because plain `cargo` built it.
    NoDevice(String),
    /// The program has no image for the device. The text names the option that adds one.
    NoImage(String),
    /// There is not enough device memory or host memory.
    NoMemory(String),
    /// A launch does not match its kernel, or a tensor does not match the elements of a buffer.
    Mismatch(String),
    /// A buffer or event was used on a device other than its own.
    OtherDevice(String),
    /// The device does not support the operation: for example, unified memory.
    Unsupported(String),
    /// The driver failed.
    Failed(String),
    /// A kernel panicked. The text contains the name of the kernel, the source location, the message, and the block and
    /// thread that panicked first. The device remains usable, and keeps its memory.
    Panicked(String),
}

/// The result type of this crate.
///
/// ```
/// fn main() -> offload::Result<()> {
///     println!("{}", offload::Device::new()?.name());
///     Ok(())
/// }
/// ```
pub type Result<T> = core::result::Result<T, Error>;

impl Error {
    /// Converts a status of the runtime (`OFFLOADRT_SUCCESS` or an error) to a result.
    pub(crate) fn check(code: c_int) -> Result<()> {
        if code == status::SUCCESS {
            return Ok(());
        }
        // SAFETY: the text is never null, and is valid until this thread's next call.
        let text = unsafe { CStr::from_ptr(crate::ffi::offloadrt_error_text()) }.to_string_lossy().into_owned();
        Err(match code {
            status::INVALID => Error::Invalid(text),
            status::NO_DEVICE => Error::NoDevice(text),
            status::NO_IMAGE => Error::NoImage(text),
            status::NO_MEMORY => Error::NoMemory(text),
            status::MISMATCH => Error::Mismatch(text),
            status::PANICKED => Error::Panicked(text),
            status::UNSUPPORTED => Error::Unsupported(text),
            _ => Error::Failed(text),
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Invalid(text)
            | Error::NoDevice(text)
            | Error::NoImage(text)
            | Error::NoMemory(text)
            | Error::Mismatch(text)
            | Error::OtherDevice(text)
            | Error::Unsupported(text)
            | Error::Failed(text)
            | Error::Panicked(text) => f.write_str(text),
        }
    }
}

// A `main` that returns an error prints it in this form.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Error {}
