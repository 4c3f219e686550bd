//! How the benchmark's generated program begins: the device contract, types that kernels share, and `main`.
//! The kernels follow; this file alone is no benchmark.

#![allow(dead_code, unused_mut, unused_variables)]

use std::ops::{Add, Mul, Sub};

extern "C" {
    fn __offload_thread_id_x() -> u32;
    fn __offload_thread_id_y() -> u32;
    fn __offload_block_id_x() -> u32;
    fn __offload_block_id_y() -> u32;
    fn __offload_block_dim_x() -> u32;
    fn __offload_block_dim_y() -> u32;
}

fn global_id_x() -> u32 {
    unsafe { __offload_block_id_x() * __offload_block_dim_x() + __offload_thread_id_x() }
}

fn global_id_y() -> u32 {
    unsafe { __offload_block_id_y() * __offload_block_dim_y() + __offload_thread_id_y() }
}

#[derive(Clone, Copy)]
pub struct Vector {
    x: f32,
    y: f32,
    z: f32,
}

impl Vector {
    const ZERO: Vector = Vector { x: 0.0, y: 0.0, z: 0.0 };

    fn dot(self, other: Vector) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
}

impl Add for Vector {
    type Output = Vector;
    fn add(self, other: Vector) -> Vector {
        Vector { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for Vector {
    type Output = Vector;
    fn sub(self, other: Vector) -> Vector {
        Vector { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl Mul<f32> for Vector {
    type Output = Vector;
    fn mul(self, factor: f32) -> Vector {
        Vector { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Body {
    position: Vector,
    mass: f32,
    velocity: Vector,
    charge: f32,
}

impl Body {
    fn after(self, acceleration: Vector, step: f32) -> Body {
        let velocity = self.velocity + acceleration * step;
        Body { position: self.position + velocity * step, velocity, ..self }
    }
}

fn gravity(own: Body, other: Body, softening: f32) -> Vector {
    let between = other.position - own.position;
    let squared = between.dot(between) + softening;
    between * (other.mass / (squared * squared.sqrt()))
}

fn plummer(own: Body, other: Body, softening: f32) -> Vector {
    let between = other.position - own.position;
    let squared = between.dot(between) + softening * softening;
    let inverse = squared.sqrt().recip();
    between * (other.mass * inverse * inverse * inverse)
}

fn spring(own: Body, other: Body, softening: f32) -> Vector {
    let between = other.position - own.position;
    let length = between.dot(between).sqrt();
    if length > softening {
        between * (length - softening)
    } else {
        Vector::ZERO
    }
}

fn repulsion(own: Body, other: Body, softening: f32) -> Vector {
    let between = own.position - other.position;
    between * (own.charge * other.charge / (between.dot(between) + softening))
}

#[derive(Clone, Copy)]
struct Complex {
    re: f32,
    im: f32,
}

impl Complex {
    fn new(re: f32, im: f32) -> Complex {
        Complex { re, im }
    }

    fn norm(self) -> f32 {
        self.re * self.re + self.im * self.im
    }
}

impl Add for Complex {
    type Output = Complex;
    fn add(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Mul for Complex {
    type Output = Complex;
    fn mul(self, other: Complex) -> Complex {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

fn shade(steps: u32, limit: u32, z: Complex) -> u32 {
    if steps == limit {
        return 0xff00_0000;
    }
    let level = (steps * 255 / limit) ^ (z.norm().to_bits() >> 24);
    0xff00_0000 | level << 16 | level << 8 | (level & 0x7f)
}

fn round(low: [u32; 4], high: [u32; 4], constant: u32, word: u32) -> (u32, u32) {
    let ([a, b, c, d], [e, f, g, h]) = (low, high);
    let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
    let choice = (e & f) ^ (!e & g);
    let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(constant).wrapping_add(word);
    let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
    let majority = (a & b) ^ (a & c) ^ (b & c);
    (d.wrapping_add(t1), t1.wrapping_add(s0).wrapping_add(majority))
}

fn scheduled(w16: u32, w15: u32, w7: u32, w2: u32) -> u32 {
    let s0 = w15.rotate_right(7) ^ w15.rotate_right(18) ^ (w15 >> 3);
    let s1 = w2.rotate_right(17) ^ w2.rotate_right(19) ^ (w2 >> 10);
    w16.wrapping_add(s0).wrapping_add(w7).wrapping_add(s1)
}

/// A point of a grid of three dimensions.
#[derive(Clone, Copy)]
struct Point {
    values: *const f32,
    width: u32,
    height: u32,
    x: u32,
    y: u32,
    z: u32,
}

impl Point {
    fn new(values: *const f32, width: u32, height: u32, x: u32, y: u32, z: u32) -> Point {
        Point { values, width, height, x, y, z }
    }

    fn index(self, x: i32, y: i32, z: i32) -> usize {
        let row = (self.z.wrapping_add_signed(z) * self.height + self.y.wrapping_add_signed(y)) * self.width;
        (row + self.x.wrapping_add_signed(x)) as usize
    }

    unsafe fn at(self, x: i32, y: i32, z: i32) -> f32 {
        *self.values.add(self.index(x, y, z))
    }

    unsafe fn ring(self, distance: i32) -> f32 {
        self.at(distance, 0, 0) + self.at(-distance, 0, 0) + self.at(0, distance, 0) + self.at(0, -distance, 0)
    }

    unsafe fn above(self, distance: i32) -> f32 {
        self.at(0, 0, distance) + self.at(0, 0, -distance)
    }
}

fn main() {
    let numbers: Vec<u32> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    println!("{} numbers, {} in all", numbers.len(), numbers.iter().sum::<u32>());
}
