//! Sorts numbers and playing cards on the device, with the kernels of the library crate `sorting`.

use offload::{Device, DeviceBuffer, DeviceCopy};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, DeviceCopy)]
enum Suit {
    Clubs,
    Diamonds,
    Hearts,
    Spades,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, DeviceCopy)]
struct Card {
    suit: Suit,
    rank: u8,
}

fn main() -> offload::Result<()> {
    let device = Device::new()?;
    let stream = device.default_stream();

    let numbers: Vec<i64> = (0..100_003).map(|i| i * i % 100_003 - 50_000).collect();
    let mut sorted = DeviceBuffer::from_host(&stream, &numbers)?;
    sorting::sort(&stream, &mut sorted)?;
    let mut expected = numbers;
    expected.sort_unstable();
    assert_eq!(sorted.to_host_vec(&stream)?, expected);

    let suits = [Suit::Clubs, Suit::Diamonds, Suit::Hearts, Suit::Spades];
    let shuffled: Vec<Card> =
        (0..52).map(|i| i * 31 % 52).map(|i| Card { suit: suits[i % 4], rank: (i / 4 + 2) as u8 }).collect();
    let mut deck = DeviceBuffer::from_host(&stream, &shuffled)?;
    sorting::sort(&stream, &mut deck)?;
    let deck = deck.to_host_vec(&stream)?;
    assert!(deck.is_sorted());
    println!("deck: from {:?} to {:?} on {}", deck[0], deck[51], device.name());
    Ok(())
}
