//! Atomics with a scope: the threads of a block, of a device, or of the whole system.
//!
//! [`Atomic<T, S>`](Atomic) is a value of type `T` in memory that many threads use at once, with the methods of core's
//! atomics and [`AtomicOrdering`], which is core's own. The scope `S` is part of the type. All threads of a device
//! agree on a [`DeviceAtomicU32`], which is sufficient for most kernels; a plain [`Atomic<u32>`](Atomic) is the same
//! type. The host and other devices also agree on a [`SystemAtomicU32`], which costs more. Only the threads of one
//! block agree on a [`BlockAtomicU32`], which is for shared memory.
//!
//! A kernel takes `&[Atomic<T>]`, and its launch takes `&mut DeviceBuffer<T>`. Nothing else can use the buffer during
//! the launch, so all accesses go through the atomics.
//!
//! ```
//! use offload::atomic::{Atomic, AtomicOrdering::Relaxed, DeviceAtomicU32};
//! use offload::{Grid, kernel, run_on_host, thread};
//!
//! #[kernel]
//! fn histogram(bytes: &[u8], counts: &[DeviceAtomicU32]) {
//!     if let Some(byte) = bytes.get(thread::index_1d().get()) {
//!         counts[usize::from(*byte)].fetch_add(1, Relaxed);
//!     }
//! }
//!
//! // On a device: `histogram.launch(&stream, Grid::for_len(len, 256), (&bytes, &mut counts))?`. In a unit test:
//! let mut counts = [0; 256];
//! let shared = Atomic::from_mut_slice(&mut counts);
//! run_on_host(Grid::for_len(11, 32), || histogram(b"hello world", shared));
//! assert_eq!((counts[usize::from(b'l')], counts[usize::from(b'o')]), (3, 2));
//! ```
//!
//! Core's own atomics work in kernels as well (`&[AtomicU32]`), with the whole system as their scope.
//!
//! | type | operations |
//! |---|---|
//! | integers of 8 to 64 bits | all |
//! | `f32`, `f64` | all but the bitwise ones; `compare_exchange` compares bits |
//! | [`F16`], [`Bf16`] | the same; sums, minima and maxima are loops of compare-and-exchange on every device |

use core::cell::UnsafeCell;
use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::Ordering;

use crate::device_copy::DeviceCopy;
use crate::num::{Bf16, F16};

mod fence;
mod names;
pub mod scope;
mod small;
mod value;

pub use self::fence::fence;
pub use self::names::*;
pub use self::scope::Scope;
use self::value::{Bitwise, Operations};

/// Core's `Ordering`, by the name that does not clash with `cmp::Ordering`.
///
/// ```
/// use offload::atomic::{Atomic, AtomicOrdering};
///
/// let ready: Atomic<u32> = Atomic::new(0);
/// ready.store(1, AtomicOrdering::Release);
/// assert_eq!(ready.load(AtomicOrdering::Acquire), 1);
/// ```
pub use core::sync::atomic::Ordering as AtomicOrdering;

/// The types that an [`Atomic`] can hold: integers of 8 to 64 bits and floats of 16 to 64 bits. The trait is sealed.
///
/// ```
/// use offload::atomic::{Atomic, AtomicOrdering::Relaxed, AtomicValue};
///
/// fn put<T: AtomicValue>(place: &Atomic<T>, value: T) {
///     place.store(value, Relaxed);
/// }
///
/// let place = Atomic::new(1.5);
/// put(&place, 2.5);
/// assert_eq!(place.into_inner(), 2.5);
/// ```
#[diagnostic::on_unimplemented(
    message = "no device has atomics of `{Self}`",
    label = "not an integer of 8 to 64 bits, or a float"
)]
pub trait AtomicValue: DeviceCopy + Operations {}

