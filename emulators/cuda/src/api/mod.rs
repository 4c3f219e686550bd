//! The CUDA driver API (its reference names every function, parameter and error here).
//!
//! One lock guards everything. A stream's work is done when it is submitted, which is one of the orders that the API
//! allows; an error of a kernel is the context's from then on, as on a device.

mod context;
mod device;
mod driver;
mod errors;
mod events;
mod fatbinary;
mod function;
mod hints;
mod launch;
mod memory;
mod module;
mod options;
mod peers;
mod pools;
mod unsupported;

use std::panic::{AssertUnwindSafe, catch_unwind};

use driver::{Driver, driver};

/// `CUresult`
pub type Status = i32;
/// `CUdeviceptr`
pub type DevicePointer = u64;
/// Opaque handles of the API: `CUcontext`, `CUmodule`, `CUfunction`, `CUstream`, `CUevent`.
pub type Handle = usize;

pub use context::*;
pub use device::*;
pub use errors::*;
pub use events::*;
pub use function::*;
pub use hints::*;
pub use launch::*;
pub use memory::*;
pub use module::*;
pub use peers::*;
pub use pools::*;
pub use unsupported::*;

/// The result of a function of the API besides its outputs.
type Outcome<T> = Result<T, Status>;

/// Runs a function of the API: under the lock, and with a panic turned into an error.
fn call(body: impl FnOnce(&mut Driver) -> Outcome<()>) -> Status {
    let run = || {
        let mut driver = driver().lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        body(&mut driver)
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => SUCCESS,
        Ok(Err(status)) => status,
        Err(_) => UNKNOWN,
    }
}

/// The same for functions that need a context, whose error they give.
fn in_context(body: impl FnOnce(&mut Driver, usize) -> Outcome<()>) -> Status {
    call(|driver| {
        let device = driver.current()?;
        body(driver, device)
    })
}

/// Writes an output.
///
/// # Safety
///
/// The pointer is null or one to write to.
unsafe fn put<T>(to: *mut T, value: T) -> Outcome<()> {
    if to.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the caller's.
    unsafe { to.write(value) };
    Ok(())
}
