//! Fences with a scope.

use core::sync::atomic::Ordering;

use super::scope::Scope;
use super::value::number;
use crate::contract::atomics::__offload_atomic_fence;
use crate::thread::is_compiled;

/// Orders the accesses of this thread before and after the fence, as the threads of the scope `S` observe them, like
/// core's `fence`.
///
/// ```
/// use offload::atomic::{AtomicOrdering::Release, fence, scope};
///
/// fence::<scope::Block>(Release);
/// ```
///
/// # Panics
///
/// On the host, for `Relaxed`. For a device, offloadc refuses it.
#[doc(alias("__threadfence", "atomic_thread_fence"))]
#[inline(always)]
pub fn fence<S: Scope>(ordering: Ordering) {
    if is_compiled() {
        __offload_atomic_fence(number(ordering), S::NUMBER)
    } else {
        core::sync::atomic::fence(ordering)
    }
}
