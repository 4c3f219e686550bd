//! Closures as kernels: each instance of a generic entry is a separate block kernel.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

extern "C" fn entry<F: Fn(u32) + Copy>(arguments: *const F) {
    let closure = unsafe { *arguments };
    closure(offload::global_id_x());
}

/// Calls `closure` with every number below `threads`, a multiple of 64, on the device.
fn run<F: Fn(u32) + Copy>(device: &Device, threads: u32, closure: F) {
    let kernel = unsafe { offload::__offload_kernel_block(entry::<F> as *const (), size_of::<F>(), align_of::<F>()) };
    device.launch(kernel, Shape::linear(threads, 64), &[argument(&closure)]);
}

fn main() {
    let count = offload::number_argument(1, 4096);
    let device = Device::open();
    let squares = device.allocate::<u32>(count as usize);
    let sums = device.allocate::<u64>(count as usize);

    let out = squares.as_mut_ptr();
    run(&device, count, move |i| unsafe { *out.add(i as usize) = i * i });
    let (first, scale, table, out) = (7u8, 3u64, [1u16, 2, 3, 4, 5], sums.as_mut_ptr());
    run(&device, count, move |i| unsafe {
        *out.add(i as usize) = u64::from(first) + scale * u64::from(i) + u64::from(table[(i % 5) as usize]);
    });

    let (squares, sums) = (squares.read(), sums.read());
    let wrong = (0..count as usize)
        .filter(|&i| {
            let sum = 7 + 3 * i as u64 + [1, 2, 3, 4, 5][i % 5];
            squares[i] != (i as u32) * (i as u32) || sums[i] != sum
        })
        .count();
    offload::verdict("closure", &format!("{count} threads, two closures"), wrong);
}
