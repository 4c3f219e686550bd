//! [DLPack](https://dmlc.github.io/dlpack/latest/): device memory that libraries of several languages exchange, such as
//! tensors of PyTorch, JAX and CuPy, and on the device `cpu` arrays of NumPy. The structs are those of `dlpack.h`,
//! version 0.
//!
//! ```
//! use offload::{Device, DeviceBuffer};
//!
//! let device = Device::open("cpu")?;
//! let stream = device.default_stream();
//! let tensor = DeviceBuffer::from_host(&stream, &[1.0_f32, 2.0])?.into_dlpack()?;
//! // another library reads the tensor, or gives us one of its own
//! // SAFETY: the tensor is complete, and this is its only use.
//! let numbers = unsafe { DeviceBuffer::<f32>::from_dlpack(&device, tensor) }?;
//! assert_eq!(numbers.to_host_vec(&stream)?, [1.0, 2.0]);
//! # Ok::<(), offload::Error>(())
//! ```

use core::ffi::c_void;
use core::ptr::{self, NonNull};
use std::boxed::Box;
use std::format;

use crate::buffer::DeviceBuffer;
use crate::device::Device;
use crate::device_copy::DeviceCopy;
use crate::error::{Error, Result};
use crate::num::{self, Bf16, F16};

/// The kind and the number of a device.
///
/// See the example of [`dlpack`](crate::dlpack).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLDevice {
    /// The kind: 1 is the processor, 2 is CUDA, 10 is ROCm.
    pub device_type: i32,
    /// The number among the devices of the kind.
    pub device_id: i32,
}

/// The type of an element.
///
/// See the example of [`dlpack`](crate::dlpack).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLDataType {
    /// The kind of number: 0 is signed, 1 is unsigned, 2 is floating-point, 4 is bfloat, 6 is `bool`.
    pub code: u8,
    /// The number of bits.
    pub bits: u8,
    /// The number of numbers in an element.
    pub lanes: u16,
}

/// An array of elements in the memory of a device.
///
/// See the example of [`dlpack`](crate::dlpack).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DLTensor {
    /// The address on the device.
    pub data: *mut c_void,
    /// The device.
    pub device: DLDevice,
    /// The number of dimensions.
    pub ndim: i32,
    /// The type of the elements.
    pub dtype: DLDataType,
    /// The size of each dimension, on the host.
    pub shape: *mut i64,
    /// The distance of neighbours in each dimension, in elements. If it is null, the elements are without gaps.
    pub strides: *mut i64,
    /// The offset in bytes of the first element from `data`.
    pub byte_offset: u64,
}

/// A tensor with the function that frees it.
///
/// See the example of [`dlpack`](crate::dlpack).
#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// What the function needs.
    pub manager_ctx: *mut c_void,
    /// The function, which is called once with this struct.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// An element that DLPack has a type for.
///
/// ```
/// use offload::dlpack::DLElement;
///
/// assert_eq!((<f32 as DLElement>::DTYPE.code, <f32 as DLElement>::DTYPE.bits), (2, 32));
/// ```
///
/// # Safety
///
/// Elements of the type `DTYPE` must be valid values.
pub unsafe trait DLElement: DeviceCopy {
    /// DLPack's name of the type.
    ///
    /// See the example of [`DLElement`].
    const DTYPE: DLDataType;
}

macro_rules! elements {
    ($($ty:ident $code:literal;)*) => { $(
        // SAFETY: the code is that of the type.
        unsafe impl DLElement for $ty {
            const DTYPE: DLDataType = DLDataType { code: $code, bits: 8 * size_of::<$ty>() as u8, lanes: 1 };
        }
    )* };
}
elements! { i8 0; i16 0; i32 0; i64 0; u8 1; u16 1; u32 1; u64 1; f32 2; f64 2; F16 2; Bf16 4; bool 6; }

macro_rules! vectors {
    ($($name:ident $number:ident $count:literal [$($field:ident)+];)*) => { $(
        // SAFETY: the type is that of the numbers.
        unsafe impl DLElement for num::$name {
            const DTYPE: DLDataType = DLDataType { lanes: $count, ..<$number as DLElement>::DTYPE };
        }
    )* };
}
num::for_each_vector!(vectors);

/// A tensor that a buffer has become, with what it points to.
struct Exported<T> {
    tensor: DLManagedTensor,
    shape: [i64; 1],
    _buffer: DeviceBuffer<T>,
}

/// Frees a tensor that `into_dlpack` has made.
///
/// # Safety
///
/// See [`DLManagedTensor`].
unsafe extern "C" fn free<T>(tensor: *mut DLManagedTensor) {
    // SAFETY: `into_dlpack` has made the struct, and this is called once.
    drop(unsafe { Box::from_raw((*tensor).manager_ctx.cast::<Exported<T>>()) });
}

/// A tensor of another library, as the owner of its memory.
struct Imported(NonNull<DLManagedTensor>);

