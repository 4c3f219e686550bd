//! A library with a generic kernel: each program that uses it contains the instances that it names.

use std::ops::Mul;

use gpu::offload::{self, argument, Device, Shape};

/// The types of elements.
pub trait Element: Copy + Default + Mul<Output = Self> {}

impl<T: Copy + Default + Mul<Output = T>> Element for T {}

extern "C" fn scale_kernel<T: Element>(count: u32, factor: T, values: *mut T) {
    let index = offload::global_id_x();
    if index < count {
        let value = unsafe { &mut *values.add(index as usize) };
        *value = product(*value, factor);
    }
}

#[inline(never)]
fn product<T: Element>(a: T, b: T) -> T {
    a * b
}

/// `values`, each times `factor`, computed on the device.
pub fn scale<T: Element>(device: &Device, values: &[T], factor: T) -> Vec<T> {
    let (count, memory) = (values.len() as u32, device.upload(values));
    let address = memory.as_mut_ptr();
    let arguments = [argument(&count), argument(&factor), argument(&address)];
    let handle = unsafe { offload::__offload_kernel(scale_kernel::<T> as *const ()) };
    device.launch(handle, Shape::linear(count, 64), &arguments);
    memory.read()
}
