//! Statics of a device. Each device has its own copy of a static, which kernels read. The host writes and reads it by
//! copies in a stream.
//!
//! The crate does not ask the driver for the address of a symbol, because OpenCL cannot find a symbol of SPIR-V.
//! Instead, a copy is a launch of a kernel in this file, with one instance for each static. Copies therefore work on
//! every device and with every runtime, and are ordered in a stream like any launch. The compiler sees all code that
//! writes the static. If there is none, it treats the initial value as a constant.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::{fmt, ptr};

use crate::buffer::DeviceBuffer;
use crate::device::Stream;
use crate::device_copy::DeviceCopy;
use crate::error::Result;
use crate::grid::LaunchConfig;
use crate::launch::Kernel as _;
use crate::slice::{DisjointSlice, RawSlice};
use crate::thread;

/// A static of each device, which [`device_static!`](crate::device_static!) declares. It corresponds to CUDA's
/// `__device__` and `__constant__` variables, with `cudaMemcpyToSymbol` and `cudaMemcpyFromSymbol`.
///
/// Every [`Device`](crate::Device) that a program opens has its own copy of the static, which clones of the `Device`
/// share. The copy starts with the initial value, and keeps the values that the host copies to it and that kernels
/// write, as long as the device is open. The CPU has one copy until the program ends, even if the program opens it
/// several times. The same holds for each device of libomptarget. The host has a separate copy, which code on the host
/// reads, for example in a unit test. Copies to a device do not change the host's copy.
///
/// Kernels read the static with [`load`](Self::load), or the elements of an array with [`get`](Self::get). It is in
/// global memory. If no code writes it, not even the host, it is a constant.
///
/// ```
/// use offload::{Device, DeviceBuffer, DisjointSlice, Grid, device_static, kernel, prelude::*, thread};
///
/// device_static! {
///     /// The filter's weights.
///     static WEIGHTS: [f32; 3] = [0.0, 1.0, 0.0];
/// }
///
/// #[kernel]
/// fn filter(x: &[f32], mut y: DisjointSlice<f32>) {
///     let i = thread::index_1d();
///     if let Some(y) = y.get_mut(i) {
///         *y = (0..3).map(|k| WEIGHTS.get(k) * x[(i.get() + k) % x.len()]).sum();
///     }
/// }
///
/// let stream = Device::new()?.default_stream();
/// // SAFETY: all work that uses the static is in this one stream.
/// unsafe { WEIGHTS.copy_from_host(&stream, &[0.25, 0.5, 0.25])? };
/// let mut y = [0.0; 4];
/// filter.launch(&stream, Grid::for_len(4, 256), (&[4.0, 8.0, 16.0, 0.0], &mut y))?;
/// assert_eq!(y, [9.0, 10.0, 5.0, 4.0]);
/// assert_eq!(WEIGHTS.to_host(&stream)?, [0.25, 0.5, 0.25]);
/// assert_eq!(WEIGHTS.load(), [0.0, 1.0, 0.0]); // the host's copy
/// # Ok::<(), offload::Error>(())
/// ```
#[doc(alias("__device__", "__constant__"))]
pub struct DeviceStatic<S> {
    place: PhantomData<fn() -> S>,
}

impl<S> Clone for DeviceStatic<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for DeviceStatic<S> {}

impl<S: StaticPlace> fmt::Debug for DeviceStatic<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceStatic").field("bytes", &size_of::<S::Value>()).finish_non_exhaustive()
    }
}

/// The address of a static. [`device_static!`](crate::device_static!) makes a type for each static, which implements
/// this.
///
/// # Safety
///
/// `place` must always return the same address, of a value that is used only through [`DeviceStatic`].
pub unsafe trait StaticPlace: 'static {
    /// The type of the static.
    type Value: DeviceCopy;

    /// Returns the address: of the device's copy on a device, and of the host's copy on the host.
    fn place() -> *mut Self::Value;
}

/// The memory of a static.
#[repr(transparent)]
pub struct StaticCell<T>(UnsafeCell<T>);

