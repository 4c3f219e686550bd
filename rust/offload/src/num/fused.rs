//! `a * b + c` of floats of 16 bits with one rounding, and conversions that do not round to the nearest number. Each
//! result has the same bits on every device.

use super::{Bf16, F16, convert, instructions};

/// A product of two `F16` and a sum, as an `f32` that rounds to the right `F16`: to the exact result, or to the one of
/// its two neighbours whose last bit is 1. An `f32` has two bits more than a second rounding needs then.
#[inline(always)]
pub(super) fn f16_mul_add(a: f32, b: f32, c: f32) -> f32 {
    // It has 22 bits, and is a normal number if it is none of the special ones.
    let product = a * b;
    let sum = product + c;
    // The error of the sum, exactly.
    let of_c = sum - product;
    let error = (product - (sum - of_c)) + (c - of_c);
    let bits = sum.to_bits();
    if error == 0.0 || !sum.is_finite() || bits & 1 == 1 {
        return sum;
    }
    f32::from_bits(if (error > 0.0) == (sum > 0.0) { bits + 1 } else { bits - 1 })
}

/// The same for any format of 16 bits, by integers only: the number of bits of the mantissa without the leading one,
/// and the bias. Products of `Bf16` may be outside of the range of `f32`, and not every device has `f64`.
pub(super) const fn mul_add<const MANTISSA: u32, const BIAS: i32>(a: u16, b: u16, c: u16) -> u16 {
    const SIGN: u16 = 0x8000;
    let infinity = ((2 * BIAS + 1) as u16) << MANTISSA;
    let nan = infinity | 1 << (MANTISSA - 1);
    let (size_a, size_b, size_c) = (a & !SIGN, b & !SIGN, c & !SIGN);
    let (sign, is_infinite) = ((a ^ b) & SIGN, size_a == infinity || size_b == infinity);
    if size_a > infinity || size_b > infinity || size_c > infinity || is_infinite && (size_a == 0 || size_b == 0) {
        return nan;
    }
    if is_infinite {
        return if size_c == infinity && sign != c & SIGN { nan } else { sign | infinity };
    }
    if size_c == infinity {
        return c;
    }
    let ((number_a, exponent_a), (number_b, exponent_b)) =
        (parts::<MANTISSA, BIAS>(size_a), parts::<MANTISSA, BIAS>(size_b));
    let (addend, exponent_c) = parts::<MANTISSA, BIAS>(size_c);
    let (product, exponent) = (number_a * number_b, exponent_a + exponent_b);
    if product == 0 {
        return if addend == 0 { sign & c } else { c };
    }
    if addend == 0 {
        return rounded::<MANTISSA, BIAS>(sign, product, exponent);
    }
    // The number with the larger exponent is first. Of a number far below its last bit, only the sign matters, and that
    // it is not 0.
    let (sign, (high, at_high), (other_sign, low, at_low)) = if exponent >= exponent_c {
        (sign, (product, exponent), (c & SIGN, addend, exponent_c))
    } else {
        (c & SIGN, (addend, exponent_c), (sign, product, exponent))
    };
    const FAR: i32 = 40;
    let distance = at_high - at_low;
    let (high, low, at) =
        if distance <= FAR { (high << distance, low, at_low) } else { (high << FAR, 1, at_high - FAR) };
    if sign == other_sign {
        rounded::<MANTISSA, BIAS>(sign, high + low, at)
    } else if high == low {
        0
    } else if high > low {
        rounded::<MANTISSA, BIAS>(sign, high - low, at)
    } else {
        rounded::<MANTISSA, BIAS>(other_sign, low - high, at)
    }
}

/// A finite number without its sign as an integer and an exponent.
const fn parts<const MANTISSA: u32, const BIAS: i32>(bits: u16) -> (u64, i32) {
    let (exponent, mantissa) = ((bits >> MANTISSA) as i32, bits & ((1 << MANTISSA) - 1));
    let least = 1 - BIAS - MANTISSA as i32;
    if exponent == 0 { (mantissa as u64, least) } else { ((mantissa | 1 << MANTISSA) as u64, least + exponent - 1) }
}

