//! Kernel arguments of all kinds: structs, tuples, arrays, 128-bit integers, types without a size.
#![allow(improper_ctypes_definitions, reason = "the point of the test")]

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use std::marker::PhantomData;

use offload::{argument, Device, Shape};

#[repr(C)]
#[derive(Clone, Copy)]
struct Padded {
    flag: u8,
    wide: u128,
    half: u16,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Mixed {
    real: f32,
    count: u32,
    name: [u8; 5],
}

#[derive(Clone, Copy)]
enum Choice {
    Nothing,
    Number(u32),
    Real(f64),
}

#[derive(Clone, Copy)]
struct Unit;

/// A hash of a kernel's arguments.
struct Sum(u64);

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

fn of_padded(p: &Padded) -> u64 {
    let mut sum = Sum(1);
    sum.add(&[p.flag]);
    sum.add(&p.wide.to_le_bytes());
    sum.add(&p.half.to_le_bytes());
    sum.0
}

fn of_mixed(m: &Mixed, array: &[u16; 7]) -> u64 {
    let mut sum = Sum(2);
    sum.add(&m.real.to_bits().to_le_bytes());
    sum.add(&m.count.to_le_bytes());
    sum.add(&m.name);
    array.iter().for_each(|n| sum.add(&n.to_le_bytes()));
    sum.0
}

fn of_tuple(t: (u8, f64), small: (u16, u8), bytes: [u8; 3], three: [f32; 3]) -> u64 {
    let mut sum = Sum(3);
    sum.add(&[t.0, small.1]);
    sum.add(&t.1.to_bits().to_le_bytes());
    sum.add(&small.0.to_le_bytes());
    sum.add(&bytes);
    three.iter().for_each(|f| sum.add(&f.to_bits().to_le_bytes()));
    sum.0
}

fn of_wide(a: u128, b: i128, c: bool, d: char) -> u64 {
    let mut sum = Sum(4);
    sum.add(&(a.wrapping_mul(b as u128)).to_le_bytes());
    sum.add(&(a / 1_000_000_007).to_le_bytes());
    sum.add(&[c as u8]);
    sum.add(&(d as u32).to_le_bytes());
    sum.0
}

fn of_choice(choice: Choice, option: Option<u32>, none: Option<&u32>) -> u64 {
    let mut sum = Sum(5);
    match choice {
        Choice::Nothing => sum.add(&[0]),
        Choice::Number(n) => sum.add(&n.to_le_bytes()),
        Choice::Real(r) => sum.add(&r.to_bits().to_le_bytes()),
    }
    sum.add(&option.unwrap_or(77).to_le_bytes());
    sum.add(&[none.is_none() as u8]);
    sum.0
}

extern "C" fn padded(p: Padded, out: *mut u64) {
    unsafe { *out = of_padded(&p) }
}

extern "C" fn mixed(m: Mixed, array: [u16; 7], _unit: Unit, out: *mut u64) {
    unsafe { *out.add(1) = of_mixed(&m, &array) }
}

extern "C" fn tuple(t: (u8, f64), small: (u16, u8), bytes: [u8; 3], three: [f32; 3], out: *mut u64) {
    unsafe { *out.add(2) = of_tuple(t, small, bytes, three) }
}

extern "C" fn wide(_empty: (), a: u128, b: i128, c: bool, d: char, out: *mut u64) {
    unsafe { *out.add(3) = of_wide(a, b, c, d) }
}

/// More than the host has registers for: the last go by way of its stack.
extern "C" fn choice(
    c: Choice,
    o: Option<u32>,
    _p: PhantomData<u64>,
    a: u128,
    b: u128,
    p: Padded,
    r: (u64, u32),
    none: Option<&u32>,
    out: *mut u64,
) {
    unsafe { *out.add(4) = of_choice(c, o, none) ^ of_padded(&p) ^ (a ^ b) as u64 ^ r.0 ^ u64::from(r.1) }
}

fn main() {
    let p = Padded { flag: 3, wide: 0x1234_5678_9abc_def0_0fed_cba9_8765_4321, half: 515 };
    let m = Mixed { real: 1.5, count: 70_000, name: *b"abcde" };
    let array = [1u16, 2, 3, 500, 600, 700, 60_000];
    let (t, small, bytes, three) = ((9u8, 2.25f64), (513u16, 7u8), [5u8, 6, 7], [0.5f32, 1.5, 2.5]);
    let (a, b) = (u128::MAX / 7, -12_345_678_901_234_567_890i128);
    let (c, o, none): (_, _, Option<&u32>) = (Choice::Real(6.5), Some(12u32), None);
    let (r, e) = ((11u64, 13u32), b as u128);
    let device = Device::open();
    let out = device.upload(&[0u64; 5]);
    let (to, one) = (out.as_mut_ptr(), Shape::linear(1, 1));
    device.launch(kernel!(padded), one, &[argument(&p), argument(&to)]);
    device.launch(kernel!(mixed), one, &[argument(&m), argument(&array), argument(&Unit), argument(&to)]);
    let arguments = [argument(&t), argument(&small), argument(&bytes), argument(&three), argument(&to)];
    device.launch(kernel!(tuple), one, &arguments);
    let arguments = [argument(&()), argument(&a), argument(&b), argument(&true), argument(&'é'), argument(&to)];
    device.launch(kernel!(wide), one, &arguments);
    let arguments = [
        argument(&c),
        argument(&o),
        argument(&a),
        argument(&e),
        argument(&p),
        argument(&r),
        argument(&none),
        argument(&to),
    ];
    device.launch(kernel!(choice), one, &arguments);
    let last = of_choice(c, o, none) ^ of_padded(&p) ^ (a ^ e) as u64 ^ r.0 ^ u64::from(r.1);
    let expected =
        [of_padded(&p), of_mixed(&m, &array), of_tuple(t, small, bytes, three), of_wide(a, b, true, 'é'), last];
    let result = out.read();
    let wrong = result
        .iter()
        .zip(&expected)
        .enumerate()
        .filter(|(i, (x, y))| {
            if x != y {
                eprintln!("kernel {i}: {x:#x}, not {y:#x}");
            }
            x != y
        })
        .count();
    offload::verdict("arguments", "5 kernels", wrong);
}
