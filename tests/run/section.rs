//! A kernel that is marked by a pointer in section `.offload.kernels`, looked up by its name.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

#[no_mangle]
extern "C" fn section_fill(count: u32, out: *mut u32) {
    let index = offload::global_id_x();
    if index < count {
        unsafe { *out.add(index as usize) = index ^ 0x55 }
    }
}

#[used]
#[unsafe(link_section = ".offload.kernels")]
static SECTION_FILL: extern "C" fn(u32, *mut u32) = section_fill;

fn main() {
    let count = offload::number_argument(1, 1000);
    let device = Device::open();
    let out = device.allocate::<u32>(count as usize);
    let Some(kernel) = offload::find_kernel("section_fill") else {
        println!("section: the kernel is not registered");
        std::process::exit(1);
    };
    device.launch(kernel, Shape::linear(count, 128), &[argument(&count), argument(&out.as_mut_ptr())]);
    let result = out.read();
    let wrong = (0..count).filter(|&i| result[i as usize] != i ^ 0x55).count();
    offload::verdict("section", &format!("{count} elements"), wrong);
}
