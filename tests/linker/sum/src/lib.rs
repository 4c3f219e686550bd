//! A library with a kernel, in another codegen unit than its mark; it calls a function in a third one.

use gpu::offload::{self, argument, Device, Shape};
use kernel::sum_kernel;

mod element {
    #[inline(never)]
    pub fn add(sum: u64, element: u64) -> u64 {
        sum.wrapping_add(element)
    }
}

/// Names nothing of the device contract.
mod kernel {
    pub extern "C" fn sum_kernel(count: u32, values: *const u64, sum: *mut u64) {
        let values = unsafe { std::slice::from_raw_parts(values, count as usize) };
        unsafe { *sum = values.iter().fold(0, |sum, value| super::element::add(sum, *value)) }
    }
}

/// As the `offload` crate has them: rustc exports it from shared libraries, and a link here drops it.
#[no_mangle]
#[link_section = ".text.offload.stand_in"]
#[inline(never)]
extern "C" fn __offload_lane_count() -> u32 {
    1
}

/// The sum, computed by one thread of the device.
pub fn sum(device: &Device, values: &[u64]) -> u64 {
    let (count, memory, sum) = (values.len() as u32, device.upload(values), device.upload(&[0u64]));
    let (from, to) = (memory.as_ptr(), sum.as_mut_ptr());
    let arguments = [argument(&count), argument(&from), argument(&to)];
    let handle = unsafe { offload::__offload_kernel(sum_kernel as *const ()) };
    device.launch(handle, Shape::linear(1, 1), &arguments);
    sum.read()[0]
}
