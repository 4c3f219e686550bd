//! Code that a compiler computes in vectors: loops over arrays whose indices have several widths and wrap, and products
//! of narrow numbers that are shifted and cut.
//!
//! The host computes the expected results with numbers that its compiler does not know, one after another.

#[macro_use]
#[path = "common/kernels.rs"]
mod kernels;
#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use kernels::{compare, mix};

const LENGTH: usize = 300;
const THREADS: u32 = 256;

static KEY: [u8; 512] = key();

const fn key() -> [u8; 512] {
    let (mut key, mut at) = ([0; 512], 0);
    while at < 512 {
        key[at] = (at * at / 7 + at) as u8;
        at += 1;
    }
    key
}

/// A length that the compiler does not know.
fn length(i: u32) -> usize {
    let length = 150 + i as usize % 150;
    unsafe { std::ptr::read_volatile(&length) }
}

/// Calls `run(to, from, length)` with arrays of bytes, and returns a sum of the results.
fn folded(i: u32, run: impl FnOnce(*mut u8, *const u8, usize)) -> u64 {
    let (mut to, mut from) = ([0; LENGTH], [0; LENGTH]);
    for (at, byte) in from.iter_mut().enumerate() {
        *byte = (at as u32 * (i + 3) >> 2) as u8;
    }
    run(to.as_mut_ptr(), from.as_ptr(), length(i));
    to.iter().fold(0, |sum, byte| mix(sum, u64::from(*byte)))
}

/// Loops whose counter is not increased in the last iteration, and is read after the loop, with a sum of bytes.
macro_rules! stopped {
    (|$k:ident: $ty:ty, $length:ident, $sum:ident, $byte:ident| $body:block) => {
        |i, hide: fn(usize) -> usize| {
            folded(i, |to, from, length| {
                let ($length, mut $sum, mut $k): (usize, u64, $ty) = (length & 0x7f, 0, 0);
                let $byte = |at: usize| u64::from(unsafe { *from.add(hide(at)) });
                $body
                unsafe { to.cast::<[u64; 2]>().write_unaligned([$sum, $k as u64]) };
            })
        }
    };
}

/// Defines `plain` and `hidden` in modules. Both compute `of` with a function that returns its argument, and the
/// compiler knows that of the first one only.
macro_rules! twice {
    ($($name:ident: $of:expr;)*) => {
        $(mod $name {
            use super::*;

            pub fn plain(i: u32) -> u64 {
                $of(i, |number| number)
            }

            pub fn hidden(i: u32) -> u64 {
                $of(i, std::hint::black_box)
            }
        })*

        kernels! { $($name: $name::plain,)* }
        const HIDDEN: &[fn(u32) -> u64] = &[$($name::hidden),*];
    };
}

/// A loop with the index `$k`, maybe a second one `$j`, and the index of a byte of `KEY`.
macro_rules! with_key {
    ($k:ident: $wide:ty, $j:ident: $narrow:ty = $first:expr; $next:expr => $index:expr) => {
        |i, hide: fn(usize) -> usize| {
            folded(i, |to, from, length| {
                let (mut $k, mut $j): ($wide, $narrow) = (0, $first);
                while ($k as usize) < length {
                    let at = hide($k as usize);
                    unsafe { *to.add(at) = *from.add(at) ^ *KEY.as_ptr().add(hide($index)) };
                    $k = $k.wrapping_add(1);
                    $j = $next;
                }
            })
        }
    };
}

static WORDS: [i16; 512] = words();

const fn words() -> [i16; 512] {
    let (mut words, mut at) = ([0; 512], 0);
    while at < 512 {
        words[at] = (at * at * 6997 + at) as i16;
        at += 1;
    }
    words[7] = i16::MIN;
    words[7 + THREADS as usize] = i16::MIN;
    words
}

/// A number that is cut from a shifted product of numbers of 16 bits.
macro_rules! product {
    (|$a:ident, $b:ident| $word:expr) => {
        |i: u32, hide: fn(usize) -> usize| {
            let [$a, $b] = [0, THREADS as usize].map(|first| unsafe { *WORDS.as_ptr().add(hide(i as usize + first)) });
            $word.swap_bytes() as u64
        }
    };
}

twice! {
    masked: with_key!(k: u32, j: u8 = 0; j => (k & 7) as usize);
    remainder: with_key!(k: u32, j: u8 = 0; j => (k % 16) as usize);
    shifted: with_key!(k: u32, j: u8 = 0; j => (k << 27 >> 27) as usize);
    byte: with_key!(k: u32, j: u8 = 0; j.wrapping_add(1) => j as usize);
    half: with_key!(k: u32, j: u16 = 0; j.wrapping_add(1) => (j & 255) as usize);
    sum: with_key!(k: u32, j: u8 = 0; j.wrapping_add(1) => (u32::from(j) + 5) as usize);
    signed: with_key!(k: i32, j: i8 = -128; j.wrapping_add(1) => (isize::from(j) + 128) as usize);
    ring: with_key!(k: u32, j: u32 = 0; (j + 1) & 63 => j as usize);
    two: with_key!(k: u32, j: u8 = 0; j.wrapping_add(1) => (k & 7) as usize + (j & 31) as usize);
    narrow: with_key!(k: u16, j: u8 = 0; j.wrapping_add(1) => j as usize);
    flagged: stopped!(|k: u8, length, sum, byte| {
        let mut over = false;
        while !over {
            if (k as usize) < length {
                (sum, k) = (sum ^ byte(7), k.wrapping_add(1))
            } else {
                over = true
            }
        }
    });
    guarded: stopped!(|k: usize, length, sum, byte| {
        loop {
            let more = k < length;
            sum ^= byte(k);
            k += more as usize;
            if !more {
                break;
            }
        }
    });
    signed_counter: stopped!(|k: i32, length, sum, byte| {
        let mut goes = true;
        while goes {
            goes = k < length as i32;
            sum = sum.wrapping_add(byte(k as usize));
            if goes {
                k += 1
            }
        }
    });
    sign: product!(|a, b| (i64::from(a) * i64::from(b) >> 33) as i16);
    upper: product!(|a, b| (i64::from(a) * i64::from(b) >> 21) as i16);
    unsigned_shift: product!(|a, b| ((i64::from(a) * i64::from(b)) as u64 >> 31) as i16);
    last_bits: product!(|a, b| ((i64::from(a) * i64::from(b)) as u64 >> 57) as i16);
    constant: product!(|a, _b| (i64::from(a) * 12345 >> 29) as i16);
    unsigned: product!(|a, b| (u64::from(a as u16) * u64::from(b as u16) >> 27) as u16);
    none: product!(|a, b| (u64::from(a as u16) * u64::from(b as u16) >> 33) as u16);
    bytes: product!(|a, b| (i64::from(a) * i64::from(b) >> 30) as i8);
    in_32: product!(|a, b| (i32::from(a) * i32::from(b) >> 19) as i16);
}

/// The functions that rustc's own LLVM may compute wrongly, too: those of `stopped`.
const STOPPED: std::ops::Range<usize> = 10..13;

fn main() {
    let pairs = FUNCTIONS.iter().zip(HIDDEN).enumerate().filter(|(at, _)| !STOPPED.contains(at)).map(|(_, pair)| pair);
    let wrong = pairs.filter(|(plain, hidden)| (0..THREADS).any(|i| plain(i) != hidden(i))).count();
    assert_eq!(wrong, 0, "functions of the host");
    compare("vectorized", THREADS, handles(), HIDDEN);
}
