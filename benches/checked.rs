//! Kernels with bounds checks; with `--cfg unchecked` the same without. The difference is the cost of the checks.

extern "C" {
    fn __offload_thread_id_x() -> u32;
    fn __offload_block_id_x() -> u32;
    fn __offload_block_dim_x() -> u32;
}

fn main() {}

fn id() -> usize {
    let position = unsafe { __offload_block_id_x() * __offload_block_dim_x() + __offload_thread_id_x() };
    position as usize
}

#[cfg(not(unchecked))]
macro_rules! at {
    ($slice:expr, $index:expr) => {
        $slice[$index]
    };
}

#[cfg(unchecked)]
macro_rules! at {
    ($slice:expr, $index:expr) => {
        *unsafe { $slice.get_unchecked($index) }
    };
}

/// Three checks that have nothing to do with a loop.
#[no_mangle]
pub extern "C" fn bench_stencil(from: *const f32, to: *mut f32, len: usize) {
    let (from, i) = unsafe { (std::slice::from_raw_parts(from, len), id()) };
    unsafe { *to.add(i) = 0.25 * at!(from, i) + 0.5 * at!(from, i + 1) + 0.25 * at!(from, i + 2) };
}

/// Two checks in each round of a loop.
#[no_mangle]
pub extern "C" fn bench_matmul(a: *const f32, b: *const f32, c: *mut f32, n: usize) {
    let slice = |p: *const f32| unsafe { std::slice::from_raw_parts(p, n * n) };
    let (a, b) = (slice(a), slice(b));
    let (row, column) = unsafe { (__offload_block_id_x() as usize, __offload_thread_id_x() as usize) };
    let mut sum = 0.0;
    for k in 0..n {
        sum += at!(a, row * n + k) * at!(b, k * n + column);
    }
    unsafe { *c.add(row * n + column) = sum };
}

/// Two checks, each of a value that was just loaded.
#[no_mangle]
pub extern "C" fn bench_gather(from: *const u32, first: *const u32, second: *const u32, to: *mut u32, len: usize) {
    let slice = |p: *const u32| unsafe { std::slice::from_raw_parts(p, len) };
    let (from, first, second, i) = (slice(from), slice(first), slice(second), id());
    unsafe { *to.add(i) = at!(from, at!(second, at!(first, i) as usize) as usize) };
}
