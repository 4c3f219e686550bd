//! Floating-point literals.
//!
//! LLVM 23 writes a number in the type of the literal, correctly rounded. LLVM 22 reads it as a `double`: it refuses
//! one that is not exact in a narrower type, and uses the `double` for a wider type. LLVM 23 also writes infinities and
//! NaNs as words, and bits as `f0x…` with the width of the type. LLVM 22 has bits as `0x…` of a `double`, also for
//! `float`, and with a letter for the other types. (LLVM's Language Reference, "Simple Constants".)

use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, Round, StatusAnd};

/// A floating-point type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Half,
    BFloat,
    Float,
    Double,
    Fp128,
    X86Fp80,
    PpcFp128,
}

impl Format {
    /// The type with this keyword.
    pub(super) fn named(word: &str) -> Option<Self> {
        Some(match word {
            "half" => Format::Half,
            "bfloat" => Format::BFloat,
            "float" => Format::Float,
            "double" => Format::Double,
            "fp128" => Format::Fp128,
            "x86_fp80" => Format::X86Fp80,
            "ppc_fp128" => Format::PpcFp128,
            _ => return None,
        })
    }

    fn bits(self) -> u32 {
        match self {
            Format::Half | Format::BFloat => 16,
            Format::Float => 32,
            Format::Double => 64,
            Format::X86Fp80 => 80,
            Format::Fp128 | Format::PpcFp128 => 128,
        }
    }

    /// The bits in the syntax of LLVM 22. `llvm/lib/AsmParser/LLLexer.cpp` has the letters and the order of the words.
    fn spell(self, bits: u128) -> String {
        let (high, low) = ((bits >> 64) as u64, bits as u64);
        match self {
            Format::Half => format!("0xH{low:04X}"),
            Format::BFloat => format!("0xR{low:04X}"),
            Format::Float => format!("0x{:016X}", widened(low as u32)),
            Format::Double => format!("0x{low:016X}"),
            Format::X86Fp80 => format!("0xK{high:04X}{low:016X}"),
            Format::Fp128 | Format::PpcFp128 => format!("0xL{low:016X}{high:016X}"),
        }
    }

    /// The bits of a number, infinity or NaN, parsed as by `APFloat`.
    fn parse(self, text: &str) -> Option<u128> {
        fn bits<F: Float>(text: &str) -> Option<u128> {
            let parsed = F::from_str_r(text, Round::NearestTiesToEven);
            parsed.ok().map(|StatusAnd { value, .. }| value.to_bits())
        }
        match self {
            Format::Half => bits::<Half>(text),
            Format::BFloat => bits::<BFloat>(text),
            Format::Float => bits::<Single>(text),
            Format::Double => bits::<Double>(text),
            Format::Fp128 => bits::<Quad>(text),
            Format::X86Fp80 => bits::<X87DoubleExtended>(text),
            Format::PpcFp128 => None,
        }
    }
}

/// The bits of the `double` with the value of a `float`. A NaN keeps its payload, and a signaling NaN remains
/// signaling.
fn widened(single: u32) -> u64 {
    let value = f32::from_bits(single);
    if !value.is_nan() {
        return f64::from(value).to_bits();
    }
    let sign = u64::from(single >> 31) << 63;
    sign | 0x7ff << 52 | u64::from(single & 0x7f_ffff) << 29
}

/// Whether a word is the start of a floating-point literal.
pub(super) fn is_literal(word: &str) -> bool {
    let digits = word.trim_start_matches(['+', '-']);
    matches!(word, "+inf" | "-inf" | "+qnan" | "-qnan")
        || has_payload(word)
        || word.strip_prefix("f0x").is_some_and(|hex| !hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit()))
        || is_decimal(digits)
        || is_hexadecimal(digits)
}

/// Whether a payload in parentheses follows.
pub(super) fn has_payload(word: &str) -> bool {
    matches!(word, "+nan" | "-nan" | "+snan" | "-snan")
}

/// `1.5e-3`: without a point, it would be an integer.
fn is_decimal(digits: &str) -> bool {
    let (number, exponent) = digits.split_once(['e', 'E']).map_or((digits, None), |(n, e)| (n, Some(e)));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((whole, fraction)) = number.split_once('.') else { return false };
    let exponent = exponent.is_none_or(|e| {
        let digits = e.strip_prefix(['+', '-']).unwrap_or(e);
        !digits.is_empty() && all_digits(digits)
    });
    !whole.is_empty() && all_digits(whole) && all_digits(fraction) && exponent
}

