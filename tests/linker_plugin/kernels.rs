//! Kernels for a host in C, which call a function of the crate `scale`.

extern "C" {
    fn __offload_kernel(function: *const ()) -> *const ();
}

extern "C" fn scale_kernel(y: *mut f32) {
    unsafe { *y = scale::scaled(2.5, *y) }
}

#[no_mangle]
pub extern "C" fn scale_handle() -> *const () {
    unsafe { __offload_kernel(scale_kernel as *const ()) }
}
