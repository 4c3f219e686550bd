//! [DLPack](https://dmlc.github.io/dlpack/latest/): device memory that libraries of several languages exchange, such as
//! tensors of PyTorch, JAX and CuPy, and on the device `cpu` arrays of NumPy. The structs are those of `dlpack.h`.
//!
//! DLPack has two of them. [`DLManagedTensor`] is the one of version 0, in Python a capsule with the name `dltensor`.
//! [`DLManagedTensorVersioned`] is the one of version 1, `dltensor_versioned`, which a Python library asks for with
//! `max_version=(1, 0)`.
//!
//! ```
//! use offload::{Device, DeviceBuffer};
//!
//! let device = Device::open("cpu")?;
//! let stream = device.default_stream();
//! let tensor = DeviceBuffer::from_host(&stream, &[1.0_f32, 2.0])?.into_dlpack()?;
//! // another library reads the tensor, or gives us another one
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
    /// The data of the function.
    pub manager_ctx: *mut c_void,
    /// The function, which is called once with this struct.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// The version of DLPack that a tensor has.
///
/// See the example of [`DLManagedTensorVersioned`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLPackVersion {
    /// Another number means another layout of the struct.
    pub major: u32,
    /// Another number means that there are more types and kinds of devices.
    pub minor: u32,
}

/// The version of the tensors that this crate makes, and whose first number it accepts.
const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 0 };

/// The flag of a tensor whose memory nobody may write.
///
/// See the example of [`DLManagedTensorVersioned`].
pub const READ_ONLY: u64 = 1;

/// A tensor with its version, and with the function that frees it.
///
/// ```
/// use offload::{Device, DeviceBuffer, Error, dlpack::READ_ONLY};
///
/// let device = Device::open("cpu")?;
/// let stream = device.default_stream();
/// let mut tensor = DeviceBuffer::from_host(&stream, &[1.0_f32, 2.0])?.into_dlpack_versioned()?;
/// // SAFETY: the tensor is complete, and the first call that succeeds is its only use.
/// unsafe {
///     assert_eq!((tensor.as_ref().version.major, tensor.as_ref().flags), (1, 0));
///     tensor.as_mut().flags = READ_ONLY;
///     assert!(matches!(DeviceBuffer::<f32>::from_dlpack_versioned(&device, tensor), Err(Error::Invalid(_))));
///     tensor.as_mut().flags = 0;
///     let numbers = DeviceBuffer::<f32>::from_dlpack_versioned(&device, tensor)?;
///     assert_eq!(numbers.to_host_vec(&stream)?, [1.0, 2.0]);
/// }
/// # Ok::<(), offload::Error>(())
/// ```
#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensorVersioned {
    /// The version of DLPack.
    pub version: DLPackVersion,
    /// The data of the function.
    pub manager_ctx: *mut c_void,
    /// The function, which is called once with this struct. Its place is the same in all versions.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// [`READ_ONLY`], and others.
    pub flags: u64,
    /// The tensor.
    pub dl_tensor: DLTensor,
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

/// The structs that own a tensor.
trait Managed {
    /// Calls the deleter.
    ///
    /// # Safety
    ///
    /// The tensor must be valid, and is not used any more.
    unsafe fn delete(tensor: NonNull<Self>);
}

macro_rules! managed {
    ($($managed:ident)*) => { $(
        impl Managed for $managed {
            unsafe fn delete(tensor: NonNull<Self>) {
                // SAFETY: the caller promises it.
                unsafe {
                    if let Some(deleter) = tensor.as_ref().deleter {
                        deleter(tensor.as_ptr());
                    }
                }
            }
        }
    )* };
}
managed!(DLManagedTensor DLManagedTensorVersioned);

/// A tensor that was made from a buffer, with the memory that it points to.
#[repr(C)]
struct Exported<M, T> {
    tensor: M,
    shape: [i64; 1],
    strides: [i64; 1],
    _buffer: DeviceBuffer<T>,
}

/// Frees a tensor that [`export`] has made.
///
/// # Safety
///
/// See [`DLManagedTensor`].
unsafe extern "C" fn free<M, T>(tensor: *mut M) {
    // SAFETY: `export` has made the struct, whose first field is the tensor, and this is called once.
    drop(unsafe { Box::from_raw(tensor.cast::<Exported<M, T>>()) });
}

