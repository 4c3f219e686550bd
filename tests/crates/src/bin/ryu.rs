//! `ryu`: floats as the shortest text with the same value.

use corpus::{mixed, Numbers};

fn doubles(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let mut buffer = ryu::Buffer::new();
    let any = mixed(buffer.format(f64::from_bits(numbers.next())).bytes());
    any ^ mixed(buffer.format_finite(numbers.double(1e6)).bytes()) ^ mixed(buffer.format(f64::from(i)).bytes())
}

fn floats(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let mut buffer = ryu::Buffer::new();
    let any = mixed(buffer.format(f32::from_bits(numbers.next() as u32)).bytes());
    any ^ mixed(buffer.format(numbers.float(1.0)).bytes())
}

fn there_and_back(i: u32) -> u64 {
    let x = Numbers::new(i).double(1e-3);
    let mut buffer = ryu::Buffer::new();
    u64::from(buffer.format(x).parse::<f64>() == Ok(x))
}

corpus::parts![doubles, floats, there_and_back];
