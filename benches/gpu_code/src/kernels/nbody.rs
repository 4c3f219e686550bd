//! One step of n bodies: the force on each body is a sum over all, a tile of them in shared memory at a time.

use offload::{
    DeviceBuffer, DeviceCopy, DisjointSlice, Grid, Result, fast, kernel, prelude::*, shared, thread, unroll,
};

use crate::numbers::{difference, floats};
use crate::run::Run;
use crate::twins::Argument;

const TILE: usize = 256;

/// As CUDA's `float4`: one access of 16 bytes.
#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, align(16))]
struct Float4 {
    x: f32,
    y: f32,
    z: f32,
    w: f32,
}

#[kernel(block_size(256, 1, 1))]
fn nbody(step: f32, places: &[Float4], mut speeds: DisjointSlice<Float4>) {
    shared! { static TILES: [Float4; TILE]; }
    let (i, thread) = (thread::index_1d(), thread::id::x() as usize);
    let own = places[i.get()];
    let (mut ax, mut ay, mut az) = (0.0, 0.0, 0.0);
    let mut first = 0;
    while first < places.len() {
        // SAFETY: each thread sets its own element, and barriers separate that from the accesses of the others.
        unsafe { TILES.set(thread, places[first + thread]) };
        thread::sync_threads();
        for k in 0..TILE {
            unroll!(4);
            // SAFETY: as above.
            let other = unsafe { TILES.get(k) };
            let [dx, dy, dz, force] = force(own, other);
            ax += dx * force;
            ay += dy * force;
            az += dz * force;
        }
        thread::sync_threads();
        first += TILE;
    }
    if let Some(speed) = speeds.get_mut(i) {
        speed.x += step * ax;
        speed.y += step * ay;
        speed.z += step * az;
    }
}

fn force(own: Float4, other: Float4) -> [f32; 4] {
    let (dx, dy, dz) = (other.x - own.x, other.y - own.y, other.z - own.z);
    let inverse = fast::rsqrt(dx * dx + dy * dy + dz * dz + 0.01);
    [dx, dy, dz, other.w * (inverse * inverse * inverse)]
}

pub(crate) fn check(run: &Run) -> Result<(f32, f32)> {
    let count = run.size(512, 65_536);
    let numbers = floats(4, count * 4);
    let places: Vec<_> = numbers.chunks(4).map(|n| Float4 { x: n[0], y: n[1], z: n[2], w: n[3] }).collect();
    let from = DeviceBuffer::from_host(run.stream(), &places)?;
    let mut speeds = DeviceBuffer::from_host(run.stream(), &places)?;
    let grid = Grid::for_len(count, TILE as u32);
    let arguments = &[count.bits(), 0.01_f32.bits(), from.bits(), speeds.bits()];
    if !run.launch(grid, arguments, || nbody.launch(run.stream(), grid, (0.01, &from, &mut speeds)))? {
        return Ok((0.0, 0.0));
    }
    let got: Vec<f32> = speeds.to_host_vec(run.stream())?.iter().map(|speed| speed.x).collect();
    let sum =
        |own: Float4| places.iter().map(|other| force(own, *other)).map(|[dx, .., force]| dx * force).sum::<f32>();
    let wanted: Vec<f32> = places.iter().map(|own| own.x + 0.01 * sum(*own)).collect();
    Ok((difference(&got, &wanted), 1e-3))
}