/// Waits until nothing uses the buffer, and makes a tensor of it with `manage`.
fn export<M, T: DLElement>(buffer: DeviceBuffer<T>, manage: impl FnOnce(DLTensor) -> M) -> Result<NonNull<M>> {
    let device = device_of(buffer.device())?;
    buffer.memory().finish()?;
    let (data, len) = (buffer.as_raw().as_mut_ptr().cast(), buffer.len() as i64);
    let mut exported = Box::<Exported<M, T>>::new_uninit();
    let at = exported.as_mut_ptr();
    // SAFETY: the box has room for all fields, and each is written before the box counts as initialised.
    unsafe {
        let (shape, strides) = ((&raw mut (*at).shape).cast(), (&raw mut (*at).strides).cast());
        let tensor = DLTensor { data, device, ndim: 1, dtype: T::DTYPE, shape, strides, byte_offset: 0 };
        at.write(Exported { tensor: manage(tensor), shape: [len], strides: [1], _buffer: buffer });
        Ok(NonNull::new_unchecked(Box::into_raw(exported.assume_init()).cast()))
    }
}

/// A tensor of another library, as the owner of its memory.
struct Imported<M: Managed>(NonNull<M>);

// SAFETY: whoever calls `from_dlpack` promises that any thread may free the tensor.
unsafe impl<M: Managed> Send for Imported<M> {}
// SAFETY: nothing uses the tensor but `drop`.
unsafe impl<M: Managed> Sync for Imported<M> {}

impl<M: Managed> Drop for Imported<M> {
    fn drop(&mut self) {
        // SAFETY: `from_dlpack` has got the tensor for itself.
        unsafe { M::delete(self.0) }
    }
}

/// The address and the number of a tensor's elements.
///
/// # Safety
///
/// The tensor must be valid.
unsafe fn elements_of<T: DLElement>(own: DLTensor, device: &Device) -> Result<(*mut T, usize)> {
    let invalid = |text: &str| Err(Error::Invalid(text.into()));
    let dimensions = match usize::try_from(own.ndim) {
        Ok(0) => 0,
        Ok(_) if own.shape.is_null() => return invalid("the tensor has dimensions, and its shape is null"),
        Ok(count) => count,
        Err(_) => return Err(Error::Invalid(format!("the tensor has {} dimensions", own.ndim))),
    };
    let of = |numbers: *mut i64| match dimensions {
        // SAFETY: the caller promises that there is a number for each dimension.
        1.. if !numbers.is_null() => unsafe { core::slice::from_raw_parts(numbers.cast_const(), dimensions) },
        _ => &[],
    };
    let (shape, strides) = (of(own.shape), of(own.strides));
    if own.device != device_of(device)? {
        return Err(Error::OtherDevice(format!("the tensor is on {:?}, not on `{}`", own.device, device.name())));
    }
    if own.dtype != T::DTYPE {
        return Err(Error::Mismatch(format!("the tensor has elements of {:?}, not of {:?}", own.dtype, T::DTYPE)));
    }
    let Some(len) = count(shape)? else { return invalid("the tensor has more elements than memory has") };
    let bytes = len.checked_mul(size_of::<T>()).filter(|bytes| *bytes <= isize::MAX as usize);
    let start = usize::try_from(own.byte_offset).ok().and_then(|offset| own.data.addr().checked_add(offset));
    let (Some(bytes), Some(start)) = (bytes, start) else {
        return invalid("the elements of the tensor reach beyond the end of memory");
    };
    if start.checked_add(bytes).is_none() {
        return invalid("the elements of the tensor reach beyond the end of memory");
    }
    if bytes != 0 && own.data.is_null() {
        return invalid("the tensor has elements, and their address is null");
    }
    let mut step = 1_i64;
    let mut has_gap = false;
    for (size, stride) in shape.iter().zip(strides).rev() {
        has_gap |= *size > 1 && *stride != step;
        step = step.saturating_mul((*size).max(1));
    }
    let address = own.data.wrapping_byte_add(start - own.data.addr()).cast::<T>();
    if (has_gap && len != 0) || !address.is_aligned() {
        return invalid("the elements of the tensor have gaps, or are not aligned");
    }
    Ok((address, len))
}

