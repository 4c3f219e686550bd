//! The name of an exported kernel is one of C, and each instance of a generic kernel has one.

use offload::kernel;

#[kernel(export = "affine-f32")]
pub unsafe fn affine(out: *mut f32) {
    let _ = out;
}

#[kernel(export = "generic")]
pub unsafe fn generic<T>(out: *mut T) {
    let _ = out;
}

#[kernel(export(f32 = "typed"))]
pub unsafe fn typed<T>(out: *mut T) {
    let _ = out;
}

#[kernel(export = "first", export = "second")]
pub unsafe fn twice(out: *mut f32) {
    let _ = out;
}

#[kernel(export)]
pub unsafe fn nameless(out: *mut f32) {
    let _ = out;
}

#[kernel(export = "special", specialize(n))]
pub unsafe fn special(n: u32, out: *mut u32) {
    unsafe { *out = n }
}

#[kernel(export = "system")]
pub unsafe extern "system" fn system(out: *mut u32) {
    let _ = out;
}

fn main() {}