/// An [`AtomicValue`] with bitwise operations: the integers.
///
/// ```
/// use offload::atomic::{Atomic, AtomicInteger, AtomicOrdering::Relaxed};
///
/// fn mark<T: AtomicInteger>(bits: &Atomic<T>, bit: T) {
///     bits.fetch_or(bit, Relaxed);
/// }
///
/// let bits = Atomic::new(1_u8);
/// mark(&bits, 4);
/// assert_eq!(bits.into_inner(), 5);
/// ```
#[diagnostic::on_unimplemented(message = "`{Self}` has no bitwise atomics", label = "not an integer of 8 to 64 bits")]
pub trait AtomicInteger: AtomicValue + Bitwise {}

macro_rules! values {
    ($($ty:ty)*) => { $(
        impl AtomicValue for $ty {}
        impl AtomicInteger for $ty {}
    )* };
}
values!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
impl AtomicValue for f32 {}
impl AtomicValue for f64 {}
impl AtomicValue for F16 {}
impl AtomicValue for Bf16 {}

/// A value that the threads of the scope `S` use at once. It has the memory layout of `T`.
///
/// See the [module](self) for the choice of the type, and [`scope`] for the meaning of scopes.
///
/// ```
/// use offload::atomic::{Atomic, AtomicOrdering::Relaxed};
///
/// static VISITS: Atomic<u64> = Atomic::new(0);
/// VISITS.fetch_add(1, Relaxed);
/// assert_eq!(VISITS.load(Relaxed), 1);
/// ```
#[repr(transparent)]
pub struct Atomic<T, S = scope::Device> {
    value: UnsafeCell<T>,
    scope: PhantomData<S>,
}

// SAFETY: every access is atomic, and its scope contains all threads of a device. Atomics with a narrower scope are not
// `Sync`, because every block could access them in a static.
unsafe impl<T: AtomicValue, S: scope::BufferScope> Sync for Atomic<T, S> {}

impl<T: AtomicValue, S: Scope> Atomic<T, S> {
    /// An atomic with this value.
    ///
    /// ```
    /// use offload::atomic::Atomic;
    ///
    /// let count: Atomic<u32> = Atomic::new(7);
    /// assert_eq!(count.into_inner(), 7);
    /// ```
    pub const fn new(value: T) -> Self {
        Atomic { value: UnsafeCell::new(value), scope: PhantomData }
    }

    /// Returns an atomic for memory that others also access atomically.
    ///
    /// ```
    /// use offload::atomic::{AtomicOrdering::Relaxed, DeviceAtomicU32};
    ///
    /// let mut value = 1;
    /// // SAFETY: the value exists, and nothing else uses it.
    /// let atomic = unsafe { DeviceAtomicU32::from_ptr(&mut value) };
    /// atomic.fetch_add(2, Relaxed);
    /// assert_eq!(value, 3);
    /// ```
    ///
    /// # Safety
    ///
    /// `pointer` must be aligned, valid for reads and writes for `'a`, and point to an initialised value. During `'a`,
    /// all accesses must be atomic, and if `S` is narrower than the device, they must come from threads of the same
    /// block or warp.
    #[inline(always)]
    pub const unsafe fn from_ptr<'a>(pointer: *mut T) -> &'a Self {
        // SAFETY: the caller promises the rest, and an atomic has the layout of a `T`.
        unsafe { &*pointer.cast::<Self>() }
    }

    /// Returns an atomic for a value that is borrowed exclusively.
    ///
    /// ```
    /// use offload::atomic::{AtomicOrdering::Relaxed, DeviceAtomicU32};
    ///
    /// let mut value = 1;
    /// DeviceAtomicU32::from_mut(&mut value).fetch_add(2, Relaxed);
    /// assert_eq!(value, 3);
    /// ```
    #[inline(always)]
    pub fn from_mut(value: &mut T) -> &Self {
        // SAFETY: the value is borrowed exclusively, so all accesses go through the result.
        unsafe { Self::from_ptr(value) }
    }

    /// Returns atomics for values that are borrowed exclusively, to call a kernel on the host.
    ///
    /// ```
    /// use offload::atomic::{AtomicOrdering::Relaxed, DeviceAtomicU32};
    ///
    /// let mut counts = [0; 3];
    /// DeviceAtomicU32::from_mut_slice(&mut counts)[2].fetch_add(1, Relaxed);
    /// assert_eq!(counts, [0, 0, 1]);
    /// ```
    #[inline(always)]
    pub fn from_mut_slice(values: &mut [T]) -> &[Self] {
        // SAFETY: as above, for each element.
        unsafe { core::slice::from_raw_parts(values.as_mut_ptr().cast(), values.len()) }
    }

