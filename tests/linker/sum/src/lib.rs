//! A library with a kernel of its own, which calls a function of another codegen unit.

use gpu::offload::{self, argument, Device, Shape};

mod element {
    #[inline(never)]
    pub fn add(sum: u64, element: u64) -> u64 {
        sum.wrapping_add(element)
    }
}

extern "C" fn sum_kernel(count: u32, values: *const u64, sum: *mut u64) {
    if offload::global_id_x() == 0 {
        let values = unsafe { std::slice::from_raw_parts(values, count as usize) };
        unsafe { *sum = values.iter().fold(0, |sum, value| element::add(sum, *value)) }
    }
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
