//! `crc`: checksums of every width, with and without constant tables.

use corpus::{mixed, Numbers};
use crc::{Crc, Digest, NoTable, Table, CRC_16_USB, CRC_32_ISCSI, CRC_64_XZ, CRC_82_DARC, CRC_8_SMBUS};

const SIXTEEN: Crc<u16> = Crc::<u16>::new(&CRC_16_USB);
static THIRTY_TWO: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
static SIXTY_FOUR: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_XZ);

fn message(i: u32) -> [u8; 150] {
    let mut numbers = Numbers::new(i);
    core::array::from_fn(|_| numbers.next() as u8)
}

fn short(i: u32) -> u64 {
    let message = &message(i)[..i as usize];
    let eight = Crc::<u8, NoTable>::new(&CRC_8_SMBUS).checksum(message);
    u64::from(eight) | u64::from(SIXTEEN.checksum(message)) << 8
}

fn long(i: u32) -> u64 {
    let message = message(i);
    let mut digest: Digest<'_, u32> = THIRTY_TWO.digest();
    message.chunks(i as usize + 3).for_each(|chunk| digest.update(chunk));
    mixed([u64::from(digest.finalize()), SIXTY_FOUR.checksum(&message[i as usize..])])
}

fn wide(i: u32) -> u64 {
    let sum = Crc::<u128, NoTable>::new(&CRC_82_DARC).checksum(&message(i)[..40]);
    mixed([sum as u64, (sum >> 64) as u64])
}

corpus::parts![short, long, wide];
