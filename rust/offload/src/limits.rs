//! What a device allows and has.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::ffi::{self, RawLimits};

/// What a device allows of a launch, and what it has. A launch beyond a limit is
/// [`Error::Invalid`](crate::Error::Invalid), with both numbers. A kernel may allow less than its device: fewer threads
/// where it needs many registers, less launch-sized shared memory where it has static one.
///
/// See the example of [`Device::limits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Threads of a block, along x, y and z together.
    pub threads_per_block: u32,
    /// Threads of a block along x, y and z; 0 where the driver does not say.
    pub block_dim: (u32, u32, u32),
    /// Blocks of a grid along x, y and z; 0 where the driver does not say.
    pub grid_dim: (u32, u32, u32),
    /// Bytes of shared memory of a block, static and launch-sized together: `u32::MAX` for what memory there is, 0 where
    /// the driver does not say.
    pub shared_mem_bytes: u32,
    /// The fewest and the most lanes that a warp may have; 0 and 0 where that is each kernel's own. On the processor it is
    /// what offloadc's `--cpu-warp-size` says, 32 and 32 by default.
    pub warp_lanes: (u32, u32),
    /// What blocks are spread over: multiprocessors, compute units, cores. 0 where the driver does not say.
    pub compute_units: u32,
    /// Bytes of its memory; 0 where the driver does not say.
    pub memory_bytes: u64,
}

impl Device {
    /// What the device allows and has.
    ///
    /// ```
    /// # fn main() -> offload::Result<()> {
    /// use offload::{Device, Grid};
    ///
    /// let limits = Device::new()?.limits()?;
    /// let grid = Grid::for_len(1_000_000, limits.threads_per_block.min(256));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when the runtime is of another version than the crate.
    pub fn limits(&self) -> Result<Limits> {
        let mut raw =
            RawLimits { size: size_of::<RawLimits>() as u32, version: ffi::LIMITS_VERSION, ..RawLimits::default() };
        // SAFETY: an open device and a place for the answer, whose size it says.
        Error::check(unsafe { ffi::offloadrt_device_limits(self.raw(), &mut raw) })?;
        Ok(Limits {
            threads_per_block: raw.threads_per_block,
            block_dim: raw.block.into(),
            grid_dim: raw.grid.into(),
            shared_mem_bytes: raw.shared_bytes,
            warp_lanes: (raw.least_lanes, raw.most_lanes),
            compute_units: raw.compute_units,
            memory_bytes: raw.memory_bytes,
        })
    }
}