// SAFETY: whoever calls `from_dlpack` promises that any thread may free the tensor.
unsafe impl Send for Imported {}
// SAFETY: nothing uses the tensor but `drop`.
unsafe impl Sync for Imported {}

impl Drop for Imported {
    fn drop(&mut self) {
        // SAFETY: `from_dlpack` has got the tensor for itself.
        unsafe {
            if let Some(deleter) = self.0.as_ref().deleter {
                deleter(self.0.as_ptr());
            }
        }
    }
}

fn device_of(device: &Device) -> Result<DLDevice> {
    let name = device.name();
    let (kind, number) = name.split_once(':').unwrap_or((name, "0"));
    let device_type = match kind {
        "cpu" => 1,
        "cuda" => 2,
        "hip" => 10,
        _ => return Err(Error::Unsupported(format!("DLPack has no addresses for the memory of `{name}`"))),
    };
    let device_id = number.parse().map_err(|_| Error::Unsupported(format!("`{name}` has no number")))?;
    Ok(DLDevice { device_type, device_id })
}

impl<T: DLElement> DeviceBuffer<T> {
    /// Waits until nothing uses the buffer, and returns it as a tensor with one dimension. The tensor's deleter frees
    /// the memory.
    ///
    /// See the example of [`dlpack`](crate::dlpack).
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for a device that DLPack does not know, or [`Error::Failed`] if the driver fails to wait.
    /// The buffer is then dropped.
    pub fn into_dlpack(self) -> Result<NonNull<DLManagedTensor>> {
        let device = device_of(self.device())?;
        self.memory().finish()?;
        let dl_tensor = DLTensor {
            data: self.as_raw().as_mut_ptr().cast(),
            device,
            ndim: 1,
            dtype: T::DTYPE,
            shape: ptr::null_mut(),
            strides: ptr::null_mut(),
            byte_offset: 0,
        };
        let tensor = DLManagedTensor { dl_tensor, manager_ctx: ptr::null_mut(), deleter: Some(free::<T>) };
        let exported = Box::into_raw(Box::new(Exported { tensor, shape: [self.len() as i64], _buffer: self }));
        // SAFETY: the box is new, and nothing else refers to it.
        unsafe {
            (*exported).tensor.dl_tensor.shape = (&raw mut (*exported).shape).cast();
            (*exported).tensor.manager_ctx = exported.cast();
            Ok(NonNull::new_unchecked(&raw mut (*exported).tensor))
        }
    }

    /// Returns the elements of a tensor, of any number of dimensions, as a buffer. Dropping the buffer calls the
    /// tensor's deleter. If the result is an error, the tensor still belongs to the caller.
    ///
    /// See the example of [`dlpack`](crate::dlpack).
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] if the tensor is in the memory of another device, [`Error::Mismatch`] if its elements
    /// have another type, and [`Error::Invalid`] if there are gaps between them or if their address is not aligned.
    ///
    /// # Safety
    ///
    /// The tensor must be valid, and must belong to the caller. Work that writes it must be complete, and its deleter
    /// may be called in any thread. The requirements of [`from_owner`](Self::from_owner) hold for its memory.
    pub unsafe fn from_dlpack(device: &Device, tensor: NonNull<DLManagedTensor>) -> Result<Self> {
        // SAFETY: the caller promises that the tensor is valid.
        let (own, shape, strides) = unsafe {
            let own = tensor.as_ref().dl_tensor;
            let of = |numbers: *mut i64| match own.ndim {
                1.. if !numbers.is_null() => core::slice::from_raw_parts(numbers.cast_const(), own.ndim as usize),
                _ => &[],
            };
            (own, of(own.shape), of(own.strides))
        };
        if own.device != device_of(device)? {
            return Err(Error::OtherDevice(format!("the tensor is on {:?}, not on `{}`", own.device, device.name())));
        }
        if own.dtype != T::DTYPE {
            return Err(Error::Mismatch(format!("the tensor has elements of {:?}, not of {:?}", own.dtype, T::DTYPE)));
        }
        let len = shape.iter().try_fold(1_usize, |len, size| len.checked_mul(usize::try_from(*size).ok()?));
        let len = len.ok_or_else(|| Error::Invalid("the tensor has more elements than memory".into()))?;
        let mut step = 1_i64;
        let mut has_gap = false;
        for (size, stride) in shape.iter().zip(strides).rev() {
            has_gap |= *size > 1 && *stride != step;
            step = step.saturating_mul((*size).max(1));
        }
        let address = own.data.wrapping_byte_add(own.byte_offset as usize).cast::<T>();
        if (has_gap && len != 0) || !address.is_aligned() {
            return Err(Error::Invalid("the elements of the tensor have gaps, or are not aligned".into()));
        }
        // SAFETY: the caller promises what the function requires.
        Ok(unsafe { Self::from_owner(device, address, len, Imported(tensor)) })
    }
}
