//! Sums of several words: of 128 bits, of which all threads share some words and others not, and of words of 32 bits
//! with carries, also as the upper half of 64 bits.

#[macro_use]
#[path = "common/kernels.rs"]
mod kernels;
#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use kernels::{compare, mix};

fn folded(values: &[u128]) -> u64 {
    values.iter().fold(0, |sum, v| mix(mix(sum, *v as u64), (v >> 64) as u64))
}

/// Sums whose low halves are constants.
fn shared_low_words(i: u32) -> u64 {
    let own = (u128::from(i) * 0x1_2345_6789_abcd) << 64;
    let (a, b) = (own | 0xfedc_ba98_7654_3210, own << 3 | 0x89ab_cdef_0123_4567);
    let differences = [a.wrapping_neg(), b.wrapping_sub(a), (own >> 1).wrapping_sub(b), a.wrapping_sub(1 << 63 | 5)];
    let sums = [a.wrapping_add(b), a.wrapping_add(u128::from(u64::MAX)), (b | own).wrapping_add(a >> 64)];
    mix(folded(&differences), folded(&sums))
}

/// The same with overflow and saturation.
fn limits(i: u32) -> u64 {
    let a = (u128::from(i) << 120) | 0xfedc_ba98_7654_3210;
    let b = (u128::from(i ^ 0x55) << 121) | 0x89ab_cdef_0123_4567;
    let (signed, other) = (a as i128, b as i128);
    let sum = a.checked_add(b).unwrap_or(7) ^ a.saturating_sub(b) ^ a.saturating_add(b);
    let of_signed = signed.checked_sub(other).unwrap_or(9) ^ signed.saturating_add(other) ^ signed.wrapping_abs();
    folded(&[sum, of_signed as u128, a.abs_diff(b), signed.abs_diff(other), a.min(b), signed.max(other) as u128])
}

/// Divisions by numbers of one word and of two.
fn divided(i: u32) -> u64 {
    let a = (u128::from(i) + 3) << 70 | 0x1234_5678_9abc_def0;
    let b = u128::from(i % 13) << 66 | u128::from(i) | 1;
    let c = u128::from(i % 7) << 64 | 0x8000_0000_0000_0001;
    let (signed, five) = ((a as i128).wrapping_neg(), b as i128 + 5);
    folded(&[
        a / b,
        a % b,
        a / c,
        a % c,
        (signed / five) as u128,
        (signed % five) as u128,
        (signed / -(c as i128)) as u128,
    ])
}

/// Products, shifts and floats of such numbers.
fn scaled(i: u32) -> u64 {
    let a = u128::from(i) << 67 | 0xfedc_ba98_7654_3210;
    let product = a.wrapping_mul(u128::from(i) << 32 | 3).wrapping_add(a * 5) ^ a.wrapping_mul(0x1_0000_0000_0001);
    let turned = a.rotate_left(i % 128).wrapping_sub(a) ^ a.reverse_bits().wrapping_add(a.swap_bytes());
    let b = u128::from(i) << 65 | 0x8000_0000_0000_0001;
    let checked = b.checked_mul(u128::from(i) << 40 | 7).unwrap_or(3) ^ a.saturating_mul(3 << (i % 64));
    let signed = (b as i128).wrapping_neg().checked_mul(i128::from(i) << 33 | 5).map_or(11, |v| v as u128);
    let roots = a.isqrt() ^ (b as i128 >> (i % 70)).signum() as u128 ^ a.midpoint(b) ^ u128::from(b.ilog10());
    let floats = mix((a as f64).to_bits(), u64::from(((a as i128).wrapping_neg() as f32).to_bits()));
    mix(
        folded(&[product, turned, checked, signed, roots, (a as f64 * 1.5) as u128, (-(a as f32)) as i128 as u128]),
        floats,
    )
}

/// Three words of 32 bits, where the sum of the second ones may wrap around before the carry is added.
fn limbs(i: u32) -> u64 {
    let p = [i.wrapping_mul(0x9e37_79b9), i.wrapping_mul(0x85eb_ca6b), i];
    let q = [i.wrapping_mul(0xc2b2_ae35), !p[1].wrapping_mul(3), i ^ 0x55];
    let (s, carry) = p[0].overflowing_add(q[0]);
    let (t, carry) = p[1].wrapping_add(q[1]).overflowing_add(carry.into());
    let sum = mix(u64::from(s) << 32 | u64::from(t), p[2].wrapping_add(q[2]).wrapping_add(carry.into()).into());
    let (_, carry) = ((product(i) >> 7) as u32).wrapping_mul(5).overflowing_add(carry.into());
    let (_, last) = (product(i).wrapping_add(word(!i)) as u32).overflowing_add(carry.into());
    let sum = mix(sum, u64::from(carry) << 1 | u64::from(last));
    let (s, borrow) = q[0].overflowing_sub(p[0]);
    let (t, borrow) = q[1].wrapping_sub(p[1]).overflowing_sub(borrow.into());
    mix(sum, mix(u64::from(s) << 32 | u64::from(t), q[2].wrapping_sub(borrow.into()).into()))
}

fn product(i: u32) -> u64 {
    (u64::from(i).wrapping_mul(0x1_0000_0001) ^ 0x1234_5678_9abc_def0).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn word(i: u32) -> u64 {
    u64::from(i.wrapping_mul(0xc2b2_ae35) | 0xf000_0000)
}

/// Numbers of 64 bits whose upper words are sums, and numbers of 32 bits.
fn uneven(i: u32) -> u64 {
    let (v, w, x) = (product(i), word(i), product(!i));
    let (low, carry) = v.overflowing_add(w);
    let (high, last) = x.overflowing_add(carry.into());
    let difference = (v << 32).wrapping_sub(x << 32);
    let results = [
        v.checked_add(w).unwrap_or(3),
        v.checked_sub(w).unwrap_or(5),
        v.saturating_add(0xffff_ffff),
        v.saturating_sub(0xffff_ffff) ^ v.wrapping_mul(10).wrapping_neg().saturating_sub(w),
        difference.saturating_sub(w) ^ difference.checked_add(w).unwrap_or(9).rotate_left(5),
        low ^ high.rotate_left(9) ^ u64::from(last),
        u64::from(v.wrapping_add(w) < v) | u64::from(v < w) << 1 | u64::from(v.wrapping_sub(w) > v) << 2,
        v.midpoint(w) ^ ((u128::from(v) + u128::from(w)) >> 64) as u64,
        (v as i64).checked_add(w as i64).map_or(11, |v| v as u64) ^ (v as i64).saturating_sub(w as i64) as u64,
        (u64::from(i.wrapping_add(w as u32)) << 32 | u64::from(!i)).checked_add(0x8000_0000).unwrap_or(13),
    ];
    results.into_iter().fold(0, mix)
}

/// One of them alone.
fn uneven_sum(i: u32) -> u64 {
    product(i).checked_add(word(i)).unwrap_or(3)
}

kernels! {
    low_words: shared_low_words,
    edges: limits,
    divisions: divided,
    products: scaled,
    words: limbs,
    word_and_number: uneven,
    checked_sum: uneven_sum,
}

fn main() {
    compare("carries", 256, handles(), FUNCTIONS);
}
