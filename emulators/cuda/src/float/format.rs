//! Floats of other formats than the host's.

/// How a result that is not exact becomes one that can be represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// To the nearest, ties to even.
    Nearest,
    /// To the nearest, ties away from zero.
    NearestAway,
    /// Towards zero.
    Zero,
    /// Towards negative infinity.
    Down,
    /// Towards positive infinity.
    Up,
}

impl Rounding {
    /// The mode of a modifier.
    pub(crate) fn parse(word: &str) -> Option<Rounding> {
        Some(match word {
            "rn" | "rni" => Rounding::Nearest,
            "rna" => Rounding::NearestAway,
            "rz" | "rzi" => Rounding::Zero,
            "rm" | "rmi" => Rounding::Down,
            "rp" | "rpi" => Rounding::Up,
            _ => return None,
        })
    }
}

/// A binary format with infinities: a sign, an exponent, a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// Bits of the exponent.
    pub(crate) exponent: u32,
    /// Bits of the fraction.
    pub(crate) fraction: u32,
    /// Bits below the fraction that are zero.
    pub(crate) unused: u32,
}

/// IEEE's half precision.
pub(crate) const F16: Format = Format { exponent: 5, fraction: 10, unused: 0 };
/// Half of a single-precision float.
pub(crate) const BF16: Format = Format { exponent: 8, fraction: 7, unused: 0 };
/// IEEE's single precision.
pub(crate) const F32: Format = Format { exponent: 8, fraction: 23, unused: 0 };
/// A single-precision float with a short fraction.
pub(crate) const TF32: Format = Format { exponent: 8, fraction: 10, unused: 13 };

impl Format {
    /// The value of bits in this format.
    pub(crate) fn value(self, bits: u64) -> f64 {
        let bits = bits >> self.unused;
        let fraction = bits & ((1 << self.fraction) - 1);
        let exponent = bits >> self.fraction & ((1 << self.exponent) - 1);
        let is_negative = bits >> (self.fraction + self.exponent) & 1 != 0;
        let bias = (1i32 << (self.exponent - 1)) - 1;
        let scale = |power: i32| 2f64.powi(power - self.fraction as i32);
        let magnitude = if exponent == (1 << self.exponent) - 1 {
            if fraction == 0 { f64::INFINITY } else { f64::NAN }
        } else if exponent == 0 {
            fraction as f64 * scale(1 - bias)
        } else {
            (fraction | 1 << self.fraction) as f64 * scale(exponent as i32 - bias)
        };
        if is_negative { -magnitude } else { magnitude }
    }

    /// The NaN of PTX: all bits but the sign.
    pub(crate) fn nan(self) -> u64 {
        ((1 << (self.exponent + self.fraction)) - 1) << self.unused
    }
}

/// The bits of a value in a format. A value that is itself rounded is right if it was rounded to odd.
pub(crate) fn round_to(format: Format, value: f64, rounding: Rounding) -> u64 {
    if value.is_nan() {
        return format.nan();
    }
    let is_negative = value.is_sign_negative();
    let sign = u64::from(is_negative) << (format.exponent + format.fraction);
    let infinity = ((1u64 << format.exponent) - 1) << format.fraction;
    let magnitude = if value.is_infinite() {
        infinity
    } else if value == 0.0 {
        0
    } else {
        finite(format, value, rounding, is_negative, infinity)
    };
    (sign | magnitude) << format.unused
}

fn finite(format: Format, value: f64, rounding: Rounding, is_negative: bool, infinity: u64) -> u64 {
    let bits = value.to_bits() & !(1 << 63);
    let field = (bits >> 52) as i32;
    let significand = if field == 0 { bits } else { bits & ((1 << 52) - 1) | 1 << 52 };
    let exponent = field.max(1) - 1023;
    let bias = (1i32 << (format.exponent - 1)) - 1;
    let least = 1 - bias;
    let shift = (52 - format.fraction as i32 + (least - exponent).max(0)).min(63) as u32;
    let (kept, rest) = (significand >> shift, significand & ((1 << shift) - 1));
    let half = 1u64 << (shift - 1);
    let rounds_up = match rounding {
        Rounding::Nearest => rest > half || (rest == half && kept & 1 != 0),
        Rounding::NearestAway => rest >= half,
        Rounding::Zero => false,
        Rounding::Down => rest != 0 && is_negative,
        Rounding::Up => rest != 0 && !is_negative,
    };
    // The leading bit of a normal number adds one to the exponent below it. A carry adds one, too.
    let below = if exponent < least { 0 } else { (exponent + bias - 1) as u64 };
    let rounded = (below << format.fraction) + kept + u64::from(rounds_up);
    if rounded < infinity {
        return rounded;
    }
    let stays_finite = match rounding {
        Rounding::Nearest | Rounding::NearestAway => false,
        Rounding::Zero => true,
        Rounding::Down => !is_negative,
        Rounding::Up => is_negative,
    };
    if stays_finite { infinity - 1 } else { infinity }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_precision_is_the_hosts() {
        for value in [1.0, -0.1, 1e-40, 3.4e38, 1e39, 1e-46, 7e-46, 16777217.0, f64::MIN_POSITIVE, -0.0] {
            assert_eq!(round_to(F32, value, Rounding::Nearest), u64::from((value as f32).to_bits()), "{value}");
            assert_eq!(F32.value(u64::from((value as f32).to_bits())), f64::from(value as f32));
        }
    }

    #[test]
    fn directions_are_told_apart() {
        let third = 1.0 / 3.0;
        let down = round_to(F16, third, Rounding::Down);
        assert_eq!(round_to(F16, third, Rounding::Up), down + 1);
        assert_eq!(round_to(F16, third, Rounding::Zero), down);
        assert_eq!(round_to(F16, -third, Rounding::Down), 0x8000 | (down + 1));
        assert_eq!(round_to(F16, 65520.0, Rounding::Nearest), 0x7c00);
        assert_eq!(round_to(F16, 65520.0, Rounding::Zero), 0x7bff);
        assert_eq!(round_to(F16, f64::NAN, Rounding::Zero), 0x7fff);
        assert_eq!(round_to(BF16, 1.0, Rounding::Nearest), 0x3f80);
        assert_eq!(round_to(TF32, 1.0 + 1.0 / 2048.0, Rounding::NearestAway), 0x3f80_2000);
    }
}