/// The number of elements; none if it is larger than a `usize`.
fn count(shape: &[i64]) -> Result<Option<usize>> {
    if let Some(size) = shape.iter().find(|size| **size < 0) {
        return Err(Error::Invalid(format!("a dimension of the tensor has the size {size}")));
    }
    if shape.contains(&0) {
        return Ok(Some(0));
    }
    Ok(shape.iter().try_fold(1_usize, |len, size| len.checked_mul(usize::try_from(*size).ok()?)))
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
    /// [`Error::Unsupported`] for a device that DLPack does not know, [`Error::Invalid`] if the memory belongs to an
    /// owner ([`from_owner`](Self::from_owner), [`from_dlpack`](Self::from_dlpack)), or [`Error::Failed`] if the driver
    /// fails to wait. The buffer is then dropped.
    pub fn into_dlpack(self) -> Result<NonNull<DLManagedTensor>> {
        export(self, |dl_tensor| {
            let deleter = Some(free::<DLManagedTensor, T> as unsafe extern "C" fn(_));
            DLManagedTensor { dl_tensor, manager_ctx: ptr::null_mut(), deleter }
        })
    }

    /// Does the same as [`into_dlpack`](Self::into_dlpack), for a library that takes tensors of DLPack's version 1.
    ///
    /// See the example of [`DLManagedTensorVersioned`].
    ///
    /// # Errors
    ///
    /// Those of [`into_dlpack`](Self::into_dlpack).
    pub fn into_dlpack_versioned(self) -> Result<NonNull<DLManagedTensorVersioned>> {
        export(self, |dl_tensor| {
            let deleter = Some(free::<DLManagedTensorVersioned, T> as unsafe extern "C" fn(_));
            DLManagedTensorVersioned { version: VERSION, manager_ctx: ptr::null_mut(), deleter, flags: 0, dl_tensor }
        })
    }

    /// Returns the elements of a tensor, of any number of dimensions, as a buffer. Dropping the buffer calls the
    /// tensor's deleter. If the result is an error, the tensor still belongs to the caller.
    ///
    /// See the example of [`dlpack`](crate::dlpack).
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] if the tensor is in the memory of another device, [`Error::Mismatch`] if its elements
    /// have another type, and [`Error::Invalid`] if there are gaps between them, if their address is null or not
    /// aligned, or if the sizes of the dimensions are absent, negative, or larger than memory.
    ///
    /// # Safety
    ///
    /// The tensor must be valid, and must belong to the caller. Work that writes it must be complete, and its deleter
    /// may be called in any thread. The requirements of [`from_owner`](Self::from_owner) hold for its memory.
    pub unsafe fn from_dlpack(device: &Device, tensor: NonNull<DLManagedTensor>) -> Result<Self> {
        // SAFETY: the caller promises that the tensor is valid, and meets the requirements of `from_owner`.
        unsafe {
            let (address, len) = elements_of(tensor.as_ref().dl_tensor, device)?;
            Ok(Self::from_owner(device, address, len, Imported(tensor)))
        }
    }

    /// Does the same as [`from_dlpack`](Self::from_dlpack), for a tensor of DLPack's version 1.
    ///
    /// See the example of [`DLManagedTensorVersioned`].
    ///
    /// # Errors
    ///
    /// Those of [`from_dlpack`](Self::from_dlpack), [`Error::Unsupported`] for a tensor of another major version, and
    /// [`Error::Invalid`] for a tensor that is [`READ_ONLY`], because a buffer can be written.
    ///
    /// # Safety
    ///
    /// The requirements of [`from_dlpack`](Self::from_dlpack).
    pub unsafe fn from_dlpack_versioned(device: &Device, tensor: NonNull<DLManagedTensorVersioned>) -> Result<Self> {
        // SAFETY: the caller promises that the tensor is valid. All versions have this field, and no other before it is
        // compared.
        let version = unsafe { (&raw const (*tensor.as_ptr()).version).read() };
        if version.major != VERSION.major {
            let (major, minor) = (version.major, version.minor);
            return Err(Error::Unsupported(format!("the tensor is of DLPack {major}.{minor}, and not of 1.x")));
        }
        // SAFETY: as in `from_dlpack`.
        unsafe {
            if tensor.as_ref().flags & READ_ONLY != 0 {
                let text = "the tensor is read-only, and a buffer can be written: ask its library for a copy";
                return Err(Error::Invalid(text.into()));
            }
            let (address, len) = elements_of(tensor.as_ref().dl_tensor, device)?;
            Ok(Self::from_owner(device, address, len, Imported(tensor)))
        }
    }
}
