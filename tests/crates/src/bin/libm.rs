//! `libm`: functions with one and two arguments in both precisions, except those in `libm_chosen.rs`.

use corpus::{mixed, Numbers};

fn doubles(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let (x, y) = (numbers.double(20.0), numbers.double(3.0));
    let values = [
        libm::sin(x),
        libm::cos(x * 1e5),
        libm::tan(x),
        libm::atan2(x, y),
        libm::exp(x),
        libm::exp2(y),
        libm::expm1(y),
        libm::log(x.abs()),
        libm::log2(x.abs()),
        libm::log10(x.abs()),
        libm::log1p(x.abs()),
        libm::pow(x.abs(), y),
        libm::hypot(x, y),
        libm::fmod(x, y),
        libm::remainder(x, y),
        libm::sqrt(x.abs()),
        libm::rint(x),
    ];
    mixed(values.map(f64::to_bits))
}

fn floats(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let (x, y) = (numbers.float(20.0), numbers.float(3.0));
    let values = [
        libm::sinf(x),
        libm::cosf(x * 1e5),
        libm::tanf(x),
        libm::atan2f(x, y),
        libm::expf(x),
        libm::exp2f(y),
        libm::logf(x.abs()),
        libm::log2f(x.abs()),
        libm::log10f(x.abs()),
        libm::log1pf(x.abs()),
        libm::expm1f(y),
        libm::powf(x.abs(), y),
        libm::cbrtf(x),
        libm::hypotf(x, y),
        libm::fmodf(x, y),
        libm::sqrtf(x.abs()),
        libm::roundf(x),
        libm::truncf(x),
        libm::floorf(y),
        libm::ceilf(y),
        libm::rintf(x),
    ];
    mixed(values.map(f32::to_bits))
}

fn special(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let (x, y) = (numbers.double(9.0), numbers.double(0.99));
    let values = [
        libm::erf(y),
        libm::erfc(x),
        libm::tgamma(x),
        libm::lgamma(x),
        libm::j0(x),
        libm::y1(x.abs()),
        libm::jn(3, x),
        libm::asin(y),
        libm::acos(y),
        libm::atan(x),
        libm::sinh(x),
        libm::cosh(x),
        libm::tanh(y),
        libm::asinh(x),
        libm::acosh(x.abs() + 1.0),
        libm::atanh(y),
        libm::nextafter(x, y),
        libm::ldexp(x, 7),
    ];
    mixed(values.map(f64::to_bits))
}

fn parts_of_numbers(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let x = numbers.double(1e10);
    let (rest, whole) = libm::modf(x);
    let (sine, cosine) = libm::sincos(x);
    let (remainder, quotient) = libm::remquo(x, 3.7);
    let (gamma, sign) = libm::lgamma_r(x / 1e9);
    let bits = [rest, whole, sine, cosine, remainder, gamma].map(f64::to_bits);
    mixed(bits) ^ mixed([quotient as u64, sign as u64, libm::ilogb(x) as u64])
}

corpus::parts![doubles, floats, special, parts_of_numbers];
