//! A shared library with kernels.

use gpu::offload::Device;

/// 42, by way of a kernel.
#[no_mangle]
pub extern "C" fn answer() -> u64 {
    sum::sum(&Device::open(), &[20, 21, 1])
}
