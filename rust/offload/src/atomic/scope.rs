//! The threads that agree on an atomic access. A scope is the second parameter of [`Atomic`](super::Atomic), and the
//! parameter of [`fence`](super::fence()).
//!
//! | scope | threads | CUDA's `cuda::thread_scope` |
//! |---|---|---|
//! | [`System`] | of all devices, and the host's | `thread_scope_system` |
//! | [`Device`] | of this device | `thread_scope_device` |
//! | [`Block`] | of this block | `thread_scope_block` |
//! | [`Warp`] | of this warp | |
//!
//! Accesses of one location by threads that are not in each other's scope are a data race. Safe code cannot cause one:
//! the atomics of a buffer have the scope of the device or of the system.
//!
//! ```
//! use offload::atomic::{Atomic, AtomicOrdering::Relaxed, scope};
//!
//! /// Each block has its own count, in a buffer that all blocks could access.
//! fn count(counts: &[Atomic<u32>], block: usize) {
//!     // SAFETY: no thread of another block uses this element.
//!     let own = unsafe { counts[block].with_scope::<scope::Block>() };
//!     own.fetch_add(1, Relaxed);
//! }
//!
//! let mut counts = [0; 4];
//! count(Atomic::from_mut_slice(&mut counts), 2);
//! assert_eq!(counts, [0, 0, 1, 0]);
//! ```

/// One of the scopes. The trait is sealed.
///
/// ```
/// use offload::atomic::{Atomic, AtomicOrdering::Relaxed, scope, scope::Scope};
///
/// fn count<S: Scope>(total: &Atomic<u32, S>) {
///     total.fetch_add(1, Relaxed);
/// }
///
/// let total = Atomic::<u32, scope::Block>::new(0);
/// count(&total);
/// assert_eq!(total.into_inner(), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scope",
    label = "expected one of `scope::System`, `scope::Device`, `scope::Block` and `scope::Warp`"
)]
#[doc(alias = "thread_scope")]
pub trait Scope: sealed::Sealed + Copy + Send + Sync + 'static {
    /// The contract's number, which is clang's `__MEMORY_SCOPE_*`.
    #[doc(hidden)]
    const NUMBER: u32;
}

/// A scope that is wide enough for memory that all threads of a launch can access: [`System`] and [`Device`].
///
/// ```
/// use offload::atomic::{Atomic, AtomicOrdering::Relaxed, scope::BufferScope};
/// use offload::{kernel, thread};
///
/// #[kernel]
/// fn count<S: BufferScope>(totals: &[Atomic<u32, S>]) {
///     totals[thread::index_1d().get() % totals.len()].fetch_add(1, Relaxed);
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "a kernel's parameter cannot be atomics of the scope `{Self}`",
    label = "threads of other blocks can access the buffer, too",
    note = "take `&[Atomic<T>]`; for an element that only one block uses, call `unsafe {{ element.with_scope::<scope::Block>() }}`"
)]
pub trait BufferScope: Scope {}

mod sealed {
    pub trait Sealed {}
}

macro_rules! scopes {
    ($($(#[$doc:meta])* $name:ident = $number:expr;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl sealed::Sealed for $name {}

        impl Scope for $name {
            const NUMBER: u32 = $number;
        }
    )* };
}

scopes! {
    /// All threads of all devices, and the host's.
    ///
    /// ```
    /// use offload::atomic::{Atomic, AtomicOrdering::Release, scope};
    ///
    /// let ready: Atomic<u32, scope::System> = Atomic::new(0);
    /// ready.store(1, Release); // which the host sees too
    /// ```
    System = 0;
    /// The threads of this device.
    ///
    /// ```
    /// use offload::atomic::{Atomic, AtomicOrdering::Relaxed, scope};
    ///
    /// let total: Atomic<u32, scope::Device> = Atomic::new(0); // the same as `Atomic<u32>`
    /// total.fetch_add(1, Relaxed);
    /// ```
    Device = 1;
    /// The threads of this block.
    ///
    /// ```
    /// use offload::atomic::{AtomicOrdering::Release, fence, scope};
    ///
    /// fence::<scope::Block>(Release);
    /// ```
    Block = 2;
    /// The threads of this warp. On NVIDIA and OpenCL devices, the scope is the block.
    ///
    /// ```
    /// use offload::atomic::{AtomicOrdering::Release, fence, scope};
    ///
    /// fence::<scope::Warp>(Release);
    /// ```
    Warp = 3;
}

impl BufferScope for System {}
impl BufferScope for Device {}
