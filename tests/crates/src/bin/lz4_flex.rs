//! `lz4_flex` and `postcard`: compression, and serialisation of a value of several types; both in both directions.

use corpus::{mixed, Numbers};
use serde::{Deserialize, Serialize};

fn packed(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let message: [u8; 400] =
        core::array::from_fn(|k| if k % 50 < 30 { (k % 7) as u8 } else { numbers.next() as u8 % 4 });
    let (mut block, mut back) = ([0; 600], [0; 400]);
    let length = lz4_flex::block::compress_into(&message, &mut block).unwrap_or(0);
    let unpacked = lz4_flex::block::decompress_into(&block[..length], &mut back).unwrap_or(0);
    mixed(block[..length].iter().copied()) ^ unpacked as u64 ^ u64::from(back == message)
}

#[derive(Serialize, Deserialize, PartialEq)]
enum Shape {
    Point,
    Disc(f32),
    Box { size: [u16; 2] },
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Item<'a> {
    number: i64,
    name: Option<&'a str>,
    shape: Shape,
}

fn written(i: u32) -> u64 {
    let shape = match i % 3 {
        0 => Shape::Point,
        1 => Shape::Disc(i as f32),
        _ => Shape::Box { size: [i as u16, 7] },
    };
    let item = Item { number: -1000 * i64::from(i), name: i.is_multiple_of(2).then_some("hello"), shape };
    let mut bytes = [0; 32];
    let Ok(bytes) = postcard::to_slice(&item, &mut bytes) else { return 1 };
    mixed(bytes.iter().copied()) ^ u64::from(postcard::from_bytes::<Item>(bytes) == Ok(item))
}

corpus::parts![packed, written];
