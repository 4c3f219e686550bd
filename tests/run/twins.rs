//! Two kernels with the same body, whose functions still run on the host.
//!
//! At `-O`, rustc itself merges the two functions before offloadc reads them. At all other levels, there must
//! be two handles. The test reads their number from the output.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

#[no_mangle]
pub extern "C" fn twin_left(out: *mut u32) {
    unsafe { *out.add(offload::global_id_x() as usize) += 3 }
}

#[no_mangle]
pub extern "C" fn twin_right(out: *mut u32) {
    unsafe { *out.add(offload::global_id_x() as usize) += 3 }
}

fn main() {
    let device = Device::open();
    let out = device.upload(&[0u32; 64]);
    let (left_kernel, right_kernel) = (kernel!(twin_left), kernel!(twin_right));
    for kernel in [left_kernel, right_kernel] {
        device.launch(kernel, Shape::linear(64, 32), &[argument(&out.as_mut_ptr())]);
    }
    let mut wrong = out.read().iter().filter(|&&value| value != 6).count();

    // On the host a kernel is a function of one thread and one block.
    let mut on_host = [0u32; 2];
    twin_left(on_host.as_mut_ptr());
    twin_right(on_host.as_mut_ptr());
    wrong += usize::from(on_host != [6, 0]);
    let handles = if left_kernel == right_kernel { 1 } else { 2 };
    offload::verdict("twins", &format!("{handles} handles"), wrong);
}
