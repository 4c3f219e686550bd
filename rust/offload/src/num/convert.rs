//! Conversions between floats of 16 bits and wider ones, with integer operations only. The bits are therefore the same
//! on every device, whatever its instructions do with NaNs and with subnormal numbers.

/// Rounds the bits of a wider float to a narrower one with a smaller exponent.
///
/// For both formats: the number of bits of the mantissa, without the leading one, and the largest exponent of a number,
/// which is the bias as well.
macro_rules! narrow {
    ($name:ident: $word:ident $from_mantissa:literal $from_bias:literal => $to_mantissa:literal $to_bias:literal) => {
        pub(super) const fn $name(bits: $word) -> u16 {
            const DROPPED: u32 = $from_mantissa - $to_mantissa;
            const INFINITY: $word = (2 * $from_bias + 1) << $from_mantissa;
            /// The smallest number that is normal in the narrower format.
            const NORMAL: $word = ($from_bias - $to_bias + 1) << $from_mantissa;
            /// The difference of the two biases, in the place of the exponent.
            const REBIASED: $word = ($from_bias - $to_bias) << $from_mantissa;
            const TO_INFINITY: $word = (2 * $to_bias + 1) << $to_mantissa;
            const QUIET: $word = 1 << ($to_mantissa - 1);

            let sign = ((bits >> ($word::BITS - 16)) & 0x8000) as u16;
            let magnitude = bits & ($word::MAX >> 1);
            let rounded = if magnitude > INFINITY {
                TO_INFINITY | QUIET | ((magnitude >> DROPPED) & (QUIET - 1))
            } else if magnitude >= NORMAL {
                // A carry out of the mantissa increments the exponent, up to infinity.
                let even = (magnitude >> DROPPED) & 1;
                let rounded = (magnitude - REBIASED + ((1 << (DROPPED - 1)) - 1) + even) >> DROPPED;
                if rounded > TO_INFINITY { TO_INFINITY } else { rounded }
            } else {
                // The exponents of subnormal numbers are one: more bits are dropped instead. With all bits dropped, the
                // number is less than half of the smallest one.
                let exponent = (magnitude >> $from_mantissa) as u32;
                let dropped = ($from_bias - $to_bias + 1) - exponent + DROPPED;
                if dropped > $from_mantissa + 1 {
                    0
                } else {
                    let mantissa = (magnitude & ((1 << $from_mantissa) - 1)) | (1 << $from_mantissa);
                    let even = (mantissa >> dropped) & 1;
                    (mantissa + ((1 << (dropped - 1)) - 1) + even) >> dropped
                }
            };
            sign | rounded as u16
        }
    };
}

narrow!(f16_of_f32: u32 23 127 => 10 15);
narrow!(f16_of_f64: u64 52 1023 => 10 15);
narrow!(bf16_of_f64: u64 52 1023 => 7 127);

/// `f32` has the exponents of `Bf16`, so subnormal numbers are no special case.
pub(super) const fn bf16_of_f32(bits: u32) -> u16 {
    if bits & 0x7fff_ffff > 0x7f80_0000 {
        return (bits >> 16) as u16 | 0x40;
    }
    let even = (bits >> 16) & 1;
    ((bits + 0x7fff + even) >> 16) as u16
}

pub(super) const fn f32_of_f16(bits: u16) -> u32 {
    let (sign, bits) = ((bits as u32 & 0x8000) << 16, bits as u32 & 0x7fff);
    let magnitude = match bits >> 10 {
        0 => {
            // A multiple of 2^-24, which is a normal number of the wider format.
            let unit = 1.0 / (1 << 24) as f32;
            (bits as f32 * unit).to_bits()
        }
        31 if bits == 0x7c00 => 0x7f80_0000,
        31 => f32_of_nan(bits as u16),
        _ => (bits << 13) + (112 << 23),
    };
    sign | magnitude
}

pub(super) const fn f32_of_bf16(bits: u16) -> u32 {
    let quiet = if bits & 0x7fff > 0x7f80 { 0x40 } else { 0 };
    ((bits | quiet) as u32) << 16
}

/// The bits of a NaN of `F16` as a wider one.
pub(super) const fn f32_of_nan(bits: u16) -> u32 {
    (bits as u32 & 0x8000) << 16 | 0x7fc0_0000 | (bits as u32 & 0x3ff) << 13
}

/// The bits of a NaN as one of `F16`.
pub(super) const fn f16_of_nan(bits: u32) -> u16 {
    (bits >> 16 & 0x8000) as u16 | 0x7e00 | (bits >> 13 & 0x1ff) as u16
}

/// The bits of a NaN as a wider one.
pub(super) const fn f64_of_nan(bits: u32) -> u64 {
    (bits as u64 >> 31) << 63 | 0x7ff << 52 | (bits as u64 & 0x7f_ffff) << 29
}