    /// Returns the same memory with another scope.
    ///
    /// ```
    /// use offload::atomic::{Atomic, AtomicOrdering::Relaxed, scope};
    ///
    /// let count: Atomic<u32> = Atomic::new(1);
    /// // SAFETY: only one thread uses it.
    /// unsafe { count.with_scope::<scope::Block>() }.fetch_add(1, Relaxed);
    /// assert_eq!(count.into_inner(), 2);
    /// ```
    ///
    /// # Safety
    ///
    /// While the result is in use, only threads in the same scope `N` may access the value.
    #[inline(always)]
    pub unsafe fn with_scope<N: Scope>(&self) -> &Atomic<T, N> {
        // SAFETY: the caller promises the rest, and the layout does not depend on the scope.
        unsafe { Atomic::from_ptr(self.as_ptr()) }
    }

    /// Returns the address, as core's `as_ptr` does.
    ///
    /// ```
    /// let count = offload::atomic::DeviceAtomicU32::new(7);
    /// // SAFETY: nothing else uses it.
    /// assert_eq!(unsafe { count.as_ptr().read() }, 7);
    /// ```
    #[inline(always)]
    pub const fn as_ptr(&self) -> *mut T {
        self.value.get()
    }

    /// Returns the value, which is borrowed exclusively.
    ///
    /// ```
    /// let mut count = offload::atomic::DeviceAtomicU32::new(7);
    /// *count.get_mut() += 1;
    /// assert_eq!(count.into_inner(), 8);
    /// ```
    #[inline(always)]
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// Returns the value.
    ///
    /// ```
    /// assert_eq!(offload::atomic::DeviceAtomicF32::new(0.5).into_inner(), 0.5);
    /// ```
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }

    /// Loads the value.
    ///
    /// ```
    /// use offload::atomic::{AtomicOrdering::Acquire, DeviceAtomicU32};
    ///
    /// assert_eq!(DeviceAtomicU32::new(7).load(Acquire), 7);
    /// ```
    ///
    /// # Panics
    ///
    /// On the host, for `Release` and `AcqRel`. For a device, offloadc refuses them.
    #[inline(always)]
    pub fn load(&self, ordering: Ordering) -> T {
        // SAFETY: the atomic contains a value, and all accesses to it are atomic.
        unsafe { T::load(self.as_ptr(), ordering, S::NUMBER) }
    }

    /// Stores `value`.
    ///
    /// ```
    /// use offload::atomic::{AtomicOrdering::Release, DeviceAtomicU32};
    ///
    /// let ready = DeviceAtomicU32::new(0);
    /// ready.store(1, Release);
    /// assert_eq!(ready.into_inner(), 1);
    /// ```
    ///
    /// # Panics
    ///
    /// On the host, for `Acquire` and `AcqRel`. For a device, offloadc refuses them.
    #[inline(always)]
    pub fn store(&self, value: T, ordering: Ordering) {
        // SAFETY: as above.
        unsafe { T::store(self.as_ptr(), value, ordering, S::NUMBER) }
    }

    /// Stores `value` and returns the previous value.
    ///
    /// ```
    /// use offload::atomic::{AtomicOrdering::AcqRel, DeviceAtomicU32};
    ///
    /// let owner = DeviceAtomicU32::new(3);
    /// assert_eq!(owner.swap(5, AcqRel), 3);
    /// assert_eq!(owner.into_inner(), 5);
    /// ```
    #[doc(alias = "atomicExch")]
    #[inline(always)]
    pub fn swap(&self, value: T, ordering: Ordering) -> T {
        // SAFETY: as above.
        unsafe { T::swap(self.as_ptr(), value, ordering, S::NUMBER) }
    }

    /// Stores `new` if the value is `current`, and returns the previous value: `Ok` if it was `current`. Floats are
    /// compared by their bits.
    ///
    /// ```
    /// use offload::atomic::{Atomic, AtomicOrdering::{AcqRel, Acquire}};
    ///
    /// let owner: Atomic<u32> = Atomic::new(0);
    /// assert_eq!(owner.compare_exchange(0, 7, AcqRel, Acquire), Ok(0));
    /// assert_eq!(owner.compare_exchange(0, 8, AcqRel, Acquire), Err(7));
    /// ```
    ///
    /// # Errors
    ///
    /// The value, if it is not `current`.
    #[doc(alias = "atomicCAS")]
    #[inline(always)]
    pub fn compare_exchange(&self, current: T, new: T, success: Ordering, failure: Ordering) -> Result<T, T> {
        // SAFETY: as above.
        unsafe { T::compare_exchange(self.as_ptr(), current, new, (success, failure), S::NUMBER) }
    }

    /// The same as [`compare_exchange`](Self::compare_exchange): no device has an operation that fails spuriously.
    ///
    /// ```
    /// use offload::atomic::{AtomicOrdering::Relaxed, DeviceAtomicU32};
    ///
    /// assert_eq!(DeviceAtomicU32::new(3).compare_exchange_weak(3, 4, Relaxed, Relaxed), Ok(3));
    /// ```
    ///
    /// # Errors
    ///
    /// The value, if it is not `current`.
    #[inline(always)]
    pub fn compare_exchange_weak(&self, current: T, new: T, success: Ordering, failure: Ordering) -> Result<T, T> {
        self.compare_exchange(current, new, success, failure)
    }

    /// Replaces the value with the result of `next`, and returns the previous value. It calls `next` again if another
    /// thread changes the value in between.
    ///
    /// ```
    /// use offload::atomic::{Atomic, AtomicOrdering::Relaxed};
    ///
    /// let most: Atomic<f64> = Atomic::new(2.0);
    /// assert_eq!(most.fetch_update(Relaxed, Relaxed, |found| (found < 3.0).then_some(3.0)), Ok(2.0));
    /// assert_eq!(most.fetch_update(Relaxed, Relaxed, |found| (found < 3.0).then_some(3.0)), Err(3.0));
    /// ```
    ///
    /// # Errors
    ///
    /// The value, if `next` returns `None`.
    #[inline(always)]
    pub fn fetch_update(&self, set: Ordering, fetch: Ordering, mut next: impl FnMut(T) -> Option<T>) -> Result<T, T> {
        let mut found = self.load(fetch);
        while let Some(value) = next(found) {
            match self.compare_exchange(found, value, set, fetch) {
                Ok(found) => return Ok(found),
                Err(other) => found = other,
            }
        }
        Err(found)
    }

    /// Adds `value` and returns the previous value. Integers wrap around; a sum of floats depends on the order of the
    /// threads.
    ///
    /// ```
    /// use offload::atomic::{AtomicOrdering::Relaxed, DeviceAtomicF32};
    ///
    /// let sum = DeviceAtomicF32::new(0.5);
    /// assert_eq!(sum.fetch_add(0.25, Relaxed), 0.5);
    /// assert_eq!(sum.into_inner(), 0.75);
    /// ```
    #[doc(alias = "atomicAdd")]
    #[inline(always)]
    pub fn fetch_add(&self, value: T, ordering: Ordering) -> T {
        // SAFETY: as above.
        unsafe { T::add(self.as_ptr(), value, ordering, S::NUMBER) }
    }

    /// Subtracts `value` and returns the previous value.
    ///
    /// ```
    /// use offload::atomic::{AtomicOrdering::Relaxed, DeviceAtomicU32};
    ///
    /// let left = DeviceAtomicU32::new(3);
    /// assert_eq!(left.fetch_sub(1, Relaxed), 3);
    /// assert_eq!(left.into_inner(), 2);
    /// ```
    #[doc(alias = "atomicSub")]
    #[inline(always)]
    pub fn fetch_sub(&self, value: T, ordering: Ordering) -> T {
        // SAFETY: as above.
        unsafe { T::sub(self.as_ptr(), value, ordering, S::NUMBER) }
    }

    /// Stores the minimum of both values and returns the previous value. If one of two floats is NaN, the other is
    /// stored.
    ///
    /// ```
    /// use offload::atomic::{AtomicOrdering::Relaxed, DeviceAtomicI32};
    ///
    /// let least = DeviceAtomicI32::new(3);
    /// assert_eq!(least.fetch_min(-1, Relaxed), 3);
    /// assert_eq!(least.into_inner(), -1);
    /// ```
    #[doc(alias = "atomicMin")]
    #[inline(always)]
    pub fn fetch_min(&self, value: T, ordering: Ordering) -> T {
        // SAFETY: as above.
        unsafe { T::min(self.as_ptr(), value, ordering, S::NUMBER) }
    }

    /// Stores the maximum of both values and returns the previous value. If one of two floats is NaN, the other is
    /// stored.
    ///
    /// ```
    /// use offload::atomic::{AtomicOrdering::Relaxed, DeviceAtomicF32};
    ///
    /// let greatest = DeviceAtomicF32::new(0.5);
    /// assert_eq!(greatest.fetch_max(2.0, Relaxed), 0.5);
    /// assert_eq!(greatest.into_inner(), 2.0);
    /// ```
    #[doc(alias = "atomicMax")]
    #[inline(always)]
    pub fn fetch_max(&self, value: T, ordering: Ordering) -> T {
        // SAFETY: as above.
        unsafe { T::max(self.as_ptr(), value, ordering, S::NUMBER) }
    }
}

