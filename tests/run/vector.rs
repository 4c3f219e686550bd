//! A struct of three floats by value: rustc passes it as a double and a float.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

#[repr(C)]
#[derive(Clone, Copy, Default, PartialEq)]
struct Vector {
    x: f32,
    y: f32,
    z: f32,
}

extern "C" fn scale(count: u32, by: Vector, vectors: *mut Vector) {
    let index = offload::global_id_x();
    if index < count {
        let vector = unsafe { &mut *vectors.add(index as usize) };
        *vector = Vector { x: vector.x * by.x, y: vector.y * by.y, z: vector.z * by.z };
    }
}

fn main() {
    let count = offload::number_argument(1, 1000);
    let by = Vector { x: 2.0, y: 3.0, z: 5.0 };
    let start: Vec<Vector> = (0..count).map(|i| i as f32).map(|f| Vector { x: f, y: f + 1.0, z: f + 2.0 }).collect();
    let device = Device::open();
    let vectors = device.upload(&start);
    device.launch(
        kernel!(scale),
        Shape::linear(count, 128),
        &[argument(&count), argument(&by), argument(&vectors.as_mut_ptr())],
    );
    let result = vectors.read();
    let expected = |v: &Vector| Vector { x: v.x * 2.0, y: v.y * 3.0, z: v.z * 5.0 };
    let wrong = (0..count as usize).filter(|&i| result[i] != expected(&start[i])).count();
    offload::verdict("vector", &format!("{count} structs"), wrong);
}