// SAFETY: all threads may read the value at the same time, and code that writes it promises that no other thread uses
// it.
unsafe impl<T: DeviceCopy> Sync for StaticCell<T> {}

impl<T: DeviceCopy> StaticCell<T> {
    /// The memory with its initial value.
    pub const fn new(value: T) -> Self {
        const { assert!(size_of::<T>() != 0, "the type of a device static has at least one byte") }
        StaticCell(UnsafeCell::new(value))
    }

    /// The address of the value.
    #[inline(always)]
    pub const fn as_mut_ptr(&self) -> *mut T {
        self.0.get()
    }
}

/// Values of at most this many bytes are an argument of the launch that copies them: the call does not wait, and
/// allocates nothing. Every device accepts arguments of 256 bytes.
pub(crate) const MOST_OF_AN_ARGUMENT: usize = 256;

impl<S: StaticPlace> DeviceStatic<S> {
    #[doc(hidden)]
    pub const NEW: Self = DeviceStatic { place: PhantomData };

    /// Reads the value. For one element of a large array, [`get`](Self::get) is better.
    ///
    /// ```
    /// offload::device_static! { static SCALE: f32 = 0.5; }
    /// assert_eq!(SCALE.load(), 0.5);
    /// ```
    #[inline(always)]
    pub fn load(self) -> S::Value {
        // SAFETY: nothing writes it at the same time: code that writes it has promised this.
        unsafe { S::place().read() }
    }

    /// Writes the value of the device, for all threads and for later launches. On the host, writes the host's copy.
    ///
    /// ```
    /// offload::device_static! { static SCALE: f32 = 0.5; }
    /// // SAFETY: there is one thread.
    /// unsafe { SCALE.store(2.0) };
    /// assert_eq!(SCALE.load(), 2.0);
    /// ```
    ///
    /// # Safety
    ///
    /// No other thread of the launch, no other kernel and no copy may use the static at the same time.
    #[inline(always)]
    pub unsafe fn store(self, value: S::Value) {
        // SAFETY: the caller promises that nothing else uses it.
        unsafe { S::place().write(value) }
    }

    /// The address of the copy that belongs to the device (or host) that runs this code.
    ///
    /// ```
    /// offload::device_static! { static SCALE: f32 = 0.5; }
    /// // SAFETY: no other thread writes it.
    /// assert_eq!(unsafe { *SCALE.as_ptr() }, 0.5);
    /// ```
    #[inline(always)]
    pub fn as_ptr(self) -> *mut S::Value {
        S::place()
    }

    /// Submits a copy of `value` to the static of the stream's device. Kernels that are launched in the stream
    /// afterwards read the new value. The host's copy does not change.
    ///
    /// See the example of [`DeviceStatic`].
    ///
    /// # Errors
    ///
    /// The errors of [`Kernel::launch`](crate::Kernel::launch), such as [`Error::NoImage`](crate::Error::NoImage) if
    /// the program has no code for the device. [`Error::NoMemory`](crate::Error::NoMemory) if a large value finds no
    /// memory.
    ///
    /// # Safety
    ///
    /// No kernel that uses the static may run on the device during the copy. Work in the same stream is always ordered
    /// with the copy. Work in other streams must be ordered with it by [`wait`](Stream::wait) or
    /// [`synchronize`](Stream::synchronize).
    #[doc(alias = "cudaMemcpyToSymbol")]
    pub unsafe fn copy_from_host(self, stream: &Stream, value: &S::Value) -> Result<()> {
        if const { size_of::<S::Value>() <= MOST_OF_AN_ARGUMENT } {
            return set::<S>.launch(stream, LaunchConfig::for_len(1, 1), (*value,));
        }
        let from = DeviceBuffer::from_host(stream, core::slice::from_ref(value))?;
        write::<S>.launch(stream, Self::threads(), (&from,))
    }

