//! Numbers whose parts are in other registers, tables of jumps, and values that are replaced under a condition: code of
//! which back ends compute a part in a wider register, or at another place.
//!
//! The host computes the expected results with numbers that its compiler does not know.

#[macro_use]
#[path = "common/kernels.rs"]
mod kernels;
#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use kernels::{compare, mix};

/// A function that returns its argument. The compiler knows that of the first one only.
trait Same {
    fn same<T>(value: T) -> T;
}

struct Plain;

impl Same for Plain {
    fn same<T>(value: T) -> T {
        value
    }
}

struct Hidden;

impl Same for Hidden {
    fn same<T>(value: T) -> T {
        std::hint::black_box(value)
    }
}

const LENGTH: usize = 100;
static BYTES: [u8; 256] = bytes();

const fn bytes() -> [u8; 256] {
    let (mut bytes, mut at) = ([0; 256], 0);
    while at < 256 {
        bytes[at] = (at * 37 + 11) as u8;
        at += 1;
    }
    bytes
}

fn number(i: u32) -> u64 {
    (u64::from(i) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31)
}

/// A byte that replaces the lowest one of a word, which is then extended.
fn merged<S: Same>(i: u32) -> u64 {
    let wide = S::same(number(i));
    let table = unsafe { std::ptr::read_volatile(&BYTES.as_ptr()) };
    let mut parts = (wide as u32).to_le_bytes();
    parts[0] = unsafe { *table.add(i as usize & 255) };
    let word = S::same(u32::from_le_bytes(parts));
    u64::from(word).wrapping_mul(u64::from(word % 1000) | 1)
}

/// The same with a half.
fn merged_half<S: Same>(i: u32) -> u64 {
    let wide = S::same(number(i));
    let table = unsafe { std::ptr::read_volatile(&BYTES.as_ptr()) };
    let half = unsafe { table.add(i as usize & 254).cast::<u16>().read_unaligned() };
    let word = S::same(wide as u32 & 0xffff_0000 | u32::from(half));
    u64::from(word) / 3 ^ u64::from(word / 1000) << 40
}

/// A table of jumps whose index is a sum with a number that is mostly 0.
fn jumps<S: Same>(i: u32) -> u64 {
    let mut state = (u64::from(i) + 1).wrapping_mul(0xd_eadb_eef1_2345);
    let (mut added, mut sum) = (i, 0_u32);
    loop {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        match S::same((state as u32).wrapping_add(added)) % 6 {
            0 => (sum, added) = (sum.wrapping_add(5), 0),
            1 => {
                sum = sum.rotate_left(state as u32 & 31);
                added = sum;
            }
            2 => (sum, added) = (sum.wrapping_mul(state as u32), 0),
            3 => (sum, added) = (sum.wrapping_sub(state as u32), 0),
            4 => {
                sum = sum.swap_bytes();
                added = sum;
            }
            5 if state >> 59 == 3 => break u64::from(sum),
            _ => added = 0,
        }
    }
}

/// Values that are replaced under a condition, with those that were there before.
fn replaced<S: Same>(i: u32) -> u64 {
    let (mut values, mut others, mut olds) = ([0_i32; LENGTH], [0_i32; LENGTH], [0_i32; LENGTH]);
    for at in 0..LENGTH {
        let word = (at as u32).wrapping_mul(2_654_435_761).wrapping_add(i.wrapping_mul(97));
        (values[at], others[at]) = ((word >> 5) as i32, (word >> 9) as i32);
    }
    let length = unsafe { std::ptr::read_volatile(&LENGTH) };
    let from = |array: &mut [i32; LENGTH]| unsafe {
        std::slice::from_raw_parts_mut(std::ptr::read_volatile(&array.as_mut_ptr()), length)
    };
    let (now, others, then) = (from(&mut values), from(&mut others), from(&mut olds));
    for ((value, other), old) in now.iter_mut().zip(others.iter()).zip(then.iter_mut()) {
        let is_replaced = S::same(*other) & 3 > 1;
        *old = if is_replaced { std::mem::replace(value, S::same(*other)) } else { S::same(*other).wrapping_mul(5) };
    }
    now.iter().zip(then.iter()).fold(0, |sum, (value, old)| mix(sum, *value as u64 ^ (*old as u64) << 32))
}

macro_rules! of_both {
    ($($name:ident: $function:ident,)*) => {
        kernels! { $($name: $function::<Plain>,)* }
        const HIDDEN: &[fn(u32) -> u64] = &[$($function::<Hidden>),*];
    };
}

of_both! {
    byte_in_a_word: merged,
    half_in_a_word: merged_half,
    table_of_jumps: jumps,
    replaced_values: replaced,
}

fn main() {
    // The functions of the host are those of rustc's LLVM, and are not compared.
    let _plain = FUNCTIONS;
    compare("registers", 256, handles(), HIDDEN);
}
