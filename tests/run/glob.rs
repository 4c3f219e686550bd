//! Kernels that `--kernel=glob_*` selects among exported names, looked up by their names.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

#[no_mangle]
pub extern "C" fn glob_add(count: u32, out: *mut u32) {
    let index = offload::global_id_x();
    if index < count {
        unsafe { *out.add(index as usize) += 1 }
    }
}

#[no_mangle]
pub extern "C" fn glob_double(count: u32, out: *mut u32) {
    let index = offload::global_id_x();
    if index < count {
        unsafe { *out.add(index as usize) *= 2 }
    }
}

fn main() {
    let count = offload::number_argument(1, 1000);
    let device = Device::open();
    let out = device.upload(&vec![20u32; count as usize]);
    for name in ["glob_add", "glob_double"] {
        let Some(kernel) = offload::find_kernel(name) else {
            println!("glob: kernel {name} is not registered");
            std::process::exit(1);
        };
        device.launch(kernel, Shape::linear(count, 128), &[argument(&count), argument(&out.as_mut_ptr())]);
    }
    let wrong = out.read().iter().filter(|&&value| value != 42).count();
    offload::verdict("glob", &format!("{count} elements"), wrong);
}
