//! An exported kernel takes numbers and raw pointers, and each instance of a generic one as well.

use offload::{kernel, thread};

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Pair(f32, f32);

#[kernel(export = "slice")]
pub fn slice(values: &[f32]) {
    let _ = values;
}

#[kernel(export = "pair")]
pub unsafe fn pair(pair: Pair, out: *mut f32) {
    unsafe { *out.add(thread::index_1d().get()) = pair.0 + pair.1 }
}

#[kernel(export(<f32> = "fill_f32", <Pair> = "fill_pair"))]
pub unsafe fn fill<T: Copy>(value: T, out: *mut T) {
    unsafe { *out.add(thread::index_1d().get()) = value }
}

fn main() {}