impl<T: AtomicInteger, S: Scope> Atomic<T, S> {
    /// Computes the bitwise "and" with `value` and returns the previous value.
    ///
    /// ```
    /// use offload::atomic::{AtomicOrdering::Relaxed, DeviceAtomicU32};
    ///
    /// let bits = DeviceAtomicU32::new(0b110);
    /// assert_eq!(bits.fetch_and(0b011, Relaxed), 0b110);
    /// assert_eq!(bits.into_inner(), 0b010);
    /// ```
    #[doc(alias = "atomicAnd")]
    #[inline(always)]
    pub fn fetch_and(&self, value: T, ordering: Ordering) -> T {
        // SAFETY: as above.
        unsafe { T::and(self.as_ptr(), value, ordering, S::NUMBER) }
    }

    /// Computes the bitwise "or" with `value` and returns the previous value.
    ///
    /// ```
    /// use offload::atomic::{AtomicOrdering::Relaxed, DeviceAtomicU32};
    ///
    /// let bits = DeviceAtomicU32::new(0b100);
    /// assert_eq!(bits.fetch_or(0b001, Relaxed), 0b100);
    /// assert_eq!(bits.into_inner(), 0b101);
    /// ```
    #[doc(alias = "atomicOr")]
    #[inline(always)]
    pub fn fetch_or(&self, value: T, ordering: Ordering) -> T {
        // SAFETY: as above.
        unsafe { T::or(self.as_ptr(), value, ordering, S::NUMBER) }
    }

    /// Computes the bitwise "xor" with `value` and returns the previous value.
    ///
    /// ```
    /// use offload::atomic::{AtomicOrdering::Relaxed, DeviceAtomicU32};
    ///
    /// let bits = DeviceAtomicU32::new(0b110);
    /// assert_eq!(bits.fetch_xor(0b011, Relaxed), 0b110);
    /// assert_eq!(bits.into_inner(), 0b101);
    /// ```
    #[doc(alias = "atomicXor")]
    #[inline(always)]
    pub fn fetch_xor(&self, value: T, ordering: Ordering) -> T {
        // SAFETY: as above.
        unsafe { T::xor(self.as_ptr(), value, ordering, S::NUMBER) }
    }
}

impl<T: AtomicValue + Default, S: Scope> Default for Atomic<T, S> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: AtomicValue, S: Scope> From<T> for Atomic<T, S> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: AtomicValue + fmt::Debug, S: Scope> fmt::Debug for Atomic<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.load(Ordering::Relaxed).fmt(f)
    }
}
