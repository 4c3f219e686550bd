//! Kernels that `cargo offloadc bake` compiles: a struct, generic instances, an enum, a panic.

use offload::{DeviceCopy, DisjointSlice, kernel, thread};

#[derive(Clone, Copy, DeviceCopy)]
pub struct Parts {
    pub tiny: u8,
    pub wide: u64,
    pub small: u16,
    pub middle: u32,
    pub bytes: [u8; 3],
}

/// rustc chooses its values.
#[derive(Clone, Copy, DeviceCopy)]
pub enum Step {
    Add(u32),
    Double,
}

#[kernel]
pub fn add(parts: Parts, x: &[u32], mut y: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(y) = y.get_mut(i) {
        let sum = u32::from(parts.tiny) + parts.wide as u32 + u32::from(parts.small) + parts.middle;
        let sum = sum + u32::from(parts.bytes[2]) + x[i.get()] + OTHERS;
        *y += if cfg!(feature = "double") { 2 * sum } else { sum };
    }
}

#[kernel]
pub fn scale<T: DeviceCopy + core::ops::MulAssign>(factor: T, mut y: DisjointSlice<T>) {
    if let Some(y) = y.get_mut(thread::index_1d()) {
        *y *= factor;
    }
}

#[kernel]
pub fn step(step: Step, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(thread::index_1d()) {
        match step {
            Step::Add(number) => *y += number,
            Step::Double => *y *= 2,
        }
    }
}

#[kernel]
pub fn reject(limit: u32, y: &[u32]) {
    let i = thread::index_1d().get();
    assert!(y[i] < limit, "no {}", y[i]);
}

offload::baked! {
    file: "baked.bin",
    features: ["double"],
    kernels: [add, scale::<u32>, scale::<f32>, step, reject],
}

/// Settings that decide the code of `add` beside the source of this package. Each part is 0 when the kernels are baked.
const OTHERS: u32 = {
    let variable = match option_env!("BAKED_EXTRA") {
        Some(text) => text.len() as u32,
        None => 0,
    };
    let conditions = if cfg!(fancy) { 1000 } else { 0 } + if cfg!(debug_assertions) { 2000 } else { 0 };
    variable + conditions + include!("../extra.in") + addend::none()
};
