//! Printing in a kernel: constant text, text that is created there, and text of several pieces; also on the host.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

extern "C" {
    fn __offload_print(text: *const u8, length: usize);
}

/// `thread NUMBER of COUNT` and a line end; `core::fmt` would call through pointers, which not every device can.
fn line(bytes: &mut [u8; 32], number: u32, count: u32) -> usize {
    let mut length = 0;
    for (word, number) in [("thread ", number), (" of ", count)] {
        word.bytes().for_each(|byte| push(bytes, &mut length, byte));
        let digits = if number > 9 { 2 } else { 1 };
        for digit in [number / 10, number % 10].into_iter().skip(2 - digits) {
            push(bytes, &mut length, b'0' + digit as u8);
        }
    }
    push(bytes, &mut length, b'\n');
    length
}

fn push(bytes: &mut [u8; 32], length: &mut usize, byte: u8) {
    bytes[*length & 31] = byte;
    *length += 1;
}

fn print(text: &str) {
    unsafe { __offload_print(text.as_ptr(), text.len()) }
}

extern "C" fn report(count: u32) {
    let index = offload::global_id_x();
    if index < count {
        print("a text of the program\n");
        let mut bytes = [0; 32];
        let length = line(&mut bytes, index, count);
        unsafe { __offload_print(bytes.as_ptr(), length) };
    }
    if index == count {
        let mut long = [b'.'; 600];
        long[0] = b'<';
        long[599] = b'\n';
        unsafe { __offload_print(long.as_ptr(), long.len()) };
        print("");
    }
}

fn main() {
    println!("before the kernel");
    let device = Device::open();
    device.launch(kernel!(report), Shape::linear(48, 8), &[argument(&40_u32)]);
    print("on the host\n");
    println!("print: done");
}
