//! `micromath`: approximations, vectors, quaternions and statistics.

use corpus::{mixed, Numbers};
use micromath::statistics::{Mean, StdDev, Trim, Variance};
use micromath::vector::{Vector, Vector2d, Vector3d};
use micromath::{F32Ext, Quaternion};

fn approximations(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let (x, y) = (numbers.float(9.0), numbers.float(0.9));
    let p = x.abs() + 0.1;
    let (sine, cosine) = F32Ext::sin_cos(x);
    let values = [
        F32Ext::sin(x),
        F32Ext::cos(x),
        F32Ext::tan(x),
        F32Ext::asin(y),
        F32Ext::acos(y),
        F32Ext::atan(x),
        F32Ext::atan2(x, y),
        F32Ext::exp(x),
        F32Ext::ln(p),
        F32Ext::log(p, 3.0),
        F32Ext::log2(p),
        F32Ext::log10(p),
        F32Ext::sqrt(p),
        p.invsqrt(),
        F32Ext::powf(p, y),
        F32Ext::powi(x, 5),
        F32Ext::hypot(x, y),
        F32Ext::round(x),
        F32Ext::floor(x),
        F32Ext::ceil(x),
        F32Ext::fract(x),
        F32Ext::rem_euclid(x, 2.5),
        F32Ext::trunc(x),
        x.inv(),
        sine,
        cosine,
    ];
    mixed(values.map(f32::to_bits))
}

fn vectors(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let a = Vector3d { x: numbers.float(3.0), y: numbers.float(3.0), z: 1.0 };
    let b = Vector3d { x: 0.5, y: numbers.float(3.0), z: numbers.float(3.0) };
    let turned = Quaternion::axis_angle(a, 0.7) * Quaternion::new(0.5, 0.5, 0.1, numbers.float(1.0));
    let moved = turned.rotate(b);
    let plane = Vector2d { x: i as i16, y: 7 } * 3;
    let values = [a.dot(b), a.magnitude(), a.distance(b), moved.x, moved.y, moved.z, turned.norm(), turned.w()];
    mixed(values.map(f32::to_bits)) ^ plane.iter().sum::<i16>() as u64
}

fn statistics(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let values: [f32; 20] = core::array::from_fn(|_| numbers.float(100.0));
    let slice = &values[..i as usize % 18 + 2];
    let kept = (&slice).trim().sum::<f32>();
    mixed([slice.iter().copied().mean(), slice.variance(), slice.stddev(), kept].map(f32::to_bits))
}

corpus::parts![approximations, vectors, statistics];
