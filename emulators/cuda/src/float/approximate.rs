//! Approximations (`.approx`): the nearest float, which is within the error that the ISA documents, with its special
//! results.

/// One of `rcp`, `sqrt`, `rsqrt`, `ex2`, `lg2`, `sin`, `cos`, `tanh` of single precision.
pub(crate) fn approximate(name: &str, a: f32) -> Option<f32> {
    let wide = f64::from(a);
    Some(match name {
        "rcp" => (1.0 / wide) as f32,
        "sqrt" => wide.sqrt() as f32,
        "rsqrt" => reciprocal_root(wide) as f32,
        "ex2" => wide.exp2() as f32,
        "lg2" => wide.log2() as f32,
        "sin" => wide.sin() as f32,
        "cos" => wide.cos() as f32,
        "tanh" => wide.tanh() as f32,
        _ => return None,
    })
}

/// The reciprocal of a square root: infinite with the sign of a zero.
fn reciprocal_root(a: f64) -> f64 {
    if a == 0.0 { f64::INFINITY.copysign(a) } else { 1.0 / a.sqrt() }
}

/// `div.approx`: for large divisors the quotient is 0, or not a number if the dividend is infinite.
pub(crate) fn divide_approximately(a: f32, b: f32) -> f32 {
    let large = 2f32.powi(126);
    if b.abs() > large && b.is_finite() {
        let zero = if a.is_infinite() { f32::NAN } else { 0.0 };
        return if a.is_sign_negative() != b.is_sign_negative() { -zero } else { zero };
    }
    a / b
}
