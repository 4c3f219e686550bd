//! What can go wrong on the host side, as one enum.

use core::ffi::{CStr, c_int};
use core::fmt;
use std::string::String;

use crate::abi::status;

/// A call failed. Each text is the runtime's own, with the driver's in it.
///
/// ```
/// use offload::{Device, Error};
///
/// match Device::open("cuda:7") {
///     Ok(device) => println!("{} is there", device.name()),
///     Err(Error::NoDevice(text)) => println!("{text}"),
///     Err(other) => panic!("{other}"),
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// An argument of the call is wrong: a launch without threads, or larger than the device allows.
    Invalid(String),
    /// This machine has no such device.
    NoDevice(String),
    /// The program has no image that fits the device; the text names the option that adds one.
    NoImage(String),
    /// Device or host memory is exhausted.
    NoMemory(String),
    /// A launch does not fit its kernel.
    Mismatch(String),
    /// A buffer belongs to another device than the launch or copy it is used in.
    OtherDevice(String),
    /// The device has no such thing: unified memory, for example.
    Unsupported(String),
    /// The driver failed.
    Failed(String),
    /// A kernel panicked: its name, the place, what it said, and which thread of which block was the first. The device
    /// and its memory are as good as before.
    Panicked(String),
}

/// The crate's result.
///
/// ```
/// fn main() -> offload::Result<()> {
///     println!("{}", offload::Device::new()?.name());
///     Ok(())
/// }
/// ```
pub type Result<T> = core::result::Result<T, Error>;

impl Error {
    /// Turns a status of the runtime, which is `OFFLOADRT_SUCCESS` or one of its errors, into a result.
    pub(crate) fn check(code: c_int) -> Result<()> {
        if code == status::SUCCESS {
            return Ok(());
        }
        // SAFETY: never null, and the thread's until its next call.
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

impl core::error::Error for Error {}
