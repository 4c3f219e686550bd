//! A search for a number whose SHA-256, with a text before it, begins with 20 zero bits. The `sha2` crate was not
//! written for devices: the kernel and the host's check call it unchanged.

use offload::{Device, DeviceBuffer, DisjointSlice, Grid, kernel, prelude::*, thread};
use sha2::{Digest, Sha256};

const ZERO_BITS: u32 = 20;

fn zero_bits(text: [u8; 16], number: u64) -> u32 {
    let digest = Sha256::new().chain_update(text).chain_update(number.to_le_bytes()).finalize();
    u128::from_be_bytes(core::array::from_fn(|i| digest[i])).leading_zeros()
}

#[kernel]
fn search(text: [u8; 16], first: u64, mut found: DisjointSlice<Option<u64>>) {
    let i = thread::index_1d();
    if let Some(found) = found.get_mut(i) {
        let number = first + i.get() as u64;
        *found = (zero_bits(text, number) >= ZERO_BITS).then_some(number);
    }
}

fn main() -> offload::Result<()> {
    let text = *b"ordinary Rust, a";
    let device = Device::new()?;
    let stream = device.default_stream();
    let mut found = DeviceBuffer::from_host(&stream, &vec![None; 1 << 16])?;
    for round in 0.. {
        let first = round * found.len() as u64;
        search.launch(&stream, Grid::for_len(found.len(), 256), (text, first, &mut found))?;
        if let Some(number) = found.to_host_vec(&stream)?.into_iter().flatten().next() {
            assert!(zero_bits(text, number) >= ZERO_BITS);
            println!("search: {} tries found {number} on {}", number + 1, device.name());
            return Ok(());
        }
    }
    unreachable!("one number in a million does")
}