/// `0x1.8p-3`.
fn is_hexadecimal(digits: &str) -> bool {
    let Some((number, exponent)) = digits.strip_prefix("0x").and_then(|rest| rest.split_once(['p', 'P'])) else {
        return false;
    };
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    number.bytes().all(|b| b.is_ascii_hexdigit() || b == b'.') && exponent.bytes().all(|b| b.is_ascii_digit())
}

/// A literal in the syntax of LLVM 22.
pub(super) fn respell(format: Format, literal: &str) -> Result<String, String> {
    if is_decimal(literal.trim_start_matches(['+', '-'])) && stays(format, literal) {
        return Ok(literal.to_owned());
    }
    let bits = bits(format, literal).ok_or_else(|| format!("the floating-point literal `{literal}`"))?;
    Ok(format.spell(bits))
}

/// Whether LLVM 22 reads the same number from these digits, as a `double`.
fn stays(format: Format, literal: &str) -> bool {
    let exact = |value: f64| literal.parse::<f32>().is_ok_and(|single| f64::from(single) == value);
    match format {
        Format::Double => true,
        Format::Float => literal.parse::<f64>().is_ok_and(exact),
        _ => false,
    }
}

fn bits(format: Format, literal: &str) -> Option<u128> {
    if let Some(hex) = literal.strip_prefix("f0x") {
        let bits = u128::from_str_radix(hex, 16).ok()?;
        return (format.bits() == 128 || bits >> format.bits() == 0).then_some(bits);
    }
    let negative = literal.starts_with('-');
    // The preferred quiet NaN has no payload.
    let text = match literal.trim_start_matches(['+', '-']) {
        "qnan" => "nan",
        text => text,
    };
    let magnitude = format.parse(text)?;
    Some(magnitude | u128::from(negative) << (format.bits() - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_ours(type_name: &str, literal: &str) -> String {
        assert!(is_literal(literal.split('(').next().unwrap()), "{literal}");
        respell(Format::named(type_name).unwrap(), literal).unwrap()
    }

    #[test]
    fn numbers_are_rounded_in_their_own_type() {
        assert_eq!(in_ours("double", "1.000000e-01"), "1.000000e-01");
        assert_eq!(in_ours("float", "5.000000e-01"), "5.000000e-01");
        assert_eq!(in_ours("float", "1.000000e-01"), "0x3FB99999A0000000");
        assert_eq!(in_ours("half", "1.000170e-04"), "0xH068E");
        assert_eq!(in_ours("half", "-1.0"), "0xHBC00");
        assert_eq!(in_ours("bfloat", "1.000000e-01"), "0xR3DCD");
        assert_eq!(in_ours("fp128", "1.000000e-01"), "0xL999999999999999A3FFB999999999999");
        assert_eq!(in_ours("x86_fp80", "1.0"), "0xK3FFF8000000000000000");
        assert_eq!(in_ours("float", "0x1.8p-3"), "0x3FC8000000000000");
    }

    #[test]
    fn bits_are_of_the_types_width() {
        assert_eq!(in_ours("float", "f0x38D1B717"), "0x3F1A36E2E0000000");
        assert_eq!(in_ours("double", "f0x400921FB54442D18"), "0x400921FB54442D18");
        assert_eq!(in_ours("fp128", "f0x3FF1A36E2EB1C432CA57A786C226809D"), "0xLCA57A786C226809D3FF1A36E2EB1C432");
        assert_eq!(respell(Format::Half, "f0x13C00").unwrap_err(), "the floating-point literal `f0x13C00`");
    }

    #[test]
    fn infinities_and_nans_keep_sign_kind_and_payload() {
        assert_eq!(in_ours("float", "+inf"), "0x7FF0000000000000");
        assert_eq!(in_ours("float", "-inf"), "0xFFF0000000000000");
        assert_eq!(in_ours("double", "+qnan"), "0x7FF8000000000000");
        assert_eq!(in_ours("half", "-qnan"), "0xHFE00");
        assert_eq!(in_ours("float", "+nan(0x1)"), "0x7FF8000020000000");
        assert_eq!(in_ours("float", "-snan(0x1)"), "0xFFF0000020000000");
        assert_eq!(in_ours("double", "+snan(0x21)"), "0x7FF0000000000021");
    }

    #[test]
    fn what_is_no_literal_is_left_alone() {
        for word in ["1", "i32", "0x10", "f0xg", "inf", "nan", "e1.0", "1e5", "0x1", "x.1", "-", "f0x"] {
            assert!(!is_literal(word), "{word}");
        }
    }
}
