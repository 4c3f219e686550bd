//! Bytes and halves with signs, put together to numbers, and sums of products of bytes. Back ends have instructions for
//! them that permute bytes, extend a byte of a register, or add four products at once.

#[macro_use]
#[path = "common/kernels.rs"]
mod kernels;
#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use kernels::{compare, mix};

fn first(i: u32) -> u32 {
    i.wrapping_mul(0x9e37_79b9)
}

fn second(i: u32) -> u32 {
    i.wrapping_mul(0x85eb_ca6b) ^ 0x8055_aa11
}

/// The bytes of a number shifted to the right with its sign.
fn shifted_bytes(i: u32) -> u64 {
    let q = (first(i) as i32 >> 8).to_le_bytes();
    u32::from_le_bytes([q[2], q[1], q[3], q[3]]).into()
}

/// The same for other numbers, shifts and orders.
fn signed_bytes(i: u32) -> u64 {
    let (v, w) = (first(i) as i32, second(i) as i32);
    let all = [
        u32::from_le_bytes((v >> 8).to_be_bytes()),
        ((v >> 8).swap_bytes()) as u32,
        u32::from_le_bytes([
            (v >> 16).to_le_bytes()[1],
            (w >> 24).to_le_bytes()[1],
            (v >> 16).to_le_bytes()[3],
            w as u8,
        ]),
        u32::from_le_bytes([(v as i16 >> 8).to_le_bytes()[1], (w as i16 >> 8).to_le_bytes()[1], v as u8, w as u8]),
        (v >> 8) as u32 & 0xff00_0000 | w as u32 & 0x00ff_00ff | (v >> 16) as u32 & 0xff00,
        (v >> 24) as u32 & 0xffff_0000 | w as u32 >> 16,
        u32::from(v as i8 as u16) << 16 | u32::from(w as i8 as u16),
    ];
    let wide = (i64::from(v) << 32 | i64::from(w as u32)) >> 40;
    let q = wide.to_le_bytes();
    let put = u64::from_le_bytes([q[2], q[1], q[3], q[3], q[7], q[0], q[4], q[2]]);
    let turned = (i64::from(v >> 8).swap_bytes() ^ i64::from(w >> 8).rotate_left(24)) as u64;
    all.into_iter().fold(mix(put, turned), |sum, v| mix(sum, v.into()))
}

/// Halves with a sign, shifted by a byte, as numbers without one.
fn shifted_halves(i: u32) -> u64 {
    let (x, g) = ((first(i) as i16 >> 8) as u16, second(i));
    let word = u32::from(x);
    let results = [
        word | g << 16,
        word.wrapping_mul(g),
        word.max(300) + 5,
        u32::from(x.wrapping_add(g as u16)) ^ word,
        word << 3,
        u32::from(word > g & 0xffff),
        word ^ g,
        (f32::from(x) * 2.0).to_bits(),
        word.wrapping_sub(g),
        (word & g).min(first(i)),
    ];
    results.into_iter().fold(0, |sum, v| mix(sum, v.into()))
}

/// One of them alone.
fn shifted_half(i: u32) -> u64 {
    u64::from(u32::from((first(i) as i16 >> 8) as u16) ^ second(i))
}

/// A number with the bits of an extended half.
fn extended_float(i: u32) -> u64 {
    let v = f32::from_bits(first(i) as i16 as u32);
    (if v.is_nan() { 1.5 } else { v }) as u64
}

fn byte(x: u32, at: u32) -> u32 {
    x >> (8 * at) & 0xff
}

fn signed(x: u32, at: u32) -> i32 {
    (x >> (8 * at)) as i8 as i32
}

/// A mask between the products of bytes in a sum.
fn masked_product(i: u32) -> u64 {
    let (a, b) = (first(i), second(i));
    (byte(a, 0) * byte(b, 0) + (byte(a, 1) * byte(b, 1) & 1023)).into()
}