    /// Waits for all work that was submitted to the stream before, and returns the value on the stream's device.
    ///
    /// ```
    /// use offload::{Device, Grid, device_static, kernel, prelude::*, thread};
    ///
    /// device_static! { static LAST: u64 = 0; }
    ///
    /// #[kernel]
    /// fn find(values: &[u32]) {
    ///     let i = thread::index_1d().get();
    ///     if i + 1 == values.len() {
    ///         // SAFETY: only one thread of one launch writes it.
    ///         unsafe { LAST.store(u64::from(values[i])) };
    ///     }
    /// }
    ///
    /// let stream = Device::new()?.default_stream();
    /// find.launch(&stream, Grid::for_len(3, 32), (&[5, 6, 7],))?;
    /// assert_eq!(LAST.to_host(&stream)?, 7);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`copy_from_host`](Self::copy_from_host), and errors of earlier work in the stream.
    #[doc(alias = "cudaMemcpyFromSymbol")]
    pub fn to_host(self, stream: &Stream) -> Result<S::Value> {
        let mut to = DeviceBuffer::<S::Value>::allocate(stream.device(), 1)?;
        read::<S>.launch(stream, Self::threads(), (&mut to,))?;
        let mut value = MaybeUninit::uninit();
        // SAFETY: `value` has room for one value, and the kernel has written all of its bytes.
        unsafe {
            to.part(..).read(stream, value.as_mut_ptr())?;
            Ok(value.assume_init())
        }
    }

    /// The launch with one thread for each word; see [`copy_word`].
    fn threads() -> LaunchConfig {
        LaunchConfig::for_len(size_of::<S::Value>() / align_of::<S::Value>().min(8), 256)
    }
}

impl<T: DeviceCopy, const N: usize, S: StaticPlace<Value = [T; N]>> DeviceStatic<S> {
    /// The number of elements.
    ///
    /// ```
    /// offload::device_static! { static TABLE: [u8; 4] = [1, 2, 3, 4]; }
    /// assert_eq!(TABLE.len(), 4);
    /// ```
    #[inline(always)]
    pub fn len(self) -> usize {
        N
    }

    /// Whether the array is empty. This is never true.
    ///
    /// ```
    /// offload::device_static! { static TABLE: [u8; 4] = [1, 2, 3, 4]; }
    /// assert!(!TABLE.is_empty());
    /// ```
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        N == 0
    }

    /// Returns the element at `index`.
    ///
    /// ```
    /// offload::device_static! { static TABLE: [u8; 4] = [1, 2, 3, 4]; }
    /// assert_eq!(TABLE.get(2), 3);
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no such element.
    #[inline(always)]
    pub fn get(self, index: usize) -> T {
        // SAFETY: see `load`.
        unsafe { self.as_raw().get(index) }
    }

    /// Writes the element at `index`.
    ///
    /// ```
    /// offload::device_static! { static TABLE: [u8; 4] = [1, 2, 3, 4]; }
    /// // SAFETY: there is one thread.
    /// unsafe { TABLE.set(2, 9) };
    /// assert_eq!(TABLE.load(), [1, 2, 9, 4]);
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no such element.
    ///
    /// # Safety
    ///
    /// See [`store`](Self::store); only this element must not be in use.
    #[inline(always)]
    pub unsafe fn set(self, index: usize, value: T) {
        // SAFETY: the caller promises that nothing else uses the element.
        unsafe { self.as_raw().set(index, value) }
    }

    /// Returns the address and length. [`RawSlice::atomic`] turns an element into an atomic, which all threads may
    /// change at the same time.
    ///
    /// ```
    /// use offload::atomic::AtomicOrdering::Relaxed;
    /// use offload::atomic::scope;
    /// use offload::{Device, device_static};
    ///
    /// device_static! { static TALLY: [u32; 2] = [0; 2]; }
    ///
    /// let device = Device::new()?;
    /// device.for_each(1000, |i| {
    ///     // SAFETY: kernels use it only atomically.
    ///     let count = unsafe { TALLY.as_raw().atomic::<scope::Device>(i.get() % 2) };
    ///     count.fetch_add(1, Relaxed);
    /// })?;
    /// assert_eq!(TALLY.to_host(&device.default_stream())?, [500, 500]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    #[inline(always)]
    pub fn as_raw(self) -> RawSlice<T> {
        RawSlice::new(S::place().cast(), N)
    }
}

