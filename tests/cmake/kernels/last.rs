//! A kernel whose handle an exported function returns, and which panics where Rust does.

mod position;

/// The target of a handle; `struct offload_kernel` in `offloadrt.h`.
#[repr(C)]
pub struct Kernel {
    private: [u8; 0],
}

extern "C" {
    fn __offload_kernel(function: *const ()) -> *const Kernel;
}

/// Element `index + skip` of four numbers.
unsafe extern "C" fn last(numbers: *const [u32; 4], skip: u32, out: *mut u32) {
    let index = position::global_id_x();
    *out.add(index as usize) = (*numbers)[(index + skip) as usize];
}

/// The kernel for the host.
#[no_mangle]
pub extern "C" fn last_kernel() -> *const Kernel {
    unsafe { __offload_kernel(last as *const ()) }
}
