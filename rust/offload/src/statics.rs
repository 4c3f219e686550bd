//! Statics of a device: each has a copy of its own, which kernels read and the host writes and reads by copies in a stream.
//!
//! No driver is asked for a symbol: one of OpenCL for SPIR-V could not be. A copy is a kernel of this file, an instance for each
//! static, which names it as any kernel does. So it works on every device and with every runtime, it is in a stream what a
//! launch is, and the compiler, which has seen all that writes the static, takes its initial value for granted where
//! nothing does.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::{fmt, ptr};

use crate::buffer::DeviceBuffer;
use crate::device::Stream;
use crate::error::Result;
use crate::launch::{Kernel as _, LaunchConfig};
use crate::param::DeviceCopy;
use crate::slice::{DisjointSlice, RawSlice};
use crate::thread;

/// A static that [`device_static!`](crate::device_static!) declares: CUDA's `__device__` and `__constant__` variables, with
/// `cudaMemcpyToSymbol` and `cudaMemcpyFromSymbol`.
///
/// Every [`Device`](crate::Device) that is opened has a copy of its own, and its clones have that one. It begins with the initial
/// value and keeps what is copied to it, or written by kernels, for as long as the device is open. The processor has one
/// copy, however often it is opened, until the program ends; and so has each device with libomptarget. The host's own
/// copy is what code on the host reads, in a unit test for example. No copy to a device changes it.
///
/// Kernels read it with [`load`](Self::load), or an array's elements with [`get`](Self::get). It lies in global
/// memory; where no code writes it, not even the host, it is a constant like any other.
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
/// // SAFETY: all that uses the static is in this one stream.
/// unsafe { WEIGHTS.copy_from_host(&stream, &[0.25, 0.5, 0.25])? };
/// let mut y = [0.0; 4];
/// filter.launch(&stream, Grid::for_len(4, 256), (&[4.0, 8.0, 16.0, 0.0], &mut y))?;
/// assert_eq!(y, [9.0, 10.0, 5.0, 4.0]);
/// assert_eq!(WEIGHTS.to_host(&stream)?, [0.25, 0.5, 0.25]);
/// assert_eq!(WEIGHTS.load(), [0.0, 1.0, 0.0]); // the host's own
/// # Ok::<(), offload::Error>(())
/// ```
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

/// Where a static is; [`device_static!`](crate::device_static!) makes a type for each.
///
/// # Safety
///
/// `place` is the same address whenever it is called, of a value that is used through [`DeviceStatic`] alone.
pub unsafe trait StaticPlace: 'static {
    /// Its type.
    type Value: DeviceCopy;

    /// Its address: on a device the device's copy, on the host the host's.
    fn place() -> *mut Self::Value;
}

/// The memory of a static.
#[repr(transparent)]
pub struct StaticCell<T>(UnsafeCell<T>);

// SAFETY: a number may be read by all threads at once, and whoever writes it answers for that no other uses it.
unsafe impl<T: DeviceCopy> Sync for StaticCell<T> {}

impl<T: DeviceCopy> StaticCell<T> {
    /// With its initial value.
    pub const fn new(value: T) -> Self {
        const { assert!(size_of::<T>() != 0, "a device static has at least one byte") }
        StaticCell(UnsafeCell::new(value))
    }

    /// Its address.
    #[inline(always)]
    pub const fn as_mut_ptr(&self) -> *mut T {
        self.0.get()
    }
}

/// Values up to this many bytes are a launch's argument: the call waits for nothing, and takes no memory. Every
/// device takes arguments of 256 bytes.
const MOST_OF_AN_ARGUMENT: usize = 256;

impl<S: StaticPlace> DeviceStatic<S> {
    #[doc(hidden)]
    pub const NEW: Self = DeviceStatic { place: PhantomData };

    /// The value. For an element of a large array [`get`](Self::get) is better.
    ///
    /// ```
    /// offload::device_static! { static SCALE: f32 = 0.5; }
    /// assert_eq!(SCALE.load(), 0.5);
    /// ```
    #[inline(always)]
    pub fn load(self) -> S::Value {
        // SAFETY: nothing writes it meanwhile: whoever does has promised that.
        unsafe { S::place().read() }
    }

    /// Sets the value, for all threads and for later launches; on the host, the host's.
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
    /// No other thread of the launch, no other kernel and no copy uses it at the same time.
    #[inline(always)]
    pub unsafe fn store(self, value: S::Value) {
        // SAFETY: the caller's promise.
        unsafe { S::place().write(value) }
    }

    /// Its address, where the code runs.
    ///
    /// ```
    /// offload::device_static! { static SCALE: f32 = 0.5; }
    /// // SAFETY: nobody writes it.
    /// assert_eq!(unsafe { *SCALE.as_ptr() }, 0.5);
    /// ```
    #[inline(always)]
    pub fn as_ptr(self) -> *mut S::Value {
        S::place()
    }

