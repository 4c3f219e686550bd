//! A stencil whose extents are the same in all launches. Its checks of bounds, and the length of its loops, depend on
//! them.

#[path = "../../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

#[no_mangle]
extern "C" fn stencil(columns: u32, rows: u32, radius: u32, x: *const f32, y: *mut f32) {
    let i = offload::global_id_x();
    let (column, row) = (i % columns, i / columns);
    if row >= rows {
        return;
    }
    let input = unsafe { std::slice::from_raw_parts(x, (columns * rows) as usize) };
    let near = |at: u32, step: u32, end: u32| (at + step).saturating_sub(radius).min(end - 1);
    let mut sum = 0.0;
    for dy in 0..2 * radius + 1 {
        for dx in 0..2 * radius + 1 {
            sum += input[(near(row, dy, rows) * columns + near(column, dx, columns)) as usize];
        }
    }
    unsafe { *y.add(i as usize) = sum }
}

fn main() {
    let (columns, rows, radius) = (64, 96, 1);
    let device = Device::open();
    let x: Vec<f32> = (0..columns * rows).map(|i| (i % 97) as f32).collect();
    let (input, out) = (device.upload(&x), device.allocate::<f32>(x.len()));
    let arguments = [&columns, &rows, &radius].map(argument);
    let [a, b, c] = arguments;
    let pointers = [input.as_ptr().cast_mut(), out.as_mut_ptr()];
    let [d, e] = [argument(&pointers[0]), argument(&pointers[1])];
    let shape = Shape::linear(columns * rows, 128);
    let list = [a, b, c, d, e];
    for _ in 0..8 {
        device.launch(kernel!(stencil), shape, &list);
    }
    let weighed = out.read().iter().zip(1..).map(|(value, i)| f64::from(*value) * f64::from(i % 13)).sum::<f64>();
    println!("stencil: {weighed}");
}
