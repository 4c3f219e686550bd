//! A closure that captures a function's address in a struct without alignment.

use offload::thread::{Index, index_1d};
use offload::{Device, DisjointSlice, Grid, Result, prelude::*};

#[derive(Clone, Copy)]
#[repr(packed)]
struct Packed(fn() -> Index);

fn main() -> Result<()> {
    let (stream, packed) = (Device::new()?.default_stream(), Packed(index_1d));
    let count = move |mut values: DisjointSlice<u32>| {
        let index = { packed.0 };
        *values.get_mut(index()).unwrap() += 1;
    };
    count.launch(&stream, Grid::for_len(8, 8), (&mut [0; 8],))
}
