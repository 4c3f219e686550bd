//! Numbers of other crates as elements and arguments, with features of the crate.

use glam::{DMat2, UVec4, Vec3A};
use half::bf16;
use num_complex::Complex;
use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, thread};

#[kernel]
fn turn(by: Complex<f32>, shift: Vec3A, mut numbers: DisjointSlice<Complex<f32>>, mut places: DisjointSlice<Vec3A>) {
    let i = thread::index_1d();
    if let (Some(number), Some(place)) = (numbers.get_mut(i), places.get_mut(i)) {
        *number *= by;
        *place += shift;
    }
}

#[kernel]
fn widen(from: &[bf16], mut to: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(to) = to.get_mut(i) {
        *to = from[i.get()].to_f32();
    }
}

/// Launches with them.
pub(crate) fn check(stream: &Stream) -> Result<()> {
    let mut numbers = DeviceBuffer::from_host(stream, &[Complex::new(1.0, 0.0), Complex::new(0.0, 2.0)])?;
    let mut places = DeviceBuffer::<Vec3A>::zeroed(stream, 2)?;
    let arguments = (Complex::new(0.0, 1.0), Vec3A::new(1.0, 2.0, 3.0), &mut numbers, &mut places);
    turn.launch(stream, Grid::for_len(2, 32), arguments)?;
    assert_eq!(numbers.to_host_vec(stream)?, [Complex::new(0.0, 1.0), Complex::new(-2.0, 0.0)]);
    assert_eq!(places.to_host_vec(stream)?, [Vec3A::new(1.0, 2.0, 3.0); 2]);
    let mut wide = [0.0; 2];
    widen.launch(stream, Grid::for_len(2, 32), (&[bf16::from_f32(0.5), bf16::ONE], &mut wide))?;
    assert_eq!(wide, [0.5, 1.0]);
    let zeros = DeviceBuffer::<(UVec4, DMat2)>::zeroed(stream, 1)?;
    assert_eq!(zeros.to_host_vec(stream)?, [(UVec4::ZERO, DMat2::ZERO)]);
    Ok(())
}