/// Sums of products of bytes, with other operations between.
fn products_of_bytes(i: u32) -> u64 {
    let (a, b) = (first(i), second(i));
    let (p, q) = (|at| byte(a, at) * byte(b, at), |at| signed(a, at) * signed(b, at));
    let results = [
        p(0).wrapping_sub(i).wrapping_add(p(1)).wrapping_add(p(2)),
        (p(0) >> 3) + p(1) + p(2) + p(3),
        (p(0) | 0x1001) + p(1),
        (p(0) ^ 0xffff) + p(1) + p(2) + p(3),
        p(0).max(i) + p(1),
        (p(0) * 3).wrapping_mul(i).wrapping_add(p(1)),
        (if i % 3 == 0 { p(0) } else { b }).wrapping_add(p(1)),
        (q(0) + (q(1) & 1023)) as u32,
        (q(0) - q(1) + q(2)) as u32,
        (p(0) + p(1) & 0x3ff) + p(2) + p(3),
        (i as i32).wrapping_add(signed(a, 0) * byte(b, 0) as i32).wrapping_add(signed(a, 1) * byte(b, 1) as i32) as u32,
    ];
    let shifted = [a as i32 >> 8, a as i32 >> 16, a as i32 >> 24].map(|q| {
        let unsigned = (0..4).fold(i, |sum, at| sum.wrapping_add(byte(q as u32, at) * byte(b, at)));
        let signed = (1..4).fold(i as i32, |sum, at| sum.wrapping_add(signed(q as u32, at) * signed(b, at)));
        mix(unsigned.into(), signed as u64)
    });
    let wide = (0..4).fold(u64::from(i) << 32 | 0xffff_0000, |sum, at| sum + u64::from(p(at)));
    let narrow = (0..4).fold(-5_i64, |sum, at| sum + i64::from(q(at)));
    results.into_iter().fold(shifted.into_iter().fold(mix(wide, narrow as u64), mix), |sum, v| mix(sum, v.into()))
}

/// Sums of products of narrow numbers, in their own types, with other operations between.
macro_rules! narrow_sums {
    ($a:ident, $b:ident: $($ty:ty => $small:ty),*) => {
        [$({
            let [x, y, z, w] = [$a, $b, $a >> 8, $b >> 16].map(|number| number as $small as $ty);
            let (product, other) = (x.wrapping_mul(y), z.wrapping_mul(w));
            let between = [
                product >> 2,
                product & 0x3f,
                product ^ 5,
                product | 64,
                !product,
                product.wrapping_mul(3),
                product.rotate_left(3),
                product.max(9),
                x.wrapping_mul(y << 4),
                x << 3,
                other.wrapping_sub(product),
            ];
            between.into_iter().fold(0, |sum, number| mix(sum, number.wrapping_add(other) as u64))
        }),*]
    };
}

fn products_of_narrow_numbers(i: u32) -> u64 {
    let (a, b) = (first(i), second(i));
    let all = narrow_sums!(a, b: u8 => u8, i8 => i8, u16 => u8, i16 => i8, u16 => u16, i16 => i16, u32 => u8, i32 => i8,
        u64 => u8, i64 => i8);
    all.into_iter().fold(0, mix)
}

/// Two of them alone, which leave nothing else in the way of an instruction.
fn shifted_product(i: u32) -> u64 {
    let [x, y, z, w] = first(i).to_le_bytes();
    (x.wrapping_mul(y) >> 2).wrapping_add(z.wrapping_mul(w)).into()
}

fn shifted_factor(i: u32) -> u64 {
    let [x, y, z, w] = first(i).to_le_bytes().map(|byte| i32::from(byte as i8));
    (x * (y << 4) + z * w) as u64
}

kernels! {
    sums_of_narrow_products: products_of_narrow_numbers,
    shift_of_a_product: shifted_product,
    shift_of_a_factor: shifted_factor,
    sign_of_bytes: shifted_bytes,
    signs_of_bytes: signed_bytes,
    signs_of_halves: shifted_halves,
    sign_of_a_half: shifted_half,
    float_of_a_half: extended_float,
    mask_of_a_product: masked_product,
    sums_of_products: products_of_bytes,
}

fn main() {
    compare("bytes", 1024, handles(), FUNCTIONS);
}