/// Declares statics of which each device has its own copy. See [`DeviceStatic`].
///
/// ```
/// use offload::{DeviceCopy, device_static};
///
/// #[derive(Clone, Copy, DeviceCopy)]
/// struct Camera {
///     place: [f32; 3],
///     zoom: f32,
/// }
///
/// device_static! {
///     /// Where the picture is taken from.
///     static CAMERA: Camera = Camera { place: [0.0; 3], zoom: 1.0 };
///     static GAMMA: [u8; 256] = [0; 256];
/// }
/// assert_eq!((CAMERA.load().zoom, GAMMA.get(7)), (1.0, 0));
/// ```
#[doc(alias("__device__", "__constant__"))]
#[macro_export]
macro_rules! device_static {
    ($($(#[$attribute:meta])* $visibility:vis static $name:ident: $ty:ty = $value:expr;)+) => { $(
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code, reason = "a type for each static, of its name")]
        $visibility struct $name {}

        // SAFETY: nothing else names this static.
        unsafe impl $crate::__private::StaticPlace for $name {
            type Value = $ty;

            #[inline(always)]
            fn place() -> *mut $ty {
                #[unsafe(link_section = ".offload.static")]
                static __OFFLOAD_STATIC: $crate::__private::StaticCell<$ty> = $crate::__private::StaticCell::new($value);
                // The copy of the device, in a program that offloadc has not compiled.
                static __OFFLOAD_FALLBACK: $crate::__private::StaticCell<$ty> = $crate::__private::StaticCell::new($value);
                if $crate::__private::is_fallback_kernel() {
                    return __OFFLOAD_FALLBACK.as_mut_ptr();
                }
                __OFFLOAD_STATIC.as_mut_ptr()
            }
        }

        $(#[$attribute])*
        $visibility static $name: $crate::DeviceStatic<$name> = $crate::DeviceStatic::NEW;
    )+ };
    ($($other:tt)*) => {
        ::core::compile_error!("expected `static NAME: T = VALUE;`, without `mut`: the host sets it by \
            `NAME.copy_from_host(&stream, value)`");
    };
}

/// The kernel that sets a small static.
fn set<S: StaticPlace>(value: S::Value) {
    // SAFETY: one thread runs, and the caller of `copy_from_host` promises the rest.
    unsafe { S::place().write(value) }
}

/// The kernel that copies one value to a static.
fn write<S: StaticPlace>(from: &[S::Value]) {
    // SAFETY: both have one value, and the caller of `copy_from_host` promises the rest.
    unsafe { copy_word(from.as_ptr(), S::place()) }
}

/// The kernel that copies a static.
fn read<S: StaticPlace>(mut to: DisjointSlice<S::Value>) {
    // SAFETY: both have one value, and code that writes the static has promised that nothing reads it at the same time.
    unsafe { copy_word(S::place(), to.as_mut_ptr()) }
}

/// Copies this thread's word of a value, including padding. A word is the largest unit that the value is aligned for.
///
/// # Safety
///
/// `from` must be readable, `to` must be writable, and no other thread may use the same word of `to`.
unsafe fn copy_word<T>(from: *const T, to: *mut T) {
    /// # Safety
    ///
    /// The same, and `T` must be aligned for words of type `W`.
    unsafe fn copy<T, W>(from: *const T, to: *mut T) {
        let i = thread::index_1d().get();
        if i < size_of::<T>() / size_of::<W>() {
            // SAFETY: the caller promises the rest, and word `i` is inside the value.
            unsafe {
                ptr::copy_nonoverlapping(from.cast::<MaybeUninit<W>>().add(i), to.cast::<MaybeUninit<W>>().add(i), 1)
            }
        }
    }
    // SAFETY: the caller promises the rest, and the word is not larger than the alignment.
    unsafe {
        match align_of::<T>() {
            1 => copy::<T, u8>(from, to),
            2 => copy::<T, u16>(from, to),
            4 => copy::<T, u32>(from, to),
            _ => copy::<T, u64>(from, to),
        }
    }
}
