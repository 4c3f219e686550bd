//! Buffers from addresses, and addresses from buffers, for memory that other libraries use.

use std::boxed::Box;

use crate::buffer::DeviceBuffer;
use crate::device::Device;
use crate::device_copy::DeviceCopy;
use crate::error::Result;
use crate::memory::Memory;

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Waits until nothing uses the buffer, and returns its address on the device and its length. Nothing frees the
    /// memory then: give it back to [`from_raw_parts`](Self::from_raw_parts). The device must stay open until then. For
    /// an alignment of more than 16 bytes, this does not compile.
    ///
    /// ```
    /// use offload::{Device, DeviceBuffer};
    ///
    /// let stream = Device::new()?.default_stream();
    /// let (address, len) = DeviceBuffer::from_host(&stream, &[1, 2, 3])?.into_raw_parts()?;
    /// // SAFETY: the parts come from a buffer of the same device and type, and are used once.
    /// let numbers = unsafe { DeviceBuffer::from_raw_parts(stream.device(), address, len) };
    /// assert_eq!(numbers.to_host_vec(&stream)?, [1, 2, 3]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`](crate::Error::Invalid) if the memory belongs to an owner ([`from_owner`](Self::from_owner),
    /// [`from_dlpack`](Self::from_dlpack)), or [`Error::Failed`](crate::Error::Failed) if the driver fails to wait. The
    /// buffer is then dropped.
    #[doc(alias("leak", "CUdeviceptr"))]
    pub fn into_raw_parts(self) -> Result<(*mut T, usize)> {
        let len = self.len();
        Ok((self.into_memory().into_raw()?, len))
    }

    /// Returns the buffer from which [`into_raw_parts`](Self::into_raw_parts) has made these parts.
    ///
    /// See the example of [`into_raw_parts`](Self::into_raw_parts).
    ///
    /// # Safety
    ///
    /// The parts must come from a buffer with elements of this type, whose device is `device` or a clone of it. Nothing
    /// else may own them, and work that uses the memory must be complete. The elements must be initialised.
    #[doc(alias = "upgrade_device_ptr")]
    pub unsafe fn from_raw_parts(device: &Device, address: *mut T, len: usize) -> Self {
        Self::from_memory(Memory::from_raw(address, len, device))
    }

    /// Returns a buffer for memory of a device that another library has allocated. Dropping the buffer waits until no
    /// work of this crate uses the memory, and then drops `owner`, which frees it.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use offload::{Device, DeviceBuffer};
    ///
    /// let device = Device::open("cpu")?; // its kernels use the memory of the host
    /// let owner: Arc<[u32]> = Arc::new([1, 2, 3]);
    /// let (address, len) = (owner.as_ptr().cast_mut(), owner.len());
    /// // SAFETY: the owner has this memory, and nothing writes it.
    /// let numbers = unsafe { DeviceBuffer::from_owner(&device, address, len, owner) };
    /// assert_eq!(numbers.to_host_vec(&device.default_stream())?, [1, 2, 3]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Safety
    ///
    /// Until `owner` is dropped, the address must lead to `len` initialised elements in the memory of the device, in
    /// its context (on CUDA [`Device::raw_context`], on HIP the primary one), and must be aligned for them. While the
    /// buffer exists, nothing else may write the memory, or read it while the buffer is written. If kernels use atomics
    /// of 8 or 16 bits in it, the aligned 32 bits around each element must be memory of the device, too, as they are in
    /// each allocation of a driver: some devices change all of them.
    pub unsafe fn from_owner(device: &Device, address: *mut T, len: usize, owner: impl Send + Sync + 'static) -> Self {
        Self::from_memory(Memory::of_owner(address, len, device, Box::new(owner)))
    }
}