/// The nearest number to `number` times two to the power of `exponent`, of two the one whose last bit is 0. The number
/// is not 0 and has less than 63 bits.
const fn rounded<const MANTISSA: u32, const BIAS: i32>(sign: u16, number: u64, exponent: i32) -> u16 {
    let least = 1 - BIAS - MANTISSA as i32;
    let of_length = 63 - number.leading_zeros() as i32 - MANTISSA as i32;
    let dropped = if of_length > least - exponent { of_length } else { least - exponent };
    let kept = if dropped <= 0 {
        number << -dropped
    } else {
        // More bits than there are leave nothing, as all of them do.
        let dropped = if dropped > 63 { 63 } else { dropped };
        let even = (number >> dropped) & 1;
        (number + ((1 << (dropped - 1)) - 1) + even) >> dropped
    };
    // The leading one of a normal number and a carry increment the exponent.
    let bits = (((exponent + dropped - least) as u64) << MANTISSA) + kept;
    let infinity = ((2 * BIAS + 1) as u64) << MANTISSA;
    sign | (if bits > infinity { infinity } else { bits }) as u16
}

/// Which of two neighbours a conversion takes.
#[derive(Clone, Copy)]
pub(super) enum Direction {
    Up,
    Down,
    TowardZero,
}

/// The neighbour of `value` in a direction: `nearest` or the number beside it. `back` is `nearest` as an `f32`.
const fn directed(value: u32, nearest: u16, back: u32, direction: Direction) -> u16 {
    const SIGN: u32 = 1 << 31;
    let (is_negative, size, size_of_back) = (value & SIGN != 0, value & !SIGN, back & !SIGN);
    if size > 0x7f80_0000 {
        return nearest;
    }
    let grows = match direction {
        Direction::Up => !is_negative,
        Direction::Down => is_negative,
        Direction::TowardZero => false,
    };
    // Both have the same sign, so that the bits of a larger one are a larger number.
    if grows && size_of_back < size {
        nearest + 1
    } else if !grows && size_of_back > size {
        nearest - 1
    } else {
        nearest
    }
}

pub(super) const fn f16_of_f32(value: u32, direction: Direction) -> u16 {
    let nearest = convert::f16_of_f32(value);
    directed(value, nearest, convert::f32_of_f16(nearest), direction)
}

pub(super) const fn bf16_of_f32(value: u32, direction: Direction) -> u16 {
    let nearest = convert::bf16_of_f32(value);
    directed(value, nearest, convert::f32_of_bf16(nearest), direction)
}

impl F16 {
    /// `self * factor + addend`, rounded once.
    ///
    /// ```
    /// use offload::num::F16;
    ///
    /// let (almost, one) = (F16::ONE - F16::EPSILON, F16::ONE);
    /// assert_eq!(almost.mul_add(almost, -one) + (F16::EPSILON + F16::EPSILON), F16::EPSILON * F16::EPSILON);
    /// ```
    #[doc(alias("__hfma", "fma"))]
    #[inline(always)]
    pub fn mul_add(self, factor: F16, addend: F16) -> F16 {
        let [a, b, c] = [self, factor, addend].map(|number| instructions::f16_as_operand(number.to_bits()));
        F16::from_bits(instructions::f16_of_result(f16_mul_add(a, b, c)))
    }
}

impl Bf16 {
    /// `self * factor + addend`, rounded once.
    ///
    /// ```
    /// use offload::num::Bf16;
    ///
    /// let tiny = Bf16::from_bits(1); // it decides a tie
    /// let a = Bf16::from_f32(1.0625);
    /// assert!(a.mul_add(a, tiny) > a * a + tiny);
    /// ```
    #[doc(alias("__hfma", "fma"))]
    #[inline(always)]
    pub const fn mul_add(self, factor: Bf16, addend: Bf16) -> Bf16 {
        Bf16::from_bits(mul_add::<7, 127>(self.to_bits(), factor.to_bits(), addend.to_bits()))
    }
}

