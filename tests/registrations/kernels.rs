//! Two kernels, functions by which C++ gets their handles, and a static of both sides. With `--cfg=second`, all of them
//! have other names, so that a program can have both.

#![no_std]
#![crate_type = "lib"]

extern "C" {
    fn __offload_kernel(function: *const ()) -> *const u8;
    fn __offload_thread_id_x() -> u32;
    fn __offload_block_id_x() -> u32;
    fn __offload_block_dim_x() -> u32;
}

fn index() -> u32 {
    unsafe { __offload_block_id_x() * __offload_block_dim_x() + __offload_thread_id_x() }
}

#[cfg_attr(not(second), export_name = "factors")]
#[cfg_attr(second, export_name = "second_factors")]
#[link_section = ".offload.static"]
pub static mut FACTORS: [f32; 2] = [1.0, 1.0];

#[cfg_attr(not(second), export_name = "saxpy")]
#[cfg_attr(second, export_name = "second_saxpy")]
pub extern "C" fn saxpy(count: u32, a: f32, x: *const f32, y: *mut f32) {
    let i = index();
    if i < count {
        unsafe { *y.add(i as usize) += a * *x.add(i as usize) * FACTORS[i as usize % 2] }
    }
}

#[cfg_attr(not(second), export_name = "fill")]
#[cfg_attr(second, export_name = "second_fill")]
pub extern "C" fn fill(value: f32, y: *mut f32) {
    unsafe { *y.add(index() as usize) = value }
}

#[cfg_attr(not(second), export_name = "saxpy_handle")]
#[cfg_attr(second, export_name = "second_saxpy_handle")]
pub extern "C" fn saxpy_handle() -> *const u8 {
    unsafe { __offload_kernel(saxpy as *const ()) }
}

#[cfg_attr(not(second), export_name = "fill_handle")]
#[cfg_attr(second, export_name = "second_fill_handle")]
pub extern "C" fn fill_handle() -> *const u8 {
    unsafe { __offload_kernel(fill as *const ()) }
}
