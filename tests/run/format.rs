//! `core::fmt` in kernels: numbers, text and padding into an array, and with `format!` into memory from the heap of the
//! launch.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use core::fmt::Write;
use offload::{argument, Device, Shape};

/// Bytes of a line.
const LENGTH: usize = 96;

/// A place to write text into.
struct Line {
    bytes: [u8; LENGTH],
    length: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let free = self.bytes.get_mut(self.length..self.length + text.len()).ok_or(core::fmt::Error)?;
        free.copy_from_slice(text.as_bytes());
        self.length += text.len();
        Ok(())
    }
}

fn write(i: u32, bytes: &mut [u8; LENGTH]) -> usize {
    let mut line = Line { bytes: [b'-'; LENGTH], length: 0 };
    let (value, float) = (i as i32 - 40, (i as f32 - 20.0) / 8.0);
    let done = write!(line, "{value:+05} {:#x} {:?} {float:>6.2}|{:e}|{float}", i * 77, Some(i as u8), 1.5e9f64);
    let name = ["x", "Straße", "東"][i as usize % 3];
    let done = done.and_then(|()| writeln!(line, "{name:*^9}{:?}{:<4}{}", 'é', i % 2 == 0, u128::MAX >> i));
    *bytes = line.bytes;
    line.length + if done.is_ok() { 0 } else { 1000 }
}

extern "C" fn lines(out: *mut u8, lengths: *mut usize) {
    let i = offload::global_id_x();
    unsafe { *lengths.add(i as usize) = write(i, &mut *out.cast::<[u8; LENGTH]>().add(i as usize)) }
}

/// A hash of the bytes of a formatted text.
fn made(i: u32) -> u64 {
    let text = format!("{i:#06x} {:?} {:>7.3} {}", Some(i as u8), f64::from(i) / 3.0, 'é'.to_string());
    text.bytes().fold(text.len() as u64, |sum, byte| sum.rotate_left(5) ^ u64::from(byte))
}

extern "C" fn texts(out: *mut u64) {
    let i = offload::global_id_x();
    unsafe { *out.add(i as usize) = made(i) }
}

fn main() {
    let count = offload::number_argument(1, 64);
    let device = Device::open();
    let out = device.allocate::<u8>(LENGTH * count as usize);
    let lengths = device.allocate::<usize>(count as usize);
    let handle = unsafe { offload::__offload_kernel(lines as *const ()) };
    device.launch(handle, Shape::linear(count, 32), &[argument(&out.as_mut_ptr()), argument(&lengths.as_mut_ptr())]);
    let (there, ends) = (out.read(), lengths.read());
    let right = |i: u32| {
        let mut bytes = [0; LENGTH];
        let length = write(i, &mut bytes);
        ends[i as usize] == length && there[i as usize * LENGTH..][..LENGTH] == bytes
    };
    let mut wrong = (0..count).filter(|&i| !right(i)).count();
    let sums = device.allocate::<u64>(count as usize);
    let (shape, address) = (Shape::linear(count, 32), sums.as_mut_ptr());
    // The heap is full deep below the kernel: the thread still leaves, with a panic.
    let full = device.try_launch_with_heap(kernel!(texts), shape, 16, &[argument(&address)]);
    if !full.is_err_and(|text| text.contains("panicked") && text.contains("memory")) {
        println!("there is no panic in a heap of 16 bytes");
        wrong += 1;
    }
    if let Err(text) = device.try_launch_with_heap(kernel!(texts), shape, 1 << 20, &[argument(&address)]) {
        println!("{text}");
        wrong += 1;
    }
    wrong += sums.read().into_iter().zip(0..count).filter(|(sum, i)| *sum != made(*i)).count();
    offload::verdict("format", &format!("{count} lines"), wrong);
}