macro_rules! directed_conversions {
    ($($ty:ident $convert:ident $up:literal $down:literal $toward_zero:literal;)*) => { $(
        impl $ty {
            /// The smallest number that is not below `value`.
            ///
            /// ```
            #[doc = concat!("use offload::num::", stringify!($ty), ";")]
            ///
            #[doc = concat!("let above = ", stringify!($ty), "::from_f32_up(1.0_f32.next_up());")]
            #[doc = concat!("assert_eq!(above, ", stringify!($ty), "::ONE + ", stringify!($ty), "::EPSILON);")]
            /// ```
            #[doc(alias = $up)]
            #[inline(always)]
            pub const fn from_f32_up(value: f32) -> Self {
                $ty::from_bits($convert(value.to_bits(), Direction::Up))
            }

            /// The largest number that is not above `value`.
            ///
            /// ```
            #[doc = concat!("use offload::num::", stringify!($ty), ";")]
            ///
            #[doc = concat!("assert_eq!(", stringify!($ty), "::from_f32_down(f32::MAX), ", stringify!($ty), "::MAX);")]
            /// ```
            #[doc(alias = $down)]
            #[inline(always)]
            pub const fn from_f32_down(value: f32) -> Self {
                $ty::from_bits($convert(value.to_bits(), Direction::Down))
            }

            /// The number that is nearest to `value` of those that are not farther from 0.
            ///
            /// ```
            #[doc = concat!("use offload::num::", stringify!($ty), ";")]
            ///
            #[doc = concat!("assert_eq!(", stringify!($ty), "::from_f32_toward_zero(f32::MIN), ", stringify!($ty), "::MIN);")]
            /// ```
            #[doc(alias = $toward_zero)]
            #[inline(always)]
            pub const fn from_f32_toward_zero(value: f32) -> Self {
                $ty::from_bits($convert(value.to_bits(), Direction::TowardZero))
            }
        }
    )* };
}
directed_conversions! {
    F16 f16_of_f32 "__float2half_ru" "__float2half_rd" "__float2half_rz";
    Bf16 bf16_of_f32 "__float2bfloat16_ru" "__float2bfloat16_rd" "__float2bfloat16_rz";
}