    /// Submits a copy of `value` to the static of the stream's device, where kernels that are launched in the stream from
    /// here on read it. The host's own stays as it is.
    ///
    /// See the example of [`DeviceStatic`].
    ///
    /// # Errors
    ///
    /// As [`Kernel::launch`](crate::Kernel::launch): [`Error::NoImage`](crate::Error::NoImage) when the program has no code for the
    /// device. [`Error::NoMemory`](crate::Error::NoMemory).
    ///
    /// # Safety
    ///
    /// No kernel that uses the static runs on the device while it is copied. Work in the same stream comes before or after it
    /// by itself; what other streams are given must be ordered with it, by [`wait`](Stream::wait) or
    /// [`synchronize`](Stream::synchronize).
    pub unsafe fn copy_from_host(self, stream: &Stream, value: &S::Value) -> Result<()> {
        if const { size_of::<S::Value>() <= MOST_OF_AN_ARGUMENT } {
            return set::<S>.launch(stream, LaunchConfig::for_len(1, 1), (*value,));
        }
        let from = DeviceBuffer::from_host(stream, core::slice::from_ref(value))?;
        write::<S>.launch(stream, Self::threads(), (&from,))
    }

    /// The value that the stream's device has, once all that the stream was given before is done.
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
    ///         // SAFETY: one thread of one launch does it.
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
    /// As [`copy_from_host`](Self::copy_from_host), and what became of earlier work in the stream.
    pub fn to_host(self, stream: &Stream) -> Result<S::Value> {
        let mut to = DeviceBuffer::<S::Value>::allocate(stream.device(), 1)?;
        read::<S>.launch(stream, Self::threads(), (&mut to,))?;
        let mut value = MaybeUninit::uninit();
        // SAFETY: room for one value, which is there once it is copied: the kernel has written all bytes of it.
        unsafe {
            to.read(stream, value.as_mut_ptr())?;
            Ok(value.assume_init())
        }
    }

    /// A thread for each word, see [`copy_word`].
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

    /// Whether there are none; a static has some.
    ///
    /// ```
    /// offload::device_static! { static TABLE: [u8; 4] = [1, 2, 3, 4]; }
    /// assert!(!TABLE.is_empty());
    /// ```
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        N == 0
    }

    /// The element at `index`.
    ///
    /// ```
    /// offload::device_static! { static TABLE: [u8; 4] = [1, 2, 3, 4]; }
    /// assert_eq!(TABLE.get(2), 3);
    /// ```
    ///
    /// # Panics
    ///
    /// When there is none.
    #[inline(always)]
    pub fn get(self, index: usize) -> T {
        // SAFETY: as `load`.
        unsafe { self.as_raw().get(index) }
    }

    /// Sets the element at `index`.
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
    /// When there is none.
    ///
    /// # Safety
    ///
    /// As [`store`](Self::store), of the one element.
    #[inline(always)]
    pub unsafe fn set(self, index: usize, value: T) {
        // SAFETY: the caller's promise.
        unsafe { self.as_raw().set(index, value) }
    }

    /// Address and length; [`RawSlice::atomic`] makes an element one that all threads may change at once.
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
    ///     // SAFETY: kernels use it atomically alone.
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

/// Declares statics of which each device has a copy of its own: see [`DeviceStatic`].
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
#[macro_export]
macro_rules! device_static {
    ($($(#[$attribute:meta])* $visibility:vis static $name:ident: $ty:ty = $value:expr;)+) => { $(
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code, reason = "a type for each static, of its name")]
        $visibility struct $name {}

        // SAFETY: a static that nothing else names.
        unsafe impl $crate::__private::StaticPlace for $name {
            type Value = $ty;

            #[inline(always)]
            fn place() -> *mut $ty {
                #[unsafe(link_section = ".offload.static")]
                static __OFFLOAD_STATIC: $crate::__private::StaticCell<$ty> = $crate::__private::StaticCell::new($value);
                __OFFLOAD_STATIC.as_mut_ptr()
            }
        }

        $(#[$attribute])*
        $visibility static $name: $crate::DeviceStatic<$name> = $crate::DeviceStatic::NEW;
    )+ };
}

/// The kernel that sets a small static.
fn set<S: StaticPlace>(value: S::Value) {
    // SAFETY: one thread; the rest is the promise of who copies.
    unsafe { S::place().write(value) }
}

/// The kernel that copies one value to a static.
fn write<S: StaticPlace>(from: &[S::Value]) {
    // SAFETY: a value each; the rest is the promise of who copies.
    unsafe { copy_word(from.as_ptr(), S::place()) }
}

/// The kernel that copies a static.
fn read<S: StaticPlace>(mut to: DisjointSlice<S::Value>) {
    // SAFETY: a value each, and whoever writes the static has promised that nobody reads it meanwhile.
    unsafe { copy_word(S::place(), to.as_mut_ptr()) }
}

/// Copies this thread's word of a value, the largest that it is aligned for; its padding too.
///
/// # Safety
///
/// `from` is there to be read, `to` to be written, and no thread uses the same word of it.
unsafe fn copy_word<T>(from: *const T, to: *mut T) {
    /// # Safety
    ///
    /// The same, and a `T` is aligned for words `W`.
    unsafe fn copy<T, W>(from: *const T, to: *mut T) {
        let i = thread::index_1d().get();
        if i < size_of::<T>() / size_of::<W>() {
            // SAFETY: the caller's promise, and word `i` is inside.
            unsafe {
                ptr::copy_nonoverlapping(from.cast::<MaybeUninit<W>>().add(i), to.cast::<MaybeUninit<W>>().add(i), 1)
            }
        }
    }
    // SAFETY: the caller's promise, and the word is the alignment's, or smaller.
    unsafe {
        match align_of::<T>() {
            1 => copy::<T, u8>(from, to),
            2 => copy::<T, u16>(from, to),
            4 => copy::<T, u32>(from, to),
            _ => copy::<T, u64>(from, to),
        }
    }
}
