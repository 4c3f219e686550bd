//! Approximations (`.approx`): the ends of the error that the PTX ISA documents with each instruction, above or below,
//! and its tables of special results.

use emulator_core::extreme::{end, is_upper, unit};

use super::format::{Format, Rounding, round_to};

/// The largest error of a result.
#[derive(Clone, Copy)]
enum Error {
    /// In units of the last place.
    Units(f64),
    Relative(f64),
    Absolute(f64),
}

impl Error {
    fn of(self, exact: f64) -> f64 {
        match self {
            Error::Units(count) => count * unit(exact),
            Error::Relative(part) => part * exact.abs(),
            Error::Absolute(error) => error,
        }
    }
}

/// 2 to the power of `-22.9`, the error of `rsqrt`.
const ROOT_ERROR: f64 = 1.277_2e-7;
/// 2 to the power of `-20.5`, of `sin` and `cos` within two turns of zero.
const NEAR_ERROR: f64 = 6.743e-7;
/// 2 to the power of `-14.7`, within 100 pi.
const FAR_ERROR: f64 = 3.757e-5;
/// 2 to the powers of `-9.9`, of `ex2` in f16, and of `-10.987`, of `tanh`.
const HALF_POWER_ERROR: f64 = 1.046e-3;
const HALF_TANH_ERROR: f64 = 4.926e-4;

/// The exact result of one of `rcp`, `sqrt`, `rsqrt`, `ex2`, `lg2`, `sin`, `cos`, `tanh`, and the error of f32.
fn exact(name: &str, a: f64) -> Option<(f64, Error)> {
    let turn = std::f64::consts::TAU;
    // Beyond 100 pi no error is promised; the results are sines of arbitrary angles.
    let trigonometric = if a.abs() <= turn { NEAR_ERROR } else { FAR_ERROR };
    Some(match name {
        "rcp" => (1.0 / a, Error::Units(1.0)),
        "sqrt" => (a.sqrt(), Error::Relative(2f64.powi(-23))),
        "rsqrt" => (reciprocal_root(a), Error::Relative(ROOT_ERROR)),
        "ex2" => (a.exp2(), Error::Units(2.0)),
        "lg2" if 0.5 < a && a < 2.0 => (a.log2(), Error::Absolute(2f64.powi(-22))),
        "lg2" => (a.log2(), Error::Relative(2f64.powi(-22))),
        "sin" => (a.sin(), Error::Absolute(trigonometric)),
        "cos" => (a.cos(), Error::Absolute(trigonometric)),
        "tanh" => (a.tanh(), Error::Relative(2f64.powi(-11))),
        _ => return None,
    })
}

/// Whether the table of an instruction has the result of an operand: zeros, infinities and NaNs.
fn is_special(a: f64) -> bool {
    a == 0.0 || !a.is_finite()
}

/// One of these instructions in single precision.
pub(crate) fn approximate(name: &str, a: f32) -> Option<f32> {
    let (exact, error) = exact(name, a.into())?;
    if is_special(a.into()) || exact.is_nan() {
        return Some(exact as f32);
    }
    let upper = is_upper(a.to_bits().into());
    let result = end(exact, error.of(exact), upper);
    Some(match name {
        "sin" | "cos" | "tanh" => result.clamp(-1.0, 1.0),
        // A small error does not change the sign of a result that is never negative.
        "ex2" | "sqrt" | "rsqrt" => result.max(0.0),
        _ => result,
    })
}

/// `ex2` and `tanh` in one of the formats of 16 bits.
pub(crate) fn approximate_half(name: &str, a: f64, format: Format) -> Option<u64> {
    let is_half = format.fraction == super::F16.fraction;
    let (exact, _) = exact(name, a)?;
    if is_special(a) || exact.is_nan() {
        return Some(round_to(format, exact, Rounding::Nearest));
    }
    let error = match (name, is_half) {
        ("ex2", true) => HALF_POWER_ERROR * exact,
        ("ex2", false) => 2f64.powi(-7) * exact,
        (_, true) => HALF_TANH_ERROR,
        (_, false) => 2f64.powi(-8),
    };
    let upper = is_upper(a.to_bits());
    let limit = if upper { exact + error } else { exact - error };
    let limit = if name == "tanh" { limit.clamp(-1.0, 1.0) } else { limit };
    Some(round_to(format, limit, if upper { Rounding::Down } else { Rounding::Up }))
}

/// The reciprocal of a square root: infinite with the sign of a zero.
fn reciprocal_root(a: f64) -> f64 {
    if a == 0.0 { f64::INFINITY.copysign(a) } else { 1.0 / a.sqrt() }
}

/// `div.approx` and `div.full`, with an error of two units. For large divisors `div.approx` gives 0, or a NaN if the
/// dividend is infinite.
pub(crate) fn divide_approximately(a: f32, b: f32, is_full: bool) -> f32 {
    let large = 2f32.powi(126);
    if !is_full && b.abs() > large && b.is_finite() {
        let zero = if a.is_infinite() { f32::NAN } else { 0.0 };
        return if a.is_sign_negative() != b.is_sign_negative() { -zero } else { zero };
    }
    let exact = f64::from(a) / f64::from(b);
    if is_special(a.into()) || is_special(b.into()) {
        return exact as f32;
    }
    end(exact, 2.0 * unit(exact), is_upper(u64::from(a.to_bits()) | u64::from(b.to_bits()) << 32))
}

#[cfg(test)]
mod tests {
    use super::approximate;

    /// Both ends are seen, none is beyond, and special operands have the results of the tables.
    #[test]
    fn results_are_at_the_ends_of_their_error() {
        for (name, of, relative) in [
            ("rcp", (|a| 1.0 / a) as fn(f64) -> f64, 2f64.powi(-23)),
            ("sqrt", f64::sqrt, 2f64.powi(-23)),
            ("ex2", f64::exp2, 2f64.powi(-22)),
            ("tanh", f64::tanh, 2f64.powi(-11)),
        ] {
            let mut ends = [0; 2];
            for i in 1..200 {
                let a = i as f32 * 0.037;
                let (exact, got) = (of(a.into()), f64::from(approximate(name, a).expect("it has a name")));
                let error = (got - exact).abs() / exact;
                assert!(error <= relative * 1.0001, "{name}({a}) = {got}, not {exact}");
                ends[usize::from(got > exact)] += 1;
            }
            assert!(ends.iter().all(|count| *count > 40), "{name}: {ends:?}");
        }
        assert_eq!(approximate("ex2", -0.0), Some(1.0));
        assert_eq!(approximate("cos", 0.0), Some(1.0));
        assert_eq!(approximate("rcp", f32::NEG_INFINITY).map(f32::to_bits), Some((-0f32).to_bits()));
    }
}
