//! `itoa`: integers of every width as text.

use corpus::{mixed, Numbers};

fn words(i: u32) -> u64 {
    let number = Numbers::new(i).next();
    let mut buffer = itoa::Buffer::new();
    let short = mixed(buffer.format(number as i8).bytes()) ^ mixed(buffer.format(number as u16).bytes());
    let middle = mixed(buffer.format(number as i32).bytes()) ^ mixed(buffer.format(i).bytes());
    short ^ middle ^ mixed(buffer.format(number as i64).bytes()) ^ mixed(buffer.format(number >> (i % 64)).bytes())
}

fn wide(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let number = u128::from(numbers.next()) << 64 | u128::from(numbers.next());
    let mut buffer = itoa::Buffer::new();
    let unsigned = mixed(buffer.format(number >> i).bytes());
    unsigned ^ mixed(buffer.format(number as i128).bytes()) ^ mixed(buffer.format(i128::MIN).bytes())
}

corpus::parts![words, wide];
