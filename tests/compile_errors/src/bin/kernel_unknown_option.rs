//! Options that `#[kernel]` and the crate's other macros do not have.

use offload::{DeviceCopy, device_static, host_call, kernel, late_const, unroll};

#[kernel(launch_context = c)]
fn context() {}

#[kernel(launch_bound(64))]
fn bound() {}

#[kernel(cluster_launch)]
fn cluster() {}

#[kernel(64)]
fn number() {}

#[kernel(block_size = 64)]
fn size() {}

#[kernel(specialize)]
fn special() {}

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(path = offload)]
struct Pair(u32, u32);

device_static! {
    static mut COUNT: u32 = 0;
}

late_const! {
    const SIZE: u32 = 0;
}

#[kernel]
fn macros(n: u32) {
    for _ in 0..n {
        unroll!(2, 4);
    }
    host_call!(|n: u32| n);
}

fn main() {}
