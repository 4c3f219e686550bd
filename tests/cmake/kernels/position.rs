//! The position of a thread, for all kernels of this program.

extern "C" {
    fn __offload_thread_id_x() -> u32;
    fn __offload_block_id_x() -> u32;
    fn __offload_block_dim_x() -> u32;
}

/// The index of this thread in the whole grid, along x.
pub fn global_id_x() -> u32 {
    unsafe { __offload_block_id_x() * __offload_block_dim_x() + __offload_thread_id_x() }
}
