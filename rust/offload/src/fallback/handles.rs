//! The addresses of devices, streams and events. They are odd, so that they differ from those of a runtime in C.

/// An address for devices and streams, which have no state.
pub(super) fn some<T>() -> *mut T {
    static PLACE: u64 = 0;
    odd((&raw const PLACE).cast_mut().cast())
}

/// Marks an address as one of the fallback.
pub(super) fn odd<T>(address: *mut T) -> *mut T {
    address.wrapping_byte_add(1)
}

/// The address before it was marked.
pub(super) fn even<T>(address: *mut T) -> *mut T {
    address.wrapping_byte_sub(1)
}

/// Whether a device, a stream or an event belongs to a runtime in C.
#[cfg(offload_devices)]
pub(super) fn is_foreign<T>(address: *const T) -> bool {
    !address.is_null() && address.addr().is_multiple_of(2)
}
