//! Operations whose result can be rounded in any direction afterwards.

use super::format::Rounding;

/// An operation of IEEE 754.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// a + b
    Add,
    /// a - b
    Subtract,
    /// a * b
    Multiply,
    /// a * b + c
    MultiplyAdd,
    /// a / b
    Divide,
    /// The square root of a
    SquareRoot,
}

/// The sum to the nearest, and its error (Knuth's two-sum).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    (sum, (a - a_part) + (b - b_part))
}

/// The result to the nearest, and a number with the sign of the exact result less this one.
fn with_error(operation: Operation, a: f64, b: f64, c: f64) -> (f64, f64) {
    match operation {
        Operation::Add => two_sum(a, b),
        Operation::Subtract => two_sum(a, -b),
        Operation::Multiply => {
            let product = a * b;
            (product, a.mul_add(b, -product))
        }
        Operation::MultiplyAdd => multiply_add(a, b, c),
        Operation::Divide => {
            let quotient = a / b;
            let rest = (-quotient).mul_add(b, a);
            (quotient, if b < 0.0 { -rest } else { rest })
        }
        Operation::SquareRoot => {
            let root = a.sqrt();
            (root, (-root).mul_add(root, a))
        }
    }
}

/// The error of a fused operation: the product, its error and the sum with `c`, exactly, less the result.
fn multiply_add(a: f64, b: f64, c: f64) -> (f64, f64) {
    let result = a.mul_add(b, c);
    let product = a * b;
    let below = a.mul_add(b, -product);
    // product + below + c - result, from the largest: each step is exact, or its error is kept.
    let (sum, sum_error) = two_sum(product, c);
    let (rest, rest_error) = two_sum(sum, -result);
    let (low, low_error) = two_sum(sum_error, below);
    let (total, total_error) = two_sum(rest, low);
    let tail = rest_error + low_error + total_error;
    (result, if total != 0.0 { total } else { tail })
}

fn next_towards_zero(value: f64) -> f64 {
    if value == 0.0 { value } else { f64::from_bits(value.to_bits() - 1) }
}

fn next_away(value: f64, is_negative: bool) -> f64 {
    if value == 0.0 {
        let least = f64::from_bits(1);
        return if is_negative { -least } else { least };
    }
    f64::from_bits(value.to_bits() + 1)
}

/// The result rounded to odd, for a second rounding to a shorter format.
pub(crate) fn odd(operation: Operation, a: f64, b: f64, c: f64) -> f64 {
    let (result, error) = with_error(operation, a, b, c);
    if !result.is_finite() || error == 0.0 || error.is_nan() {
        return result;
    }
    let truncated = if (error < 0.0) != (result < 0.0) { next_towards_zero(result) } else { result };
    f64::from_bits(truncated.to_bits() | 1)
}

/// A result of 64 bits in a direction.
pub(crate) fn directed64(operation: Operation, a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    let (result, error) = with_error(operation, a, b, c);
    if result.is_nan() {
        return result;
    }
    let operands_finite = a.is_finite() && b.is_finite() && c.is_finite();
    if result.is_infinite() {
        let by_overflow = operands_finite && !(operation == Operation::Divide && b == 0.0);
        let stays = match rounding {
            Rounding::Zero => true,
            Rounding::Down => result > 0.0,
            Rounding::Up => result < 0.0,
            _ => false,
        };
        return if by_overflow && stays { f64::MAX.copysign(result) } else { result };
    }
    if error == 0.0 || error.is_nan() {
        // An exact zero from different signs is negative when rounding down.
        let cancels =
            result == 0.0 && matches!(operation, Operation::Add | Operation::Subtract | Operation::MultiplyAdd);
        return if cancels && rounding == Rounding::Down && !same_signs(operation, a, b, c) { -0.0 } else { result };
    }
    match rounding {
        Rounding::Nearest | Rounding::NearestAway => result,
        Rounding::Zero if (error < 0.0) != result.is_sign_negative() => next_towards_zero(result),
        Rounding::Down if error < 0.0 => step_down(result),
        Rounding::Up if error > 0.0 => -step_down(-result),
        _ => result,
    }
}

fn same_signs(operation: Operation, a: f64, b: f64, c: f64) -> bool {
    let negative = |value: f64| value.is_sign_negative();
    match operation {
        Operation::Add => negative(a) == negative(b),
        Operation::Subtract => negative(a) != negative(b),
        _ => (negative(a) != negative(b)) == negative(c),
    }
}

fn step_down(value: f64) -> f64 {
    if value > 0.0 { next_towards_zero(value) } else { next_away(value, true) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::float::format::{F32, round_to};

    #[test]
    fn two_roundings_are_one_if_the_first_is_to_odd() {
        let mut seed = 1u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from_bits(seed & 0x807f_ffff | (96 + (seed >> 24) % 64) << 23)
        };
        for _ in 0..20_000 {
            let (a, b, c) = (next(), next(), next());
            let wide = |x: f32| f64::from(x);
            let check = |operation, expected: f32| {
                let bits = round_to(F32, odd(operation, wide(a), wide(b), wide(c)), Rounding::Nearest);
                assert_eq!(bits as u32, expected.to_bits(), "{operation:?} {a:e} {b:e} {c:e}");
            };
            check(Operation::Add, a + b);
            check(Operation::Multiply, a * b);
            check(Operation::Divide, a / b);
            check(Operation::MultiplyAdd, a.mul_add(b, c));
        }
    }

    #[test]
    fn directions_enclose_the_result() {
        for (a, b) in [(1.0, 3.0), (-1.0, 3.0), (1e300, -7.0), (0.1, 0.2)] {
            for operation in [Operation::Add, Operation::Multiply, Operation::Divide] {
                let down = directed64(operation, a, b, 0.0, Rounding::Down);
                let up = directed64(operation, a, b, 0.0, Rounding::Up);
                let near = directed64(operation, a, b, 0.0, Rounding::Nearest);
                assert!(down <= near && near <= up && (down == up || down.next_up() == up), "{operation:?} {a} {b}");
            }
        }
        assert!(directed64(Operation::Add, 1.0, -1.0, 0.0, Rounding::Down).is_sign_negative());
    }
}
