//! The limits and resources of a device.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::ffi::{self, RawLimits};

/// The limits and resources of a device. A launch beyond a limit fails with [`Error::Invalid`](crate::Error::Invalid);
/// the text contains both numbers. The limits of a kernel may be lower than those of its device: fewer threads if it
/// needs many registers, and less launch-sized shared memory if it has static shared memory.
///
/// See the example of [`Device::limits`].
#[doc(alias("cudaDeviceProp", "cudaGetDeviceProperties"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The largest number of threads in a block, over all three dimensions.
    pub threads_per_block: u32,
    /// The largest number of threads in a block along x, y and z, or 0 if the driver does not report it.
    pub block_dim: (u32, u32, u32),
    /// The largest number of blocks in a grid along x, y and z, or 0 if the driver does not report it.
    pub grid_dim: (u32, u32, u32),
    /// The largest size in bytes of the shared memory of a block, static and launch-sized together. It is `u32::MAX` if
    /// only the amount of memory limits it, and 0 if the driver does not report it.
    pub shared_mem_bytes: u32,
    /// The smallest and the largest number of lanes that a warp may have, or 0 and 0 if it differs from kernel to
    /// kernel. On the CPU, both are the value of offloadc's option `--cpu-warp-size`, which is 32 by default.
    pub warp_lanes: (u32, u32),
    /// The number of units that run blocks: multiprocessors, compute units or cores. It is 0 if the driver does not
    /// report it.
    pub compute_units: u32,
    /// The size of the device's memory in bytes, or 0 if the driver does not report it.
    pub memory_bytes: u64,
}

impl Device {
    /// Returns the limits and resources of the device.
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
    /// [`Error::Invalid`] if the runtime has another version than the crate.
    pub fn limits(&self) -> Result<Limits> {
        let mut raw =
            RawLimits { size: size_of::<RawLimits>() as u32, version: ffi::LIMITS_VERSION, ..RawLimits::default() };
        // SAFETY: the device is open, and `raw`, which contains its own size, takes the result.
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