/// The same for each number of a vector.
macro_rules! vectors {
    ($($name:ident [$($field:ident)+] $cuda:literal;)*) => { $(
        impl super::$name {
            /// `self * factor + addend` of each number, rounded once.
            ///
            /// ```
            #[doc = concat!("use offload::num::", stringify!($name), ";")]
            ///
            #[doc = concat!("let v = ", stringify!($name), "::default();")]
            /// assert_eq!(v.mul_add(v, v), v);
            /// ```
            #[doc(alias = $cuda)]
            #[inline(always)]
            pub fn mul_add(self, factor: Self, addend: Self) -> Self {
                Self { $($field: self.$field.mul_add(factor.$field, addend.$field)),+ }
            }
        }
    )* };
}
vectors! {
    F32x2 [x y] "fma"; F32x4 [x y z w] "fma";
    F64x2 [x y] "fma"; F64x4 [x y z w] "fma";
    F16x2 [x y] "__hfma2"; F16x4 [x y z w] "__hfma2";
    Bf16x2 [x y] "__hfma2"; Bf16x4 [x y z w] "__hfma2";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number that is nearest to `exact`, found by its definition: `value` gives the meaning of bits without a
    /// sign.
    fn nearest(exact: i128, infinity: u16, value: impl Fn(u16) -> i128) -> u16 {
        let (sign, size) = (if exact < 0 { 0x8000 } else { 0 }, exact.abs());
        let below = (0..infinity).collect::<std::vec::Vec<_>>().partition_point(|bits| value(*bits) <= size) as u16 - 1;
        let next = if below + 1 == infinity { 2 * value(below) - value(below - 1) } else { value(below + 1) };
        let (from_below, to_next) = (size - value(below), next - size);
        let is_next = to_next < from_below || (to_next == from_below && below & 1 == 1);
        sign | (below + u16::from(is_next))
    }

    /// Numbers that look random, and extremes among them.
    fn numbers(extremes: &[u16], mut visit: impl FnMut([u16; 3])) {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let place = (state >> 40) as usize;
            if place.is_multiple_of(4) { extremes[place / 4 % extremes.len()] } else { (state >> 20) as u16 }
        };
        for _ in 0..4000 {
            visit([next(), next(), next()]);
        }
    }

    #[test]
    fn a_product_and_a_sum_of_f16_round_once() {
        // In units of 2^-48.
        let value = |bits: u16| (F16::from_bits(bits & 0x7fff).to_f64() * 2_f64.powi(48)) as i128;
        let signed = |bits: u16| if bits >> 15 == 1 { -value(bits) } else { value(bits) };
        let extremes =
            [0, 1, 2, 0x3ff, 0x400, 0x401, 0x3bff, 0x3c00, 0x3c01, 0x6800, 0x6801, 0x7bff, 0x8001, 0xbc00, 0xfbff];
        let mut inexact = 0;
        numbers(&extremes, |[a, b, c]| {
            let [x, y, z] = [a, b, c].map(F16::from_bits);
            let (result, by_integers) = (x.mul_add(y, z), mul_add::<10, 15>(a, b, c));
            if !(x.is_finite() && y.is_finite() && z.is_finite()) {
                let wanted = x.to_f64().mul_add(y.to_f64(), z.to_f64());
                assert!(result.to_f64() == wanted || result.is_nan() && wanted.is_nan(), "{x} * {y} + {z} = {result}");
                assert!(result.to_bits() == by_integers || result.is_nan(), "{x} * {y} + {z}");
                return;
            }
            let exact = (signed(a) >> 24) * (signed(b) >> 24) + signed(c);
            inexact += usize::from(x * y + z != result);
            assert_eq!(result.to_bits(), by_integers, "{x} * {y} + {z}");
            if exact != 0 {
                assert_eq!(result.to_bits(), nearest(exact, 0x7c00, value), "{x} * {y} + {z}");
            } else {
                assert_eq!(result, F16::ZERO);
            }
        });
        assert!(inexact > 100, "{inexact}");
    }

    #[test]
    fn a_product_and_a_sum_of_bf16_round_once() {
        // In units of 2^-40; inputs are between 2^-12 and 2^12, of which all bits are in units of 2^-20.
        let value = |bits: u16| {
            let (exponent, mantissa) = (i32::from(bits >> 7 & 0xff) - 134 + 40, i128::from(bits & 0x7f | 0x80));
            match exponent {
                ..0 => 0,
                0..90 => mantissa << exponent,
                _ => i128::MAX / 4 + i128::from(bits),
            }
        };
        let signed = |bits: u16| if bits >> 15 == 1 { -value(bits & 0x7fff) } else { value(bits) };
        let into_range = |bits: u16| bits & 0x807f | (115 + (bits >> 7 & 0xff) % 24) << 7;
        let mut inexact = 0;
        numbers(&[0x3f80, 0x3f81, 0x3fff, 0xbf80, 0x4300, 0x4301], |all| {
            let [a, b, c] = all.map(into_range);
            let exact = (signed(a) >> 20) * (signed(b) >> 20) + signed(c);
            let [x, y, z] = [a, b, c].map(Bf16::from_bits);
            let result = x.mul_add(y, z);
            inexact += usize::from(x * y + z != result);
            if exact == 0 {
                assert_eq!(result, Bf16::ZERO);
            } else if exact.abs() >> 20 != 0 {
                assert_eq!(result.to_bits(), nearest(exact, 0x7f80, value), "{x} * {y} + {z} = {result}");
            }
        });
        assert!(inexact > 100, "{inexact}");
        let mul_add =
            |a: u16, b: u16, c: u16| Bf16::from_bits(a).mul_add(Bf16::from_bits(b), Bf16::from_bits(c)).to_bits();
        // A product that an `f32` does not hold, and a tie that the smallest number decides.
        assert_eq!(mul_add(0x7f7f, 0x4000, 0xff7f), 0x7f7f);
        assert_eq!(mul_add(0x0080, 0x3f00, 0x0001), 0x0041);
        assert_eq!(mul_add(0x3f88, 0x3f88, 0x0001), 0x3f91);
        assert_eq!(mul_add(0x3f88, 0x3f88, 0x8001), 0x3f90);
        assert_eq!(mul_add(0x3f88, 0x3f88, 0), 0x3f90);
        assert_eq!(mul_add(0x8000, 0x3f80, 0), 0);
        assert_eq!(mul_add(0x8000, 0x3f80, 0x8000), 0x8000);
        assert_eq!(mul_add(0x7f80, 0x3f80, 0xff80) & 0x7fff, 0x7fc0);
        assert_eq!(mul_add(0x7f80, 0, 0x3f80) & 0x7fff, 0x7fc0);
    }

    #[test]
    fn a_direction_takes_the_neighbour_on_its_side() {
        let mut bits = 0_u32;
        while let Some(next) = bits.checked_add(0x0007_1c71) {
            bits = next;
            let value = f32::from_bits(bits);
            if value.is_nan() {
                assert!(F16::from_f32_up(value).is_nan() && Bf16::from_f32_down(value).is_nan());
                continue;
            }
            let (up, down) = (F16::from_f32_up(value), F16::from_f32_down(value));
            assert!(down.to_f32() <= value && value <= up.to_f32(), "{value}: {down} {up}");
            let beside = u16::from(down.to_f32() != value);
            assert_eq!((up.to_bits() & 0x7fff).abs_diff(down.to_bits() & 0x7fff), beside, "{value}: {down} {up}");
            let zero = if value < 0.0 { up } else { down };
            assert_eq!(F16::from_f32_toward_zero(value).to_bits(), zero.to_bits(), "{value}");
            let (up, down) = (Bf16::from_f32_up(value), Bf16::from_f32_down(value));
            assert!(down.to_f32() <= value && value <= up.to_f32(), "{value}: {down} {up}");
            assert_eq!(Bf16::from_f32_toward_zero(value).to_bits(), (bits >> 16) as u16, "{value}");
        }
    }
}
