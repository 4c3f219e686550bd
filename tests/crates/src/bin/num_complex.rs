//! `num-complex`: arithmetic, roots, powers and functions of complex numbers.

use corpus::{mix, mixed, Numbers};
use num_complex::{c64, Complex, Complex32, Complex64};

fn bits(values: impl IntoIterator<Item = Complex64>) -> u64 {
    values.into_iter().fold(3, |sum, z| mix(mix(sum, z.re.to_bits()), z.im.to_bits()))
}

fn number(numbers: &mut Numbers) -> Complex64 {
    c64(numbers.double(3.0), numbers.double(3.0))
}

fn arithmetic(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let (a, b) = (number(&mut numbers), number(&mut numbers));
    let integers = Complex::new(i64::from(i), -4) * Complex::new(7, 9) - Complex::new(1, 2).powu(5);
    bits([a + b, a * b, a / b, a % b, a.inv(), a.conj() - 2.0, a.powi(-3), 1.5 / b]) ^ mixed([integers.re as u64])
}

fn circular(i: u32) -> u64 {
    let a = number(&mut Numbers::new(i));
    let (length, angle) = a.to_polar();
    bits([a.sin(), a.cosh(), a.tan(), a.asin(), Complex64::from_polar(length, angle), Complex64::cis(angle)])
}

fn powers(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let (a, b) = (number(&mut numbers), number(&mut numbers));
    bits([a.exp(), a.ln(), a.sqrt(), a.cbrt(), a.powf(1.7), a.powc(b)])
}

fn iterated(i: u32) -> u64 {
    let c = Complex32::new(i as f32 / 48.0 - 2.0, (i % 17) as f32 / 16.0);
    let mut z = Complex32::default();
    let escaped = (0..300u32).find(|_| {
        z = z * z + c;
        z.norm_sqr() > 4.0
    });
    u64::from(escaped.unwrap_or(300)) ^ u64::from(z.re.to_bits()) << 20 ^ u64::from(z.l1_norm().is_nan())
}

corpus::parts![arithmetic, circular, powers, iterated];
