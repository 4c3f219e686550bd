//! Constant tables with more elements than an instruction of SPIR-V can have, and statics without elements.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

const fn byte(i: usize) -> u8 {
    (i * 7 + i / 256) as u8
}

static BYTES: [u8; 65_536] = {
    let mut table = [0; 65_536];
    let mut i = 0;
    while i < table.len() {
        table[i] = byte(i);
        i += 1;
    }
    table
};

#[derive(Clone, Copy)]
struct Pair {
    small: u16,
    large: u64,
}

/// Of structs, between other fields.
struct Book {
    first: u8,
    pairs: [Pair; 33_000],
    none: [u64; 0],
    last: u8,
}

static BOOK: Book = {
    let mut pairs = [Pair { small: 0, large: 0 }; 33_000];
    let mut i = 0;
    while i < pairs.len() {
        pairs[i] = Pair { small: (i % 251) as u16, large: (i % 100) as u64 + 5 };
        i += 1;
    }
    Book { first: 3, pairs, none: [], last: 4 }
};

static NONE: [u32; 0] = [];

#[inline(always)]
fn looked_up(i: usize, none: &[u32], book: &Book) -> u64 {
    let pair = book.pairs[i * 31 % 33_000];
    let ends = book.first as u64 + ((book.last as u64) << 8) + book.none.len() as u64;
    let bytes = BYTES[i * 53 % 65_536] as u64 + BYTES[65_535 - i] as u64;
    bytes + pair.small as u64 + pair.large + ends + none.iter().map(|n| *n as u64).sum::<u64>()
}

extern "C" fn look_up(out: *mut u64) {
    let i = offload::global_id_x() as usize;
    let (none, book) = (std::hint::black_box(&NONE), std::hint::black_box(&BOOK));
    unsafe { *out.add(i) = looked_up(i, none, book) };
}

fn main() {
    let device = Device::open();
    let out = device.upload(&[0u64; 4000]);
    device.launch(kernel!(look_up), Shape::linear(4000, 100), &[argument(&out.as_mut_ptr())]);
    let wrong = out.read().iter().enumerate().filter(|(i, got)| **got != looked_up(*i, &NONE, &BOOK)).count();
    offload::verdict("tables", "4000 threads", wrong);
}
